/** The fixed order of refusals, explained: each call of the ladder is said to end at its own step, with its own refusal. */
import assert from "node:assert/strict";
import type { Explanation } from "../../registry/tool.ts";
import { gateway } from "../kit.ts";
import { scenes } from "../scenes.ts";
import { LADDER, OPTIONS, type Rung } from "./ladder.ts";

const test = scenes(() => gateway(OPTIONS));

/** The tool is looked up for the explanation itself, and its site is that of the explanation. */
const isExplained = ({ step }: Rung) => !step.startsWith("4") && !step.startsWith("9");

for (const { step, tool = "toy_write", as, args, code, says } of LADDER.filter(isExplained)) {
  test(`explained, the call ends with the same refusal: step ${step}`, async (gw) => {
    const { site_id: named, ...rest } = args;
    const site_id = named === "other" ? "acme" : named; // which the refusal does not get to
    const call = { site_id, tool, arguments: rest };
    for (const door of ["rest", "mcp"] as const) {
      const { passed, steps } = await gw.call<Explanation>("explain_call", call, { as, door });
      const at = steps.findIndex(({ verdict }) => verdict === "refused");
      assert.deepEqual([passed, steps[at]!.number, steps[at]!.code], [false, parseInt(step), code]);
      assert.match(steps[at]!.message!, says);
      assert.ok(steps.slice(0, at).every(({ verdict }) => verdict === "passed"));
      assert.ok(steps.slice(at + 1).every(({ verdict }) => verdict === "not reached"));
      const numbers = steps.map(({ number }) => number);
      assert.deepEqual(numbers, [5, 6, 7, 8, 9, 10, 10, 11, 12, 12, 13]);
    }
    assert.deepEqual(gw.requests, [], "nothing was sent");
    const rows = await gw.audit();
    assert.deepEqual(
      rows.map((row) => [row.tool, row.status, row.calls]),
      Array(2).fill(["explain_call", "ok", undefined]),
    );
  });
}
