/** A call that is refused leaves nothing on the site; one that fails half-way says what it left, to caller and audit. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import type { Made } from "../../core/model.ts";
import type { CommonFault } from "../../sandbox/core/faults.ts";
import { addSeopress } from "../../sandbox/wordpress_standin/seo_plugins.ts";
import type { WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { type Args, type CmsKit, DOORS, PNG } from "../cms_kit.ts";
import { seoWorld } from "./_seo.ts";
import { pagesWorld, TEXTS } from "./_pages.ts";
import { test, type World, world } from "./_stand_in.ts";

/** Everything that stands on a site. */
const whole = ({ state }: WordPressStandIn) =>
  JSON.stringify([[...state.posts.values()], [...state.terms.values()], state.nextPost, state.nextTerm]);

const DRAFT = { title: "T", content_html: "<p>x</p>" };
const ORPHAN = { tags: ["orphan-tag"], categories: ["Orphans"] };

/** Calls that only the site can judge: what is looked up before anything is made. */
function refusals(at: World): [tool: string, args: Args, code: Code, says: RegExp][] {
  const post_id = at.draft.id;
  const unknown = /^author_id: the site has no person 777; list_cms_users names them$/;
  const noImage = /^featured_media_id: the site has no image 9999/;
  const noRight = /lacks the right "edit_others_posts"|may not make categories/;
  return [
    ["create_draft", { site_id: "acme", ...DRAFT, ...ORPHAN, author_id: 777 }, "E_BAD_INPUT", unknown],
    ["update_draft", { site_id: "acme", post_id, ...ORPHAN, author_id: 777 }, "E_BAD_INPUT", unknown],
    ["create_draft", { site_id: "editor", ...DRAFT, ...ORPHAN, author_id: "777" }, "E_BAD_INPUT", unknown],
    [
      "create_draft",
      { site_id: "acme", ...DRAFT, ...ORPHAN, featured_media_id: 9999 },
      "E_BAD_INPUT",
      noImage,
    ],
    [
      "update_draft",
      { site_id: "acme", post_id, ...ORPHAN, featured_media_id: 9999 },
      "E_BAD_INPUT",
      noImage,
    ],
    ["create_draft", { site_id: "author", ...DRAFT, ...ORPHAN, author_id: 1 }, "E_UPSTREAM", noRight],
    ["create_draft", { site_id: "author", ...DRAFT, ...ORPHAN }, "E_UPSTREAM", noRight],
    ["update_draft", { site_id: "acme", post_id: 9999, ...ORPHAN }, "E_UPSTREAM", /^CMS 404 /],
    ["update_draft", { site_id: "author", post_id: at.draft.id, ...ORPHAN }, "E_UPSTREAM", /^CMS 403 /],
    [
      "create_taxonomy",
      { site_id: "acme", taxonomy: "category", name: "Child", parent_id: 9999 },
      "E_BAD_INPUT",
      /^parent_id: the site has no category 9999; list_taxonomies names those there are$/,
    ],
    ["create_page_draft", { site_id: "acme", ...DRAFT, parent_id: 9999 }, "E_BAD_INPUT", /^parent_id: /],
    [
      "upload_media",
      { site_id: "acme", filename: "a.png", content_base64: PNG, post_id: 9999 },
      "E_UPSTREAM",
      /^CMS 404 /,
    ],
    [
      "upload_media",
      { site_id: "subscriber", filename: "a.png", content_base64: PNG },
      "E_UPSTREAM",
      /upload_files/,
    ],
  ];
}

test("what the site can be asked is asked first: a refused call sends reads alone and leaves nothing", async (at) => {
  const before = whole(at.cms);
  for (const [tool, args, code, says] of refusals(at)) {
    for (const confirm of [false, true]) {
      await at.kit.refuses(tool, { ...args, confirm }, code, says, "reads");
      assert.equal(whole(at.cms), before, `${tool} ${JSON.stringify(args)}`);
    }
  }
});

test("an author whom the account may not see, or whom a plugin hides, may be named all the same", async (at) => {
  const hidden = { site_id: "editor", ...DRAFT, author_id: at.cms.users.sub.id };
  await at.kit.write("rest", "create_draft", hidden);
  const body = { code: "rest_no_route", message: "No route was found", data: { status: 404 } };
  at.cms.inject({ kind: "answer", status: 404, body }, { path: /^\/wp\/v2\/users\/\d+$/ });
  await at.kit.write("mcp", "create_draft", { ...hidden, site_id: "acme" });
});

