/** Pages of blocks are made, changed, scheduled and published through both doors, and previewed before. */
import assert from "node:assert/strict";
import { ahead, type Args, DOORS, type Refused, refusedCalls } from "../cms_kit.ts";
import { NOW } from "../kit.ts";
import { pagesWorld, test } from "./_pages.ts";

const AT = ahead(3600, NOW);

for (const door of DOORS) {
  test(`create_page_draft through ${door} makes a draft of blocks with what was given`, async (at) => {
    const args = {
      site_id: "open",
      title: "Fish & <em>Chips</em> $& \"'",
      content_html: "<p>Hi \u{1f600}\n$1</p>",
      slug: "fish",
      parent_id: "2",
      template: "page-wide",
      page_builder: "block",
    };
    const { done, row } = await at.kit.write(door, "create_page_draft", args);
    const { id } = done;
    assert.deepEqual(done, { id, status: "draft", url: `${at.cms.base_url}/?page_id=${id}` });
    const { type, status, title, content, slug, parent, template } = at.cms.posts.get(id)!;
    assert.deepEqual(
      { type, status, title, content, slug, parent, template },
      {
        type: "page",
        status: "draft",
        title: args.title,
        content: `<!-- wp:html -->\n${args.content_html}\n<!-- /wp:html -->`,
        slug: "fish",
        parent: 2,
        template: "page-wide",
      },
    );
    assert.deepEqual([row.tier, row.result_id], [1, id]);
    assert.deepEqual(row.changes?.at(0), { field: "title", from: null, to: args.title });
    assert.deepEqual(row.changes?.at(-1), { field: "status", from: null, to: "draft" });
  });

  test(`update_page_draft through ${door} changes what is given and nothing else`, async (at) => {
    const { id } = at.draft;
    const args = { site_id: "open", page_id: String(id), title: "After", parent_id: 2 };
    const { done, row } = await at.kit.write(door, "update_page_draft", args);
    assert.deepEqual([done.id, done.status], [id, "draft"]);
    const { title, content, slug, parent } = at.cms.posts.get(id)!;
    assert.deepEqual([title, content, slug, parent], ["After", "<p>Old</p>", "before", 2]);
    assert.deepEqual(row.changes, [
      { field: "title", from: "Before", to: "After" },
      { field: "parent_id", from: null, to: 2 },
    ]);
    const blocks = "<!-- wp:paragraph -->\n<p>x</p>\n<!-- /wp:paragraph -->";
    const soon = { site_id: "open", page_id: at.scheduled.id, content_html: blocks };
    assert.equal((await at.kit.write(door, "update_page_draft", soon)).done.status, "scheduled");
    assert.deepEqual([at.scheduled.content, at.scheduled.status], [blocks, "future"]);
  });

  test(`schedule_page and publish_page through ${door} follow the table of states`, async (at) => {
    const page = { site_id: "open", page_id: at.draft.id };
    const planned = await at.kit.write(door, "schedule_page", { ...page, scheduled_at: AT });
    assert.deepEqual([planned.done.status, at.draft.status], ["scheduled", "future"]);
    assert.deepEqual(planned.row.changes, [
      { field: "status", from: "draft", to: "scheduled" },
      { field: "scheduled_at", from: null, to: AT },
    ]);
    const back = await at.kit.write(door, "unschedule", {
      site_id: "open",
      post_id: at.draft.id,
      type: "page",
    });
    assert.equal(back.done.status, "draft");
    await at.kit.refuses(
      "publish_page",
      { ...page, site_id: "acme", confirm: true },
      "E_PUBLISH_NOT_ALLOWED",
      /allow_publish/,
    );
    const live = await at.kit.write(door, "publish_page", page);
    assert.deepEqual([live.done.status, live.row.tier, at.draft.status], ["published", 3, "publish"]);
    for (const tool of ["publish_page", "schedule_page", "update_page_draft"]) {
      const args = { ...page, ...tool === "schedule_page" ? { scheduled_at: AT } : {}, confirm: true };
      const given = tool === "update_page_draft" ? { ...args, title: "x" } : args;
      const says = /^Page \d+ is published/;
      await at.kit.refuses(tool, given, "E_FORBIDDEN_OP", says, "reads");
    }
  });
}

