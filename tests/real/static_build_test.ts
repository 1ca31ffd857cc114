/** Projects and pages as they are written, built by the real site generator: what a visitor gets, byte for byte. */
import assert from "node:assert/strict";
import { type DefaultTreeAdapterTypes, parse } from "parse5";
import { fileOfRoute, routeOf, routeOfFile, spellingsOfRoute, takesRoute } from "../../rules/route.ts";
import { LIMITS } from "../../core/model.ts";
import { isDocument, pageSource } from "../../platforms/astro/page.ts";
import { projectFiles } from "../../platforms/astro/project.ts";
import { buildProject, locked, published, writeProject } from "./_astro.ts";
import { folder } from "../folder.ts";

const CODE = [
  "{a} {{b}} ${c} `d` {...e} {/* f */} {`g`}",
  "<script>if (a<b && c>d) { x = `${1}`; y = '</' + 'script>' }</script>",
  "<style>a::before { content: '}{' } @media (x) { b { c: d } }</style>",
  '<script type="application/ld+json">{"@context": "https://schema.org", "a": [{"b": "</p>"}]}</script>',
  "<script is:inline src=x></script><style is:global lang=scss>$a: 1;</style><style define:vars={{ a }}></style>",
];
const WORDS = [
  "import.meta.env.MODE import.meta.env.PROD import.meta.env.SECRET import.meta.env.PUBLIC_NAME process.env.NODE_ENV",
  'import("x"); import y from "z"; export const prerender = false; import.meta.glob("./*"); Astro.glob("*")',
  "export const prerender = false;\nexport async function getStaticPaths() {}\n---\n-----\n--\n------",
  "</script></Fragment></Base><slot /><slot name='x'><Fragment set:html={html} /><astro-island></astro-island>",
  "<?php ?><% %><![CDATA[x]]><!-- site-ops-gateway:generated v1 --><!-- --- --><!---><!-- a -- b -->",
  "__VITE_PUBLIC_ASSET__abcd1234__ __VITE_ASSET__abcd1234abcd1234abcd12__ __ASTRO_ASSET_IMAGE__abc__ __VITE_IS_MODERN__",
  "___VITE_CSS_URL__61__ __ASTRO_IMAGE_x @@ASTRO-LINKS@@ @@ASTRO_MANIFEST_REPLACE@@ __BASE__ !~{000}~ !~{001}~.js ____",
  "// x /* y */ /* z \\ \\n \\u0041 \\u003c \\' \\\" \\` \" ' //# sourceMappingURL=a.map",
];
const LETTERS = [
  "\ufeff\u2028\u2029 😀 👨‍👩‍👧 é e\u0301 ﷺ \u202e \u00a0 \u0085 \x7f \x01 \x0b \x0c \x1b \ufffd \ufffe \u{10ffff}",
  "a\r\nb\rc\n\nd\te  f \r\n",
  "&amp; &lt; &#60; &nbsp; &copy &notin; &",
  "   ",
];
const BODIES = [...CODE, ...WORDS, ...LETTERS, [...CODE, ...WORDS, ...LETTERS].join("\n")];

/** Fragments: published inside a document. */
const FRAGMENTS = [...BODIES, "", "x", "<p>unclosed <b", "<!doctypes>", "<header>a</header>", "<headless>"];
/** Documents: published alone. */
const DOCUMENTS = [
  ...BODIES.map((body) =>
    `<!doctype html><html lang="de"><head><title>{t}</title></head><body>${body}</body></html>`
  ),
  "<!DOCTYPE HTML PUBLIC '-//W3C//DTD HTML 4.01//EN' 'http://www.w3.org/TR/html4/strict.dtd'><p>old",
  "\ufeff<!doctype html><p>after a byte order mark",
  "\r\n\t <!-- a\n---\n--><!-- b -->\n<!Doctype html>\n<p>\n",
  "<?xml version='1.0'?>\n<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml'></html>",
  `<!doctype html>${"<p>é{`${x}`}</p>\n".repeat(40_000)}`.slice(0, 700_000),
];
/** Documents without a doctype: the generator puts one before them. */
const BARE = [
  "<html><body>x</body></html>",
  "<HEAD></HEAD><p>x",
  "<body class='a'>{x}</body>",
  "<!-- c --><html>",
];

interface Page {
  readonly route: string;
  readonly file: string;
  readonly content: string;
  /** What is published must be this, or hold it once where `within` is set. */
  readonly expected: string;
  readonly within?: readonly [before: string, after: string];
}

function pages(): Page[] {
  const page = (route: string, html: string, layout: boolean, title?: string) => {
    const file = fileOfRoute(routeOf(route, "route"));
    return {
      route: `/${route}`,
      file,
      content: pageSource({ file, html, layout, title, description: title }),
    };
  };
  const alone = ["<body>", "</body></html>"] as const;
  return [
    ...DOCUMENTS.map((html, at) => ({ ...page(`documents/n${at}`, html, at % 2 === 0), expected: html })),
    ...BARE.map((html, at) => ({ ...page(`bare/n${at}`, html, true), expected: `<!DOCTYPE html>${html}` })),
    ...FRAGMENTS.map((html, at) => ({
      ...page(`fragments/n${at}`, html, true),
      expected: html,
      within: LAYOUT,
    })),
    ...FRAGMENTS.map((html, at) => ({
      ...page(`a/deep/place/n${at}`, html, false, "a"),
      expected: html,
      within: alone,
    })),
    ...HOSTILE_TITLES.map((title, at) => ({
      ...page(`titles/n${at}`, "x", at % 2 === 0, title),
      expected: "x",
    })),
  ];
}

