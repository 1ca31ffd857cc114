/** Pages made from code: stored scoped, changed part by part, and every way that is refused. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { scopeClass } from "../../rules/code_pages/parts.ts";
import { type Args, DOORS, type Refused, refusedCalls, type RefusedRow } from "../cms_kit.ts";
import { type PagesOptions, type PagesWorld, pagesWorld, test } from "./_pages.ts";

const KIB = 1024;
const CODE = {
  title: "From <code> & $&",
  html: '<main class="hero">\n  <h1>H\u00e9 "q" \\ $1 \u{1f600}</h1>\n</main>',
  css: "body{margin:0}\n.hero h1{animation:in 1s}\n@keyframes in{from{opacity:0}}",
  js: "console.log('</script>', `$&`);",
};

interface Written {
  id: number;
  status: string;
  url: string;
  slug: string;
  scope_class: string;
  warnings: readonly string[];
}

const NAME = scopeClass("open", "landing");
const SCOPED =
  `.${NAME}{margin:0}\n.${NAME} .hero h1{animation:${NAME}-in 1s}\n@keyframes ${NAME}-in{from{opacity:0}}`;

async function make(at: PagesWorld, more: Args = {}): Promise<Written> {
  const args = { site_id: "open", ...CODE, slug: "landing", ...more };
  const { done, proof } = await at.kit.write<Written>("rest", "create_page_from_code", args);
  return { ...done, warnings: proof.warnings };
}

for (const door of DOORS) {
  test(`create_page_from_code through ${door} stores a draft, its CSS scoped to site and slug`, async (at) => {
    const args = { site_id: "open", ...CODE, slug: "landing", parent_id: 2 };
    const { done, proof, row } = await at.kit.write<Written>(door, "create_page_from_code", args);
    const { id } = done;
    assert.deepEqual([proof.verified, proof.warnings], [true, [H1]]);
    const url = `${at.cms.base_url}/?page_id=${id}`;
    assert.deepEqual(done, { id, status: "draft", url, slug: "landing", scope_class: NAME });
    const page = at.cms.posts.get(id)!;
    assert.deepEqual(
      [page.type, page.status, page.title, page.slug, page.parent],
      ["page", "draft", CODE.title, "landing", 2],
    );
    assert.equal(
      page.content,
      `<!-- wp:html -->\n<div class="${NAME}">\n${CODE.html}\n</div>\n<!-- /wp:html -->`,
    );
    assert.deepEqual(page.meta, {
      _site_ops_scope: NAME,
      _site_ops_css: SCOPED,
      _site_ops_js: "console.log('<\\/script>', `$&`);",
    });
    assert.deepEqual([row.tier, row.result_id], [2, id]);
    assert.deepEqual(row.changes?.map(({ field }) => field), [
      "title",
      "slug",
      "parent_id",
      "scope_class",
      "html",
      "css",
      "js",
      "status",
    ]);
  });

  test(`update_page_from_code through ${door} changes only the parts given; the class stays`, async (at) => {
    const { id } = await make(at);
    const page = at.cms.posts.get(id)!;
    const before = { content: page.content, ...page.meta };
    const target = { site_id: "open", page_id: String(id) };
    const first = await at.kit.write<Written>(door, "update_page_from_code", { ...target, css: "a{b:c}" });
    assert.deepEqual(
      [first.done.scope_class, first.done.slug, first.done.status],
      [NAME, "landing", "draft"],
    );
    assert.deepEqual({ content: page.content, ...page.meta }, {
      ...before,
      _site_ops_css: `.${NAME} a{b:c}`,
    });
    await at.kit.write(door, "update_page_from_code", { ...target, title: "New", css: "", js: "x" });
    assert.deepEqual([page.title, page.meta["_site_ops_css"], page.meta["_site_ops_js"]], ["New", "", "x"]);
    const html = "<style>.x{y:z}</style><p>New</p>";
    const { row } = await at.kit.write(door, "update_page_from_code", { ...target, html });
    assert.match(
      page.content,
      new RegExp(`<div class="${NAME}">\n<style>.${NAME} .x{y:z}</style><p>New</p>\n</div>`),
    );
    assert.deepEqual([row.result_id, row.changes?.length], [String(id), 1]);
  });
}

const H1 =
  "html: has an h1, and the page's template shows its title as one: use h2, or choose a template that does not " +
  "show it (template)";

test("a page without a slug gets that of its title, and the same class every time", async (at) => {
  const made = await make(at, { slug: undefined, title: "Größe & Mehr!" });
  assert.deepEqual([made.slug, made.scope_class], ["grosse-mehr", scopeClass("open", "grosse-mehr")]);
  const again = await make(at, { slug: undefined, title: "Größe & Mehr!" });
  assert.equal(again.scope_class, made.scope_class);
  assert.deepEqual([again.slug, again.warnings], ["grosse-mehr", [H1]]);
  const elsewhere = await make(at, { site_id: "editor", slug: "landing" });
  assert.notEqual(elsewhere.scope_class, NAME);
});

test("previews show what would be stored, and of a change what is stored now", async (at) => {
  const made = await at.kit.preview(
    "create_page_from_code",
    { site_id: "open", title: "T", html: "<p>x</p>", css: "a{b:c}" },
  );
  const name = scopeClass("open", "t");
  assert.equal(made.summary, 'Create the draft page "T" from code on open');
  assert.deepEqual(made.changes, [
    { field: "title", from: null, to: "T" },
    { field: "slug", from: null, to: "t" },
    { field: "scope_class", from: null, to: name },
    { field: "html", from: null, to: "<p>x</p>" },
    { field: "css", from: null, to: `.${name} a{b:c}` },
    { field: "status", from: null, to: "draft" },
  ]);
  const { id } = await make(at);
  const args = { site_id: "open", page_id: id, css: "a{b:c}", title: "New" };
  const changed = await at.kit.preview("update_page_from_code", args);
  assert.equal(changed.summary, 'Change the draft page "From <code> & $&" made from code on open');
  assert.deepEqual(changed.changes, [
    { field: "title", from: CODE.title, to: "New" },
    { field: "css", from: SCOPED, to: `.${NAME} a{b:c}` },
  ]);
  at.cms.posts.get(id)!.content = "<p>typed over in the editor</p>";
  const edited = await at.kit.preview("update_page_from_code", args);
  assert.match(edited.summary, /its content was edited by other means, give html as well/);
});

const BAD: readonly RefusedRow[] = [
  [
    { html: "x".repeat(200 * KIB + 1) },
    /^html: 204801 bytes of UTF-8, at most 204800/,
    "E_PAYLOAD_TOO_LARGE",
  ],
  [{ html: "\u00e9".repeat(100 * KIB) + "x" }, /^html: 204801 bytes/, "E_PAYLOAD_TOO_LARGE"],
  [{ css: "/*".padEnd(100 * KIB - 1) + "*/" }, /^css: 102401 bytes/, "E_PAYLOAD_TOO_LARGE"],
  [{ js: "x".repeat(100 * KIB + 1) }, /^js: 102401 bytes/, "E_PAYLOAD_TOO_LARGE"],
  [{ html: "<p>\n<iframe src=x>" }, /^html: the element iframe at 2:1/, "E_DISALLOWED_CONTENT"],
  [
    { html: "<SCRIPT src=//x></SCRIPT>" },
    /^html: a script from another address at 1:1/,
    "E_DISALLOWED_CONTENT",
  ],
  [
    { css: "a{}\n@import url(https://x);" },
    /^css: an @import, .* at 2:1; leave it out$/,
    "E_DISALLOWED_CONTENT",
  ],
  [
    { html: "<style>@import 'x'</style>" },
    /^html: the style element at 1:1: an @import/,
    "E_DISALLOWED_CONTENT",
  ],
  [{ css: "a{b:c" }, /^css: no CSS that can be read, at 1:2: /],
  [{ css: "a{}\n}" }, /^css: no CSS that can be read, at 2:1: /],
  [{ html: "<p title='x" }, /^html: a tag that is not finished/],
  [{ html: "a\0b" }, /^html: holds a NUL character/],
  [{ js: "'\ud800'" }, /^js: holds an unpaired surrogate/],
  [{ title: " " }, /^title: must not be blank$/],
  [{ html: "" }, /^html: /],
  [{ html: 1 }, /^html: /],
  [{ content_html: "x" }, /^content_html: unknown argument, /],
  [{ status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
];

test("code that is too large, disallowed or broken is refused before the site is asked, by both tools", async (at) => {
  for (const [args, says, code = "E_BAD_INPUT"] of BAD) {
    const create = { site_id: "open", title: "x", html: "<p>x</p>", confirm: true, ...args };
    await at.kit.refuses("create_page_from_code", create, code, says);
    const update = { site_id: "open", page_id: 4, confirm: true, ...args };
    await at.kit.refuses("update_page_from_code", update, code, says);
  }
  const target = { site_id: "open", confirm: true };
  const more: Refused = {
    create_page_from_code: [
      [{ title: "x" }, /^html is required/],
      [{ title: "x", html: "y", parent_id: "a" }, /^parent_id: /],
    ],
    update_page_from_code: [
      [{ page_id: 4 }, /^title, html, css, js, template: give at least one/],
      [{ page_id: "x", js: "" }, /^page_id: /],
      [{ html: "x" }, /^page_id is required/],
    ],
  };
  for (const [tool, args, says] of refusedCalls(more)) {
    await at.kit.refuses(tool, { ...target, ...args }, "E_BAD_INPUT", says);
  }
});

test("parts just at their limits are stored, the CSS longer than it was given", async (at) => {
  const html = "x".repeat(200 * KIB);
  const css = "a{}".repeat(34_133);
  const js = "x".repeat(100 * KIB);
  const { id, scope_class } = await make(at, { html, css, js });
  const { content, meta } = at.cms.posts.get(id)!;
  assert.equal(
    content.length,
    html.length + `<!-- wp:html -->\n<div class="${scope_class}">\n\n</div>\n<!-- /wp:html -->`.length,
  );
  assert.deepEqual([String(meta["_site_ops_css"]).length, meta["_site_ops_js"]], [34_133 * 18, js]);
});

Deno.test("what the site or the page lacks is refused by code, nothing being written", async () => {
  const create: Args = { title: "x", html: "<p>x</p>" };
  const cases: [PagesOptions["plugin"], string, Args, Code, RegExp][] = [
    [
      false,
      "create_page_from_code",
      create,
      "E_COMPANION_REQUIRED",
      /no companion plugin; version 1\.0\.0 or newer/,
    ],
    [false, "update_page_from_code", { page_id: 4, css: "" }, "E_COMPANION_REQUIRED", /deno task companion/],
    [
      { version: "0.9" },
      "create_page_from_code",
      create,
      "E_COMPANION_REQUIRED",
      /version "0\.9"; 1\.0\.0 or newer/,
    ],
    [
      {},
      "create_page_from_code",
      { ...create, parent_id: 1 },
      "E_BAD_INPUT",
      /^parent_id: the site has no page 1$/,
    ],
    [{}, "create_page_from_code", { ...create, site_id: "author" }, "E_UPSTREAM", /^CMS 403.*"edit_pages"/],
    [
      {},
      "create_page_from_code",
      { ...create, site_id: "subscriber" },
      "E_UPSTREAM",
      /^CMS 403 rest_forbidden/,
    ],
    [{}, "create_page_from_code", { ...create, site_id: "wrong" }, "E_UPSTREAM", /^CMS 401/],
    [
      {},
      "update_page_from_code",
      { page_id: 4, css: "" },
      "E_UPSTREAM",
      /^CMS 404 .*not a page made from code/,
    ],
    [{}, "update_page_from_code", { page_id: 999, css: "" }, "E_UPSTREAM", /^CMS 404/],
    [{}, "update_page_from_code", { page_id: 2, css: "" }, "E_FORBIDDEN_OP", /^Page 2 is published/],
  ];
  for (const [plugin, tool, args, code, says] of cases) {
    await using at = await pagesWorld({ plugin });
    await at.kit.refuses(tool, { site_id: "open", ...args, confirm: true }, code, says, "reads");
    await at.kit.refuses(tool, { site_id: "open", ...args }, code, says, "reads");
    assert.deepEqual(at.cms.writes, []);
  }
});

test("a page from code published after its preview, or during the write, is refused", async (at) => {
  const { id } = await make(at);
  const args = { site_id: "open", page_id: id, css: "a{b:c}" };
  await at.kit.preview("update_page_from_code", args);
  at.cms.publish(id);
  const says = new RegExp(`^Page ${id} is published`);
  await at.kit.refuses("update_page_from_code", { ...args, confirm: true }, "E_FORBIDDEN_OP", says, "reads");
  const published: number[] = [];
  await using late = await pagesWorld({
    fetch: (input, init) => {
      if (init?.method === "POST") published.forEach((page) => late.cms.publish(page));
      return fetch(input, init);
    },
  });
  const page = await make(late);
  published.push(page.id);
  const ending = await late.kit.gw.end("update_page_from_code", { ...args, page_id: page.id, confirm: true });
  assert.ok("code" in ending && ending.code === "E_FORBIDDEN_OP", JSON.stringify(ending));
  assert.match(ending.message, /^CMS 409 site_ops_published/);
  assert.equal(late.cms.posts.get(page.id)!.meta["_site_ops_css"], SCOPED);
});

test("what the plugin refuses all the same keeps its code", async (at) => {
  const cases: [number, string, Code][] = [
    [413, "site_ops_too_large", "E_PAYLOAD_TOO_LARGE"],
    [422, "site_ops_disallowed", "E_DISALLOWED_CONTENT"],
    [409, "site_ops_published", "E_FORBIDDEN_OP"],
    [500, "site_ops_incomplete", "E_UPSTREAM"],
  ];
  for (const [status, code, expected] of cases) {
    await using strict = await pagesWorld({
      fetch: (input, init) =>
        init?.method === "POST"
          ? Promise.resolve(
            Response.json({ code, message: `Because of ${code}`, data: { status } }, { status }),
          )
          : fetch(input, init),
    });
    const args = { site_id: "open", title: "x", html: "<p>x</p>", confirm: true };
    const says = new RegExp(`^CMS ${status} ${code}: Because of`);
    await strict.kit.gw.fails("create_page_from_code", args, expected, says);
  }
  assert.deepEqual(at.cms.writes, []);
});

test("of a whole document the body is stored, and the preview names what is left out", async (at) => {
  const html = "<!DOCTYPE html><html lang=de><head><title>T</title><style>p{color:red}</style></head>" +
    "<body><h1>One</h1>\n<p>x</p></body></html>";
  const args = { site_id: "open", title: "Whole", html, slug: "whole" };
  const shown = await at.kit.gw.call<{ warnings: string[] }>("create_page_from_code", args);
  assert.match(shown.warnings.join("\n"), /a whole document was given; .* Left out: title, lang of html;/);
  assert.match(shown.warnings.join("\n"), /html: has an h1, and the page's template shows/);
  const name = scopeClass("open", "whole");
  const { done } = await at.kit.write<Written>("rest", "create_page_from_code", args);
  assert.equal(
    at.cms.posts.get(done.id)!.content,
    `<!-- wp:html -->\n<div class="${name}">\n<style>.${name} p{color:red}</style>\n<h1>One</h1>\n<p>x</p>\n</div>\n<!-- /wp:html -->`,
  );
  const frame = html.replace("<title>", '<script src="https://a.example/a.js"></script><title>');
  await at.kit.refuses("create_page_from_code", { ...args, html: frame }, "E_DISALLOWED_CONTENT", /at 1:\d+/);
});
