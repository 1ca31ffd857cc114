/** A person approves a change set: it is one request, planned anew for who decides, and each item's row names them. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { approver, ask, asking, confirm, refused } from "./_approvals.ts";

type World = Awaited<ReturnType<typeof asking>>;

const order = (at: World): Args => ({
  title: "A set",
  changes: [
    { tool: "update_draft", arguments: { site_id: "open", post_id: at.draft.id, title: "From a set" } },
    { tool: "create_draft", arguments: { site_id: "acme", title: "Of a set", content_html: "<p>x</p>" } },
  ],
});

interface Ended {
  readonly set_id: string;
  readonly state: string;
  readonly items: readonly { readonly state: string }[];
  readonly replayed?: boolean;
}

const asked = (at: World) => ask(at, order(at), "prepare_changes");
const stateOf = ({ items }: Ended) => items.map(({ state }) => state);

Deno.test("a set waits for a person as one request, and is carried out by a yes, whose rows all name who gave it", async () => {
  await using at = await asking();
  const { gw } = at.kit;
  const bea = await approver(at);
  const waits = await asked(at);
  const early = await confirm(at, waits, order(at), "prepare_changes");
  assert.equal("code" in early && early.code, "E_APPROVAL_PENDING");
  assert.equal(at.kit.writes, 0);
  gw.clock.now += 60 * 60_000; // what was kept of the set that the agent was shown is gone by then
  const { result: { preview } } = await bea.show(waits.approval.id);
  assert.deepEqual(preview!.changes.map(({ field }) => field).slice(0, 2), [
    "item 1: title",
    "item 2: title",
  ]);
  const done = await bea.approve(waits.approval.id);
  assert.equal(done.status, 200, JSON.stringify(done.error));
  const answer = done.result.answer as Ended;
  assert.deepEqual([answer.state, stateOf(answer), at.draft.title], [
    "ended",
    ["done", "done"],
    "From a set",
  ]);
  const rows = (await gw.audit()).filter((row) => row.set_id === answer.set_id && row.outcome === "made");
  assert.deepEqual(
    rows.map(({ tool, item, approved_by, approval_id }) => [tool, item, approved_by, approval_id]).sort(),
    [
      ["create_draft", 2, "bea@agency.example", waits.approval.id],
      ["prepare_changes", undefined, "bea@agency.example", waits.approval.id],
      ["update_draft", 1, "bea@agency.example", waits.approval.id],
    ],
  );
  const told = await confirm(at, waits, order(at), "prepare_changes");
  assert.ok("value" in told, JSON.stringify(told));
  const repeated = told.value as Ended;
  assert.deepEqual([repeated.set_id, repeated.replayed, stateOf(repeated)], [answer.set_id, true, [
    "done",
    "done",
  ]]);
  assert.equal(at.kit.writes, 2);
});

Deno.test("a no ends a set, and a yes to what was changed since it was shown writes nothing", async () => {
  await using at = await asking();
  const bea = await approver(at);
  const first = await asked(at);
  const { result: { preview } } = await bea.show(first.approval.id);
  at.edit(at.draft, { title: "A person's" });
  refused(await bea.approve(first.approval.id, preview!.shown), "E_STALE_PREVIEW", /not what you were shown/);
  assert.equal(at.kit.writes, 0);
  await bea.reject(first.approval.id, "Later");
  const told = await confirm(at, first, order(at), "prepare_changes");
  assert.equal("code" in told && told.code, "E_APPROVAL_REJECTED");
  assert.equal(at.kit.writes, 0);
});

Deno.test("who may approve on one of a set's sites alone does not approve the set", async () => {
  await using at = await asking();
  const bea = await approver(at, "bea@agency.example", { approve_sites: ["open"] });
  const waits = await asked(at);
  const { status } = await bea.approve(waits.approval.id);
  assert.ok([403, 404].includes(status), String(status));
  assert.equal(at.kit.writes, 0);
});
