/** Pages made from code: what is stored, what is refused, and what a visitor gets. */
import assert from "node:assert/strict";
import { Companion, cut, type Json, suite } from "./site.ts";

const SCOPE = "so-0123456789";
const KIB = 1024;
let wp: Companion;
const test = suite(async () => (wp = await Companion.start()));

let made = 0;
const make = (fields: Json = {}) =>
  wp.call("ed", "POST", "/code-pages", {
    title: `Code ${++made}`,
    scope_class: SCOPE,
    html: "<p>x</p>",
    ...fields,
  });

test("a new page is a draft, and every byte of its code is as it was sent", async () => {
  const code = {
    html: `<p title='a "b" \\n \\\\'>ü 😀 &amp; $& {{X}}</p>\n`,
    css: `.${SCOPE} p::before{content:"\\201C\\"";}\n`,
    js: "const re = /\\d+\\/\"'/; // </script> \\u00fc\n",
  };
  const answer = await make({ slug: "As It Is", ...code });
  assert.deepEqual(cut(answer, "status", "slug", "scope_class"), [201, "draft", "as-it-is", SCOPE]);
  const id = answer.body["id"];
  assert.equal(answer.body["url"], `${wp.site.base_url}/?page_id=${id}`);
  const read = await wp.call("ed", "GET", `/code-pages/${id}`);
  assert.deepEqual(cut(read, "html", "css", "js", "scoped"), [200, code.html, code.css, code.js, true]);
  const { post } = await wp.peek({ id });
  assert.equal(
    post["post_content"],
    `<!-- wp:html -->\n<div class="${SCOPE}">\n${code.html}\n</div>\n<!-- /wp:html -->`,
  );
});

test("an update changes the parts that are given, and only those", async () => {
  const { body } = await make({ css: ".a{}", js: "1" });
  const path = `/code-pages/${body["id"]}`;
  assert.deepEqual(
    cut(await wp.call("ed", "POST", path, { css: "" }), "status", "scope_class"),
    [200, "draft", SCOPE],
  );
  assert.deepEqual(cut(await wp.call("ed", "GET", path), "html", "css", "js"), [200, "<p>x</p>", "", "1"]);
  await wp.call("ed", "POST", path, { title: "New", html: "<b>y</b>" });
  const read = await wp.call("ed", "GET", path);
  assert.deepEqual(cut(read, "title", "html", "js"), [200, "New", "<b>y</b>", "1"]);
});

test("a page that was changed by other means is reported as it is", async () => {
  const { body } = await make();
  await wp.rest("ed", "POST", `/pages/${body["id"]}`, { content: "<p>by hand</p>" });
  const read = await wp.call("ed", "GET", `/code-pages/${body["id"]}`);
  assert.deepEqual(cut(read, "html", "scoped"), [200, "<p>by hand</p>", false]);
});

test("sizes are counted in bytes, and the last allowed one is taken", async () => {
  for (const [part, limit] of [["html", 200 * KIB], ["css", 1024 * KIB], ["js", 100 * KIB]] as const) {
    const over = await make({ [part]: "é".repeat(limit / 2) + "x" });
    assert.deepEqual(cut(over), [413, "site_ops_too_large"], part);
    assert.equal((over.body["data"] as Json)["param"], part);
  }
  const full = await make({
    html: "é".repeat(100 * KIB),
    css: "é".repeat(512 * KIB),
    js: "é".repeat(50 * KIB),
  });
  assert.equal(full.status, 201);
});

test("disallowed content is refused on creating and updating, and nothing is stored", async () => {
  const count = async () => (await wp.rest("ed", "GET", "/pages?status=draft")).headers.get("x-wp-total");
  const { body } = await make();
  const before = await count();
  const bad = [{ html: "<IFRAME src=x>" }, { css: "@import url(https://x.test/a.css);" }, {
    html: "<p>\u0000",
  }];
  for (const fields of bad) {
    assert.deepEqual(cut(await make(fields)), [422, "site_ops_disallowed"]);
    const update = await wp.call("ed", "POST", `/code-pages/${body["id"]}`, fields);
    assert.deepEqual(cut(update), [422, "site_ops_disallowed"]);
  }
  assert.equal(await count(), before);
});

