/** Pages of the visual builder: templates listed, cloned with their placeholders filled, and every way that fails. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, type RefusedRow } from "../cms_kit.ts";
import { type PagesOptions, pagesWorld, test, TEXTS } from "./_pages.ts";

const CLONE = { site_id: "both", title: "Cloned", page_builder: "visual", builder_template_id: "900" };

interface Cloned {
  id: number;
  status: string;
  url: string;
  elements: number;
}

interface Element {
  id: string;
  settings: Record<string, string>;
  elements?: Element[];
}

/** Texts that break a clone made by replacing text in JSON. */
const HOSTILE = {
  HERO_TITLE: 'He said "hi" \\ \n\t\r\u2028 $& $1 \\1 </script> {{NAME_2}} \u{1f600}',
  NAME_2: "{{HERO_TITLE}} ' \u0001 %s ${x}",
};

for (const door of DOORS) {
  test(`create_page_draft through ${door} clones a template with every text in its place`, async (at) => {
    const { done, proof, row } = await at.kit.write<Cloned>(
      door,
      "create_page_draft",
      { ...CLONE, slug: "cloned", parent_id: 2, variables: { ...HOSTILE, EXTRA: "x" } },
    );
    const { id } = done;
    const url = `${at.cms.base_url}/?page_id=${id}`;
    const warnings = ['variables: the template has no placeholder "EXTRA"; it was not used'];
    assert.deepEqual(done, { id, status: "draft", url, elements: 3 });
    assert.deepEqual([proof.verified, proof.warnings], [null, warnings]);
    assert.match(proof.verified_reason!, /texts that the visual builder stored/);
    const page = at.cms.posts.get(id)!;
    assert.deepEqual(
      [page.type, page.status, page.title, page.slug, page.parent],
      ["page", "draft", "Cloned", "cloned", 2],
    );
    const [root] = JSON.parse(String(page.meta["_elementor_data"])) as Element[];
    assert.equal(root!.settings["title"], HOSTILE.HERO_TITLE);
    assert.equal(root!.elements![0]!.settings["title"], `${HOSTILE.HERO_TITLE} & ${HOSTILE.NAME_2}`);
    assert.equal(root!.elements![1]!.settings["html"], "<p>no {{placeholder}}</p>");
    assert.deepEqual([row.tier, row.result_id], [1, id]);
    const sent = at.cms.writes.at(-1)!.body as Args;
    assert.deepEqual(
      sent,
      { template_id: 900, variables: HOSTILE, title: "Cloned", slug: "cloned", parent: 2 },
    );
  });

  test(`update_page_draft through ${door} clones the page anew, other fields as given or as they are`, async (at) => {
    const { id } = at.draft;
    const args = { site_id: "visual", page_id: id, builder_template_id: 900, variables: TEXTS };
    const { done } = await at.kit.write<Cloned>(door, "update_page_draft", args);
    assert.deepEqual([done.id, done.status, done.elements], [id, "draft", 3]);
    assert.equal(at.draft.title, "Before");
    assert.match(String(at.draft.meta["_elementor_data"]), /"Hello & Ann"/);
    await at.kit.write(door, "update_page_draft", { ...args, title: "New", page_id: at.scheduled.id });
    assert.deepEqual([at.scheduled.title, at.scheduled.status], ["New", "future"]);
  });
}

test("list_page_templates names every placeholder, and what cannot be read", async (at) => {
  const modified_gmt = "2026-11-21T12:00:00Z";
  const landing = {
    id: 900,
    title: "Landing",
    type: "page",
    placeholders: ["HERO_TITLE", "NAME_2"],
    modified_gmt,
    valid: true,
  };
  const broken = { id: 901, title: "Broken", type: "page", placeholders: [], modified_gmt, valid: false };
  const list = (args: Args) => at.kit.both<Args>("list_page_templates", { site_id: "both", ...args });
  const page = { page: 1, per_page: 20, total_pages: 1 };
  assert.deepEqual(await list({}), { ...page, templates: [landing, broken], total: 2 });
  assert.deepEqual(await list({ search: "land" }), { ...page, templates: [landing], total: 1 });
  const second = await list({ page: 2, per_page: 1 });
  assert.deepEqual(second, { templates: [broken], page: 2, per_page: 1, total: 2, total_pages: 2 });
});

