/** Pages made from code with their SEO on a real WordPress, for every SEO plugin: what is stored, what the draft's head shows, what fails. */
import assert from "node:assert/strict";
import { type Args, DOORS } from "../cms_kit.ts";
import { Screens } from "../companion/site.ts";
import type { Json } from "../sandbox/asker.ts";
import { seoSites } from "../tools/_seo.ts";
import { onProvider, type Provider, PROVIDERS, RealSeo } from "./_seo.ts";
import { fresh, HIDDEN, Real } from "./_wordpress.ts";

const SEO = { title: "Found so", description: "What it is about" };
const FAQ = { "@context": "https://schema.org", "@type": "FAQPage", name: "Questions & answers" };
const EVENT = { "@context": "https://schema.org", "@type": "Event", name: "An evening" };

/** Where each keeps title and description. */
const KEYS: Record<Provider, [string, string]> = {
  none: ["_site_ops_seo_title", "_site_ops_seo_description"],
  yoast: ["_yoast_wpseo_title", "_yoast_wpseo_metadesc"],
  rankmath: ["rank_math_title", "rank_math_description"],
  seopress: ["_seopress_titles_title", "_seopress_titles_desc"],
};

function page() {
  const title = fresh("Landing");
  const slug = title.replaceAll(" ", "-").toLowerCase();
  return { site_id: "seo", title, slug, html: "<h2>Up</h2>", seo: SEO, structured_data: [FAQ, EVENT] };
}

/** How many pages of that name there are, in whatever status. */
async function countOf({ ask }: Real, slug: string): Promise<number> {
  const { body } = await ask.rest("admin", "GET", `/pages?status=any&slug=${slug}`);
  return (body as unknown as Json[]).length;
}

/** The entries of structured data that the site keeps for a page. */
async function entriesOf({ wp }: RealSeo, id: number): Promise<unknown[]> {
  const { body } = await wp.call("admin", "GET", `/seo/schema/${id}`);
  return (body["entries"] as unknown as Json[]).map(({ schema }) => schema);
}

async function isStoredAndShown(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]) {
  const args = page();
  const { done, proof, row } = await at.kit.write<Args>(door, "create_page_from_code", args);
  const id = done["id"] as number;
  assert.deepEqual([done["status"], proof.verified, "left" in done], ["draft", true, false]);
  assert.deepEqual(row.calls?.map(({ tool, error }) => [tool, error]), [
    ["set_seo_meta", null],
    ["set_seo_schema", null],
    ["set_seo_schema", null],
  ]);
  const { meta, post } = await at.wp.peek({ id });
  assert.deepEqual([post["post_status"], post["post_type"]], ["draft", "page"]);
  assert.deepEqual(KEYS[provider].map((key) => meta[key]), Object.values(SEO));
  assert.deepEqual(await entriesOf(at, id), [FAQ, EVENT]);
  const read = await at.kit.both<Args>("get_seo_meta", { site_id: "seo", post_id: id });
  assert.deepEqual([read["title"], read["description"]], Object.values(SEO));

  const screens = await Screens.login(at.site, "ed");
  const shown = await screens.ask(`/?page_id=${id}&preview=true`);
  const head = shown.slice(0, shown.indexOf("</head>"));
  assert.ok(head.includes(`<title>${SEO.title}</title>`), head);
  assert.ok(head.includes(`content="${SEO.description}"`), head);
  assert.deepEqual(["FAQPage", "Event"].map((type) => head.includes(`"${type}"`)), [true, true], head);
  assert.ok(shown.includes(args.html));
  const hidden = await at.ask.send(null, "GET", `/?page_id=${id}`);
  await hidden.body;
  assert.equal(hidden.status, HIDDEN[1]);
}

/** Where no SEO field of a page is set over REST; the stand-in of the one that has some opens them for posts alone. */
const REFUSED_OVER_REST: Partial<Record<Provider, RegExp>> = {
  none: /^seo: .*no SEO plugin/,
  yoast: /^seo: title: cannot be set over the REST API/,
};

