/** What YAML files say: a text that was changed is parsed, whatever stands in the generated file of the one before. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { load } from "js-yaml";
import { parseYaml, readDocuments } from "../../../registry/documents.ts";
import { RegistryError } from "../../../registry/files.ts";
import { documents, yamlFiles } from "../../../registry/generate_documents.ts";
import { loadTools } from "../../../registry/load.ts";
import { CONNECTORS } from "../../connectors.ts";
import { withFiles } from "../../e2e/dropped.ts";

const ROOT = new URL("../../../", import.meta.url);
const TEXT = "name: a\ntier: T3\n";
const PARSED = { [hash("sha256", TEXT)]: { name: "parsed before" } };

Deno.test("a text that was parsed before is not parsed again, and one that differs by a character is", async () => {
  assert.deepEqual(await parseYaml(TEXT, PARSED), { name: "parsed before" });
  assert.deepEqual(await parseYaml(TEXT.replace("T3", "T0"), PARSED), { name: "a", tier: "T0" });
  await assert.rejects(parseYaml("a: [", PARSED), /flow/);
});

Deno.test("the generated file holds what each manifest and the catalogue say, and nothing of any other", async () => {
  const known = await readDocuments();
  const files = await yamlFiles(ROOT);
  const texts = await Promise.all(files.map((url) => Deno.readTextFile(url)));
  assert.ok(files.length > 80);
  assert.equal(Object.keys(known).length, new Set(texts).size);
  for (const text of texts) assert.deepEqual(known[hash("sha256", text)], load(text));
});

Deno.test("a text that JSON cannot hold is left out of it, and an equal one stands in it once", async () => {
  const files = { "a.yaml": TEXT, "b.yaml": TEXT, "c.yaml": "n: .inf\n" };
  await withFiles(files, async (root) => {
    const made = JSON.parse(await documents(Object.keys(files).map((name) => new URL(name, root))));
    assert.deepEqual(made, { [hash("sha256", TEXT)]: { name: "a", tier: "T3" } });
  });
});

Deno.test("without the generated file all is parsed; one that is no JSON is refused with the command that mends it", async () => {
  await withFiles({ "bad.json": "{\n<<<<<<< ours\n" }, async (root) => {
    assert.deepEqual(await readDocuments(new URL("missing.json", root)), {});
    await assert.rejects(
      readDocuments(new URL("bad.json", root)),
      (error) => error instanceof RegistryError && /is not JSON; run deno task gen/.test(error.message),
    );
  });
});

Deno.test("a manifest that was changed after deno task gen has its new tier at once", async () => {
  const path = "discovery/list_sites";
  const text = await Deno.readTextFile(new URL(`manifests/${path}.yaml`, ROOT));
  assert.ok(hash("sha256", text) in await readDocuments());
  const handler = `import list from "${
    new URL(`tools/${path}.ts`, ROOT).href
  }";\nexport default { ...list, plan() {} };\n`;
  const load = (manifest: string) =>
    withFiles({ [`manifests/${path}.yaml`]: manifest, [`tools/${path}.ts`]: handler }, async (root) => {
      const tools = await loadTools({ roots: [root], known: CONNECTORS });
      return tools.get("list_sites")?.manifest.tier;
    });
  assert.equal(await load(text), 0);
  assert.equal(await load(text.replace("tier: T0", "tier: T1")), 1);
});
