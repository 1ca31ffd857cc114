/** The limits against the golden table, both ways. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { golden, type GoldenLimits } from "./golden.ts";

Deno.test("every limit of the specification is a constant of that value, and no constant is beyond the table", async () => {
  const table = await golden<GoldenLimits>("limits");
  const expected: Record<string, number> = { ...table.own };
  for (const row of table.spec) Object.assign(expected, row.constants);
  assert.deepEqual({ ...LIMITS }, expected);
});

Deno.test("a limit without a constant belongs to something not yet built", async () => {
  const table = await golden<GoldenLimits>("limits");
  const waiting = new Set(["oauth", "upstream"]);
  for (const row of table.spec.filter((row) => row.constants === undefined)) {
    assert.ok(waiting.has(String(row.with)), `${row.limit} waits for "${row.with}", which is built`);
  }
});