/** Without the companion's SEO routes what the SEO plugin keeps over REST is set, and nothing is made where there is none. */
async function overRest(at: RealSeo, provider: Provider, door: (typeof DOORS)[number]) {
  const { structured_data: _, ...given } = page();
  const args = { ...given, site_id: "rest" };
  const refused = REFUSED_OVER_REST[provider];
  if (refused !== undefined) {
    const call = { ...args, confirm: true };
    await at.kit.refuses("create_page_from_code", call, "E_SEOPLUGIN_PLUGIN_REQUIRED", refused, "reads");
    return assert.equal(await countOf(at, args.slug), 0);
  }
  const { done } = await at.kit.write<Args>(door, "create_page_from_code", args);
  const id = done["id"] as number;
  assert.deepEqual([(done["seo"] as Args)["done"], "left" in done], [true, false]);
  const { meta, post } = await at.wp.peek({ id });
  assert.deepEqual([post["post_status"], ...KEYS[provider].map((key) => meta[key])], [
    "draft",
    ...Object.values(SEO),
  ]);
}

async function sameKeyTwice(at: RealSeo, _: Provider, door: (typeof DOORS)[number]) {
  const args = { ...page(), confirm: true };
  const options = { door, key: fresh("key").replaceAll(" ", "-") };
  const first = await at.kit.gw.call<Args>("create_page_from_code", args, options);
  const written = at.written;
  const again = await at.kit.gw.call<Args>("create_page_from_code", args, options);
  assert.deepEqual([again["id"], again["seo"], again["replayed"]], [first["id"], first["seo"], true]);
  assert.equal(at.written, written, "nothing is written again");
  assert.equal(await countOf(at, args.slug), 1);
  assert.deepEqual(await entriesOf(at, first["id"] as number), [FAQ, EVENT]);
}

/** Somebody publishes the page once it is made, and before its SEO is set. */
async function halfWay({ site }: RealSeo, provider: Provider, door: (typeof DOORS)[number]) {
  let made = 0;
  const args = page();
  const act: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const isWrite = (init?.method ?? "GET") === "POST";
    if (made > 0 || !isWrite || !response.ok) return response;
    const bytes = await response.bytes();
    made = JSON.parse(new TextDecoder().decode(bytes)).written.id;
    await other.ask.rest("admin", "POST", `/pages/${made}`, { status: "publish" });
    return new Response(bytes, response);
  };
  await using other = await RealSeo.open(site);
  await using at = new RealSeo(await Real.open(site, { sites: seoSites(site), fetch: act }));
  const { done, proof } = await at.kit.write<Args>(door, "create_page_from_code", args);
  assert.deepEqual([done["id"], proof.verified], [made, false]);
  assert.equal((done["seo"] as Args)["done"], false);
  assert.deepEqual((done["structured_data"] as Args[]).map((one) => one["done"]), [false, false]);
  assert.equal((done["left"] as string[])[0], `set_seo_meta with post_id ${made}, for seo`);
  const { meta } = await at.wp.peek({ id: made });
  assert.deepEqual(KEYS[provider].map((key) => meta[key]), [undefined, undefined]);
  assert.deepEqual(await entriesOf(at, made), []);
  assert.equal(await countOf(at, args.slug), 1);
}

for (const provider of PROVIDERS) {
  onProvider(
    provider,
    Object.fromEntries(DOORS.flatMap((door) =>
      ([
        [
          `a page made through ${door} has its SEO stored, shown in the draft's head and read back`,
          isStoredAndShown,
        ],
        [`over the channel rest a page made through ${door} gets what the SEO plugin takes`, overRest],
        [`the same key twice through ${door} makes one page with its SEO once`, sameKeyTwice],
        [`a page that is published before its SEO is set says through ${door} what is left`, halfWay],
      ] as const).map(([name, run]) => [name, (at: RealSeo) => run(at, provider, door)])
    )),
  );
}
