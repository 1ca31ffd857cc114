/** A page made from code with its SEO: shown as one, set by the SEO tools, and what is said where a part of it fails. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { addCompanionPages } from "../../sandbox/wordpress_standin/companion_pages.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { scenes } from "../scenes.ts";
import { type SeoOptions, type SeoWorld, seoWorld } from "./_seo.ts";

const PAGE = { site_id: "seo", title: "Landing", html: "<p>x</p>", slug: "landing" };
const SEO = { title: "Found so", description: "What it is", robots: { noindex: true } };
const FAQ = { "@context": "https://schema.org", "@type": "FAQPage", name: "q" };
const EVENT = { "@context": "https://schema.org", "@type": "Event", name: "e" };

async function world(options?: SeoOptions): Promise<SeoWorld> {
  const made = await seoWorld(options);
  addCompanionPages(made.cms.app, made.cms.state);
  return made;
}
const test = scenes(() => world({ tokens: { pages: { allowed_tools: ["create_page_from_code"] } } }));

/** The pages of that slug. */
const pages = (at: SeoWorld) => [...at.cms.posts.values()].filter(({ slug }) => slug.startsWith("landing"));

for (const door of DOORS) {
  test(`through ${door} one consent makes a draft with SEO fields and structured data, by their own tools`, async (at) => {
    const args = { ...PAGE, seo: SEO, structured_data: [FAQ, EVENT] };
    const { done, proof, row } = await at.kit.write<Args>(door, "create_page_from_code", args);
    const id = done["id"] as number;
    assert.deepEqual([done["status"], proof.verified, "left" in done], ["draft", true, false]);
    const robots = at.plugin.fields.get(id)!.robots;
    assert.deepEqual(done["seo"], { done: true, verified: true, fields: { ...SEO, robots } });
    assert.deepEqual(done["structured_data"], [
      { done: true, verified: true, entry_id: "so-1", type: "FAQPage" },
      { done: true, verified: true, entry_id: "so-2", type: "Event" },
    ]);
    assert.equal(at.plugin.fields.get(id)?.title, SEO.title);
    assert.deepEqual(at.plugin.schemas.get(id)?.map(({ schema }) => schema), [FAQ, EVENT]);
    assert.ok(at.cms.writes.every(({ body }) => !("allow_published" in (body as Args))));
    assert.deepEqual([row.result_id, row._published], [id, undefined]);
    assert.deepEqual(row.calls?.map(({ tool, error, result_id }) => [tool, error, result_id]), [
      ["set_seo_meta", null, id],
      ["set_seo_schema", null, id],
      ["set_seo_schema", null, id],
    ]);
    assert.equal(
      (await at.kit.both<Args>("get_seo_meta", { site_id: "seo", post_id: id }))["title"],
      SEO.title,
    );
  });
}

test("the preview shows page and SEO together, after reads only, and its token carries out what it shows", async (at) => {
  const args = { ...PAGE, seo: SEO, structured_data: JSON.stringify(FAQ) };
  const seen = await at.kit.preview("create_page_from_code", args);
  assert.deepEqual(at.cms.writes, []);
  assert.deepEqual(seen.changes.slice(-5), [
    { field: "status", from: null, to: "draft" },
    { field: "set_seo_meta.title", from: null, to: SEO.title },
    { field: "set_seo_meta.description", from: null, to: SEO.description },
    { field: "set_seo_meta.robots", from: null, to: SEO.robots },
    { field: "set_seo_schema.schema", from: null, to: FAQ },
  ]);
  const calls = (seen as unknown as { calls: { tool: string; tier: number }[] }).calls;
  assert.deepEqual(calls.map(({ tool, tier }) => [tool, tier]), [["set_seo_meta", 1], ["set_seo_schema", 1]]);
  const other = {
    ...args,
    seo: { ...SEO, title: "Another" },
    confirm: true,
    confirm_token: seen.confirm_token,
  };
  await at.kit.gw.refuses("create_page_from_code", other, "E_CONFIRM_INVALID");
  assert.deepEqual(at.cms.writes, []);
});