test("a preview of a clone shows which placeholder gets which text, as the template is now", async (at) => {
  const args = { ...CLONE, variables: { ...TEXTS, B: "b" } };
  const made = await at.kit.preview("create_page_draft", args);
  assert.equal(
    made.summary,
    'Create the draft page "Cloned" on both from the template "Landing" (900); the template has no placeholder B',
  );
  assert.deepEqual(made.changes, [
    { field: "title", from: null, to: "Cloned" },
    { field: "builder_template_id", from: null, to: 900 },
    { field: "variables.HERO_TITLE", from: "{{HERO_TITLE}}", to: "Hello" },
    { field: "variables.NAME_2", from: "{{NAME_2}}", to: "Ann" },
    { field: "status", from: null, to: "draft" },
  ]);
  at.template.data = '[{"id":"1","elType":"section","settings":{"a":["{{ONLY}}"]}}]';
  at.template.title = "Renamed";
  const changed = await at.kit.preview(
    "update_page_draft",
    { site_id: "both", page_id: at.draft.id, builder_template_id: 900, variables: { ONLY: "x" } },
  );
  assert.match(
    changed.summary,
    /^Make all content of the draft page "Before" on both anew from the template "Renamed" \(900\)$/,
  );
  assert.deepEqual(changed.changes.at(-1), { field: "variables.ONLY", from: "{{ONLY}}", to: "x" });
});

test("which builder is meant is settled before anything is sent", async (at) => {
  const cases: readonly RefusedRow[] = [
    [
      { site_id: "both", title: "x" },
      /^page_builder is required: "both" has several .*block and visual$/,
      "E_BUILDER_REQUIRED",
    ],
    [{ site_id: "none", title: "x" }, /which has none; list_builders_for_site/, "E_BUILDER_NOT_AVAILABLE"],
    [
      { site_id: "visual", title: "x", page_builder: "block" },
      /"block" is not enabled/,
      "E_BUILDER_NOT_AVAILABLE",
    ],
    [{ site_id: "visual", title: "x" }, /^builder_template_id is required: .*list_page_templates/],
    [{ ...CLONE, content_html: "<p>" }, /^content_html: .*from its template; leave it out$/],
    [{ ...CLONE, template: "wide" }, /^template: /],
    [{ ...CLONE, builder_template_id: "a1" }, /^builder_template_id: expected a whole number/],
  ];
  for (const [args, says, code = "E_BAD_INPUT"] of cases) {
    await at.kit.refuses("create_page_draft", { ...args, confirm: true }, code, says);
  }
  const change = { site_id: "visual", page_id: 4, content_html: "<p>", confirm: true };
  const says = /"block" is not enabled on "visual", which has visual/;
  await at.kit.refuses("update_page_draft", change, "E_BUILDER_NOT_AVAILABLE", says);
  const needed: [Args, RegExp][] = [
    [{ variables: { KEY: "x" } }, /^builder_template_id is required: .*list_page_templates names them$/],
    [{ page_builder: "visual" }, /^builder_template_id is required when page_builder is "visual"$/],
    [{ page_builder: "block" }, /^title, .*: give at least one of them$/],
  ];
  for (const [args, says] of needed) {
    const call = { site_id: "both", page_id: 4, ...args, confirm: true };
    await at.kit.refuses("update_page_draft", call, "E_BAD_INPUT", says);
  }
  const alone = await at.kit.preview("create_page_draft", { site_id: "acme", title: "Block by itself" });
  assert.equal(alone.tier, 1);
});