/** What stands before and after a fragment in the layout. */
const LAYOUT = ['<main id="content" class="content">', '</main><footer class="site-footer">'] as const;

const HOSTILE_TITLES = [
  "</title><script>alert(1)</script>",
  '{a} `${b}` "c" \' & --- <',
  "\u2028😀",
  "--> */ //",
];

/** The title and description a browser reads. */
function headOf(html: Uint8Array): { title?: string; description?: string } {
  const found: { title?: string; description?: string } = {};
  const walk = (parent: DefaultTreeAdapterTypes.ParentNode): void => {
    for (const node of parent.childNodes) {
      if (!("tagName" in node)) continue;
      const [text] = node.childNodes;
      if (node.tagName === "title" && text !== undefined && "value" in text) found.title ??= text.value;
      const named = node.attrs.find(({ name }) => name === "name")?.value;
      if (named === "description") {
        found.description = node.attrs.find(({ name }) => name === "content")?.value;
      }
      walk(node);
    }
  };
  walk(parse(new TextDecoder().decode(html)));
  return found;
}

async function built(
  files: readonly { path: string; content: string }[],
  see: (dir: string) => Promise<void>,
) {
  await using place = await folder();
  await writeProject(place.path, files);
  await buildProject(place.path);
  await see(place.path);
}

const bytes = (text: string) => new TextEncoder().encode(text);
const read = async (dir: string, route: string) => {
  const page = await published(dir, route);
  assert.ok(page, `${route} was not published`);
  return page;
};

Deno.test({
  name: "a built project publishes hostile HTML byte for byte, with and without its layout",
  fn: async () => {
    const made = pages();
    assert.ok(DOCUMENTS.every(isDocument) && BARE.every(isDocument) && !FRAGMENTS.some(isDocument));
    const site_name = 'Müller & "Söhne" <b> {x} --- `${y}` \u2028';
    const extra_pages = [{ route: "Kontakt/", html: "<p>{k}</p>", title: "K & <k>" }, {
      route: "404",
      html: "gone",
    }];
    const scaffold = projectFiles({ homepage_html: BODIES.at(-1)!, site_name, extra_pages, existing: [] });
    const env = { path: ".env", content: "SECRET=s\nPUBLIC_NAME=p\n" };
    await built(
      [...scaffold, env, ...made.map(({ file, content }) => ({ path: file, content }))],
      async (dir) => {
        for (const { route, expected, within } of made) {
          const page = await read(dir, route);
          if (route.startsWith("/titles/")) continue;
          if (within === undefined) assert.deepEqual(page, bytes(expected), route);
          else {
            const text = new TextDecoder().decode(page);
            assert.equal(text.split(within.join(expected)).length, 2, route);
            assert.ok(text.endsWith("</body></html>"), route);
          }
        }
        for (const [at, title] of HOSTILE_TITLES.entries()) {
          assert.deepEqual(headOf(await read(dir, `/titles/n${at}`)), { title, description: title });
        }
        const home = await read(dir, "/");
        assert.deepEqual(headOf(home), { title: 'Müller & "Söhne" <b> {x} --- `${y}`' });
        const text = new TextDecoder().decode(home);
        assert.ok(text.startsWith('<!DOCTYPE html><html lang="en"><head>'), text.slice(0, 100));
        assert.ok(text.includes(LAYOUT.join(BODIES.at(-1)!)));
        assert.deepEqual(headOf(await read(dir, "/kontakt")), { title: "K & <k>" });
        assert.ok(new TextDecoder().decode(await read(dir, "/404")).includes(LAYOUT.join("gone")));
        assert.match(await Deno.readTextFile(`${dir}/dist/robots.txt`), /Allow/);
        assert.match(await Deno.readTextFile(`${dir}/dist/favicon.svg`), /^<svg/);
      },
    );
  },
});

Deno.test({
  name: "a page of the largest size is built as it is",
  fn: async () => {
    const start = "<!doctype html>";
    const html = start + "<i>{}`${}</i>--\n".repeat(LIMITS.STATIC_FILE_BYTES / 16).slice(0, -start.length);
    assert.equal(html.length, LIMITS.STATIC_FILE_BYTES);
    const files = projectFiles({ homepage_html: html, site_name: "Large", extra_pages: [], existing: [] });
    await built(files, async (dir) => assert.deepEqual(await read(dir, "/"), bytes(html)));
  },
});

