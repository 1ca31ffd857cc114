/** The limits against the golden table, both ways. */
import assert from "node:assert/strict";
import { LIMITS, OAUTH_LIMITS } from "../../core/model.ts";
import { loadTools } from "../../registry/load.ts";
import { CONNECTORS } from "../connectors.ts";
import { golden, type GoldenLimits } from "./golden.ts";

const { own, spec } = await golden<GoldenLimits>("limits");

Deno.test("every limit of the specification is a constant of that value, and no constant is beyond the table", () => {
  const expected: Record<string, number> = { ...own };
  for (const row of spec) Object.assign(expected, row.constants);
  assert.deepEqual({ ...LIMITS }, expected);
  for (const { oauth = {} } of spec) assert.deepEqual({ ...OAUTH_LIMITS, ...oauth }, { ...OAUTH_LIMITS });
});

Deno.test("a limit of an argument is the most that its tool's manifest lets through", async () => {
  const tools = await loadTools({ roots: [new URL("../../", import.meta.url)], known: CONNECTORS });
  for (const { limit, arguments: bounded = {} } of spec) {
    for (const [tool, most] of Object.entries(bounded)) {
      const { properties = {} } = tools.get(tool)!.manifest.input;
      for (const [name, maximum] of Object.entries(most)) {
        assert.equal(properties[name]?.maximum, maximum, `${limit}: ${name} of ${tool}`);
      }
    }
  }
});

Deno.test("a limit that nothing here holds is a fact about an upstream", () => {
  for (const { limit, constants, oauth, arguments: bounded, upstream = false } of spec) {
    assert.equal(upstream, (constants ?? oauth ?? bounded) === undefined, limit);
  }
});
