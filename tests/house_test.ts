/** The house rules that a machine can hold: headers, sizes, who imports whom, one fetch, one place for KV. */
import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);
const FOLDERS = [
  "admin",
  "bench",
  "companion",
  "console",
  "core",
  "doors",
  "gateway",
  "guard",
  "identity",
  "platforms",
  "registry",
  "rules",
  "sandbox",
  "store",
  "tests",
  "tools",
];
/** A module holds one thing; what is longer holds two. */
const LINES_MAX = 400;

interface Module {
  readonly path: string;
  readonly text: string;
  /** From the project's root; what is imported as types only begins with "type:". */
  readonly imports: readonly string[];
}

async function* walk(folder: string): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(new URL(folder, ROOT))) {
    const path = `${folder}${entry.name}`;
    if (entry.isDirectory) yield* walk(`${path}/`);
    else if (/\.tsx?$/.test(path)) yield path;
  }
}

async function modules(): Promise<Module[]> {
  const paths: string[] = [];
  for (const folder of FOLDERS) paths.push(...await Array.fromAsync(walk(`${folder}/`)));
  for await (const entry of Deno.readDir(ROOT)) if (entry.name.endsWith(".ts")) paths.push(entry.name);
  return await Promise.all(
    paths.sort().map(async (path) => {
      const text = await Deno.readTextFile(new URL(path, ROOT));
      if (/^registry\/new\w*\.ts$/.test(path)) return { path, text, imports: [] }; // imports of what it writes
      const found = [...text.matchAll(/^(?:import|export)\b( type\b)?[^;]*?\bfrom "(\.[^"]+)"/gms)];
      const later = [...text.matchAll(/\bimport()\("(\.[^"]+)"\)/g)];
      const imports = [...found, ...later].map(([, type, at]) =>
        (type ? "type:" : "") + new URL(at!, new URL(path, ROOT)).href.slice(ROOT.href.length)
      );
      return { path, text, imports };
    }),
  );
}

const MODULES = await modules();
/** Where an import leads, types or not. */
const bare = (one: string) => one.replace(/^type:/, "");
const inFolder = (path: string, folder: string) => path.startsWith(folder);

/**
 * What each folder may import beside itself (docs/ARCHITECTURE.md); of what follows "type" only types. The folders stand
 * in their order: none imports one that follows it. gateway/ wires all of them.
 */
const MAY_IMPORT: readonly [folder: string, allowed: readonly string[]][] = [
  ["core/", []],
  ["rules/", ["core/"]],
  ["store/", ["core/"]],
  ["platforms/", ["rules/", "core/"]],
  ["registry/", ["rules/", "core/", "type platforms/"]],
  ["tools/", ["registry/tool.ts", "platforms/", "rules/", "core/"]],
  ["guard/", ["registry/", "store/store.ts", "rules/", "core/", "type platforms/"]],
  ["identity/", ["guard/", "registry/", "store/store.ts", "rules/", "core/", "type platforms/"]],
  ["admin/", [
    "identity/",
    "registry/",
    "store/store.ts",
    "store/known_stores.ts",
    "store/maintenance.ts",
    "store/copying.ts",
    "store/check.ts",
    "store/accept.ts",
    "store/keys.ts",
    "rules/",
    "core/",
  ]],
  ["console/", ["admin/", "identity/", "store/store.ts", "core/"]],
  ["doors/", ["console/", "identity/", "guard/", "registry/", "store/store.ts", "rules/", "core/"]],
  ["sandbox/core/", []],
];

for (const [folder, allowed] of MAY_IMPORT) {
  Deno.test(`${folder} imports only what it may`, () => {
    const own = MODULES.filter(({ path }) => inFolder(path, folder) && ruleOf(path) === folder);
    assert.ok(own.length > 0, `${folder} has modules`);
    for (const { path, imports } of own) {
      for (const one of imports) {
        const fine = [folder, ...allowed].some((place) =>
          one.startsWith(place) || one.startsWith(place.replace(/^type /, "type:")) ||
          one.startsWith(`type:${place}`)
        );
        assert.ok(fine, `${path} imports ${one}`);
      }
    }
  });
}

Deno.test("no module imports itself by way of others, types included", () => {
  const paths = new Map(MODULES.map(({ path, imports }) => [path, imports.map(bare)]));
  const over = new Set<string>();
  const circle = (path: string, way: readonly string[]): string[] | null => {
    if (way.includes(path)) return [...way.slice(way.indexOf(path)), path];
    if (over.has(path)) return null;
    for (const next of paths.get(path) ?? []) {
      const found = circle(next, [...way, path]);
      if (found) return found;
    }
    over.add(path);
    return null;
  };
  for (const { path } of MODULES) assert.deepEqual(circle(path, []), null);
});

/** The most particular rule that holds for a path. */
function ruleOf(path: string): string | undefined {
  const fitting = MAY_IMPORT.map(([folder]) => folder).filter((folder) => inFolder(path, folder));
  return fitting.sort((a, b) => b.length - a.length)[0];
}

Deno.test("a tool imports no other tool, and helpers only of its own group", () => {
  for (const { path, imports } of MODULES.filter((one) => inFolder(one.path, "tools/"))) {
    const group = path.slice(0, path.lastIndexOf("/") + 1);
    for (const one of imports.map(bare).filter((to) => inFolder(to, "tools/"))) {
      assert.ok(one.startsWith(`${group}_`), `${path} imports ${one}`);
    }
  }
});

Deno.test("nothing of the service imports the sandbox, the bench or the tests", () => {
  for (const { path, imports } of MODULES) {
    if (["sandbox/", "bench/", "tests/"].some((folder) => inFolder(path, folder))) continue;
    for (const one of imports.map(bare)) {
      assert.ok(!/^(sandbox|bench|tests)\//.test(one), `${path} imports ${one}`);
    }
  }
});

Deno.test("a stand-in imports the kit and other stand-ins, and nothing of the service", () => {
  const standIns = MODULES.filter(({ path }) => /^sandbox\/\w+\//.test(path));
  assert.ok(standIns.length > 0);
  for (const { path, imports } of standIns) {
    for (const one of imports.map(bare)) assert.ok(inFolder(one, "sandbox/"), `${path} imports ${one}`);
  }
});

const SERVICE = MODULES.filter(({ path }) => !/^(tests|bench|sandbox)\//.test(path));

const BEYOND_VENDORS = SERVICE.filter(({ path }) => !/^(platforms|companion)\/|\.gen\.ts$/.test(path));
/** What is not the vendor where its name stands. */
const NOT_MEANT: readonly [path: string, text: RegExp][] = [
  ["registry/new.ts", /site\("acme", "cms"\)/g], // in the test that it writes
  ["core/credentials.ts", /github_pat/g], // how a secret begins, whoever sends it
  ["identity/oauth/group_words.ts", /^ {2}(crm|static):/gm], // groups of tools, two of which are named like kinds
  ["rules/path.ts", /\.github/g], // a folder of any repository
  ["rules/path_names.ts", /\.github|\|github\|/g],
];

/** The text of a module without what it imports, what is used of it, and what is not meant. */
function unimported({ path, text }: Module): string {
  let rest = text.replace(/^(?:import|export)\b[^;]*?\bfrom "[^"]+";$/gms, "")
    .replace(/docs\/upstreams\/[\w-]+\.md/g, "");
  if (inFolder(path, "tools/")) rest = rest.replace(/\bctx\.use\(\w+\)/g, "");
  for (const [where, what] of NOT_MEANT) if (where === path) rest = rest.replace(what, "");
  return rest;
}

/** Kinds of site whose names mean nothing else. */
const DISTINCT_KINDS = ["cms", "crm", "sitebuilder", "static"];

/** Where code goes by a kind of site: another kind may be called a common word, and is found where it is compared. */
const kindNamed = (kind: string) =>
  DISTINCT_KINDS.includes(kind) ? new RegExp(`["'\`]${kind}["'\`]|[{,]\\s*${kind}:`) : new RegExp(
    `platform\\)?\\s*[!=]==?\\s*["'\`]${kind}["'\`]|["'\`]${kind}["'\`]\\s*[!=]==?[^;]*platform\\b`,
  );

/** The modules outside platforms/ that one of these is found in, with what was found. */
function namedOutside(patterns: readonly RegExp[]): string[] {
  return BEYOND_VENDORS.flatMap((module) => {
    const text = unimported(module);
    return patterns.flatMap((named) => {
      const hit = named.exec(text);
      return hit ? [`${module.path}: ${hit[0]}`] : [];
    });
  });
}

const generated = (path: string) => Deno.readTextFile(new URL(path, ROOT));

Deno.test("what is particular to a kind of site stands in its connector and in manifests, not in the code", async () => {
  const [, union = ""] = /PlatformKind =([^;]+);/.exec(await generated("core/model.gen.ts")) ?? [];
  const kinds = [...union.matchAll(/"(\w+)"/g)].map(([, kind]) => kind!);
  assert.ok(kinds.length >= 4);
  assert.deepEqual(namedOutside(kinds.map(kindNamed)), []);
});

/** Names that mean nothing but a vendor or its product, wherever they stand. */
const PRODUCTS = [
  "clarity",
  "cloudflare",
  "duda",
  "elementor",
  "github",
  "highlevel",
  "meta[ _]ads",
  "octokit",
]
  .concat(["rank_?math", "seopress", "wordpress", "yoast"]);

/** The folders of connectors, but those whose names are the gateway's words too. */
function vendorFolders(): string[] {
  const shared = ["web", "google", "astro", "tool_servers", "topic_map"];
  return [...Deno.readDirSync(new URL("platforms/", ROOT))]
    .filter(({ name, isDirectory }) => isDirectory && !name.startsWith("_") && !shared.includes(name))
    .map(({ name }) => name);
}

/** What generated files say that connectors bring: fields of sites, codes, settings. */
async function broughtNames(): Promise<string[]> {
  const fields = (await generated("core/model.gen.ts")).matchAll(/^ {2}readonly (\w+):/gm);
  const codes = (await generated("core/errors.gen.ts")).matchAll(/^ {2}(E_\w+):/gm);
  const settings = (await generated(".env.example")).matchAll(/^#([A-Z][A-Z0-9_]*)=/gm);
  return [...fields, ...codes, ...settings].map(([, name]) => name!);
}

/** Of these names those that a connector brings under the name of its folder, as whole words. */
const named = (folder: string, names: readonly string[]) =>
  names.filter((name) => `_${name.toLowerCase()}_`.includes(`_${folder}_`)).map((name) =>
    new RegExp(`\\b${name}\\b`)
  );

Deno.test("no vendor is named outside its connector, but where a tool uses that connector", async () => {
  const names = await broughtNames();
  assert.ok(names.length > 20);
  const found = BEYOND_VENDORS.flatMap((module) => {
    // A tool may say the name of the connector that it uses: a group may be named like it.
    const used = inFolder(module.path, "tools/")
      ? module.imports.map((one) => /^platforms\/(\w+)\/connector\.ts$/.exec(bare(one))?.[1])
      : [];
    const products = PRODUCTS.filter((name) => !used.includes(name));
    const others = vendorFolders().filter((name) => !used.includes(name));
    const text = unimported(module);
    const patterns = [new RegExp(products.join("|"), "i"), ...others.flatMap((name) => named(name, names))];
    return patterns.flatMap((one) => one.exec(text) ?? []).map((hit) => `${module.path}: ${hit}`);
  });
  assert.deepEqual(found, []);
});

Deno.test("nothing outside platforms/ imports a vendor but a tool that uses it", () => {
  const vendor = new RegExp(`^platforms/(${vendorFolders().join("|")})/`);
  for (const { path, imports } of BEYOND_VENDORS.filter((one) => !inFolder(one.path, "tools/"))) {
    for (const one of imports.map(bare)) assert.doesNotMatch(one, vendor, `${path} imports ${one}`);
  }
});

Deno.test("a connector and its kind may be called a common word, and are found where code goes by them", () => {
  for (const word of ["front", "buffer", "close", "segment", "box", "square"]) {
    const names = [`${word}_id`, `E_${word.toUpperCase()}_NOT_LINKED`, `${word.toUpperCase()}_API_BASE`];
    const patterns = [kindNamed(word), ...named(word, names)];
    assert.deepEqual(namedOutside(patterns), [], word);
    const code = [
      `site.platform === "${word}"`,
      `"${word}" !== site.platform`,
      ...names.map((name) => `a.${name};`),
    ];
    for (const text of code) assert.ok(patterns.some((one) => one.test(text)), text);
  }
});

Deno.test("every module opens with one sentence on what it is", () => {
  for (const { path, text } of MODULES) assert.match(text, /^(#!.*\n)?\/\*\* \S[\s\S]*?\*\//, path);
});

Deno.test("no module has grown too long", () => {
  const long = MODULES.filter(({ path, text }) => {
    if (path.endsWith(".gen.ts")) return false;
    return text.split("\n").length - 1 > LINES_MAX;
  });
  assert.deepEqual(long.map(({ path }) => path), []);
});

Deno.test("nothing fetches: requests leave over platforms/; the command line talks to its own gateway", () => {
  for (const { path, text } of SERVICE) {
    if (path === "admin/cli.ts") continue;
    assert.ok(!/(?:await|return|=>|=|\() ?fetch\(|globalThis\.fetch/.test(text), `${path} fetches`);
  }
});

Deno.test("only platforms/_http/sockets.ts connects, to what platforms/_http/http.ts had judged", () => {
  const connects = /Deno\.(connect|startTls|createHttpClient)|from "node:(net|tls|https?)"|new WebSocket/;
  const allowed = ["platforms/_http/sockets.ts", "platforms/_http/pool.ts", "platforms/_http/transport.ts"];
  for (const { path, text } of SERVICE) {
    if (allowed.includes(path)) continue;
    const rest = text.replaceAll(/import (?:type )?\{ (?:isIP|BlockList|, )+ \} from "node:net";/g, "");
    assert.ok(!connects.test(rest), `${path} connects`);
    assert.ok(
      path === "platforms/_http/http.ts" || !/(?:from |import\()".*\/transport\.ts"/.test(text),
      `${path} sends unjudged`,
    );
  }
});

Deno.test("only store/ knows Deno KV", () => {
  for (const { path, text } of SERVICE) {
    if (!inFolder(path, "store/")) {
      assert.ok(!/Deno\.(openKv|Kv\b|AtomicOperation)/.test(text), `${path} uses KV`);
    }
  }
});

Deno.test("every exported function, class and interface says what a caller may rely on", () => {
  const named = /(\*\/\n)?^export (?:async )?(?:function|class|interface) (\w+)/gm;
  const bare = SERVICE.filter(({ path }) => !path.endsWith(".gen.ts")).flatMap(({ path, text }) => {
    const found = [...text.matchAll(named)].map(([, doc, name]) => ({ doc, name }));
    // Of overloads, the first says it for all.
    const said = new Set(found.filter(({ doc }) => doc).map(({ name }) => name));
    return found.filter(({ name }) => !said.has(name)).map(({ name }) => `${path}: ${name}`);
  });
  assert.deepEqual(bare, []);
});

/** Test modules that look how much time passed, and why nothing can be counted in its place. */
const TIMED: Readonly<Record<string, string>> = {
  "tests/companion/hold_limits_test.ts": "what holding costs a site, as a ratio to the same call not held",
  "tests/e2e/killed_write_test.ts":
    "a process of its own, whose next call may not wait 50 s for the time of a killed one",
  "tests/e2e/shutdown_test.ts": "a process of its own, which may not stop before its seconds are over",
  "tests/real/postgres_silent_test.ts":
    "a network that drops everything: only time shows that nobody waits on",
  "tests/unit/core/bytes_test.ts": "work that keeps the processor for 6 ms, of which nothing is asserted",
};

Deno.test("no test is timed, but for those that have a reason", () => {
  const timed = /performance\.now\(\) [-<>]|(?<!=)[-<>] performance\.now\(\)|\.cpuUsage\(/;
  const found = MODULES.filter(({ path, text }) => /_test\.tsx?$/.test(path) && timed.test(text));
  assert.deepEqual(found.map(({ path }) => path), Object.keys(TIMED));
});
