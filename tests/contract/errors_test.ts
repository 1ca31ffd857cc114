/** The table of codes against the golden one, both ways. */
import assert from "node:assert/strict";
import { CODES, GATEWAY_CODES } from "../../core/errors.ts";
import { golden } from "./golden.ts";

Deno.test("every code of the specification exists with its status, and the gateway has none beyond it", async () => {
  const expected = await golden<Record<string, number>>("errors");
  const actual = Object.fromEntries(
    Object.entries(GATEWAY_CODES).map(([code, entry]) => [code, entry.status]),
  );
  assert.deepEqual(actual, expected);
});

Deno.test("every code has a meaning a person can read", () => {
  for (const [code, entry] of Object.entries(CODES)) {
    assert.match(entry.meaning, /^[a-z].{10,}[^.]$/s, code);
  }
});
