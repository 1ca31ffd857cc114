/** The registry against the golden catalogue, both ways. */
import assert from "node:assert/strict";
import { goldenFaults, loadTools } from "../../registry/load.ts";
import { readManifest, writes } from "../../registry/manifest.ts";
import { CONNECTORS } from "../connectors.ts";
import { CATALOG, rows } from "./golden.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("every row of the catalogue reads as a manifest", async () => {
  const read = readManifest({ name: "any", title: "-", description: "-", tier: "T0" }, CONNECTORS);
  assert.ok("manifest" in read);
  for (const row of await rows()) {
    const faults = goldenFaults(row.group, read.manifest, { ...row }, CONNECTORS);
    assert.deepEqual(
      faults.filter((fault) => fault.startsWith("the golden catalogue is wrong")),
      [],
      row.name,
    );
  }
});

Deno.test("every tool with a row in the catalogue is as the row says; one of ours needs none", async () => {
  const tools = await loadTools({ roots: [ROOT], known: CONNECTORS, golden: CATALOG });
  assert.ok(tools.size > 0);
});

Deno.test("every tool that can write says where to look at what became of it", async () => {
  const tools = await loadTools({ roots: [ROOT], known: CONNECTORS });
  const silent = [...tools.values()].filter(({ manifest }) =>
    writes(manifest) && manifest.read_with === undefined && manifest.read_in === undefined
  );
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
    "name a tool in read_with, or the place on the site in read_in",
  );
});

Deno.test("no word of what a caller reads is torn by the end of a line", async () => {
  const tools = await loadTools({ roots: [ROOT], known: CONNECTORS });
  for (const [name, { manifest }] of tools) {
    const torn = /\S*[a-z]- [a-z]\S*/.exec(JSON.stringify([manifest.description, manifest.input]));
    assert.equal(torn?.[0], undefined, name);
  }
});
