/** What YAML files say: a text that was changed is parsed, whatever stands in the generated file of the one before. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { load } from "js-yaml";
import { parseYaml, readKept } from "../../../registry/documents.ts";
import { RegistryError } from "../../../registry/files.ts";
import { documents, yamlFiles } from "../../../registry/generate.ts";
import { loadTools } from "../../../registry/load.ts";
import { broughtBy, type Known, readManifest } from "../../../registry/manifest.ts";
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

Deno.test("the generated file holds what each manifest and the catalogue say, what manifests come to, and nothing of any other", async () => {
  const kept = await readKept();
  const files = await yamlFiles(ROOT);
  const read = async ({ url, tool }: typeof files[number]) => ({ tool, text: await Deno.readTextFile(url) });
  const texts = await Promise.all(files.map(read));
  const tools = texts.filter(({ tool }) => tool);
  assert.ok(tools.length > 80 && tools.length < texts.length);
  assert.equal(Object.keys(kept.documents).length, new Set(texts.map(({ text }) => text)).size);
  assert.equal(Object.keys(kept.manifests).length, tools.length);
  for (const { text } of texts) assert.deepEqual(kept.documents[hash("sha256", text)], load(text));
  for (const { text } of tools) {
    assert.deepEqual(readManifest(load(text), CONNECTORS), {
      manifest: kept.manifests[hash("sha256", text)],
    });
  }
  assert.equal(kept.brought, broughtBy(CONNECTORS));
});

Deno.test("what connectors bring decides whether a manifest is read anew", () => {
  const { kinds, links, settings, checkNames, codes } = CONNECTORS;
  const known = { kinds, links, settings, checkNames, codes };
  const others = [
    { kinds: kinds.slice(1) },
    { links: new Map([...links].slice(1)) },
    { links: new Map([...links].map(([name, one]) => [name, { ...one, scope: "gateway" as const }])) },
    { settings: settings.slice(1) },
    { settings: settings.map((one) => ({ ...one, default: "set" })) },
    { checkNames: checkNames.slice(1) },
    { codes: new Map([...codes, ["E_NEW", { status: 400, meaning: "New" }]]) },
  ];
  const all = [{}, ...others].map((other) => broughtBy({ ...known, ...other }));
  assert.equal(new Set(all).size, all.length);
  assert.equal(all[0], broughtBy(CONNECTORS));
});

Deno.test("a text that JSON cannot hold, and a manifest with a fault, are left out of it, and an equal one stands in it once", async () => {
  const files = {
    "registry/catalog.yaml": "n: .inf\n",
    "manifests/a/a.yaml": TEXT,
    "manifests/b/a.yaml": TEXT,
    "manifests/proxies/p.yaml": "source: p\n",
  };
  await withFiles(files, async (root) => {
    const made = JSON.parse(await documents(root, CONNECTORS));
    assert.deepEqual(made, {
      documents: {
        [hash("sha256", TEXT)]: { name: "a", tier: "T3" },
        [hash("sha256", "source: p\n")]: { source: "p" },
      },
      brought: broughtBy(CONNECTORS),
      manifests: {},
    });
  });
});

Deno.test("without the generated file all is parsed; one that is no JSON is refused with the command that mends it", async () => {
  await withFiles({ "bad.json": "{\n<<<<<<< ours\n" }, async (root) => {
    const nothing = { documents: {}, brought: "", manifests: {} };
    assert.deepEqual(await readKept(new URL("missing.json", root)), nothing);
    await assert.rejects(
      readKept(new URL("bad.json", root)),
      (error) => error instanceof RegistryError && /is not JSON; run deno task gen/.test(error.message),
    );
  });
});

Deno.test("a manifest that was changed after deno task gen has its new tier at once", async () => {
  const path = "discovery/list_sites";
  const text = await Deno.readTextFile(new URL(`manifests/${path}.yaml`, ROOT));
  assert.ok(hash("sha256", text) in (await readKept()).manifests);
  const handler = `import list from "${
    new URL(`tools/${path}.ts`, ROOT).href
  }";\nexport default { ...list, plan() {} };\n`;
  const load = (manifest: string, known: Known = CONNECTORS) =>
    withFiles({ [`manifests/${path}.yaml`]: manifest, [`tools/${path}.ts`]: handler }, async (root) => {
      return (await loadTools({ roots: [root], known })).get("list_sites")!.manifest;
    });
  assert.equal((await load(text)).tier, 0);
  assert.equal((await load(text.replace("tier: T0", "tier: T1"))).tier, 1);
  const { links, settings, checkNames, codes } = CONNECTORS;
  const fewer = { kinds: CONNECTORS.kinds.slice(1), links, settings, checkNames, codes };
  assert.deepEqual((await load(text, fewer)).platforms, fewer.kinds, "a kind of site that is gone is gone");
});