Deno.test("what the template or the site lacks is refused by code, nothing being written", async () => {
  const cases: [PagesOptions["plugin"], Args, Code, RegExp][] = [
    [{}, {}, "E_MISSING_PLACEHOLDER", /^variables: .*missing: HERO_TITLE, NAME_2$/],
    [{}, { variables: { NAME_2: "", hero_title: "x" } }, "E_MISSING_PLACEHOLDER", /missing: HERO_TITLE$/],
    [
      {},
      { builder_template_id: 901, variables: {} },
      "E_BAD_TEMPLATE_DATA",
      /^Template 901 "Broken": .*cannot be read/,
    ],
    [{}, { builder_template_id: 999 }, "E_UPSTREAM", /^CMS 404 site_ops_template_not_found: .*check the id$/],
    [{}, { variables: TEXTS, parent_id: 999 }, "E_BAD_INPUT", /^parent_id: the site has no page 999$/],
    [
      false,
      {},
      "E_COMPANION_REQUIRED",
      /no companion plugin; version 1\.0\.0 or newer is needed: .*deno task companion/,
    ],
    [{ version: "0.9.12" }, {}, "E_COMPANION_REQUIRED", /is version "0\.9\.12"; 1\.0\.0 or newer is needed/],
    [{ version: "dev" }, {}, "E_COMPANION_REQUIRED", /is version "dev"/],
    [{ visual: false }, {}, "E_BUILDER_NOT_AVAILABLE", /visual builder is not active on this site/],
  ];
  for (const [plugin, more, code, says] of cases) {
    await using at = await pagesWorld({ plugin });
    const create = { ...CLONE, ...more, confirm: true };
    await at.kit.refuses("create_page_draft", create, code, says, "reads");
    const { title: _, ...rest } = create;
    const update = { ...rest, page_id: at.draft.id };
    await at.kit.refuses("update_page_draft", update, code, says, "reads");
    if (code === "E_COMPANION_REQUIRED" || code === "E_BUILDER_NOT_AVAILABLE") {
      await at.kit.refuses("list_page_templates", { site_id: "both" }, code, says, "reads");
    }
    assert.deepEqual(at.cms.writes, []);
  }
  await using newer = await pagesWorld({ plugin: { version: "1.10.0-beta" } });
  await newer.kit.preview("create_page_draft", { ...CLONE, variables: TEXTS });
});

test("a published page is not cloned over, published before the call or in the midst of it", async (at) => {
  const args = { site_id: "both", page_id: 2, builder_template_id: 900, variables: TEXTS, confirm: true };
  await at.kit.refuses("update_page_draft", args, "E_FORBIDDEN_OP", /^Page 2 is published/, "reads");
  await using late = await pagesWorld({
    fetch: (input, init) => {
      if (init?.method === "POST") late.cms.publish(late.draft.id);
      return fetch(input, init);
    },
  });
  const says = /^CMS 409 site_ops_published: /;
  await late.kit.gw.fails("update_page_draft", { ...args, page_id: late.draft.id }, "E_FORBIDDEN_OP", says);
  assert.equal(late.draft.meta["_elementor_data"], undefined, "the plugin left it alone");
});

test("content that the visual builder would keep from being seen is refused, all else of the page is not", async (at) => {
  const made = await at.kit.write<{ id: number }>("rest", "create_page_from_code", {
    site_id: "both",
    title: "Code",
    html: "<p>x</p>",
  });
  const code = { site_id: "both", page_id: made.done.id, html: "<p>y</p>" };
  const page = { site_id: "both", page_id: at.draft.id, content_html: "<p>y</p>" };
  await at.kit.preview("update_page_from_code", code);
  await at.kit.preview("update_page_draft", page);
  at.cms.posts.get(made.done.id)!.meta["_elementor_edit_mode"] = "builder";
  at.draft.meta["_elementor_edit_mode"] = "builder";
  const cases = [["update_page_from_code", "html", code], [
    "update_page_draft",
    "content_html",
    page,
  ]] as const;
  for (const [tool, field, args] of cases) {
    const says = new RegExp(`^Page ${args.page_id} was taken over .*nobody would see this ${field}: `);
    for (const confirm of [false, true]) {
      await at.kit.refuses(tool, { ...args, confirm }, "E_BUILDER_MISMATCH", says, "reads");
    }
  }
  const { page_id } = code;
  await at.kit.preview("update_page_from_code", { site_id: "both", page_id, css: "a{b:c}" });
  await at.kit.preview("update_page_draft", { site_id: "both", page_id: at.draft.id, title: "T" });
});

Deno.test("a template that changes between the plan and the write is judged by the plugin", async () => {
  await using at = await pagesWorld({
    fetch: (input, init) => {
      if (init?.method === "POST") at.template.data = '[{"id":"1","settings":{"a":"{{LATER}} {{MORE}}"}}]';
      return fetch(input, init);
    },
  });
  const ending = await at.kit.gw.end("create_page_draft", { ...CLONE, variables: TEXTS, confirm: true });
  assert.ok("code" in ending && ending.code === "E_MISSING_PLACEHOLDER", JSON.stringify(ending));
  assert.match(ending.message, /missing: LATER, MORE$/);
});
