/** Every code a tool of these groups can give, through both doors: what is said, what left, what was audited. */
import assert from "node:assert/strict";
import { tellsOfTools } from "../../registry/manifest.ts";
import type { Code } from "../../core/errors.ts";
import type { AuditStatus } from "../../core/model.ts";
import { type Args, FROM_RECORDS, PNG, type ToolName, WITHOUT_SITE } from "../cms_kit.ts";
import { test, type World, world } from "./_stand_in.ts";

/** The calls of the tools that ask the site, with what makes them go. */
function asking(at: World): [ToolName, Args][] {
  const calls = Object.entries(at.calls) as [ToolName, Args][];
  return calls.filter(([tool]) => !WITHOUT_SITE.includes(tool) && !FROM_RECORDS.includes(tool));
}

test("the calls tried here are of all the tools of these groups there are", (at) => {
  const built = at.kit.gw.gateway.catalog.entries().filter(({ group, manifest }) =>
    ["discovery", "posts"].includes(group) && !tellsOfTools(manifest)
  );
  assert.deepEqual(Object.keys(at.calls).toSorted(), built.map(({ name }) => name).toSorted());
});

test("a password that is refused is reported as such by every tool that asks the site", async (at) => {
  for (const [tool, args] of asking(at)) {
    if (tool === "diagnose_site") continue; // its answer says it, see discovery_test.ts
    const says = /^CMS 401 \S+: .*the application password of the site was not accepted: make a new one/;
    const call = { site_id: "wrong", ...args, confirm: true };
    await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    await at.kit.refuses(tool, { ...call, confirm: false }, "E_UPSTREAM", says, "reads");
  }
  assert.deepEqual(at.cms.writes, []);
});

test("a site without credentials is not asked in nobody's name by any tool", async (at) => {
  for (const [tool, args] of asking(at)) {
    if (tool === "diagnose_site") continue;
    const says =
      /^Site "bare" has no cms credentials; .* set them with deno task admin site update bare --cms-username … --cms-password-stdin$/;
    await at.kit.refuses(tool, { site_id: "bare", ...args, confirm: true }, "E_MISSING_SECRET", says);
  }
  assert.deepEqual(at.cms.requests, []);
});

test("a site of another platform is refused in a sentence that names it, nothing being sent", async (at) => {
  const platforms = { builder: "sitebuilder", files: "static", client: "crm" } as const;
  for (const [site_id, platform] of Object.entries(platforms)) {
    for (const [tool, args] of [...asking(at), ["list_builders_for_site", {}]] as [ToolName, Args][]) {
      if (tool === "ping_site" && platform !== "crm") continue;
      const { platforms: on } = at.kit.gw.gateway.catalog.find(tool).manifest;
      if (tool !== "diagnose_site" && on.includes(platform)) continue;
      const says = new RegExp(
        `\\b${platform} site(,|;| cannot).*(list_sites shows|get_site shows|own editor|open the site|write_static_file|_static_route|read_static_file|update_page_draft|create_page_draft)`,
      );
      const given = tool === "diagnose_site" ? { checks: ["topicmap_link", "page_builder"] } : args;
      await at.kit.refuses(tool, { site_id, ...given, confirm: true }, "E_NOT_SUPPORTED", says);
    }
  }
});

test("an argument that only a cms has is refused on a sitebuilder by its name", async (at) => {
  const cases: [ToolName, Args, string][] = [
    ["create_draft", { title: "x", content_html: "y", featured_media_id: "m" }, "featured_media_id"],
    ["create_draft", { title: "x", content_html: "y", categories: ["c"] }, "categories"],
    ["update_draft", { post_id: "p", author_id: "a" }, "author_id"],
    ["unschedule", { post_id: "p", type: "page" }, "type"],
  ];
  for (const [tool, args, name] of cases) {
    const says = new RegExp(`^${name}: only cms sites have it; .*leave it out$`);
    await at.kit.refuses(tool, { site_id: "builder", ...args }, "E_NOT_SUPPORTED", says);
  }
});