test("bad arguments are WordPress's own 400, naming the argument", async () => {
  const bad: [Json, string][] = [
    [{ scope_class: "so-XYZ" }, "scope_class"],
    [{ title: "" }, "title"],
    [{ title: "  " }, "title"],
    [{ parent: 99999 }, "parent"],
    [{ html: 5.5 }, "html"],
    [{ css: ["x"] }, "css"],
  ];
  for (const [fields, param] of bad) {
    const answer = await make(fields);
    assert.deepEqual(cut(answer), [400, "rest_invalid_param"], param);
    assert.ok(param in ((answer.body["data"] as Json)["params"] as Json), param);
  }
  const without = await wp.call("ed", "POST", "/code-pages", { title: "x", scope_class: SCOPE });
  assert.deepEqual(cut(without), [400, "rest_missing_callback_param"]);
});

test("a status is not heeded, and a page that was not made from code is not found", async () => {
  const answer = await make({ status: "publish", post_status: "publish", date: "2020-01-01T00:00:00" });
  assert.deepEqual(cut(answer, "status"), [201, "draft"]);
  const id = await wp.draft("ed", {}, "pages");
  for (const method of ["GET", "POST"]) {
    const body = method === "POST" ? { html: "x" } : undefined;
    assert.deepEqual(cut(await wp.call("ed", method, `/code-pages/${id}`, body)), [
      404,
      "site_ops_post_not_found",
    ]);
  }
});

test("pages that another plugin saves along with one keep the states they have", async () => {
  const at = new Date(Date.now() + 600_000).toISOString().slice(0, 19);
  const others = [[await wp.published(), "publish"], [await wp.draft("ed", {}, "pages"), "future"]] as const;
  await wp.rest("ed", "POST", `/pages/${others[1][0]}`, { status: "future", date_gmt: at });
  for (const [id, status] of others) {
    await wp.peek({ options: { peek_in_step: id } });
    const { body } = await make();
    await wp.call("ed", "POST", `/code-pages/${body["id"]}`, { html: "<p>y</p>" });
    const { post } = await wp.peek({ id });
    assert.deepEqual([post["post_title"], post["post_status"]], ["In step", status]);
  }
  await wp.peek({ options: { peek_in_step: 0 } });
});

test("a published, private or due page is never changed", async () => {
  for (const status of ["publish", "private"]) {
    const { body } = await make();
    await wp.rest("ed", "POST", `/pages/${body["id"]}`, { status });
    const answer = await wp.call("ed", "POST", `/code-pages/${body["id"]}`, {
      css: "a{}",
      allow_published: true,
    });
    assert.deepEqual(cut(answer), [409, "site_ops_published"]);
    assert.equal((await wp.peek({ id: body["id"] })).meta["_site_ops_css"], "");
  }
  const { body } = await make();
  const at = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 19);
  await wp.rest("ed", "POST", `/pages/${body["id"]}`, { status: "future", date_gmt: at(600_000) });
  const scheduled = await wp.call("ed", "POST", `/code-pages/${body["id"]}`, { css: "a{}" });
  assert.deepEqual(cut(scheduled, "status"), [200, "future"]);
  await wp.peek({ id: body["id"], columns: { post_date_gmt: at(-60_000).replace("T", " ") } });
  const overdue = await wp.call("ed", "POST", `/code-pages/${body["id"]}`, { css: "b{}" });
  assert.deepEqual(cut(overdue), [409, "site_ops_published"]);
  const { post, meta } = await wp.peek({ id: body["id"] });
  assert.deepEqual([post["post_status"], meta["_site_ops_css"]], ["future", "a{}"]);
});

test("a visitor of the published page gets its CSS and JavaScript, and of no other page", async () => {
  const css = `.${SCOPE} h2{color:#123456}/* </style><script>alert(1)</script> */`;
  const js = `window.made = "</script><!-- <script>";`;
  const { body } = await make({ html: "<h2>Hello</h2>", css, js });
  const other = await make({ html: "<h2>Other</h2>" });
  const url = await wp.publish(body["id"]);
  const html = await wp.text(url);
  const head = html.slice(0, html.indexOf("</head>"));
  assert.ok(html.includes(`<div class="${SCOPE}">\n<h2>Hello</h2>\n</div>`));
  assert.ok(head.includes(`<style id="site-ops-css">\n.${SCOPE} h2{color:#123456}`));
  assert.ok(head.includes("<\\/style><script>alert(1)<\\/script>"));
  assert.equal(head.split("</style>").filter((part) => part.includes("#123456")).length, 1);
  assert.match(
    html,
    /<script id="site-ops-js">\s*window\.made = "<\\\/script><\\!-- <script>";\s*<\/script>/,
  );
  assert.ok(html.indexOf("site-ops-js") > html.indexOf("Hello"));
  const pages = [
    "/",
    await wp.publish(await wp.draft("ed")),
    await wp.publish(other.body["id"]),
    "/?s=Hello",
    "/nope/",
  ];
  for (const path of pages) {
    const text = await wp.text(path);
    assert.ok(
      !text.includes("#123456") && !text.includes("site-ops-js") && !text.includes("site-ops-css"),
      path,
    );
  }
});

