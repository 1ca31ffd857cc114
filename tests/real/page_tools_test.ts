/** Each page tool through both doors on a real WordPress, and every code its manifest names provoked there. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { CONNECTORS } from "../connectors.ts";
import { loadTools } from "../../registry/load.ts";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { ahead, type Args, DOORS, type Refused, refusedCalls } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as register } from "../kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { stored } from "./_schema.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

const ROOT = new URL("../../", import.meta.url);
const TOOLS = [...(await loadTools({ roots: [ROOT], known: CONNECTORS })).values()];
/** What looks at pages and their history, of posts too, or calls the tools of both, has tests of its own. */
const APART = ["find_text", "get_content_history", "replace_text", "view_live"];
const PAGE_TOOLS = TOOLS.filter(({ group, name }) => group === "pages" && !APART.includes(name));

/** A kit with two sites more: "both", an editor's with both builders that may publish; "weak", an author's. */
async function open(site: CmsSandbox, options: Parameters<typeof Real.open>[1] = {}): Promise<Real> {
  const at = (id: string, { username, application_password }: typeof site.users.ed) =>
    register(id, "cms", {
      base_url: site.base_url,
      credentials: { cms: { username, application_password } },
      available_builders: ["block", "visual"],
      flags: { allow_publish: true },
    });
  const sites = [at("both", site.users.ed), at("weak", site.users.auth)];
  return await Real.open(site, { sites, ...options });
}

async function template(at: Real, data: string): Promise<number> {
  const post = { post_type: "elementor_library", post_status: "publish", post_title: fresh("Template") };
  return (await stored(at, { post, meta: { _elementor_data: data, _elementor_template_type: "page" } })).id;
}

const TREE = JSON.stringify([{
  id: "aaaaaaa",
  elType: "container",
  settings: { t: "{{TITLE}}" },
  elements: [],
}]);
const publish = (at: Real, id: number) => at.ask.rest("ed", "POST", `/pages/${id}`, { status: "publish" });
const page = (at: Real, more: Json = {}) => at.ask.draft("ed", { title: fresh("Page"), ...more }, "pages");

/** A page's life through one door; answers which tools were called. */
async function life(door: (typeof DOORS)[number], site: CmsSandbox): Promise<void> {
  await using at = await open(site);
  const called = new Set<string>();
  const write = async (tool: string, args: Args) => {
    called.add(tool);
    const call = { site_id: "both", ...args };
    assert.ok("confirm_token" in await at.kit.gw.call<Json>(tool, call, { door }), `${tool} previews`);
    const { done, proof } = await at.kit.write<Args & { id: number; status: string }>(door, tool, call);
    assert.equal(proof.verified, "elements" in done ? null : true, tool);
    return done;
  };
  const refused = async (tool: string, args: Args) => {
    called.add(tool);
    const ending = await at.kit.gw.end(tool, { site_id: "both", ...args, confirm: true }, { door });
    assert.ok("code" in ending && ending.code === "E_NOT_SUPPORTED", JSON.stringify(ending));
  };

  const id = await template(at, TREE);
  called.add("list_page_templates");
  const query = { site_id: "both", per_page: 100 };
  const listed = await at.kit.gw.call<{ templates: Json[] }>("list_page_templates", query, { door });
  assert.ok(listed.templates.some((row) => row["id"] === id));
  const title = fresh("Life");
  const block = await write("create_page_draft", { title, content_html: "<p>1</p>", page_builder: "block" });
  called.add("get_page");
  const read = await at.kit.gw.call<Json>("get_page", { site_id: "both", page_id: block.id }, { door });
  assert.deepEqual([read["status"], read["title"]], ["draft", title]);
  const { content } = await at.stored(block.id, "pages") as { content: { raw: string } };
  assert.equal(content.raw, "<!-- wp:html -->\n<p>1</p>\n<!-- /wp:html -->");
  await write("update_page_draft", { page_id: block.id, content_html: "<p>2</p>" });
  const soon = await write("schedule_page", { page_id: block.id, scheduled_at: ahead(7200) });
  assert.deepEqual([soon.status, (await at.stored(block.id, "pages"))["status"]], ["scheduled", "future"]);
  const live = await write("publish_page", { page_id: block.id });
  assert.equal(live.status, "published");
  const shown = await (await fetch(String(live["url"]))).text();
  assert.ok(shown.includes("<p>2</p>") && shown.includes(title), "a visitor sees it as it was changed");
  const visual = { builder_template_id: id, variables: { TITLE: title } };
  const cloned = await write("create_page_draft", { title, page_builder: "visual", ...visual });
  const again = await write("update_page_draft", { page_id: cloned.id, ...visual });
  assert.deepEqual([cloned.status, again.status, again["elements"]], ["draft", "draft", 1]);
  const code = await write("create_page_from_code", { title, html: "<p>c</p>", css: "p{top:0}" });
  const changed = await write("update_page_from_code", { page_id: code.id, js: "1;" });
  assert.deepEqual([code.status, changed["scope_class"]], ["draft", code["scope_class"]]);
  await refused("duplicate_page", { page_id: block.id });
  await refused("inject_page_section", { page_id: block.id, element_source_id: "s1" });
  assert.deepEqual([...called].sort(), PAGE_TOOLS.map(({ name }) => name).sort());
}

