/** What the pages of the documentation name is there: documents, sections, files, decisions. */
import assert from "node:assert/strict";
import { NAVIGATION } from "../../console/nav.tsx";

const ROOT = new URL("../../", import.meta.url);

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
  assert.ok(texts.size > 1000);
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
  const folders = new Set([...texts.keys()].map((path) => path.split("/")[0]!));
  const gone: string[] = [];
  for (const [page, text] of texts) {
    if (!/^(README\.md|docs\/.*\.md)$/.test(page) || OTHER_FILES.test(page)) continue;
    for (const [, path] of text.matchAll(NAMED_FILE)) {
      if (folders.has(path!.split("/")[0]!) && !texts.has(path!)) gone.push(`${page}: ${path}`);
    }
  }
  assert.deepEqual(gone, []);
});

Deno.test("where a page says that a file has something by its name, the file has it", async () => {
  const texts = await projectTexts();
  const named = [...texts].filter(([page]) => /^(README\.md|docs\/(?!decisions\/).*\.md)$/.test(page))
    .flatMap((
      [page, text],
    ) =>
      [...text.matchAll(/`(\w+)` (?:of|in) `((?:[a-z]\w*\/)[\w./-]+\.tsx?)`/g)].map(([, what, path]) =>
        [page, what!, path!] as const
      )
    );
  assert.ok(named.length > 3);
  const gone = named.filter(([, what, path]) => !texts.get(path)?.includes(what));
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
  for (const [what, where] of changes) assert.match(where!, /\]\(\.\.\//, what);
  const named = changes.map(([what]) => what!);
  assert.deepEqual(named.filter((what, at) => named.indexOf(what) !== at), []);
});

Deno.test("the page on architecture lists each decision once, and names each upstream's page once", async () => {
  const page = await Deno.readTextFile(new URL("docs/ARCHITECTURE.md", ROOT));
  const pages = (folder: string) =>
    [...Deno.readDirSync(new URL(folder, ROOT))].map(({ name }) => name).sort();
  const listed = [...page.matchAll(/^- \[\d+\]\(decisions\/([^)]+)\)/gm)].map(([, name]) => name!);
  assert.deepEqual(listed.toSorted(), pages("docs/decisions"));
  const [, upstreams = ""] = /^## Upstreams$([\s\S]*?)^## /m.exec(page) ?? [];
  const named = [...upstreams.matchAll(/\]\(upstreams\/([^)]+)\)/g)].map(([, name]) => name!);
  assert.deepEqual(named.sort(), pages("docs/upstreams"));
});

Deno.test("the page on people names each page of the console that the navigation leads to", async () => {
  const page = await Deno.readTextFile(new URL("docs/PEOPLE.md", ROOT));
  const [, pages = ""] = /^## What people find$([\s\S]*?)^## /m.exec(page) ?? [];
  const left = NAVIGATION.map(({ href }) => href).filter((href) => !pages.includes(`\`${href}\``));
  assert.deepEqual(left, []);
});

Deno.test("every page of the documentation is linked from another", async () => {
  const texts = await projectTexts();
  const pages = [...texts].filter(([path]) =>
    path.endsWith(".md") && !/^tests\/|^README\.md$|^companion\//.test(path)
  );
  const linked = new Set(
    [...texts].filter(([path]) => path.endsWith(".md")).flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([\w./-]+)(?:#[^)]*)?\)/g)].map(([, link]) =>
        new URL(link!, new URL(path, ROOT)).href.slice(ROOT.href.length)
      )
    ),
  );
  assert.ok(pages.length > 150);
  assert.deepEqual(pages.map(([path]) => path).filter((path) => !linked.has(path)), []);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.replace(/^ *```[\s\S]*?^ *```$/gm, "").matchAll(/^#+ (.+)$/gm)];
  return new Set(
    headings.map(([, heading]) =>
      heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase().replace(/[^\p{L}\p{N}_\- ]/gu, "")
        .replaceAll(" ", "-")
    ),
  );
}

Deno.test("every link to a section of a page leads to one", async () => {
  const texts = await projectTexts();
  const faults: string[] = [];
  let links = 0;
  for (const [path, text] of texts) {
    if (!path.endsWith(".md") || path.startsWith("tests/")) continue;
    for (const [, file, anchor] of text.matchAll(/\]\(([\w./-]*)#([^)\s]+)\)/g)) {
      const to = file === "" ? path : new URL(file!, new URL(path, ROOT)).href.slice(ROOT.href.length);
      links++;
      if (!anchorsOf(texts.get(to) ?? "").has(anchor!)) faults.push(`${path}: ${file}#${anchor}`);
    }
  }
  assert.ok(links > 200);
  assert.deepEqual(faults, []);
});