/** The failing call through one door: its message and what its audit row says was made. */
async function failing(
  kit: CmsKit,
  door: "rest" | "mcp",
  tool: string,
  args: Args,
): Promise<{ code: Code; message: string; made: readonly Made[]; changes: unknown }> {
  const ending = await kit.gw.end(tool, { ...args, confirm: true }, { door });
  assert.ok("code" in ending, `${tool} went well: ${JSON.stringify(ending)}`);
  const [row] = await kit.rows(1);
  assert.deepEqual([row?.tool, row?.door, row?.status, row?.error], [tool, door, "error", ending.code]);
  return { code: ending.code, message: ending.message, made: row?.made ?? [], changes: row?.changes };
}

/** Ways a write fails: refused, refused by a plugin after it was saved, lost before and after it was carried out. */
const FAULTS: readonly CommonFault[] = [
  { kind: "answer", status: 400, body: { code: "rest_x", message: "No", data: { status: 400 } } },
  { kind: "answer", status: 500, body: { code: "db", message: "No", data: { status: 500 } }, applied: true },
  { kind: "html" },
  { kind: "reset" },
  { kind: "reset", applied: true },
  { kind: "malformed", applied: true },
];

for (const door of DOORS) {
  Deno.test(`tags made for a post that then failed are named through ${door}, and used by the next try`, async () => {
    for (const fault of FAULTS) {
      await using at = await world();
      const args = { site_id: "acme", ...DRAFT, ...ORPHAN };
      const calls: [string, Args, RegExp][] = [
        ["create_draft", args, /^\/wp\/v2\/posts$/],
        [
          "update_draft",
          { site_id: "acme", post_id: at.draft.id, tags: ["second"] },
          /^\/wp\/v2\/posts\/\d+$/,
        ],
      ];
      for (const [tool, args, path] of calls) {
        const terms = new Set(at.cms.state.terms.keys());
        at.cms.inject(fault, { method: "POST", path });
        const { message, made } = await failing(at.kit, door, tool, args);
        const fresh = [...at.cms.state.terms.values()].filter(({ id }) => !terms.has(id));
        assert.ok(fresh.length > 0);
        const words = fresh.map(({ id, taxonomy, name }) =>
          `${taxonomy === "post_tag" ? "tag" : "category"} ${id} ("${name}")`
        );
        assert.ok(message.includes(`; by then it had made ${words.join(", ")}`), message);
        assert.deepEqual(made.map(({ what, id, name }) => `${what} ${id} ("${name}")`), words);
        const count = at.cms.state.terms.size;
        await at.kit.write(door, tool, args);
        assert.equal(at.cms.state.terms.size, count, "another try makes no term twice");
      }
    }
  });

  test(`a tag that fails among several is told apart from those that were made, through ${door}`, async (at) => {
    const args = { site_id: "acme", ...DRAFT, tags: ["One", "Two", "Three"] };
    const second = { method: "POST", path: /^\/wp\/v2\/tags$/, while: () => at.cms.state.terms.size === 2 };
    const lost: CommonFault = door === "rest"
      ? { kind: "reset", applied: true }
      : { kind: "answer", status: 500, body: { code: "db", message: "No" }, applied: true };
    at.cms.inject(lost, { ...second, times: 1 });
    const { message, made } = await failing(at.kit, door, "create_draft", args);
    assert.match(
      message,
      /; by then it had made tag 2 \("One"\); it may have made tag "Two"(?:; (?:a part of the change was made, )?the outcome is unknown: [^;]*)?$/,
    );
    assert.deepEqual(made, [
      { what: "tag", id: 2, name: "One" },
      { what: "tag", id: null, name: "Two", unsure: true },
    ]);
    assert.deepEqual([...at.cms.posts.values()].filter(({ title }) => title === "T"), []);
    const { row } = await at.kit.write(door, "create_draft", args);
    assert.deepEqual(row.made?.map(({ what, name }) => [what, name]), [["tag", "Three"], [
      "post",
      undefined,
    ]]);
    assert.equal(row.made?.at(-1)?.id, row.result_id);
  });

  test(`tags made for a post that somebody published meanwhile are named through ${door}`, async (at) => {
    const post_id = at.draft.id;
    at.cms.inject({ kind: "publish", post_id }, { method: "POST", path: /^\/wp\/v2\/tags$/ });
    const args = { site_id: "acme", post_id, tags: ["Late"] };
    const { code, message, made } = await failing(at.kit, door, "update_draft", args);
    assert.equal(code, "E_STALE_PREVIEW");
    assert.match(message, /nothing was written.*; by then it had made tag 2 \("Late"\)/);
    assert.deepEqual(made, [{ what: "tag", id: 2, name: "Late" }]);
  });

  test(`an image that the site kept although it failed is named through ${door}`, async (at) => {
    const args = { site_id: "acme", filename: "a.png", content_base64: PNG };
    const fault = { kind: "answer", status: 500, body: "<p>critical error</p>" } as const;
    const headers = { "content-type": "text/html", "x-wp-upload-attachment-id": "31" };
    at.cms.inject({ ...fault, headers }, { method: "POST", path: /^\/wp\/v2\/media$/ });
    const { message, made } = await failing(at.kit, door, "upload_media", args);
    assert.match(
      message,
      /; by then it had made media 31 \("a.png"\)(?:; (?:a part of the change was made, )?the outcome is unknown: [^;]*)?$/,
    );
    assert.deepEqual(made, [{ what: "media", id: 31, name: "a.png" }]);
    at.cms.inject({ kind: "html" }, { method: "POST", path: /^\/wp\/v2\/media\/\d+$/ });
    const texts = await failing(at.kit, door, "upload_media", { ...args, alt_text: "Us" });
    assert.match(
      texts.message,
      /^The image was uploaded as media \d+ .* set them in the CMS; a part of the change was made, the outcome is unknown: [^;]*$/,
    );
    assert.equal(texts.made.length, 1);
    const [row] = await at.kit.rows(1);
    assert.ok(Number(row?.result_id) > 0 && texts.message.includes(`media ${row?.result_id} `));
  });

  Deno.test(`pages the companion plugin could not finish, or answered wrongly, are named through ${door}`, async () => {
    await using at = await pagesWorld();
    const message = "Das Theme nahm es nicht; der Entwurf 41 ist ohne da";
    const body = { code: "site_ops_incomplete", message, data: { status: 500, post_id: 41 } };
    const calls: [string, Args, RegExp][] = [
      ["create_page_from_code", { site_id: "acme", title: "C", html: "<p>x</p>" }, /code-pages$/],
      [
        "create_page_draft",
        { site_id: "visual", title: "V", builder_template_id: 900, variables: TEXTS },
        /builder\/pages$/,
      ],
    ];
    for (const [tool, args, path] of calls) {
      at.cms.inject({ kind: "answer", status: 500, body }, { method: "POST", path });
      const incomplete = await failing(at.kit, door, tool, args);
      assert.match(
        incomplete.message,
        /; by then it had made page 41(?:; (?:a part of the change was made, )?the outcome is unknown: [^;]*)?$/,
      );
      assert.deepEqual(incomplete.made, [{ what: "page", id: 41 }]);
    }
  });

  Deno.test(`a redirect and an entry that could not be read back are in the audit through ${door}`, async () => {
    await using at = await seoWorld();
    const read = (path: RegExp) => ({ method: "GET", path, times: 9, while: () => at.cms.writes.length > 0 });
    at.cms.inject({ kind: "html" }, read(/seo\/redirects$/));
    const redirect = { site_id: "live", source: "/old", destination: "/new" };
    const set = await failing(at.kit, door, "set_seo_redirect", redirect);
    assert.match(set.message, /^The redirect from \/old was set, but could not be read back/);
    assert.deepEqual(set.made.map(({ what, name }) => [what, name]), [["redirect", "/old"]]);
    at.cms.clear();
    at.cms.inject({ kind: "html" }, read(/seo\/schema\/\d+$/));
    const schema = { "@context": "https://schema.org", "@type": "Thing", name: "x" };
    const entry = { site_id: "live", post_id: at.draft.id, schema };
    const stored = await failing(at.kit, door, "set_seo_schema", entry);
    assert.match(stored.message, /was stored as ".+", but could not be read back/);
    assert.deepEqual(stored.made.map(({ what }) => what), ["entry"]);
  });

  Deno.test(`of SEO fields the audit names those that stand, where a later part failed, through ${door}`, async () => {
    await using at = await seoWorld({ plugin: false });
    addSeopress(at.cms.app, at.cms.state);
    at.cms.inject({ kind: "html" }, { method: "PUT", path: /social-settings$/, times: 9 });
    const args = {
      site_id: "rest",
      post_id: at.draft.id,
      title: "New",
      robots: { noindex: true },
      og_title: "O",
    };
    const { message, changes } = await failing(at.kit, door, "set_seo_meta", args);
    assert.match(message, /^The fields title, robots were written, then the site failed/);
    assert.deepEqual((changes as { field: string }[]).map(({ field }) => field), ["title", "robots.noindex"]);
  });

  Deno.test(`a draft whose audit row could not be completed is named through ${door}`, async () => {
    let rows = 0;
    await using at = await world({
      store: (real) => ({
        ...real,
        audit: {
          ...real.audit,
          append: (row) => ++rows === 2 ? Promise.reject(new Error("disk full")) : real.audit.append(row),
        },
      }),
    });
    const ending = await at.kit.gw.end("create_draft", { site_id: "acme", ...DRAFT, confirm: true }, {
      door,
    });
    assert.ok("code" in ending && ending.code === "E_INTERNAL");
    const made = [...at.cms.posts.values()].find(({ title }) => title === "T");
    assert.match(ending.message, new RegExp(`; by then it had made post ${made?.id}$`));
  });
}
