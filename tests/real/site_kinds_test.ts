/** What sites go through that are set up otherwise: one of a network of sites, in a folder, and one with plain permalinks. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Args } from "../cms_kit.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { diagnose } from "../tools/_diagnose.ts";
import { pageHead } from "./_page.ts";
import { libraryThrough, postThrough, statesThrough } from "./_posts.ts";
import { RealSeo } from "./_seo.ts";
import { fresh, onWordPress } from "./_wordpress.ts";

type Kind = "network" | "plain";
type Case = (at: RealSeo, kind: Kind) => Promise<void>;
// deno-lint-ignore no-explicit-any
type Seen = Record<string, any>;

/** Whatever is set up otherwise, nothing is found to be wrong; what a network cannot have is named. */
const diagnosed: Case = async (at, kind) => {
  const checks = ["rest_api", "credentials", "companion", "code_page", "seo_bridge", "seo_settings"];
  const found = await diagnose((tool, args) => at.kit.gw.call(tool, args), { site_id: "seo", checks });
  assert.deepEqual(
    Object.values(found).map(({ name, ok }) => [name, ok]),
    checks.map((name) => [name, true]),
  );
  const { body } = await at.wp.call("admin", "GET", "/health");
  assert.equal(body["multisite"], kind === "network");
};

/** A page from code: made, published, and seen at its own address. */
const codePage: Case = async (at) => {
  const slug = fresh("code").replaceAll(" ", "-").toLowerCase();
  const page = {
    site_id: "open",
    title: fresh("Code"),
    slug,
    html: "<p class='a'>Coded</p>",
    css: ".a{top:0}",
  };
  const { done } = await at.kit.write<Args & { id: number }>("mcp", "create_page_from_code", page);
  const live = await at.kit.write<Args>("rest", "publish_page", { site_id: "open", page_id: done.id });
  assert.deepEqual([live.proof.verified, live.proof.live!.as_expected], [true, true]);
  const text = await at.wp.text(String(live.done["url"]));
  assert.ok(text.includes("<p class='a'>Coded</p>") && text.includes("top:0"));
};

/** What view_live answers by number and by path is the page that visitors get. */
const viewed: Case = async (at, kind) => {
  const id = await at.ask.draft("admin", { title: fresh("Led"), content: "<p>Slate</p>", status: "publish" });
  const link = new URL(String((await at.stored(id))["link"]));
  const seen = await at.kit.gw.call<Seen>("view_live", { site_id: "open", id });
  assert.deepEqual([seen.address, seen.status, seen.wall], [link.href, 200, null]);
  assert.match(seen.text, /Slate/);
  if (kind === "plain") return; // a path has no query
  const path = await at.kit.gw.call<Seen>("view_live", { site_id: "open", path: link.pathname });
  assert.deepEqual([path.address, path.status], [link.href, 200]);
};

/** SEO fields are stored, proven, and seen by visitors. */
const fields: Case = async (at) => {
  const id = await at.ask.draft("ed", { title: fresh("Fields"), content: "<p>x</p>", status: "publish" });
  const target = { site_id: "live", post_id: id };
  const asked = { title: "Own & title", description: "Own description", robots: { noindex: true } };
  const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", { ...target, ...asked });
  assert.deepEqual([proof.verified, proof.live!.as_expected, proof.warnings], [true, true, []]);
  const head = await pageHead(`${at.site.base_url}/?p=${id}`);
  assert.deepEqual([head.title, head.meta.get("description")], [asked.title, asked.description]);
  assert.ok(head.robots.has("noindex"));
  const read = await at.kit.both<Args>("get_seo_meta", target);
  assert.deepEqual([read["title"], read["description"]], [asked.title, asked.description]);
};

/** Structured data is on the page of its post. */
const markup: Case = async (at) => {
  const id = await at.ask.draft("ed", { title: fresh("Markup"), content: "<p>x</p>", status: "publish" });
  const schema = { "@type": "Recipe", name: "Soup" };
  const call = { site_id: "live", post_id: id, schema };
  const { proof } = await at.kit.write<Args>("mcp", "set_seo_schema", call);
  assert.deepEqual([proof.verified, proof.live!.as_expected], [true, true]);
  const { things } = await pageHead(`${at.site.base_url}/?p=${id}`);
  assert.ok(things.some((thing) => thing["@type"] === "Recipe"));
};

