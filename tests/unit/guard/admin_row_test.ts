/** Rows of what operators do. */
import assert from "node:assert/strict";
import { adminRow, tookSince } from "../../../guard/audit/admin_row.ts";

Deno.test("what an operator did took no time below 0, also where the clock was set back meanwhile", () => {
  const by = { token_id: "master", token_name: "master token", owner_user_id: null };
  const row = adminRow("1", by, 1_000_000, "site.create", {});
  assert.deepEqual([1_000_250, 1_000_000, 0].map((now) => tookSince(row, now)), [250, 0, 0]);
});
