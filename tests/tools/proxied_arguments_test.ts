/** Arguments of sites' own writes that no site holds: those that the tool's server lists, of its types; else nothing is sent. */
import assert from "node:assert/strict";
import { DOORS } from "../cms_kit.ts";
import { heldWorld } from "./_held.ts";
import { ADD, add, world } from "./_proxied.ts";
import { type Args, blogPost, type Served, served } from "./_served.ts";

const RUN = "mcp-adapter-execute-ability";

type Row = readonly [tool: string, args: Args, says: RegExp];

/** What is refused of writes to a page: unknown names, other types, what is required. */
const PAGES: readonly Row[] = [
  ["builder-mcp-add-heading", {}, /^parent_id: is required/],
  ["builder-mcp-add-heading", { parent_id: "a", title: null }, /^title: is required/],
  [
    "builder-mcp-add-heading",
    { parent_id: "a", title: "T", titel: "T" },
    /^titel: unknown argument, did you mean title/,
  ],
  [
    "builder-mcp-add-heading",
    { parent_id: "a", title: "T", zzz: 1 },
    /^zzz: unknown argument; it takes post_id, parent_id, /,
  ],
  ["builder-mcp-add-heading", { parent_id: "a", title: ["T"] }, /^title: expected a text/],
  [
    "builder-mcp-add-heading",
    { parent_id: "a", title: "T", align: "top" },
    /^align: expected one of left, center, /,
  ],
  [
    "builder-mcp-add-heading",
    { parent_id: "a", title: "T", position: "1st" },
    /^position: expected a whole number/,
  ],
  ["builder-mcp-update-block", { path: "0", markup: "x" }, /^path: expected a list/],
  ["builder-mcp-update-block", { path: [0, "x"], markup: "x" }, /^path\[1\]: expected a whole number/],
  [
    "builder-mcp-update-element",
    { element_id: "a", setting: {} },
    /^setting: unknown argument, did you mean settings/,
  ],
  ["builder-mcp-batch-update", { operations: { element_id: "a" } }, /^operations: expected a list/],
  [
    "builder-mcp-create-page",
    { title: "T", status: "draft", post_status: "draft" },
    /^post_status: unknown argument/,
  ],
  [
    "builder-mcp-create-page",
    { title: "T", post_type: "attachment" },
    /^post_type: expected one of page, post/,
  ],
  ["builder-mcp-build-page", { title: "T", structure: "[]" }, /^structure: expected a list/],
  ["builder-mcp-build-page", { title: "T", structure: [], post_id: 5 }, /^post_id: unknown argument/],
];

/** The same of records of the CRM, by the names that callers know. */
const RECORDS: readonly Row[] = [
  ["contacts_add-tags", { contactId: "c1" }, /^tags: is required/],
  ["contacts_add-tags", { contactId: "c1", tags: "a" }, /^tags: expected a list/],
  ["contacts_add-tags", { contactId: "c1", tags: [{}] }, /^tags\[0\]: expected a text/],
  [
    "contacts_add-tags",
    { contactId: "c1", tags: ["a"], contact_id: "c1" },
    /^contact_id: unknown argument, did you mean contactId/,
  ],
  ["contacts_add-tags", { contactId: "c1", tags: ["a"], body_query_tags: [] }, /unknown argument/],
  ["contacts_update-contact", { contactId: "c1", dnd: "maybe" }, /^dnd: expected true or false/],
  [
    "opportunities_update-opportunity",
    { id: "o1", status: "deleted" },
    /^status: expected one of open, won, lost/,
  ],
  [
    "opportunities_update-opportunity",
    { id: "o1", monetaryValue: "a lot" },
    /^monetaryValue: expected a number/,
  ],
  ["conversations_send-a-new-message", { contactId: "c1", type: "Fax" }, /^type: expected one of SMS, /],
  ["blogs_create-blog-post", blogPost({ titel: "T" }), /^titel: unknown argument, did you mean title/],
  ["blogs_create-blog-post", blogPost({ title: null }), /^title: is required/],
];

const writes = ({ tools, hosted }: Served) => [...tools.ran, ...hosted.ran];

Deno.test("an argument that a tool's server does not list, or of another type, is refused over both doors", async () => {
  await using at = await served({
    servers: ["mcp-adapter-default-server", "emcp-tools-server", "elementor-mcp-server"],
    race_ms: 0,
  });
  const { id } = at.tools.page({ title: "Draft" });
  for (const [tool, more, says] of PAGES) {
    const args = { ...(/-(create|build)-page$/.test(tool) ? {} : { post_id: id }), ...more };
    await at.gw.refuses(tool, { site_id: "acme", ...args }, "E_BAD_INPUT", says);
    const ability_name = tool.replace(
      "builder-mcp-",
      tool.includes("add-heading") ? "elementor-mcp/" : "emcp-tools/",
    );
    await at.gw.refuses(RUN, { site_id: "acme", ability_name, parameters: args }, "E_BAD_INPUT", says);
  }
  for (const [tool, args, says] of RECORDS) {
    await at.gw.refuses(tool, { ...args, site_id: "crm" }, "E_BAD_INPUT", says);
  }
  assert.deepEqual(writes(at), []);
});

