/** The examples of docs/TOOLS.md are what a gateway answers: every call is made again, and every byte compared. */
import assert from "node:assert/strict";
import { rows } from "../contract/golden.ts";
import { EXAMPLES, kept, run } from "../examples.ts";

Deno.test("the examples of docs/TOOLS.md are what the tools answer, every tool of the catalogue among them", async () => {
  const written = await Deno.readTextFile(EXAMPLES);
  const examples = await run();
  const lines = kept(examples).split("\n");
  const stale = lines.filter((line, at) => line !== written.split("\n")[at]);
  const mend = "deno run -A tests/examples.ts writes what the tools answer now";
  assert.deepEqual(stale, [], `docs/examples.gen.json is not what a run answers; ${mend}`);
  assert.equal(written, kept(examples), mend);
  const catalogued = await rows();
  const names = catalogued.map(({ name }) => name).sort();
  const add = "tests/demo_calls.ts has a call of each tool of registry/catalog.yaml, and of no other";
  assert.deepEqual(Object.keys(examples).sort(), names, add);
  for (const { name, tier } of catalogued) {
    const { preview, answer } = examples[name]!;
    assert.equal(preview !== undefined, tier !== "T0", `${name}: a preview of a write, none of a read`);
    if (tier !== "T0") assert.ok("verified" in (answer as object), `${name}: the answer of a write`);
    const { undoable, undoable_reason: why } = (preview ?? { undoable: true }) as Record<string, unknown>;
    const isSaid = undoable === true || !String(why).startsWith("Nothing is kept");
    assert.ok(isSaid, `${name}: its plan says before, or final with the reason of its own`);
  }
});
