/** The write-confirm gate: who may pass it, and what is seen instead. */
import assert from "node:assert/strict";
import { confirmed, preview } from "../../../guard/confirm.ts";
import { caller } from "./_callers.ts";

Deno.test("only confirm: true passes, or a super-admin token that may skip it", () => {
  const skipping = { skip_write_confirm: true };
  assert.equal(confirmed(caller(), true), true);
  assert.equal(confirmed(caller(), false), false);
  assert.equal(confirmed(caller(skipping), false), true);
  assert.equal(confirmed(caller(skipping, {}), false), false, "a user's token that claims it does not");
  assert.equal(confirmed(caller({}, {}), true), true);
});

Deno.test("a preview shows what would change, with bodies shortened and credentials taken out", () => {
  const secret = `gate_dev_${"s".repeat(43)}`;
  const body = "b".repeat(5000);
  const plan = {
    summary: `Write "${secret}"`,
    changes: [{ field: "title", from: null, to: secret }, { field: "content_html", from: "old", to: body }],
    revision: { part: "r1" },
    state: { hidden: true },
  };
  const args = { title: secret, content_html: body, password: "hunter2" };
  const call = { tool: "toy", tier: 1, args, plan, changes: plan.changes, calls: [] } as const;
  const seen = preview(call, { site: "acme", highestTier: 1 });
  assert.deepEqual(Object.keys(seen), [
    "needs_confirmation",
    "tool",
    "site_id",
    "tier",
    "summary",
    "changes",
    "arguments",
  ]);
  assert.deepEqual([seen.needs_confirmation, seen.tool, seen.site_id, seen.tier], [true, "toy", "acme", 1]);
  assert.equal(seen.summary, 'Write "[redacted]"');
  assert.deepEqual(seen.changes[0], { field: "title", from: null, to: "[redacted]" });
  const { to } = seen.changes[1] as { to: { length: number } };
  assert.equal(to.length, 5000);
  const text = JSON.stringify(seen);
  assert.ok(text.length < 2000);
  for (const hidden of [secret, "hunter2", "r1", "hidden"]) assert.ok(!text.includes(hidden), hidden);
});
