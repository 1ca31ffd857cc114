/** `deno task sbom`: what the gateway is made of, as a CycloneDX 1.6 document made of the lock file, on standard output. */
import { PROGRAM, VERSION } from "../core/model.ts";
import { say } from "../core/say.ts";

const LOCK = new URL("../deno.lock", import.meta.url);

interface Locked {
  readonly integrity: string;
  readonly dependencies?: readonly string[];
  readonly optionalDependencies?: readonly string[];
}

/** What is read of a lock file of Deno's format 5. */
interface Lock {
  readonly npm: Readonly<
    Record<string, Locked>
  >;
  readonly specifiers: Readonly<Record<string, string>>;
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}

/** A key of the lock file: `name@version`, behind it after a `_` the packages that it was resolved beside. */
function packageOf(key: string): Package {
  const at = key.indexOf("@", 1);
  const [name, version] = [key.slice(0, at), key.slice(at + 1).split("_", 1)[0]!];
  return { name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` };
}

/** What a dependency of a package leads to: a whole key, or a name where there is one version of it alone. */
function refOf(keys: readonly string[], dependency: string): string {
  const found = keys.find((key) => key === dependency) ??
    keys.find((key) => packageOf(key).name === dependency);
  if (found === undefined) throw new Error(`deno.lock: ${dependency} is asked for and not there`);
  return packageOf(found).purl;
}

/** The document of a lock file's text: every package with its hash, and which needs which. Throws for another format. */
export function sbomOf(text: string): object {
  const { npm, specifiers }: Lock = JSON.parse(text);
  const keys = Object.keys(npm);
  const self = `pkg:generic/${PROGRAM}@${VERSION}`;
  const direct = Object.entries(specifiers).map(([asked, version]) =>
    refOf(keys, `${asked.slice("npm:".length, asked.lastIndexOf("@"))}@${version}`)
  );
  const needs = new Map<string, Set<string>>([[self, new Set(direct)]]);
  const components = new Map<string, object>();
  for (const [key, { integrity, dependencies = [], optionalDependencies = [] }] of Object.entries(npm)) {
    const { name, version, purl } = packageOf(key);
    const [algorithm, hash] = integrity.split("-", 2);
    if (algorithm !== "sha512") throw new Error(`deno.lock: ${key} has a hash by ${algorithm}, not sha512`);
    const content = Uint8Array.fromBase64(hash!).toHex();
    const hashes = [{ alg: "SHA-512", content }];
    components.set(purl, { "type": "library", "bom-ref": purl, name, version, purl, hashes });
    const known = needs.get(purl) ?? new Set();
    for (const one of [...dependencies, ...optionalDependencies]) known.add(refOf(keys, one));
    needs.set(purl, known);
  }
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: { "type": "application", "bom-ref": self, name: PROGRAM, version: VERSION, purl: self },
    },
    components: [...components.values()],
    dependencies: [...needs].map(([ref, on]) => ({ ref, dependsOn: [...on].sort() })),
  };
}

if (import.meta.main) say(Deno.stdout, JSON.stringify(sbomOf(Deno.readTextFileSync(LOCK)), null, 2));
