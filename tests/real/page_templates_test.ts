/** Pages cloned from templates on a real WordPress with the companion plugin and a stand-in of the visual builder. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { site as register } from "../kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { fresh, onWordPress, Real } from "./_wordpress.ts";

/** A kit with one site more, which has both builders. */
async function open(site: CmsSandbox): Promise<Real> {
  const { username, application_password } = site.users.ed;
  const both = register("both", "cms", {
    base_url: site.base_url,
    credentials: { cms: { username, application_password } },
    available_builders: ["block", "visual"],
  });
  return await Real.open(site, { sites: [both] });
}

/** What is stored of a post, its meta too; with `post` and `meta` it is put there first. */
async function peek(at: Real, body: Json): Promise<{ id: number; post: Json; meta: Json }> {
  const { body: peeked } = await at.ask.send("admin", "POST", "/wp-json/peek/v1/ask", body);
  return peeked as unknown as { id: number; post: Json; meta: Json };
}

async function template(at: Real, data: unknown): Promise<number> {
  const _elementor_data = typeof data === "string" ? data : JSON.stringify(data);
  const post = { post_type: "elementor_library", post_status: "publish", post_title: fresh("Landing") };
  return (await peek(at, { post, meta: { _elementor_data, _elementor_template_type: "page" } })).id;
}

const widget = (id: string, settings: Json) => ({ id, elType: "widget", settings, elements: [] });
const TREE = [{
  id: "aaaaaaa",
  elType: "container",
  settings: { image: { url: "{{IMAGE}}" } },
  elements: [
    widget("bbbbbbb", { title: "{{TITLE}} and {{TITLE}}", size: 3 }),
    widget("ccccccc", { tabs: [{ text: "{{ TITLE }} {{lower}}" }] }),
  ],
}];
const TEXTS = {
  TITLE: `"q" 'a' \\ \\n $& $1 {{IMAGE}} </script>\n\t\u{1f600} ü &amp;`,
  IMAGE: "https://example.test/a.png",
};

async function clonesThrough(door: (typeof DOORS)[number], site: CmsSandbox): Promise<void> {
  await using at = await open(site);
  const id = await template(at, TREE);
  const list = { site_id: "both", per_page: 100 };
  const { templates } = await at.kit.both<{ templates: Json[] }>("list_page_templates", list);
  assert.deepEqual(templates.find((row) => row["id"] === id)?.["placeholders"], ["IMAGE", "TITLE"]);
  const what = { page_builder: "visual", builder_template_id: id, variables: TEXTS };
  const args = { site_id: "both", title: fresh("Cloned"), ...what };
  const { changes } = await at.kit.preview("create_page_draft", args);
  const texts = changes.filter(({ field }) => field.startsWith("variables."));
  assert.deepEqual(texts.map(({ field, to }) => [field, to]), [
    ["variables.IMAGE", TEXTS.IMAGE],
    ["variables.TITLE", TEXTS.TITLE],
  ]);
  const { done } = await at.kit.write<Args & { id: number }>(door, "create_page_draft", args);
  assert.deepEqual([done["status"], done["elements"]], ["draft", 3]);
  const { meta } = await peek(at, { id: done.id });
  const [root] = JSON.parse(String(meta["_elementor_data"])) as typeof TREE;
  assert.deepEqual(root!.settings, { image: { url: TEXTS.IMAGE } });
  assert.deepEqual(root!.elements[0]!.settings, { title: `${TEXTS.TITLE} and ${TEXTS.TITLE}`, size: 3 });
  assert.notEqual(root!.id, "aaaaaaa");

  const again = { site_id: "both", page_id: done.id, builder_template_id: id };
  const short = { ...again, variables: { IMAGE: "x" }, confirm: true };
  const missing = { says: /missing: TITLE$/, sends: "reads" } as const;
  await at.kit.refuses("update_page_draft", short, "E_MISSING_PLACEHOLDER", missing);
  await at.kit.write(door, "update_page_draft", { ...again, variables: { TITLE: "T", IMAGE: "I" } });
  const after = await peek(at, { id: done.id });
  assert.match(String(after.meta["_elementor_data"]), /"T and T"/);
  assert.deepEqual([after.post["post_title"], after.post["post_status"]], [args.title, "draft"]);

  const broken = { ...args, builder_template_id: await template(at, "[{"), confirm: true };
  const unread = { says: /cannot be read/, sends: "reads" } as const;
  await at.kit.refuses("create_page_draft", broken, "E_BAD_TEMPLATE_DATA", unread);
  await at.ask.rest("ed", "POST", `/pages/${done.id}`, { status: "publish" });
  const live = { ...again, variables: TEXTS, confirm: true };
  const refused = { says: /^Page \d+ is published/, sends: "reads" } as const;
  await at.kit.refuses("update_page_draft", live, "E_FORBIDDEN_OP", refused);
}

