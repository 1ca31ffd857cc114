/** What somebody was shown is what a yes is compared with: its fields as well as the state, and what was hidden of them is said. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { approver, ask, asking, refused } from "./_approvals.ts";
import { ground } from "./_ground.ts";
import type { World } from "./_stand_in.ts";
import { nameOf, WRITES } from "./_writes.ts";

const filed = (at: World): Args => ({ site_id: "open", post_id: at.draft.id, categories: ["Offers"] });
const inSet = (at: World): Args => ({
  title: "A set",
  changes: [{ tool: "update_draft", arguments: filed(at) }],
});
const CALLS: readonly (readonly [tool: string, args: (at: World) => Args])[] = [
  ["update_draft", filed],
  ["prepare_changes", inSet],
];

Deno.test("a category that was renamed meanwhile is made only by a yes of who was told so, alone and in a set", async () => {
  for (const [tool, args] of CALLS) {
    await using at = await asking();
    const bea = await approver(at);
    const term = {
      id: 7,
      taxonomy: "category",
      name: "Offers",
      slug: "offers",
      description: "",
      parent: 0,
    } as const;
    at.cms.state.terms.set(7, { ...at.cms.state.terms.get(1)!, ...term });
    const { approval: { id } } = await ask(at, args(at), tool);
    const { shown } = (await bea.show(id)).result.preview!;
    at.cms.state.terms.set(7, { ...at.cms.state.terms.get(7)!, name: "Recalls" });
    refused(await bea.approve(id, shown), "E_STALE_PREVIEW", /not what you were shown/);
    assert.deepEqual([at.kit.writes, (await at.kit.gw.store.approvals.find(id))!.state], [0, "pending"]);
    const again = (await bea.show(id)).result.preview!;
    assert.match(JSON.stringify(again), /making the categories \\"Offers\\"/);
    assert.equal((await bea.approve(id, again.shown)).status, 200);
  }
});

Deno.test("of every tool that is planned, half an hour later the same is shown, so that it can be approved", async () => {
  for (const write of WRITES) {
    await using at = await ground({ repositories: write.site === "static" || write.tool.includes("md") });
    const args = { site_id: write.site ?? "cms", ...write.args(at, 1) };
    const shown = async () => {
      const { summary, changes } = await at.gw.call<Args>(write.tool, args);
      return JSON.stringify([summary, changes]);
    };
    const first = await shown();
    at.gw.clock.now += 30 * 60_000;
    assert.equal(await shown(), first, nameOf(write));
  }
});