/**
 * What only the other platform's sites come to (tests/tools/duda_pages_test.ts, duda_sites_test.ts), and sites set up
 * otherwise (tests/tools/page_with_seo_test.ts).
 */
const ELSEWHERE: readonly string[] = [
  ...["E_SCOPE_DENIED", "E_SEOPLUGIN_DISABLED", "E_SEOPLUGIN_PLUGIN_REQUIRED"]
    .map((code) => `create_page_from_code ${code}`),
  ...["duplicate_page E_UPSTREAM", "duplicate_page E_MISSING_SECRET", "inject_page_section E_UPSTREAM"],
  ...["inject_page_section E_MISSING_SECRET", "get_page E_MISSING_SECRET", "publish_page E_MISSING_SECRET"],
  ...["create_page_draft E_MISSING_SECRET", "update_page_draft E_MISSING_SECRET"],
  ...["create_page_draft E_DISALLOWED_CONTENT", "update_page_draft E_DISALLOWED_CONTENT"],
];

/** What stands on the site that the cases need. */
interface Stock {
  readonly draft: number;
  readonly live: number;
  readonly good: number;
  readonly broken: number;
  /** Made from code, then taken over by the visual builder. */
  readonly taken: number;
}

function cases({ draft, live, good, broken, taken }: Stock): Refused {
  const at = { page_id: draft };
  const clone = { page_builder: "visual", builder_template_id: good, variables: { TITLE: "x" } };
  const { page_builder: _, ...anew } = clone;
  const soon = { scheduled_at: ahead(3600) };
  const published = /^Page \d+ is published/;
  const rights = /^CMS 403/;
  const unseen = /nobody would see this (?:content_)?html: /;
  return {
    get_page: [
      [{ page_id: "x" }, /^page_id: /],
      [{ site_id: "files", ...at }, /works on cms and sitebuilder/, "E_NOT_SUPPORTED"],
      [{ page_id: 9e6 }, /^CMS 404/, "E_UPSTREAM"],
    ],
    create_page_draft: [
      [{ title: " " }, /^title: /],
      [{ title: "x", page_builder: "block", parent_id: 9e6 }, /^parent_id: /],
      [{ ...clone, title: "x", builder_template_id: broken }, /cannot be read/, "E_BAD_TEMPLATE_DATA"],
      [{ site_id: "open", title: "x", page_builder: "visual" }, /not enabled/, "E_BUILDER_NOT_AVAILABLE"],
      [{ title: "x" }, /^page_builder is required/, "E_BUILDER_REQUIRED"],
      [{ title: "x", status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
      [{ ...clone, title: "x", variables: {} }, /missing: TITLE$/, "E_MISSING_PLACEHOLDER"],
      [{ site_id: "files", title: "x" }, /works on cms and sitebuilder/, "E_NOT_SUPPORTED"],
      [{ ...clone, title: "x", builder_template_id: 9e6 }, /^CMS 404/, "E_UPSTREAM"],
      [
        { site_id: "open", title: "x", template: "no-such-template.php" },
        /^template: .*it has page-/,
        "E_BAD_INPUT",
      ],
    ],
    update_page_draft: [
      [{ page_id: "x", title: "y" }, /^page_id: /],
      [{ ...at, ...anew, builder_template_id: broken }, /cannot be read/, "E_BAD_TEMPLATE_DATA"],
      [{ page_id: taken, content_html: "x" }, unseen, "E_BUILDER_MISMATCH"],
      [{ site_id: "open", ...at, ...anew }, /not enabled/, "E_BUILDER_NOT_AVAILABLE"],
      [{ page_id: live, title: "x" }, published, "E_FORBIDDEN_OP"],
      [{ page_id: live, ...anew }, published, "E_FORBIDDEN_OP"],
      [{ ...at, ...anew, variables: { title: "x" } }, /TITLE$/, "E_MISSING_PLACEHOLDER"],
      [{ ...at, publish_on_next_site_publish: true }, /only sitebuilder/, "E_NOT_SUPPORTED"],
      [{ site_id: "author", ...at, title: "x" }, rights, "E_UPSTREAM"],
    ],
    schedule_page: [
      [{ ...at, scheduled_at: "soon" }, /^scheduled_at: /],
      [{ ...at, scheduled_at: ahead(59) }, /at least 60 s/, "E_FORBIDDEN_OP"],
      [{ page_id: live, ...soon }, published, "E_FORBIDDEN_OP"],
      [{ page_id: 9e6, ...soon }, /^CMS 404/, "E_UPSTREAM"],
      [{ site_id: "author", ...at, ...soon }, rights, "E_UPSTREAM"],
    ],
    list_page_templates: [
      [{ site_id: "weak" }, rights, "E_UPSTREAM"],
    ],
    duplicate_page: [
      [{}, /^page_id is required/],
      [at, /works on sitebuilder sites/, "E_NOT_SUPPORTED"],
    ],
    inject_page_section: [
      [at, /^element_source_id is required/],
      [{ ...at, element_source_id: "s", status: "live" }, /would publish/, "E_FORBIDDEN_OP"],
      [{ ...at, element_source_id: "s" }, /works on sitebuilder sites/, "E_NOT_SUPPORTED"],
    ],
    publish_page: [
      [{ site_id: "acme", ...at }, /needs allow_publish/, "E_PUBLISH_NOT_ALLOWED"],
      [{ page_id: "0x1" }, /^page_id: /],
      [{ page_id: live }, /is published already/, "E_FORBIDDEN_OP"],
      [{ site_id: "files", ...at }, /works on cms and sitebuilder/, "E_NOT_SUPPORTED"],
      [{ site_id: "wrong", ...at }, /^CMS 401/, "E_UPSTREAM"],
    ],
    create_page_from_code: [
      [{ title: "x", html: "y", css: "a{b:c" }, /^css: no CSS that can be/],
      [{ title: "x", html: "<iframe src=//x>" }, /^html: /, "E_DISALLOWED_CONTENT"],
      [{ title: "x", html: "y", css: "@import url(https://x);" }, /^css: /, "E_DISALLOWED_CONTENT"],
      [{ title: "x", html: "y", post_status: "Published" }, /publish/, "E_FORBIDDEN_OP"],
      [{ title: "x", html: "x".repeat(204_801) }, /^html: 204801/, "E_PAYLOAD_TOO_LARGE"],
      [{ site_id: "wrong", title: "x", html: "y" }, /^CMS 401/, "E_UPSTREAM"],
    ],
    update_page_from_code: [
      [{ ...at, html: "<p title='x" }, /^html: a tag that is not/],
      [{ ...at, html: "<scRipt src=//x></script>" }, /^html: /, "E_DISALLOWED_CONTENT"],
      [{ page_id: taken, html: "<p>x</p>" }, unseen, "E_BUILDER_MISMATCH"],
      [{ page_id: live, css: "" }, published, "E_FORBIDDEN_OP"],
      [{ ...at, js: "x".repeat(102_401) }, /^js: 102401/, "E_PAYLOAD_TOO_LARGE"],
      [{ ...at, css: "" }, /^CMS 404 .*not a page made from code/, "E_UPSTREAM"],
    ],
  };
}

/** Codes that need another site than the one all cases share; the tests below provoke them. */
const MISSING: readonly (readonly [string, Code])[] = [
  ["create_page_draft", "E_COMPANION_REQUIRED"],
  ["update_page_draft", "E_COMPANION_REQUIRED"],
  ["list_page_templates", "E_COMPANION_REQUIRED"],
  ["create_page_from_code", "E_COMPANION_REQUIRED"],
  ["update_page_from_code", "E_COMPANION_REQUIRED"],
  ["list_page_templates", "E_BUILDER_NOT_AVAILABLE"],
];

Deno.test("the cases name every code of every page tool, and no other", () => {
  const rows = refusedCalls(cases({ draft: 1, live: 2, good: 3, broken: 4, taken: 5 }));
  const tried = [...rows.map(([tool, , , code]) => [tool, code]), ...MISSING];
  const named = new Set([...tried.map(([tool, code]) => `${tool} ${code}`), ...ELSEWHERE]);
  const declared = PAGE_TOOLS.flatMap(({ name, manifest }) => [
    ...manifest.errors.map((code) => `${name} ${code}`),
    ...manifest.flags.map(() => `${name} E_PUBLISH_NOT_ALLOWED`),
  ]);
  assert.deepEqual([...named].sort(), declared.sort());
});

/** Turns a plugin of the site off while that runs. */
async function without(at: Real, plugin: string, run: () => Promise<void>): Promise<void> {
  const turn = async (status: string) => {
    const answer = await at.ask.rest("admin", "POST", `/plugins/${plugin}`, { status });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
  };
  await turn("inactive");
  try {
    await run();
  } finally {
    await turn("active");
  }
}

onWordPress({
  ...Object.fromEntries(DOORS.map((door) => [
    `every page tool through ${door}: made, changed, scheduled, published, cloned and made from code`,
    (site: CmsSandbox) => life(door, site),
  ])),

  async "every code a page tool names comes about through both doors, and nothing is written"(site) {
    await using at = await open(site);
    const [draft, live] = [await page(at), await page(at)];
    await publish(at, live);
    const [good, broken] = [await template(at, TREE), await template(at, '[{"id":')];
    const code = { site_id: "both", title: fresh("Taken over"), html: "<p>old</p>" };
    const taken = (await at.kit.write("rest", "create_page_from_code", code)).done.id;
    await stored(at, { id: taken, meta: { _elementor_edit_mode: "builder" } });
    const look = async () => {
      const all = await at.ask.rest("admin", "GET", "/pages?status=any&per_page=1");
      return [all.headers.get("x-wp-total"), await at.stored(draft, "pages"), await at.stored(live, "pages")];
    };
    const before = await look();
    for (const [tool, args, says, code] of refusedCalls(cases({ draft, live, good, broken, taken }))) {
      const call = { site_id: "both", ...args, confirm: true };
      const sends = says.source.startsWith("^CMS 400") ? "anything" : "reads";
      await at.kit.refuses(tool, call, code, says, sends);
    }
    assert.deepEqual(await look(), before);
  },

  async "with the companion plugin turned off, or the visual builder, each tool says which"(site) {
    await using at = await open(site);
    const id = await page(at);
    const clone = { builder_template_id: await template(at, TREE), variables: { TITLE: "x" } };
    const calls: Record<string, Args> = {
      create_page_draft: { title: "x", page_builder: "visual", ...clone },
      update_page_draft: { page_id: id, ...clone },
      list_page_templates: {},
      create_page_from_code: { title: "x", html: "y" },
      update_page_from_code: { page_id: id, css: "" },
    };
    const refuse = async (code: Code, says: RegExp, tools: readonly string[]) => {
      for (const tool of tools) {
        const call = { site_id: "both", ...calls[tool], confirm: true };
        await at.kit.refuses(tool, call, code, says, "reads");
      }
    };
    const off = /no companion plugin; version 1\.0\.0 or newer is needed/;
    await without(at, "site-ops/site-ops", () => refuse("E_COMPANION_REQUIRED", off, Object.keys(calls)));
    const inactive = /^CMS 409 site_ops_visual_inactive: .*[:;] activate it under Plugins there, or /;
    const visual = ["create_page_draft", "update_page_draft", "list_page_templates"];
    await without(
      at,
      "elementor-standin/elementor-standin",
      () => refuse("E_BUILDER_NOT_AVAILABLE", inactive, visual),
    );
  },

  async "a page that somebody publishes in the moment of its write is told, and nothing is written to it"(
    site,
  ) {
    const id = { now: 0 };
    const own: { at?: Real } = {};
    const racing: typeof fetch = async (input, init) => {
      if (init?.method === "POST" && id.now !== 0) await publish(own.at!, id.now);
      return await fetch(input, init);
    };
    await using at = await open(site, { fetch: racing });
    own.at = at;
    const code = { site_id: "both", title: fresh("Code"), html: "<p>old</p>" };
    const made = await at.kit.write("rest", "create_page_from_code", code);
    const clone = { builder_template_id: await template(at, TREE), variables: { TITLE: "x" } };
    const refused = [
      "E_STALE_PREVIEW",
      /^status.*: page \d+.* was changed by .*nothing was written/,
    ] as const;
    const calls: [string, Args, readonly [Code, RegExp]][] = [
      ["update_page_from_code", { page_id: made.done.id, html: "<p>new</p>" }, refused],
      ["update_page_draft", { page_id: await page(at), ...clone }, refused],
      ["update_page_draft", { page_id: await page(at), content_html: "<p>new</p>" }, refused],
    ];
    for (const [tool, args, [code, says]] of calls) {
      id.now = args["page_id"] as number;
      await at.kit.gw.fails(tool, { site_id: "both", ...args, confirm: true }, code, says);
      const { content } = await at.stored(id.now, "pages") as { content: { raw: string } };
      assert.ok(!content.raw.includes("new"), content.raw);
    }
  },

  async "an editor who may not write unfiltered HTML makes no page from code, and is told before it is sent"(
    site,
  ) {
    await using at = await open(site);
    const roles = (await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", { ask: ["wp_user_roles"] }))
      .body["options"] as { wp_user_roles: Record<string, { capabilities: Json }> };
    const { editor, ...others } = roles.wp_user_roles;
    const { unfiltered_html: _, ...capabilities } = editor!.capabilities;
    const weaker = { ...others, editor: { ...editor, capabilities } };
    await stored(at, { options: { wp_user_roles: weaker } });
    try {
      const says = /^CMS 403: the site's account lacks the right "unfiltered_html"/;
      const call = { site_id: "both", title: fresh("Code"), html: "<p>x</p>", confirm: true };
      await at.kit.refuses("create_page_from_code", call, "E_UPSTREAM", says, "reads");
      const args = {
        site_id: "both",
        title: fresh("Plain"),
        page_builder: "block",
        content_html: "<p>x</p>",
      };
      assert.equal((await at.kit.write("mcp", "create_page_draft", args)).done.status, "draft");
    } finally {
      await stored(at, { options: { wp_user_roles: { ...others, editor } } });
    }
  },
}, { plugins: [PLUGIN, fixture("peek"), fixture("elementor-standin")] });