Deno.test("a site that holds what is written judges it: its tool gets all arguments, and is said to name them not", async () => {
  await using at = await heldWorld({ paired: ["acme"] });
  const { id: post_id } = at.tools.page({ title: "Draft" });
  const parent_id = at.tools.state.pages.get(post_id)!.elements[0]!.id;
  const call = { site_id: "acme", post_id, parent_id, widget_type: "heading", setting: { title: "T" } };
  for (const door of DOORS) {
    const { proof } = await at.gw.proven(ADD, call, { door });
    assert.deepEqual([proof.verified, proof.warnings], [null, [
      "setting: the site's own tool names no such argument, and may have ignored it; did you mean settings",
    ]]);
  }
  assert.equal(at.calls().length, 2);
  await using bare = await heldWorld({ bare: true, paired: [] });
  const { id } = bare.tools.page({ title: "Draft" });
  const wrong = { ...call, post_id: id };
  await bare.gw.refuses(ADD, wrong, "E_BAD_INPUT", /^setting: unknown argument, did you mean settings/);
  assert.deepEqual(bare.tools.ran, []);
});

Deno.test("what servers read as the same is sent as it came: numbers as texts, null, an empty list for an object", async () => {
  await using at = await world();
  const { site_id, ...args } = add(at.page("draft"));
  for (const door of DOORS) {
    for (
      const more of [
        { position: "0" },
        { settings: [] },
        { settings: { title: "T", nested: { rows: [[{ a: null }]] }, status: "publish" } },
        { position: null, settings: null },
      ]
    ) {
      await at.gw.call(ADD, { site_id, ...args, ...more }, { door });
      assert.deepEqual(at.servers.writes.at(-1)?.args, { ...args, ...more });
    }
  }
  for (const names of [{ contactId: "c1", tags: ["a"] }, { path_contactId: "c1", body_tags: ["a"] }]) {
    await at.gw.call("contacts_add-tags", { site_id: "crm", ...names });
    assert.deepEqual(at.servers.writes.at(-1)?.args, { path_contactId: "c1", body_tags: ["a"] });
  }
});

Deno.test("a state that visitors would see is refused where a known tool takes one, and nothing is sent", async () => {
  await using at = await served({ race_ms: 0 });
  const { id: post_id } = at.tools.page({ title: "Draft" });
  const page = { site_id: "open", title: "T" };
  const structure: unknown[] = [];
  for (
    const state of ["publish", "future", "private", "PUBLISH", "inherit", "", ["draft"], { value: "draft" }]
  ) {
    const calls: readonly (readonly [string, Args])[] = [
      ["builder-mcp-create-page", { ...page, status: state }],
      ["builder-mcp-build-page", { ...page, structure, status: state }],
      ["builder-mcp-build-page", { ...page, structure, page_settings: { post_status: state } }],
      ["builder-mcp-update-page-settings", { site_id: "open", post_id, settings: { post_status: state } }],
    ];
    for (const [tool, { site_id, ...args }] of calls) {
      const says = / is not allowed; use "draft" or "pending", for publish_post and publish_page publish/;
      await at.gw.refuses(tool, { site_id, ...args }, "E_FORBIDDEN_OP", says);
      const run = { site_id, ability_name: tool.replace("builder-mcp-", "emcp-tools/"), parameters: args };
      await at.gw.refuses(RUN, run, "E_FORBIDDEN_OP", says);
    }
  }
  const text = { site_id: "open", post_id, settings: '{"post_status":"publish"}' };
  await at.gw.refuses(
    "builder-mcp-update-page-settings",
    text,
    "E_FORBIDDEN_OP",
    /^settings: expected an object/,
  );
  assert.deepEqual(at.tools.ran, []);
  for (const state of ["draft", "pending", null]) {
    await at.gw.call("builder-mcp-update-page-settings", { ...text, settings: { post_status: state } });
  }
  assert.equal(at.tools.ran.length, 3);
});

Deno.test("who asks for a preview that the site does not give writes nothing", async () => {
  await using at = await served({ race_ms: 0 });
  const { id: post_id } = at.tools.page({ title: "Draft" });
  const page = { site_id: "acme", post_id, settings: { title: "T" } };
  const tags = { site_id: "crm", contactId: "contact-1", tags: ["a"] };
  for (const asked of [{ dry_run: true }, { confirm: false }]) {
    await at.gw.refuses("builder-mcp-update-page-settings", { ...page, ...asked }, "E_NOT_SUPPORTED");
    await at.gw.refuses(
      "contacts_add-tags",
      { ...tags, ...asked },
      "E_NOT_SUPPORTED",
      /has no preview, and nothing was sent/,
    );
  }
  await at.gw.refuses(
    "contacts_add-tags",
    { ...tags, confirm_token: "cft_x" },
    "E_BAD_INPUT",
    /has no preview to confirm/,
  );
  assert.deepEqual(writes(at), []);
  await at.gw.call("builder-mcp-update-page-settings", { ...page, confirm: true });
  await at.gw.call("contacts_add-tags", { ...tags, confirm: true });
  assert.ok(writes(at).every(({ args }) => !("confirm" in (args as Args))));
});