/** A redirect leads visitors where it says. */
const redirected: Case = async (at) => {
  const name = fresh("old").replaceAll(" ", "-").toLowerCase();
  const id = await at.ask.draft("ed", { title: fresh("New"), content: "<p>x</p>", status: "publish" });
  const link = new URL(String((await at.stored(id))["link"]));
  const destination = link.pathname + link.search;
  const call = { site_id: "live", source: `/${name}`, destination, status: 301 };
  const { proof } = await at.kit.write<Args>("rest", "set_seo_redirect", call);
  assert.deepEqual([proof.verified, proof.live!.as_expected], [true, true]);
  const [status, location] = await at.wp.leads(`/${name}`);
  assert.deepEqual([status, location], [301, link.href]);
};

/** What is told of the sitemap is what visitors get. */
const sitemap: Case = async (at) => {
  const status = await at.kit.both<Args>("get_sitemap_status", { site_id: "seo" });
  assert.equal(status["enabled"], true);
  const response = await fetch(String(status["url"]));
  assert.equal(response.status, 200);
  assert.match(await response.text(), /<sitemapindex/);
};

/** What a person saved after the preview stays. */
const guarded: Case = async (at) => {
  const id = await at.ask.draft("ed", { title: fresh("Guarded") });
  const change = { site_id: "open", post_id: id, title: fresh("Mine") };
  const { confirm_token } = await at.kit.preview("update_draft", change);
  await at.ask.rest("ed", "POST", `/posts/${id}`, { title: "By a person" });
  const confirmed = { ...change, confirm: true, confirm_token };
  await at.kit.gw.fails("update_draft", confirmed, "E_STALE_PREVIEW", /title/, { door: "rest" });
  assert.equal(((await at.stored(id))["title"] as Args)["raw"], "By a person");
  const { proof } = await at.kit.write<Args>("mcp", "update_draft", change);
  assert.equal(proof.verified, true);
};

/** On a network WordPress takes code out of what an editor writes, which is said. */
const coded: Case = async (at, kind) => {
  const draft = { site_id: "editor", title: fresh("Code"), content_html: "<p>x</p><script>1;</script>" };
  const { done, proof } = await at.kit.write<Args & { id: number }>("rest", "create_draft", draft);
  assert.equal(proof.verified, kind === "plain");
  assert.equal(/unfiltered_html/.test(String(proof.warnings)), kind === "network", String(proof.warnings));
  const { raw } = (await at.stored(done.id))["content"] as { raw: string };
  assert.equal(raw.includes("<script>"), kind === "plain");
  const ping = await at.kit.gw.call<Seen>("ping_site", { site_id: "editor" });
  assert.equal(ping.can.unfiltered_html, kind === "plain");
};

/** What was found, and who changed it when. */
const found: Case = async (at) => {
  const title = fresh("Findable");
  const id = await at.ask.draft("ed", { title, content: "<p>one</p>" });
  await at.ask.rest("ed", "POST", `/posts/${id}`, { content: "<p>two</p>" });
  const search = { site_id: "open", type: "post", search: title };
  const { items } = await at.kit.both<{ items: Args[] }>("list_content", search);
  assert.deepEqual(items.map((row) => row["id"]), [id]);
  const history = await at.kit.both<Seen>("get_content_history", { site_id: "open", post_id: id });
  assert.deepEqual(history.items.map(({ by, gateway }: Args) => [by, gateway]), [["Ed", false]]);
};

const CASES: Readonly<Record<string, Case>> = {
  "nothing is found to be wrong": diagnosed,
  "a draft is made, read and changed": (at) => postThrough("rest", at.site),
  "a draft is scheduled, taken back and published": (at) => statesThrough("mcp", at.site),
  "an image is uploaded, and terms are made once": (at) => libraryThrough("rest", at.site),
  "a page from code goes live": codePage,
  "view_live sees what visitors get": viewed,
  "SEO fields are seen": fields,
  "structured data is seen": markup,
  "a redirect leads visitors": redirected,
  "the sitemap is where it is said to be": sitemap,
  "a person's edit stays": guarded,
  "a post is found, with its history": found,
  "code of an editor is kept, or is said to be gone": coded,
};

const KINDS = {
  network: ["a site of a network", { network: true }],
  plain: ["a site with plain permalinks", { plain_permalinks: true }],
} as const;

for (const [kind, [name, options]] of Object.entries(KINDS)) {
  const tests = Object.entries(CASES).map(([what, run]) => [
    `${name}: ${what}`,
    async (site: CmsSandbox) => {
      await using at = await RealSeo.open(site);
      await run(at, kind as Kind);
    },
  ]);
  onWordPress(Object.fromEntries(tests), { ...options, plugins: [PLUGIN, fixture("peek")] });
}