const DAY = "2026-12-01T09:00:00Z";
/** Arguments that are wrong in themselves: tool, what is wrong, how the message begins. */
const BAD: readonly (readonly [ToolName, Args, RegExp])[] = [
  ["list_sites", { site: "acme" }, /^site: unknown argument/],
  ["list_projects", { name: "x" }, /^name: unknown argument/],
  ["get_site", { site_id: 7 }, /^site_id: expected a string/],
  ["ping_site", { url: "x" }, /^url: unknown argument/],
  ["diagnose_site", { confirm: "yes" }, /^confirm: expected true or false/],
  ["diagnose_site", { checks: "clock" }, /^checks: .*(array|list)/],
  ["diagnose_site", { checks: [] }, /^checks: /],
  ["diagnose_site", { checks: ["clocks"] }, /^checks.*"clock"/],
  ["list_builders_for_site", { page_builder: "block" }, /^page_builder: unknown argument/],
  ["list_cms_users", { per_page: 101 }, /^per_page: .*100/],
  ["list_cms_users", { page: 0 }, /^page: /],
  ["list_cms_users", { roles: "editor" }, /^roles: .*(array|list)/],
  ["list_cms_users", { search: "" }, /^search: /],
  ["get_post", {}, /^post_id is required/],
  ["get_post", { post_id: "7/revisions" }, /^post_id: expected a whole number/],
  ["get_post", { post_id: "7?_method=DELETE" }, /^post_id: expected a whole number/],
  [
    "get_post",
    { post_id: "seven" },
    /^post_id: expected a whole number above 0, not "seven"; list_content finds ids$/,
  ],
  ["get_post", { post_id: [7] }, /^post_id: /],
  ...["abc", "7a", "1e3", "0", "-1", "../7", "", 0, 1.5, "0x7"].flatMap((post_id) =>
    (["get_post", "publish_post"] as const).map((tool) => [tool, { post_id }, /^post_id: /] as const)
  ),
  ["list_drafts", { status: "pending" }, /^status: .*draft.*scheduled/],
  ["list_drafts", { per_page: 1.5 }, /^per_page: /],
  ["list_content", {}, /^type is required/],
  ["list_content", { type: "a media" }, /^type: /],
  ["list_content", { type: "post", status: "trash" }, /^status: .*private/],
  ["list_content", { type: "post", search: "" }, /^search: /],
  ["list_content", { type: "post", per_page: 101 }, /^per_page: .*100/],
  ["create_draft", { title: "x" }, /^content_html is required/],
  ["create_draft", { titel: "x", content_html: "y" }, /titel: unknown argument, did you mean title/],
  ["create_draft", { title: "", content_html: "y" }, /^title: /],
  ["create_draft", { title: " \u00a0\n", content_html: "y" }, /^title: must not be blank$/],
  [
    "create_draft",
    { title: "cut \ud83d", content_html: "y" },
    /^title: holds an unpaired surrogate, take it out$/,
  ],
  ["create_draft", { title: "x", content_html: "y", tags: ["\udc00"] }, /^tags: holds an unpaired surrogate/],
  ["update_draft", { post_id: 7, content_html: "a\0" }, /^content_html: holds a NUL character/],
  ["create_taxonomy", { taxonomy: "tag", name: "\ud83d" }, /^name: holds an unpaired surrogate/],
  [
    "upload_media",
    { filename: "a.png", content_base64: PNG, alt_text: "\ud83d" },
    /^alt_text: holds an unpaired surrogate/,
  ],
  ["update_draft", { post_id: 7, title: "  " }, /^title: must not be blank$/],
  ["create_draft", { title: "x", content_html: "y", tags: [7] }, /^tags/],
  ["create_draft", { title: "x", content_html: "y", author_id: "me" }, /^author_id: expected a whole number/],
  ["create_draft", { title: "x", content_html: "y", featured_media_id: 0 }, /^featured_media_id: /],
  ["update_draft", { post_id: 7 }, /give at least one of them/],
  ["update_draft", { title: "x" }, /^post_id is required/],
  ["update_draft", { post_id: -1, title: "x" }, /^post_id: /],
  ["schedule_draft", { post_id: 4 }, /^scheduled_at is required/],
  [
    "schedule_draft",
    { post_id: 4, scheduled_at: "tomorrow" },
    /^scheduled_at: expected a date and time such as/,
  ],
  [
    "schedule_draft",
    { post_id: 4, scheduled_at: "2026-02-30T09:00:00" },
    /^scheduled_at: .*not a date and time of the calendar/,
  ],
  ["schedule_draft", { post_id: 4, scheduled_at: "2026-02-30T09:00:00Z" }, /^scheduled_at: .*not a date/],
  ["schedule_draft", { post_id: "x", scheduled_at: DAY }, /^post_id: /],
  ["unschedule", { post_id: 4, type: "Media" }, /^type: /],
  ["unschedule", { post_id: "" }, /^post_id: /],
  ["publish_post", { post_id: "../7" }, /^post_id: expected a whole number/],
  ["publish_post", { post_id: "7?_method=DELETE" }, /^post_id: expected a whole number/],
  ["publish_post", {}, /^post_id is required/],
  ["revise_published", { title: "x" }, /post_id.*page_id/],
  ["revise_published", { post_id: "../7", title: "x" }, /^post_id: expected a whole number/],
  ["upload_media", { filename: "a.png" }, /^content_base64, source_url: give one of them$/],
  [
    "upload_media",
    { filename: "a.png", content_base64: PNG, source_url: "https://a.example/" },
    /only one of them$/,
  ],
  ["upload_media", { filename: "a.png", content_base64: "%%%" }, /^content_base64: not base64$/],
  [
    "upload_media",
    { filename: "a.png", content_base64: "data:image/png;base64,iVBORw0KGgo=" },
    /^content_base64: .*leave out what is before the comma/,
  ],
  ["upload_media", { filename: "a.png", content_base64: "" }, /^content_base64: /],
  ...[btoa("<svg/>"), btoa("<?php echo 1;")].map((content_base64) =>
    ["upload_media", { filename: "a.svg", content_base64 }, /^content_base64: .*not those of a PNG/] as const
  ),
  [
    "upload_media",
    { filename: "a.png", content_base64: PNG, mime_type: "image/gif" },
    /^mime_type: "image\/gif"/,
  ],
  ["upload_media", { filename: "a.png", source_url: "http://a.example/a.png" }, /^source_url: .*https:\/\/$/],
  ["upload_media", { filename: "a.png", content_base64: PNG, post_id: "x" }, /^post_id: /],
  ["list_taxonomies", {}, /^taxonomy is required/],
  ["list_taxonomies", { taxonomy: "tags" }, /^taxonomy: .*tag.*category/],
  ["create_taxonomy", { taxonomy: "tag" }, /^name is required/],
  ["create_taxonomy", { taxonomy: "tag", name: "  " }, /^name: must not be blank$/],
  [
    "create_taxonomy",
    { taxonomy: "tag", name: "x", parent_id: 1 },
    /^parent_id: a tag has no parent, leave it out$/,
  ],
  ["create_taxonomy", { taxonomy: "category", name: "x", parent_id: "a" }, /^parent_id: /],
];