test("previews show each field as it is on the site now and as it would be stored", async (at) => {
  const made = await at.kit.preview(
    "create_page_draft",
    { site_id: "acme", title: "New", content_html: "<p>x</p>" },
  );
  assert.equal(made.summary, 'Create the draft page "New" on acme');
  assert.deepEqual(made.changes, [
    { field: "title", from: null, to: "New" },
    { field: "content_html", from: null, to: "<!-- wp:html -->\n<p>x</p>\n<!-- /wp:html -->" },
    { field: "status", from: null, to: "draft" },
  ]);
  at.draft.title = "Changed in the CMS";
  const args = { site_id: "acme", page_id: at.draft.id, title: "After", template: "page-wide" };
  const changed = await at.kit.preview("update_page_draft", args);
  assert.equal(changed.summary, 'Change the draft page "Changed in the CMS" on acme');
  assert.deepEqual(changed.changes, [
    { field: "title", from: "Changed in the CMS", to: "After" },
    { field: "template", from: "", to: "page-wide" },
  ]);
  const soon = await at.kit.preview(
    "schedule_page",
    { site_id: "acme", page_id: at.draft.id, scheduled_at: AT },
  );
  assert.match(soon.summary, /^Schedule the page "Changed in the CMS" on acme to go live at /);
  const live = await at.kit.preview("publish_page", { site_id: "open", page_id: at.scheduled.id });
  const address = live.changes.find(({ field }) => field === "url")?.to;
  assert.match(String(address), /\/soon\/$/);
  assert.deepEqual(live.changes.map(({ field, to }) => [field, to]), [
    ["status", "published"],
    ["scheduled_at", null],
    ["url", address],
    ["title", "Soon"],
    ["author_id", 2],
    ["author", "Ed"],
  ]);
});

