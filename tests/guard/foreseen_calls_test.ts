/** A call that was foreseen runs for what the calling tool has made, after its consent, and never for more than was shown. */
import assert from "node:assert/strict";
import type { Caller, Tier } from "../../core/model.ts";
import { CallRecord } from "../../guard/audit/audit.ts";
import { nestedCalls, type ReadyCall } from "../../guard/pipeline/nested_calls.ts";
import type { CallsPort } from "../../registry/tool.ts";

/** The port of a call that makes others, each of tier 1 until its plan finds `tier`; what was planned and run. */
function outer(tier: Tier = 1, gate = true) {
  const caller = { token: { id: "t", name: "t" } } as unknown as Caller;
  const record = new CallRecord(0, { door: "rest", requestId: "r", caller, tool: "maker" });
  const done: string[] = [];
  const ready = (id: string | number): ReadyCall => {
    done.push(`plan ${id}`);
    const run = () => Promise.resolve(void done.push(`run ${id}`));
    return { tier, gate: true, run } as unknown as ReadyCall;
  };
  const { port, planned } = nestedCalls({
    record,
    tools: ["maker"],
    prepare: () => Promise.reject(new Error("not asked")),
    foresee: () =>
      Promise.resolve({
        tier: 1 as const,
        siteId: "acme",
        gate,
        warnings: ["it is so"],
        planFor: (id) => Promise.resolve(ready(id)),
      }),
    explain: () => Promise.reject(new Error("not asked")),
  });
  const write = () => record.decision.begin("run", { writing: true });
  return { record, port, planned, done, write };
}

const name = (port: CallsPort) => port.foresee("namer", { site_id: "acme", title: "A" }, "id");

Deno.test("what is foreseen is shown with what its arguments set, and runs once for what the call has made", async () => {
  const { record, port, planned, done, write } = outer();
  const call = await name(port);
  assert.deepEqual(
    planned.map(({ tool, site_id, changes, warnings }) => [tool, site_id, changes, warnings]),
    [
      ["namer", "acme", [{ field: "namer.title", from: null, to: "A" }], ["it is so"]],
    ],
  );
  assert.deepEqual(done, [], "nothing is planned or sent");
  write();
  record.made.push({ what: "page", id: 7 });
  await port.run(call, 7);
  assert.deepEqual(done, ["plan 7", "run 7"]);
  await assert.rejects(port.run(call, 7), /has run/);
});

Deno.test("it never runs for anything that the call has not made itself, nor without an id", async () => {
  const { record, port, done, write } = outer();
  const calls = [await name(port), await name(port)];
  write();
  record.made.push({ what: "page", id: 7 });
  await assert.rejects(port.run(calls[0]!, 8), /has not made/);
  await assert.rejects(port.run(calls[1]!), /has not made/);
  assert.deepEqual(done, []);
});

Deno.test("it never runs before the consent, nor where it was foreseen only after that", async () => {
  const { record, port, done, write } = outer();
  const early = await name(port);
  record.made.push({ what: "page", id: 7 });
  await assert.rejects(port.run(early, 7), /was not planned before/);
  write();
  await assert.rejects(port.run(await name(port), 7), /was not planned before/);
  assert.deepEqual(done, []);
});

Deno.test("it does not run where its plan finds more than was shown, or where nobody could be shown it", async () => {
  const { record, port, done, write } = outer(3);
  const call = await name(port);
  write();
  record.made.push({ what: "page", id: 7 });
  await assert.rejects(port.run(call, 7), { code: "E_STALE_PREVIEW" });
  assert.deepEqual(done, ["plan 7"]);
  await assert.rejects(name(outer(1, false).port), { code: "E_FORBIDDEN_OP" });
  await assert.rejects(outer().port.foresee("maker", {}, "id"), { code: "E_FORBIDDEN_OP" });
});