Deno.test({
  name: "the generator serves files under the routes that are told of them",
  fn: async () => {
    const text = (path: string) => path.endsWith(".ts") ? "export const GET = () => new Response('')" : "x";
    const paths = [
      ...[
        "index.astro",
        "a.astro",
        "B.astro",
        "c/index.astro",
        "index/index.astro",
        "index/d.html",
        "e.md",
        "f.html",
      ],
      ...[
        "g.markdown",
        "h.mdown",
        "i.mkd",
        "j.k.astro",
        "index.l.md",
        "_m.astro",
        "n/_o.astro",
        "_p/q.astro",
      ],
      ...[".r.astro", ".s/t.astro", ".well-known/u.md", "v_w.astro", "x.xml.ts", "y.txt", "z.tsx"],
    ].map((path) => `src/pages/${path}`);
    const routes = paths.map(routeOfFile).filter((route) => route !== null);
    const scaffold = projectFiles({ homepage_html: "x", site_name: "R", extra_pages: [], existing: [] });
    const files = [...scaffold, ...paths.map((path) => ({ path, content: text(path) }))];
    await built(files, async (dir) => {
      for (const route of routes) await read(dir, route);
      const found: string[] = [];
      const walk = async (folder: string): Promise<void> => {
        for await (const { name, isDirectory } of Deno.readDir(`${dir}/dist${folder}`)) {
          if (isDirectory) await walk(`${folder}/${name}`);
          else if (name === "index.html") found.push(folder === "" ? "/" : folder);
        }
      };
      await walk("");
      assert.deepEqual(found.sort(), routes.sort());
    });
  },
});

Deno.test({
  name: "every spelling of a route would take it from the page that is made for it, or the page from it",
  fn: async () => {
    const pages = spellingsOfRoute("/x").filter((path) => !path.endsWith(".mdx")); // served where an integration adds it
    const files = pages.map((spelling, at) => {
      const path = spelling.replace(/\/x\b/, `/x${at}`);
      const content = /\.[tj]s$/.test(path) ? `export const GET = () => new Response("held")` : "held";
      return { path, content };
    });
    const scaffold = projectFiles({ homepage_html: "x", site_name: "R", extra_pages: [], existing: [] });
    await built([...scaffold, ...files], async (dir) => {
      for (const [at, { path }] of files.entries()) {
        const places = [`x${at}`, `x${at}.html`, `x${at}/index.html`];
        const held = await Promise.all(places.map(async (place) => {
          const text = await Deno.readTextFile(`${dir}/dist/${place}`).catch(() => "");
          return text.includes("held");
        }));
        assert.ok(held.includes(true), `${path} is served under no name of its route`);
      }
    });
  },
});

Deno.test({
  name: "a page cannot be built beside a file of its name, or of a folder above it",
  fn: async () => {
    for (const [route, file] of [["/a", "public/a"], ["/a/b", "public/a"]] as const) {
      const pages = [{ path: fileOfRoute(route), content: "x" }, { path: file, content: "x" }];
      const scaffold = projectFiles({ homepage_html: "x", site_name: "R", extra_pages: [], existing: [] });
      assert.ok(takesRoute(file, route));
      await assert.rejects(built([...scaffold, ...pages], () => Promise.resolve()), /EEXIST|ENOTDIR|exists/);
    }
  },
});

/** Whether a range of the few forms that packages write takes a version. */
function takes(range: string, version: string): boolean {
  const of = (text: string) => text.split(".").map(Number);
  const less = (a: number[], b: number[]) => {
    const at = [0, 1, 2].find((part) => (a[part] ?? 0) !== (b[part] ?? 0));
    return at !== undefined && (a[at] ?? 0) < (b[at] ?? 0);
  };
  return range.split("||").some((one) => {
    const [, sign, least] = /^\s*(\^|>=)?\s*(\d+(?:\.\d+){0,2})\s*$/.exec(one) ??
      assert.fail(`no range: ${one}`);
    const isOfMajor = sign === ">=" || of(version)[0] === of(least!)[0];
    return isOfMajor && !less(of(version), of(least!));
  });
}

Deno.test("a new project asks for the versions that it is built with here, and for a runtime that all of them take", async () => {
  const files = projectFiles({ homepage_html: "x", site_name: "V", extra_pages: [], existing: [] });
  const text = (name: string) => files.find(({ path }) => path === name)!.content;
  const { dependencies, engines } = JSON.parse(text("package.json"));
  const { own, all } = await locked();
  const wanted = Object.entries(own).map(([name, { version }]) => [name, `^${version}`]);
  assert.deepEqual(dependencies, Object.fromEntries(wanted));
  const least = /^>=(\d+\.\d+\.\d+)$/.exec(engines.node)![1]!;
  const ranges = all.filter(({ optional }) => !optional).flatMap(({ engines }) => engines?.node ?? []);
  assert.ok(ranges.length > 50);
  for (const version of [least, text(".node-version").trim()]) {
    assert.deepEqual(ranges.filter((range) => !takes(range, version)), [], version);
  }
  assert.ok(
    !takes(engines.node, "22.18.9") && ranges.some((range) => !takes(range, "22.18.9")),
    "it is the least",
  );
});
