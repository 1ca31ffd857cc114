/** What somebody was shown is what a yes is compared with: its fields as well as the state, and what was hidden of them is said. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { approver, ask, asking, confirm, edit, refused } from "./_approvals.ts";
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

Deno.test("where what is written is not all shown, for it looks like a credential, who decides is told so", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const told = /^content_html: .*\[redacted\].* the site gets it as it was sent/;
  const secret = `<p>Authorization: Bearer ${"k".repeat(40)}</p>`;
  const changes = [
    { tool: "create_draft", arguments: { site_id: "open", title: "New", content_html: secret } },
    {
      tool: "update_draft",
      arguments: { site_id: "open", post_id: { $from: 1 }, title: "Later", content_html: secret },
    },
  ];
  const { approval: { id } } = await ask(at, { title: "A set", changes }, "prepare_changes");
  for (const item of (await bea.show(id)).result.preview!.items!) {
    assert.match((item["warnings"] as string[]).join(), told);
  }

  const asked = await ask(at, edit(at, { content_html: "<p>Fine</p>" }));
  assert.deepEqual((await bea.show(asked.approval.id)).result.preview!.warnings, []);
  const { result } = await bea.edit(asked.approval.id, { content_html: secret });
  const { preview } = (await bea.show(result.id)).result;
  assert.match(preview!.warnings.join(), told);
  assert.doesNotMatch(JSON.stringify(preview), /kkkk/);
  assert.match(
    (await bea.browser.open(`/admin/approvals/${result.id}`)).text,
    /the site gets it as it was sent/,
  );
  assert.equal((await bea.approve(result.id)).status, 200);
  assert.equal(at.draft.content.trim(), secret);
});

Deno.test("rows of who came second name who said yes and what that one left out, and the agent's name the request", async () => {
  await using at = await asking();
  const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
  const create = (title: string) => ({
    tool: "create_draft",
    arguments: { site_id: "open", title, content_html: "<p>x</p>" },
  });
  const set = { title: "A set", changes: [create("One"), create("Two"), create("Three")] };
  const asked = await ask(at, set, "prepare_changes");
  const { approval: { id } } = asked;
  const { shown } = (await bea.show(id)).result.preview!;
  await confirm(at, asked, set, "prepare_changes");
  const [early] = await at.kit.gw.audit();
  assert.deepEqual([early!.error, early!.approval_id], ["E_APPROVAL_PENDING", id]);
  await Promise.all([bea.approve(id, shown, [1]), cal.approve(id, shown, [2])]);
  await confirm(at, asked, set, "prepare_changes");
  const { decided, items_left_out } = (await at.kit.gw.store.approvals.find(id))!;
  const rows = (await at.kit.gw.audit()).filter(({ approved_by }) => approved_by !== undefined);
  assert.equal(rows.filter(({ repeats }) => repeats !== undefined).length, 2);
  for (const row of rows) {
    const told = [row.approval_id, row.approved_by, row.items_left_out];
    assert.deepEqual(told, [id, decided!.by, items_left_out], `${row.tool}, ${row.repeats}`);
  }
});

Deno.test("where the first yes ended in doubt, the row of the second names the first", async () => {
  await using at = await asking();
  const [bea, cal] = [await approver(at), await approver(at, "cal@agency.example")];
  const asked = await ask(at, edit(at));
  const { approval: { id } } = asked;
  const { shown } = (await bea.show(id)).result.preview!;
  at.cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
  await Promise.all([bea.approve(id, shown), cal.approve(id, shown)]);
  await confirm(at, asked);
  const { decided, outcome } = (await at.kit.gw.store.approvals.find(id))!;
  assert.equal(outcome, "unknown");
  const rows = (await at.kit.gw.audit()).filter(({ approved_by }) => approved_by !== undefined);
  assert.deepEqual(rows.map(({ approved_by }) => approved_by), rows.map(() => decided!.by));
  assert.equal(rows.length, 3);
});
