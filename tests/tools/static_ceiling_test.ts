/** What of a static site's files runs, in a build or in a browser, is said in the preview before it is written. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { test } from "./_static.ts";

const SAYS: readonly (readonly [tool: string, args: Args, because: RegExp | null])[] = [
  [
    "write_static_file",
    { path: "src/components/A.astro", content: "a" },
    /^"src\/components\/A\.astro" is source that the build/,
  ],
  ...["a.js", "b/sw.mjs", "A.JS", "a.wasm", "a.es6", "a.js.br", "_headers", "_redirects"].map((name) =>
    [
      "write_static_file",
      { path: `public/${name}`, content: "a" },
      new RegExp(`^"public/${name}" is or decides what runs in`),
    ] as const
  ),
  ...["a.txt", "a.json", "a/_headers", "a.webmanifest", "js"].map((name) =>
    ["write_static_file", { path: `public/${name}`, content: "a" }, null] as const
  ),
  ["write_static_file", { path: "public/a.html", content: "<p>Hi</p>" }, null],
  ["write_static_file", { path: "public/a.shtml", content: "\n <p onclick=a()>" }, /event handler/],
  // A host serves it as HTML, whatever it begins with.
  ["write_static_file", { path: "public/a.shtml", content: "Hi <script>a()</script>" }, /holds a script/],
  ["write_static_file", { path: "public/a.html.gz", content: "H4s=", encoding: "base64" }, /may hold script/],
  ["write_static_file", { path: "public/map.kml", content: "<?xml version='1.0'?><kml/>" }, null],
  [
    "write_static_file",
    { path: "public/map.kml", content: "//48AHMAYwByAGkAcAB0AD4A", encoding: "base64" },
    /may hold script/,
  ],
  ["write_static_file", { path: "public/a.html", content: "<script src=a.js></script>" }, /holds a script/],
  // As a browser reads it that sees the mark of UTF-16, or is told of an encoding with signs to shift by.
  [
    "write_static_file",
    { path: "public/a.html", content: "//48AHMAYwByAGkAcAB0AD4A", encoding: "base64" },
    /"public\/a\.html" may hold script/,
  ],
  ["write_static_file", { path: "public/a.html", content: "<a title='\x1b$B'>" }, /may hold script/],
  ["write_static_file", {
    path: "public/feed.rss",
    content: "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>a()</x:script>",
  }, /script/],
  ["write_static_file", {
    path: "src/styles/a.css",
    content: '@import "tailwindcss";\n@PLUGIN "../../public/a.js";',
  }, /source that the build/],
  ["write_static_file", { path: "src/styles/a.less", content: "a" }, /source that the build/],
  ["write_static_file", { path: "src/styles/a.css", content: "p { color: red }" }, null],
  ["write_static_file", { path: "public/a.css", content: "@plugin 'a';" }, null],
  ["write_static_file", { path: "src/content/a.json", content: "{}" }, null],
  ["write_static_file", { path: "src/content/a.md", content: "# Hi" }, null],
  [
    "write_static_file",
    { path: "public/a.svg", content: "PHN2ZyBvbmxvYWQ9MT4=", encoding: "base64" },
    /holds the event handler onload of svg/,
  ],
  [
    "create_static_route",
    { route: "a", html: "<a href='javascript:1'>a</a>" },
    /html holds an address that runs a script in href of a/,
  ],
  ["update_static_route", { route: "", html: "<p>Hi</p>" }, null],
  [
    "bulk_write_static_files",
    {
      files: ["astro.config.mjs", "src/a.ts", "public/b.ts", "public/b.js", "public/c.html", "d.css"].map((
        path,
      ) => ({
        path,
        content: "a",
      })),
    },
    /^"astro\.config\.mjs", "src\/a\.ts" are source that .*,"public\/b\.js" is or decides .*,"public\/c\.html" may hold script/,
  ],
];

test("the preview names the files a build runs and the script that browsers would", async (at) => {
  for (const [tool, args, because] of SAYS) {
    const preview = await at.preview(tool, { site_id: "open", ...args });
    const least = tool === "bulk_write_static_files" ? 2 : because ? 2 : 1;
    assert.equal(preview.tier, least, `${tool} ${JSON.stringify(args)}`);
    if (because) assert.match(String(preview.warnings), because);
    else assert.deepEqual(preview.warnings, [], `${tool} ${JSON.stringify(args)}`);
  }
});

test("a scaffold says what script its pages hold", async (at) => {
  const extra_pages = [{ route: "a", title: "A", html: "<body onload=a()>" }];
  const args = { site_id: "empty", homepage_html: "<p>Hi</p>", extra_pages };
  const preview = await at.preview("init_static_project", args);
  assert.match(String(preview.warnings), /extra_pages\[0\]\.html holds the event handler onload of body/);
});
