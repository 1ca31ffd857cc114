/** Every tool that answers figures, or a vendor's rows, has the common head: decision 97, held on the examples that were run. */
import assert from "node:assert/strict";
import { HEAD_KEYS } from "../../rules/data_head.ts";

const ROOT = new URL("../../", import.meta.url);
const GROUPS = ["analytics", "social", "behavior", "crm"];
/** A list of lists, as the specification has it. */
const NO_OBJECT = "read_sheet";

interface Example {
  readonly answer: Readonly<Record<string, unknown>>;
}

const isMoment = (value: unknown) => typeof value === "string" && !Number.isNaN(Date.parse(value));

Deno.test("every answer of figures has the head, and says nothing in it that contradicts itself", async () => {
  const examples: Record<string, Example> = JSON.parse(
    await Deno.readTextFile(new URL("docs/examples.gen.json", ROOT)),
  );
  let count = 0;
  for (const group of GROUPS) {
    for (const { name } of Deno.readDirSync(new URL(`manifests/${group}`, ROOT))) {
      const tool = name.replace(".yaml", "");
      if (tool === NO_OBJECT) continue;
      const { answer } = examples[tool]!;
      for (const key of HEAD_KEYS) assert.ok(key in answer, `${tool} has no ${key}`);
      const { period, complete, truncated, next, fresh_until, notes } = answer;
      if (period !== null) {
        assert.deepEqual(Object.keys(period as object), ["from", "to", "time_zone"], tool);
        for (const end of Object.values(period as object).slice(0, 2)) assert.ok(isMoment(end), tool);
      }
      assert.deepEqual([typeof complete, typeof truncated], ["boolean", "boolean"], tool);
      assert.ok(!(complete && truncated), `${tool} is whole and cut off`);
      assert.ok(next === null || truncated, `${tool} names what follows of nothing more`);
      assert.ok(fresh_until === null || isMoment(fresh_until), tool);
      assert.ok(Array.isArray(notes) && notes.every((note) => typeof note === "string"), tool);
      count++;
    }
  }
  assert.equal(count, 33, "tools of these groups");
});
