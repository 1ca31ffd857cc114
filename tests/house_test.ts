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
    "rules/",
    "core/",
  ]],
  ["console/", ["admin/", "identity/", "store/store.ts", "core/"]],
  ["doors/", ["console/", "identity/", "guard/", "registry/", "store/store.ts", "core/"]],
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
  ["guard/audit/redact.ts", /github_pat/g], // how a secret begins, whoever sends it
  ["console/oauth_page.tsx", /^ {2}(crm|static):/gm], // groups of tools, two of which are named like kinds
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

Deno.test("what is particular to a kind of site stands in its connector and in manifests, not in the code", async () => {
  const gen = await Deno.readTextFile(new URL("core/model.gen.ts", ROOT));
  const kinds = [.../PlatformKind = ([^;]+);/.exec(gen)![1]!.matchAll(/"(\w+)"/g)].map(([, kind]) => kind);
  assert.ok(kinds.length >= 4);
  const named = new RegExp(`["'\`](${kinds.join("|")})["'\`]|[{,]\\s*(${kinds.join("|")}):`);
  const found = BEYOND_VENDORS.flatMap((module) => {
    const hit = named.exec(unimported(module));
    return hit ? [`${module.path}: ${hit[0]}`] : [];
  });
  assert.deepEqual(found, []);
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

/**
 * A connector's folder as code names it: a text of its own, a word before `_` (a field, a setting, a file). Its name may
 * be a common word ("front", "square") or a part of one, so its letters alone prove nothing.
 */
const folderNamed = (folder: string) =>
  new RegExp(`["'\`]${folder}["'\`]|(?<![a-z0-9])${folder}_|(?<![A-Z0-9])${folder.toUpperCase()}_`);

Deno.test("no vendor is named outside its connector, but where a tool uses that connector", async () => {
  const folders: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(new URL("platforms/", ROOT))) {
    if (
      isDirectory && !name.startsWith("_") &&
      !["web", "google", "astro", "tool_servers", "topic_map"].includes(name)
    ) {
      folders.push(name);
    }
  }
  const found = BEYOND_VENDORS.flatMap((module) => {
    // A tool may say the name of the connector that it uses: a group may be named like it.
    const used = inFolder(module.path, "tools/")
      ? module.imports.map((one) => /^platforms\/(\w+)\/connector\.ts$/.exec(bare(one))?.[1])
      : [];
    const others = [...PRODUCTS, ...folders].filter((name) => !used.includes(name));
    const products = new RegExp(others.filter((name) => PRODUCTS.includes(name)).join("|"), "i");
    const text = unimported(module);
    return [products, ...others.map(folderNamed)].flatMap((named) => {
      const hit = named.exec(text);
      return hit ? [`${module.path}: ${hit[0]}`] : [];
    });
  });
  assert.deepEqual(found, []);
});

Deno.test("a connector may be called a common word, and is found where code names it", () => {
  const named = folderNamed("front");
  for (const text of ["in front of it", "frontmatter_of", '"frontmatter"', "A_FRONTIER_", "upfront_cost"]) {
    assert.doesNotMatch(text, named);
  }
  for (const text of ['platform === "front"', "site.front_id", "settings.FRONT_API_BASE"]) {
    assert.match(text, named);
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

/** Every text file of the project; outside of pages, a comment of several lines reads as one. */
async function projectTexts(): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await new Deno.Command("git", {
    args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    cwd: ROOT,
  }).output();
  const texts = new Map<string, string>();
  for (const path of new TextDecoder().decode(stdout).split("\0")) {
    const bytes = path === "" ? null : await Deno.readFile(new URL(path, ROOT)).catch(() => null);
    if (bytes === null || bytes.includes(0)) continue; // taken out, or no text
    const text = new TextDecoder().decode(bytes);
    texts.set(path, path.endsWith(".md") ? text : text.replace(/\n[ \t]*(?:\*|\/\/|#) /g, " "));
  }
  return texts;
}

Deno.test("no file cites a document that the project does not have, or a section that a page does not have", async () => {
  const texts = await projectTexts();
  assert.ok(texts.size > MODULES.length);
  const documents = new Set([...texts.keys()].map((path) => path.slice(path.lastIndexOf("/") + 1)));
  const faults = new Set<string>();
  for (const [path, text] of texts) {
    for (const [name] of text.matchAll(/\b[A-Z][A-Z_]+\.md\b/g)) {
      if (!documents.has(name)) faults.add(`${path}: ${name}`);
    }
    for (
      const [, page, section] of text.matchAll(/\b((?:docs|contracts)\/[\w./-]+\.md)\b(?:, "([^"]+)")?/g)
    ) {
      const found = texts.get(page!);
      // Tests make up files of repositories; whoever names a section means a page.
      if (found === undefined && (section !== undefined || !path.startsWith("tests/"))) {
        faults.add(`${path}: ${page}`);
      }
      if (section === undefined || found === undefined) continue;
      if (!new RegExp(`^#+ ${RegExp.escape(section)}$`, "m").test(found)) {
        faults.add(`${path}: ${page}, "${section}"`);
      }
    }
  }
  for (const [path, text] of texts) {
    if (!path.endsWith(".md") || path.startsWith("tests/")) continue;
    for (const [, link] of text.matchAll(/\]\(([\w./-]+)\)/g)) {
      const to = new URL(link!, new URL(path, ROOT)).href.slice(ROOT.href.length);
      if (!texts.has(to)) faults.add(`${path}: ${link}`);
    }
  }
  assert.deepEqual([...faults], []);
});

/** Where a page of the documentation tells a reader to look: files of the project in its code, by their paths. */
const NAMED_FILE = /`((?:[a-z]\w*\/)[\w./-]+\.(?:tsx?|php|css|json|ya?ml|md))`/g;
/** Their readers write files of a project of theirs, or read what was there once. */
const OTHER_FILES = /^docs\/(CONTRIBUTING|NEW_UPSTREAM|TOOLS)\.md$|^docs\/decisions\//;

Deno.test("every file that a page of the documentation names is there", async () => {
  const texts = await projectTexts();
  const places = [...FOLDERS, "docs", "manifests"];
  const gone: string[] = [];
  for (const [page, text] of texts) {
    if (!/^(README\.md|docs\/.*\.md)$/.test(page) || OTHER_FILES.test(page)) continue;
    for (const [, path] of text.matchAll(NAMED_FILE)) {
      if (places.includes(path!.split("/")[0]!) && !texts.has(path!)) gone.push(`${page}: ${path}`);
    }
  }
  assert.deepEqual(gone, []);
});

Deno.test("the page on architecture has the path of a call, and of twenty things that one may want to change", async () => {
  const texts = await projectTexts();
  const page = texts.get("docs/ARCHITECTURE.md")!;
  const rowsOf = (heading: string) => {
    const [, section = ""] = new RegExp(`^## ${heading}$([\\s\\S]*?)^## `, "m").exec(page) ?? [];
    return section.split("\n").filter((line) => line.startsWith("| ")).slice(2).map((line) =>
      line.split(" | ")
    );
  };
  const steps = rowsOf("Request lifecycle").flatMap(([, where]) => [...where!.matchAll(/`(\w+\.ts)`/g)]);
  assert.ok(steps.length >= 15);
  for (const [, file] of steps) assert.ok(texts.has(`guard/pipeline/${file}`), `guard/pipeline/${file}`);
  const changes = rowsOf("Where do I change …");
  assert.ok(changes.length >= 20);
  // That the files are there, the tests before this one see.
  for (const [what, where] of changes) assert.match(where!, /\]\(\.\.\/|the table above/, what);
});

Deno.test("the page on architecture lists each decision once, and names each upstream's page once", () => {
  const page = Deno.readTextFileSync(new URL("docs/ARCHITECTURE.md", ROOT));
  const pages = (folder: string) =>
    [...Deno.readDirSync(new URL(folder, ROOT))].map(({ name }) => name).sort();
  const listed = [...page.matchAll(/^- \[\d+\]\(decisions\/([^)]+)\)/gm)].map(([, name]) => name!);
  assert.deepEqual(listed.toSorted(), pages("docs/decisions"));
  const [, upstreams = ""] = /^## Upstreams$([\s\S]*?)^## /m.exec(page) ?? [];
  const named = [...upstreams.matchAll(/\]\(upstreams\/([^)]+)\)/g)].map(([, name]) => name!);
  assert.deepEqual(named.sort(), pages("docs/upstreams"));
});
