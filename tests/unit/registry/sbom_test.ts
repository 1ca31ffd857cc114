/** `deno task sbom`: every package that is locked stands in it once, with its hash and with what it needs. */
import assert from "node:assert/strict";
import { VERSION } from "../../../core/model.ts";
import { sbomOf } from "../../../registry/sbom.ts";

interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly version: string; readonly "bom-ref": string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes: readonly { readonly alg: string; readonly content: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

Deno.test("the task lists every package of the lock file with its hash, and whatever needs it", async () => {
  const root = new URL("../../../", import.meta.url);
  const { npm, specifiers } = JSON.parse(await Deno.readTextFile(new URL("deno.lock", root)));
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "sbom"],
    cwd: root,
    stderr: "null",
  }).output();
  assert.equal(code, 0);
  const bom: Bom = JSON.parse(new TextDecoder().decode(stdout));
  assert.deepEqual([bom.bomFormat, bom.metadata.component.version], ["CycloneDX", VERSION]);
  const listed = new Map(bom.components.map((one) => [`${one.name}@${one.version}`, one]));
  const locked = Object.entries<{ integrity: string }>(npm).map(([key, { integrity }]) =>
    [key.replace(/(?<=@\d[^_]*)_.*$/, ""), integrity] as const
  );
  assert.ok(locked.length > 20);
  assert.equal(listed.size, new Set(locked.map(([key]) => key)).size);
  for (const [key, integrity] of locked) {
    const [{ alg, content } = { alg: "", content: "" }] = listed.get(key)?.hashes ?? [];
    assert.equal(`${alg} ${Uint8Array.fromHex(content).toBase64()}`, `SHA-512 ${integrity.slice(7)}`, key);
  }
  const refs = new Set(bom.components.map(({ purl }) => purl));
  const needs = new Map(bom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  assert.deepEqual([...needs.values()].flat().filter((one) => !refs.has(one)), []);
  assert.equal(
    needs.get(bom.metadata.component["bom-ref"])!.length,
    Object.keys(specifiers).length,
    "what the project asks for itself",
  );
  const reached = new Set<string>();
  const reach = (ref: string) => {
    if (reached.has(ref)) return;
    reached.add(ref);
    needs.get(ref)?.forEach(reach);
  };
  reach(bom.metadata.component["bom-ref"]);
  assert.deepEqual([...refs].filter((ref) => !reached.has(ref)), [], "nothing is there for nobody");
});

Deno.test("a lock file that names what it does not hold, or another hash, is refused", () => {
  const lock = (npm: object, specifiers: object = {}) => JSON.stringify({ version: "5", specifiers, npm });
  const integrity = `sha512-${"A".repeat(86)}==`;
  assert.throws(() => sbomOf(lock({ "a@1.0.0": { integrity, dependencies: ["b"] } })), /b is asked for/);
  assert.throws(() => sbomOf(lock({}, { "npm:a@1.0.0": "1.0.0" })), /a@1\.0\.0 is asked for/);
  assert.throws(() => sbomOf(lock({ "a@1.0.0": { integrity: "sha1-AAAA" } })), /sha1/);
});