const BAD: Refused = {
  create_page_draft: [
    [{}, /^title is required/],
    [{ title: " " }, /^title: must not be blank$/],
    [{ title: "x", slug: "\ud83d" }, /^slug: holds an unpaired surrogate/],
    [{ title: "x", parent_id: "a" }, /^parent_id: /],
    [{ title: "x", page_builder: "other" }, /^page_builder: .*block.*visual/],
    [{ title: "x", builder_template_id: 900 }, /^builder_template_id: it is for the visual/],
    [{ title: "x", variables: {} }, /^variables: it is for the visual/],
    [{ title: "x", variables: { A: 1 } }, /^variables\.A: /],
    [
      { title: "x", page_builder: "visual" },
      /"visual" is not enabled on "open", which has block/,
      "E_BUILDER_NOT_AVAILABLE",
    ],
    [{ title: "x", status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
    [{ title: "x", publish_on_next_site_publish: true }, /unknown argument/],
  ],
  update_page_draft: [
    [{ page_id: 4 }, /^title, .*give at least one of them$/],
    [{ page_id: "x", title: "y" }, /^page_id: /],
    [
      { page_id: 4, builder_template_id: 3, variables: { A: "\ud83d" } },
      /^variables: holds an unpaired surrogate/,
    ],
    [{ page_id: 4, title: "\t" }, /^title: must not be blank$/],
    [{ page_id: 4, parent_id: 4 }, /^parent_id: a page cannot be its own parent$/],
    [{ page_id: 4, title: "x", page_builder: "visual" }, /builder_template_id/],
    [{ page_id: 4, builder_template_id: 900 }, /"visual" is not enabled/, "E_BUILDER_NOT_AVAILABLE"],
    [
      { page_id: 4, title: "x", publish_on_next_site_publish: true },
      /only sitebuilder sites have it/,
      "E_NOT_SUPPORTED",
    ],
  ],
  schedule_page: [
    [{ page_id: 4 }, /^scheduled_at is required/],
    [{ page_id: "a", scheduled_at: AT }, /^page_id: /],
    [{ page_id: 4, scheduled_at: "2026-12" }, /^scheduled_at: /],
    [{ page_id: 4, scheduled_at: ahead(59, NOW) }, /at least 60 s/, "E_FORBIDDEN_OP"],
  ],
  publish_page: [
    [{ page_id: "1e3" }, /^page_id: /],
  ],
  list_page_templates: [
    [{ per_page: 101 }, /^per_page: /],
  ],
  duplicate_page: [
    [{ page_id: 4 }, /works on sitebuilder sites; "open" is a cms site/, "E_NOT_SUPPORTED"],
  ],
  inject_page_section: [
    [{ page_id: 4, element_source_id: "s" }, /works on sitebuilder sites/, "E_NOT_SUPPORTED"],
  ],
};

test("arguments that are wrong in themselves are refused, nothing being sent", async (at) => {
  for (const [tool, args, says, code] of refusedCalls(BAD)) {
    await at.kit.refuses(tool, { site_id: "open", confirm: true, ...args }, code, says);
  }
});

test("what only the site can judge is refused before anything is written", async (at) => {
  const page = { site_id: "open", confirm: true };
  const cases: Refused = {
    create_page_draft: [
      [{ ...page, title: "x", parent_id: 999 }, /^parent_id: the site has no page 999$/],
      [{ ...page, title: "x", parent_id: 1 }, /^parent_id: the site has no page 1$/],
      [{ ...page, site_id: "author", title: "x" }, /^CMS 403.*"edit_pages"/, "E_UPSTREAM"],
      [{ ...page, site_id: "wrong", title: "x" }, /^CMS 401/, "E_UPSTREAM"],
      [{ ...page, site_id: "bare", title: "x" }, /has no cms credentials/, "E_MISSING_SECRET"],
    ],
    update_page_draft: [
      [{ ...page, page_id: 1, title: "x" }, /^CMS 404 .*: 1 is a post, not a page; .*get_post/, "E_UPSTREAM"],
      [{ ...page, page_id: 2, title: "x" }, /^Page 2 is published/, "E_FORBIDDEN_OP"],
    ],
    schedule_page: [
      [{ ...page, page_id: 1, scheduled_at: AT }, /^CMS 404/, "E_UPSTREAM"],
    ],
    publish_page: [
      [{ ...page, page_id: 999 }, /^CMS 404/, "E_UPSTREAM"],
    ],
  };
  for (const [tool, args, says, code] of refusedCalls(cases)) {
    await at.kit.refuses(tool, args, code, says, code === "E_MISSING_SECRET" ? "nothing" : "reads");
  }
  assert.deepEqual(at.cms.writes, []);
});

/** As a site builder has them. */
const PAGE_ID = "8b2f6f0e-3c52-4b6e-9d0a-5a1c2d3e4f50";

test("pages of a platform without any, or of a site without its alias, are refused in a sentence, but for templates", async (at) => {
  const calls: Record<string, Args> = {
    create_page_draft: { title: "x" },
    update_page_draft: { page_id: PAGE_ID, title: "x", publish_on_next_site_publish: true },
    publish_page: { page_id: PAGE_ID },
    duplicate_page: { page_id: PAGE_ID },
    inject_page_section: { page_id: PAGE_ID, element_source_id: "s1" },
  };
  for (const [tool, args] of Object.entries(calls)) {
    const says = /^Site "builder" has no site_alias.*deno task admin site update builder --site-alias …$/;
    await at.kit.refuses(tool, { site_id: "builder", ...args, confirm: true }, "E_MISSING_SECRET", says);
  }
  const only = { site_id: "builder", title: "x", content_html: "y", confirm: true };
  const says = /^content_html: .*whose pages take no HTML/;
  await at.kit.refuses("create_page_draft", only, "E_NOT_SUPPORTED", says);
  const elsewhere: Record<string, Args> = {
    ...calls,
    schedule_page: { page_id: 4, scheduled_at: AT },
    create_page_from_code: { title: "x", html: "y" },
    update_page_from_code: { page_id: 4, html: "y" },
    list_page_templates: {},
  };
  for (const [tool, args] of Object.entries(elsewhere)) {
    const { publish_on_next_site_publish: _, ...plain } = args;
    const says = new RegExp(`"${tool}" works on .*"files" is a static site`);
    await at.kit.refuses(tool, { site_id: "files", ...plain, confirm: true }, "E_NOT_SUPPORTED", says);
  }
  for (const site_id of ["builder", "acme", "none"]) {
    const empty = { templates: [], page: 1, per_page: 20, total: 0, total_pages: 0 };
    assert.deepEqual(await at.kit.both("list_page_templates", { site_id }), empty);
  }
  assert.deepEqual(at.kit.gw.requests, []);
});

test("a page published between its preview and the write is left alone; one published during it is told", async (at) => {
  const args = { site_id: "open", page_id: at.draft.id, title: "After" };
  await at.kit.preview("update_page_draft", args);
  at.cms.publish(at.draft.id);
  const says = new RegExp(`^Page ${at.draft.id} is published`);
  await at.kit.refuses("update_page_draft", { ...args, confirm: true }, "E_FORBIDDEN_OP", says, "reads");
  assert.equal(at.draft.title, "Before");
  await using late = await pagesWorld({
    fetch: (input, init) => {
      if (init?.method === "POST") late.cms.publish(late.draft.id);
      return fetch(input, init);
    },
  });
  await late.kit.gw.fails(
    "update_page_draft",
    { ...args, page_id: late.draft.id, confirm: true },
    "E_FORBIDDEN_OP",
    /is "published" now.*somebody published it meanwhile/,
  );
  const [row] = await late.kit.rows(1);
  assert.deepEqual([row?.status, row?.result_id], ["error", late.draft.id]);
});

test("what the site did not keep of a page is told in warnings", async (at) => {
  at.cms.posts.get(3)!.slug = "taken";
  const made = await at.kit.write("rest", "create_page_draft", {
    site_id: "open",
    title: "x",
    slug: "taken",
  });
  assert.deepEqual(made.proof.warnings, ['slug: the site kept "taken-2" instead of "taken"']);
});