test("arguments that are wrong in themselves are refused by name, nothing being sent", async (at) => {
  for (const [tool, args, says] of BAD) {
    const site = WITHOUT_SITE.includes(tool) ? {} : { site_id: "open" };
    await at.kit.refuses(tool, { ...site, confirm: true, ...args }, "E_BAD_INPUT", says);
  }
  const tried = new Set(BAD.map(([tool]) => tool));
  assert.deepEqual([...tried].toSorted(), Object.keys(at.calls).toSorted(), "every tool is tried");
});

test("arguments that only the site can judge are refused before anything is written", async (at) => {
  for (const name of ["Twice", "Once"]) {
    await at.kit.gw.call("create_taxonomy", { taxonomy: "category", name, site_id: "acme", confirm: true });
  }
  // As an editor of the site may have it: two of one name, neither at the top.
  for (const term of at.cms.state.terms.values()) {
    if (["Twice", "Once"].includes(term.name)) Object.assign(term, { name: "Twice", parent: 1 });
  }
  const draft = { site_id: "acme", title: "x", content_html: "y", confirm: true };
  const reads = { sends: "reads" } as const;
  await at.kit.refuses("create_draft", { ...draft, categories: ["Twice"] }, "E_BAD_INPUT", {
    ...reads,
    says: /^categories: the site has several terms named "Twice"; rename one of them there$/,
  });
  await at.kit.refuses("create_draft", { ...draft, tags: [" "] }, "E_BAD_INPUT", {
    says: /^tags: a name is empty$/,
    ...reads,
  });
});

test("words that would publish are refused on every tool that writes, nothing being sent", async (at) => {
  const writes = at.kit.gw.gateway.catalog.entries().filter(({ name, manifest }) =>
    name in at.calls && manifest.tier > 0
  );
  assert.equal(writes.length, 8);
  for (const { name } of writes) {
    for (const word of [{ status: "publish" }, { post_status: "PUBLISHED" }, { publish: true }]) {
      const args = { site_id: "open", ...at.calls[name as ToolName], ...word, confirm: true };
      const says = /would publish, which ".*" never does; leave it out/;
      await at.kit.refuses(name, args, "E_FORBIDDEN_OP", says);
    }
  }
});