test("where SEO fails after the page was made the answer says what is left, and a repeated call makes no other page", async (at) => {
  const args = { ...PAGE, seo: SEO, structured_data: FAQ };
  const seen = await at.kit.preview("create_page_from_code", args);
  const body = { code: "rest_x", message: "No", data: { status: 400 } };
  at.cms.inject({ kind: "answer", status: 400, body }, { method: "POST", path: /\/seo\/meta\/\d+$/ });
  const call = { ...args, confirm: true, confirm_token: seen.confirm_token };
  const done = await at.kit.gw.call<Args>("create_page_from_code", call);
  const [page] = pages(at);
  assert.deepEqual([done["id"], done["status"], done["verified"]], [page!.id, "draft", false]);
  assert.equal((done["seo"] as Args)["done"], false);
  assert.equal(((done["structured_data"] as Args[])[0])!["done"], true);
  assert.deepEqual(done["left"], [`set_seo_meta with post_id ${page!.id}, for seo`]);
  assert.match(
    String(done["warnings"]),
    /seo: not set \(E_UPSTREAM.*do not make it again, call set_seo_meta/,
  );
  const again = await at.kit.gw.call<Args>("create_page_from_code", call);
  assert.deepEqual([again["id"], again["left"]], [done["id"], done["left"]]);
  assert.equal(pages(at).length, 1);
});

const REFUSED: readonly { name: string; args: Args; code: Code; says: RegExp }[] = [
  { name: "an unknown field", args: { seo: { titel: "x" } }, code: "E_BAD_INPUT", says: /^seo: .*titel/ },
  { name: "no field", args: { seo: {} }, code: "E_BAD_INPUT", says: /^seo: / },
  { name: "another page", args: { seo: { ...SEO, post_id: 1 } }, code: "E_BAD_INPUT", says: /^seo: post_id/ },
  { name: "no address", args: { seo: { canonical: "x" } }, code: "E_BAD_INPUT", says: /^seo: canonical: / },
  {
    name: "data without a type",
    args: { structured_data: { name: "x" } },
    code: "E_BAD_INPUT",
    says: /^structured_data: .*@type/,
  },
  {
    name: "too many entries",
    args: { structured_data: JSON.stringify(Array(6).fill(FAQ)) },
    code: "E_BAD_INPUT",
    says: /^structured_data: 6 entries/,
  },
  {
    name: "SEO that is off",
    args: { site_id: "off", seo: SEO },
    code: "E_SEOPLUGIN_DISABLED",
    says: /^seo: /,
  },
  {
    name: "structured data over REST",
    args: { site_id: "rest", structured_data: FAQ },
    code: "E_SEOPLUGIN_PLUGIN_REQUIRED",
    says: /^structured_data: .*channel/,
  },
];

for (const { name, args, code, says } of REFUSED) {
  test(`a page with ${name} is refused before anything is made or asked`, async (at) => {
    for (const confirm of [false, true]) {
      await at.kit.refuses("create_page_from_code", { ...PAGE, ...args, confirm }, code, says, "nothing");
    }
  });
}

test("who may not call the SEO tool makes no page with SEO, and the page that was made stays when the change is undone", async (at) => {
  const args = { ...PAGE, seo: SEO, confirm: true };
  await at.kit.gw.refuses("create_page_from_code", args, "E_SCOPE_DENIED", { as: "pages" });
  assert.equal(pages(at).length, 0);
  const { row } = await at.kit.write<Args>("rest", "create_page_from_code", { ...PAGE, seo: SEO });
  const undo = { site_id: "seo", request_id: row.request_id };
  await at.kit.gw.refuses("undo_change", undo, "E_FORBIDDEN_OP");
});

test("a page with SEO is refused, before it is made, where the site keeps none over REST", async (at) => {
  const args = { ...PAGE, site_id: "rest", seo: SEO, confirm: true };
  const says = /^seo: .*no SEO plugin/;
  await at.kit.refuses("create_page_from_code", args, "E_SEOPLUGIN_PLUGIN_REQUIRED", says, "reads");
  assert.equal(pages(at).length, 0);
});
