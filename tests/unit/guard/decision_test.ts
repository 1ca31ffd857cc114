/** What a call's decision tells: the steps in their order, the newest of each fact, and where the call ended. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { Decision } from "../../../guard/pipeline/decision.ts";
import { capTier } from "../../../guard/pipeline/risk.ts";
import { caller } from "./_callers.ts";

const told = (decision: Decision) => decision.steps.map(({ step, verdict }) => `${step} ${verdict}`);

Deno.test("a decision has the steps in their order, and of each fact the newest", () => {
  const decision = new Decision();
  assert.deepEqual([decision.tier, decision.code, decision.writing], [null, null, false]);
  decision.begin("tool");
  decision.finds({ tier: 1 });
  decision.begin("site");
  decision.finds({ site: null });
  decision.finds({ sites: [] });
  capTier({ caller: caller({ max_risk: 3 }), name: "toy", decision }, 2, "it is scheduled");
  assert.deepEqual(told(decision), ["tool passed", "site passed", "risk passed"]);
  assert.deepEqual(decision.steps[1]!.looked, { site: null, sites: [] });
  assert.deepEqual(decision.steps[2]!.looked, { tier: 2, max_risk: 3 });
  assert.equal(decision.steps[2]!.reason, "it is scheduled");
  assert.deepEqual([decision.tier, decision.latest("site"), decision.latest("bound")], [2, null, undefined]);
});

Deno.test("the last step of a decision says where the call was refused, with the reason and the code", () => {
  const decision = new Decision();
  decision.begin("tool", { tier: 3 });
  const low = { caller: caller({ max_risk: 1 }), name: "toy", decision };
  assert.throws(() => capTier(low, 3), { code: "E_SCOPE_DENIED" });
  decision.refuses(new GatewayError("E_SCOPE_DENIED", "The tier is too high"));
  assert.deepEqual(told(decision), ["tool passed", "risk refused"]);
  const { reason, code, looked } = decision.steps.at(-1)!;
  assert.deepEqual([reason, code, looked], ["The tier is too high", "E_SCOPE_DENIED", {
    tier: 3,
    max_risk: 1,
  }]);
  assert.equal(decision.code, "E_SCOPE_DENIED");
});

Deno.test("what fails once it runs has failed, what says what it would do is previewed", () => {
  const failed = new Decision();
  failed.begin("run", { writing: true });
  assert.equal(failed.writing, true);
  failed.refuses(new GatewayError("E_UPSTREAM", "The site did not answer"));
  assert.deepEqual([failed.verdict, failed.code, failed.writing], ["failed", "E_UPSTREAM", true]);
  const previewed = new Decision();
  previewed.begin("confirm");
  previewed.ends("previewed");
  assert.deepEqual([previewed.verdict, previewed.code], ["previewed", null]);
});