test("an id that is not there is told by every tool that takes one", async (at) => {
  const calls: [ToolName, Args][] = [
    ["get_post", {}],
    ["update_draft", { title: "x" }],
    ["schedule_draft", { scheduled_at: DAY }],
    ["unschedule", {}],
    ["publish_post", {}],
    ["revise_published", { title: "x" }],
    ["upload_media", { filename: "a.png", content_base64: PNG }],
  ];
  for (const [tool, args] of calls) {
    const says = /^CMS 404 rest_post_invalid_id: .*; check the id; list_content finds ids$/;
    const call = { site_id: "open", post_id: 999, ...args, confirm: true };
    await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
  }
  const page = { site_id: "open", post_id: 2 };
  await at.kit.refuses("get_post", page, "E_UPSTREAM", {
    says: /^CMS 404 .*: 2 is a page, not a post; .*get_page/,
    sends: "reads",
  });
});

test("what the account may not do is told with the right it lacks, before anything is written", async (at) => {
  const { draft } = at;
  const cases: [string, ToolName, Args, RegExp][] = [
    ["subscriber", "list_drafts", {}, /"edit_posts" to see drafts/],
    ["subscriber", "list_content", { type: "page" }, /"edit_pages" to see pages that are not published/],
    ["subscriber", "get_post", { post_id: draft.id }, /403/],
    ["subscriber", "create_draft", { title: "x", content_html: "y" }, /"edit_posts" to write drafts/],
    ["subscriber", "update_draft", { post_id: draft.id, title: "x" }, /403/],
    ["subscriber", "schedule_draft", { post_id: draft.id, scheduled_at: DAY }, /403/],
    ["subscriber", "unschedule", { post_id: at.scheduled.id }, /403/],
    ["subscriber", "publish_post", { post_id: draft.id }, /403/],
    [
      "subscriber",
      "upload_media",
      { filename: "a.png", content_base64: PNG },
      /"upload_files" to upload media/,
    ],
    ["subscriber", "create_taxonomy", { taxonomy: "tag", name: "x" }, /may not make tags/],
    ["author", "create_taxonomy", { taxonomy: "category", name: "x" }, /may not make categories/],
    [
      "author",
      "create_draft",
      { title: "x", content_html: "y", categories: ["x"] },
      /may not make categories/,
    ],
    ["author", "create_draft", { title: "x", content_html: "y", author_id: 1 }, /"edit_others_posts"/],
    ["author", "update_draft", { post_id: draft.id, title: "x" }, /403/],
  ];
  for (const [site_id, tool, args, says] of cases) {
    const call = { site_id, ...args, confirm: true };
    const message = await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    assert.match(message, /^CMS 403.*(give it a role that has it|give the account a role that may)$/);
  }
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("what the token may not do is refused before any of it, and audited as denied or capped", async () => {
  const tokens = {
    elsewhere: { allowed_sites: ["files"] },
    other: { allowed_tools: ["list_sites"] },
    reader: { max_risk: 0 as const },
    drafter: { max_risk: 1 as const },
  };
  await using at = await world({ tokens });
  const denied: [string, ToolName, Code, AuditStatus][] = [
    ["elsewhere", "ping_site", "E_SCOPE_DENIED", "denied"],
    ["elsewhere", "create_draft", "E_SCOPE_DENIED", "denied"],
    ["other", "get_post", "E_SCOPE_DENIED", "denied"],
    ["reader", "create_draft", "E_SCOPE_DENIED", "risk_capped"],
    ["drafter", "publish_post", "E_SCOPE_DENIED", "risk_capped"],
  ];
  for (const [as, tool, code, audit] of denied) {
    const args = { site_id: "open", ...at.calls[tool], confirm: true };
    await at.kit.refuses(tool, args, code, { says: /\w/, as, audit });
  }
  const gone = { site_id: "gone", post_id: 1 };
  await at.kit.refuses("get_post", gone, "E_NOT_FOUND", /no site "gone" is registered/);
});

test("a site that is not named is asked for, and list_sites told of", async (at) => {
  for (const [tool, args] of Object.entries(at.calls)) {
    if (WITHOUT_SITE.includes(tool as ToolName)) continue;
    const says = /^site_id is required; list_sites names the sites you may use$/;
    await at.kit.refuses(tool, { ...args, confirm: true }, "E_BAD_INPUT", says);
  }
});