test("JavaScript arrives as it is, whatever the theme", async () => {
  const js = `window.more = rows[picked[0]]>1; // ]]>`;
  const { body } = await make({ js });
  const url = await wp.publish(body["id"]);
  for (const peek_old_theme of [1, 0]) {
    await wp.peek({ options: { peek_old_theme } });
    assert.ok(
      (await wp.text(url)).includes(`<script id="site-ops-js">\n${js}\n</script>`),
      `${peek_old_theme}`,
    );
  }
});

test("a visitor sees neither a draft nor the code of a page behind a password", async () => {
  const { body } = await make({ css: "a{color:#abcdef}" });
  assert.ok(!(await wp.text(`/?page_id=${body["id"]}`)).includes("#abcdef"));
  await wp.rest("ed", "POST", `/pages/${body["id"]}`, { password: "secret" });
  assert.ok(!(await wp.text(await wp.publish(body["id"]))).includes("#abcdef"));
});

test("WordPress's own routes show the code only to editors, and do not change it", async () => {
  const { body } = await make({ css: "a{color:#fedcba}" });
  const id = body["id"];
  await wp.publish(id);
  const anonymous = await wp.rest(null, "GET", `/pages/${id}`);
  assert.equal(anonymous.status, 200);
  assert.ok(!JSON.stringify(anonymous.body["meta"] ?? {}).includes("site_ops"));
  assert.equal((await wp.rest(null, "GET", `/pages/${id}?context=edit`)).status, 401);
  const edit = await wp.rest("ed", "GET", `/pages/${id}?context=edit`);
  assert.equal((edit.body["meta"] as Json)["_site_ops_css"], "a{color:#fedcba}");
  const write = await wp.rest("admin", "POST", `/pages/${id}`, { meta: { _site_ops_css: "@import 'x'" } });
  assert.deepEqual(cut(write), [403, "rest_cannot_update"]);
});

test("without the visual builder its routes say so", async () => {
  for (const path of ["/builder/templates", "/builder/templates/1"]) {
    assert.deepEqual(cut(await wp.call("ed", "GET", path)), [409, "site_ops_visual_inactive"]);
  }
  const body = { template_id: 1, title: "x" };
  assert.deepEqual(cut(await wp.call("ed", "POST", "/builder/pages", body)), [
    409,
    "site_ops_visual_inactive",
  ]);
});

test("visitors get the HTML as it was sent, whatever WordPress would make of such text", async () => {
  const html = [
    `<p title="it's">"It's" -- 3x4 'n' (tm) ... Wordpress :) &amp; a</p>`,
    "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
    "<ul><li>one</li><!--nextpage--><li>two</li><!--more--><li>three</li></ul>",
    "<p>a</p>\n\n<p>b</p>",
    "<script>if (a[b[0]]>c) go(':) \"x\" -- y');</script>",
  ].join("\n");
  const { body } = await make({ html });
  const page = await wp.text(await wp.publish(body["id"]));
  // Comments are not seen, nor is a blank between two signs of a script.
  const expected = html.replace("<!--nextpage", "<!-- nextpage").replace("<!--more", "<!-- more")
    .replace("]]>c", "]] >c");
  assert.ok(page.includes(`<div class="${SCOPE}">\n${expected}\n</div>`), page);
});

test("shortcodes of a code page go on working, and other pages are shown as ever", async () => {
  const { body } = await make({ html: '[caption width="9" caption="A cart"]<i>x</i>[/caption]<p>"q"</p>' });
  assert.match(await wp.text(await wp.publish(body["id"])), /<figcaption.*>A cart<.*<p>"q"<\/p>/s);
  const other = await wp.draft("ed", { content: '<p>"q"</p><!--nextpage--><p>second</p>' }, "pages");
  const page = await wp.text(await wp.publish(other));
  assert.ok(page.includes("<p>&#8220;q&#8221;</p>") && !page.includes("second"));
});

test("what else stands on a code page has its paragraphs as on every other", async () => {
  const { body: { id } } = await make({ html: "<p>a</p>\n\n<p>b</p>" });
  await wp.peek({ options: { peek_foot: "One\n\nTwo" } });
  const page = await wp.text(await wp.publish(id));
  await wp.peek({ options: { peek_foot: "" } });
  assert.match(page, /<p>One<\/p>\s*<p>Two<\/p>/);
  assert.ok(page.includes("<p>a</p>\n\n<p>b</p>"));
});