/** Asserts that a new content_html is written, and whether it comes with the warning, in the preview too. */
async function warns(at: Real, page_id: number, warned: boolean): Promise<void> {
  const args = { site_id: "both", page_id, content_html: "<p>other</p>" };
  const { summary } = await at.kit.preview("update_page_draft", args);
  assert.equal(summary.includes("; the page is made from code"), warned, summary);
  const { warnings: [first] } = (await at.kit.write<Args>("rest", "update_page_draft", args)).proof;
  assert.equal(first?.startsWith("content_html: the page is made from code") ?? false, warned, first);
}

async function traps(site: CmsSandbox): Promise<void> {
  await using at = await open(site);
  const make = async (tool: string, args: Args) =>
    (await at.kit.write("rest", tool, { site_id: "both", title: fresh("Page"), ...args })).done.id;
  const clone = { builder_template_id: await template(at, TREE), variables: TEXTS };
  const page_id = await make("create_page_draft", { page_builder: "visual", ...clone });
  const other = { site_id: "both", page_id, content_html: "<p>other</p>" };
  const says = /nobody would see this content_html: .* clone it anew with update_page_draft/;
  await at.kit.refuses("update_page_draft", other, "E_BUILDER_MISMATCH", says, "reads");
  const code = await make("create_page_from_code", { html: "<p>c</p>" });
  await warns(at, code, true);
  await warns(
    at,
    await make("create_page_draft", { page_builder: "block", content_html: "<p>b</p>" }),
    false,
  );
  for (const id of [page_id, code]) {
    const titled = { site_id: "both", page_id: id, title: fresh("T") };
    const { proof } = await at.kit.write<Args>("mcp", "update_page_draft", titled);
    assert.deepEqual([proof.verified, proof.warnings], [true, []], "the title comes out as meant");
  }
}

/** With an Elementor of before 3.27, which opens none of its meta to REST. */
async function told(site: CmsSandbox): Promise<void> {
  await using at = await open(site);
  await peek(at, { options: { elementor_standin_old: 1 } });
  try {
    for (
      const [type, id, tool] of [["page", "page_id", "update_page_draft"], [
        "post",
        "post_id",
        "update_draft",
      ]]
    ) {
      const post = {
        post_type: type,
        post_status: "draft",
        post_title: fresh("Taken over"),
        post_content: "old",
      };
      const taken = await peek(at, { post, meta: { _elementor_edit_mode: "builder" } });
      const args = { site_id: "both", [id!]: taken.id, content_html: "<p>other</p>", confirm: true };
      const says = /nobody would see this content_html: /;
      await at.kit.refuses(tool!, args, "E_BUILDER_MISMATCH", says, "reads");
      assert.equal((await peek(at, { id: taken.id })).post["post_content"], "old");
      if (type === "post") continue;
      const read = await at.kit.both<Args>("get_page", { site_id: "both", page_id: taken.id });
      assert.equal(read["page_builder"], "visual");
    }
  } finally {
    await peek(at, { options: { elementor_standin_old: 0 } });
  }
}

onWordPress(
  {
    ...Object.fromEntries(DOORS.map((door) => [
      `a page is cloned from a template, and cloned anew, through ${door}`,
      (site: CmsSandbox) => clonesThrough(door, site),
    ])),
    "other HTML is refused for a page of the visual builder, and warned of for a page from code": traps,
    "the plugin tells what the visual builder shows, where the builder itself does not": told,
  },
  { plugins: [PLUGIN, fixture("peek"), fixture("elementor-standin")] },
);
