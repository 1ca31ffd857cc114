/** The gateway with every tool of the catalogue, those not yet built made up: it loads. */
import assert from "node:assert/strict";
import { catalogueRows, makeUp, readWhole } from "../../bench/whole_catalogue.ts";
import { readRegistry } from "../../gateway.ts";

Deno.test("every tool of the catalogue is loaded once the missing ones are made up", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const names = (await catalogueRows()).map(({ name }) => name).sort();
    const made = await makeUp(folder);
    assert.equal((await readRegistry()).tools.size + made, names.length);
    const { tools } = await readWhole(folder);
    assert.deepEqual([...tools.keys()], names);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
