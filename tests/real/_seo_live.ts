/** The table of cases of SEO: each changes or reads something through the gateway, and judges what visitors get of it. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import type { Json } from "../sandbox/asker.ts";
import { type PageHead, sitemapPaths } from "./_page.ts";
import type { RealSeo } from "./_seo.ts";
import {
  agrees,
  having,
  isListed,
  LIVE_PROVIDERS,
  type LiveProvider,
  NO_TEMPLATE,
  NOINDEX,
  OFF,
  pageOf,
  published,
  SEEN,
  SITE,
  write,
} from "./_seo_live_site.ts";
import { fresh } from "./_wordpress.ts";

/** A row of the table. */
export interface LiveCase {
  readonly name: string;
  readonly on: readonly LiveProvider[];
  run(at: RealSeo, provider: LiveProvider): Promise<void>;
}

const ALL = LIVE_PROVIDERS;

/** Every case, in an order that does not matter. */
export const LIVE_CASES: readonly LiveCase[] = [
  {
    name: "a post without values of its own: what get_seo_meta names as in effect is what visitors get",
    on: ALL,
    async run(at) {
      for (const more of [{}, { post_excerpt: "The excerpt & so" }, { post_type: "page" }]) {
        const { meta } = await agrees(at, await published(at, more));
        const [inEffect, origins] = [meta["in_effect"], meta["origins"]] as Json[];
        assert.deepEqual([meta["title"], origins!["title"]], ["", "type"]);
        assert.match(String(inEffect!["title"]), /^Grüße & more .* - Test Site$/);
      }
    },
  },
  {
    name: "without a template of the type the default of the plugin or of WordPress is in effect",
    on: ALL,
    async run(at, provider) {
      const id = await published(at);
      await having(at, NO_TEMPLATE[provider], async () => {
        const { meta } = await agrees(at, id);
        assert.equal((meta["origins"] as Json)["title"], "default");
      });
      await agrees(at, id);
    },
  },
  {
    name:
      "values of the post's own, an address with ü among them, are stored, seen and proven without a warning",
    on: ALL,
    async run(at) {
      const id = await published(at);
      const fields = {
        title: "Own & title",
        description: "Own & description",
        og_title: "OT",
        og_description: "OD",
        canonical: "https://example.test/ü?a=1&b=2",
      };
      const { proof } = await write(at, id, fields);
      assert.deepEqual([proof.verified, proof.warnings], [true, []]);
      const { page } = await agrees(at, id);
      assert.deepEqual([page.title, page.meta.get("og:title")], [fields.title, "OT"]);
      await write(at, id, { title: "", description: "", og_title: "", og_description: "", canonical: "" });
      const back = await agrees(at, id);
      assert.match(back.page.title ?? "", / - Test Site$/);
    },
  },
  {
    name:
      "a title that a theme makes past the plugin is reported as that, and live says that visitors get another",
    on: ALL,
    async run(at) {
      const id = await published(at);
      await write(at, id, { title: "Own" });
      await having(at, { peek_theme_title: "The theme's own" }, async () => {
        const { meta, page } = await agrees(at, id);
        assert.equal(page.title, "The theme's own");
        assert.deepEqual([meta["title"], (meta["origins"] as Json)["title"]], ["Own", "filter"]);
        for (const title of ["", "Another", "%%title%% | %%sitename%%"]) {
          const call = { site_id: SITE, post_id: id, title };
          const { warnings } = await at.kit.preview("set_seo_meta", call);
          const says = /^title: visitors get "The theme's own" today, by a theme or another plugin/;
          assert.ok(warnings.some((one) => says.test(one)), warnings.join());
          const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", call);
          assert.deepEqual([proof.verified, proof.live!.as_expected], [true, false], title);
          assert.equal((proof.live!["differs"] as Json[])[0]!["seen"], "The theme's own");
        }
      });
      await agrees(at, id);
      await write(at, id, { title: "" });
    },
  },
  {
    name: "a title with variables is answered as it is stored, and as it is seen",
    on: ALL,
    async run(at, provider) {
      const id = await published(at);
      const title = provider === "rankmath" ? "%title% | %sitename%" : "%%title%% | %%sitename%%";
      await write(at, id, { title });
      const { meta, page } = await agrees(at, id);
      assert.equal(meta["title"], title);
      assert.match(page.title ?? "", /^Grüße & more .* \| Test Site$/);
    },
  },
  {
    name: "a preview begins from what visitors get, and a text they get already is not stored",
    on: ALL,
    async run(at) {
      const id = await published(at);
      const { page } = await agrees(at, id);
      const call = { site_id: SITE, post_id: id };
      const { changes } = await at.kit.preview("set_seo_meta", { ...call, title: "New" });
      assert.deepEqual(changes, [{ field: "title", from: page.title, origin: "type", to: "New" }]);
      const same = await write(at, id, { title: page.title });
      assert.deepEqual([same.row.changes, same.proof.verified], [[], true]);
      assert.match(
        (await at.kit.preview("set_seo_meta", { ...call, title: page.title })).warnings.join(),
        /already/,
      );
    },
  },
  {
    name: "noindex is seen with the write, takes the canonical address away, and both come back",
    on: ALL,
    async run(at) {
      const id = await published(at);
      await write(at, id, { robots: { noindex: true } });
      const { page, meta } = await agrees(at, id);
      assert.ok(page.robots.has("noindex"));
      assert.deepEqual((meta["origins"] as Json)["canonical"], "noindex");
      await write(at, id, { robots: { noindex: false } });
      assert.ok(!(await agrees(at, id)).page.robots.has("noindex"));
    },
  },
  {
    name: "a noindex of the type is told with where it comes from; a post lifts it, but with SEOPress",
    on: ALL,
    async run(at, provider) {
      const id = await published(at);
      await having(at, NOINDEX[provider], async () => {
        const { meta } = await agrees(at, id);
        assert.equal((meta["origins"] as Json)["robots.noindex"], "type");
        const lift = { site_id: SITE, post_id: id, robots: { noindex: false } };
        if (provider === "seopress") {
          const says = /^robots\.noindex: false would not be shown/;
          await at.kit.refuses("set_seo_meta", { ...lift, confirm: true }, "E_BAD_INPUT", says, "reads");
          return;
        }
        await write(at, id, { robots: { noindex: false } });
        assert.ok(!(await agrees(at, id)).page.robots.has("noindex"));
      });
    },
  },
  {
    name: "every switch of robots that the plugin has is seen; one that it lacks is refused",
    on: ALL,
    async run(at, provider) {
      const id = await published(at);
      const lacks = provider === "seopress";
      if (lacks) {
        const call = { site_id: SITE, post_id: id, robots: { noarchive: true }, confirm: true };
        for (const site_id of [SITE, "rest_live"]) {
          const says =
            /^robots\.noarchive: true would not be shown: the site's SEO plugin has no such switch/;
          await at.kit.refuses("set_seo_meta", { ...call, site_id }, "E_BAD_INPUT", says, "reads");
        }
      }
      const robots = {
        nofollow: true,
        nosnippet: true,
        noimageindex: true,
        ...lacks ? {} : { noarchive: true },
      };
      await write(at, id, { robots });
      const { page } = await agrees(at, id);
      for (const name of Object.keys(robots)) assert.ok(page.robots.has(name), name);
    },
  },
  {
    name: "a text for X alone changes no other, and cleared it is as before",
    on: ALL,
    async run(at) {
      const id = await published(at, { post_excerpt: "The excerpt" });
      await write(at, id, { og_title: "OT", og_description: "OD" });
      const before = (await agrees(at, id)).page;
      await write(at, id, { twitter_title: "TT" });
      const set = (await agrees(at, id)).page;
      assert.equal(SEEN["twitter_title"]!(set), "TT");
      assert.equal(SEEN["twitter_description"]!(set), SEEN["twitter_description"]!(before));
      await write(at, id, { twitter_title: "" });
      const back = (await agrees(at, id)).page;
      assert.equal(SEEN["twitter_title"]!(back), SEEN["twitter_title"]!(before));
      assert.equal(SEEN["twitter_description"]!(back), SEEN["twitter_description"]!(before));
    },
  },
  {
    name: "the front page and the page that lists the posts are read as their visitors get them",
    on: ALL,
    async run(at, provider) {
      await published(at);
      await placed(at, async ([front, posts]) => {
        for (const id of [front, posts]) {
          // Which tags X gets of a list of posts hangs on the first of them.
          const untold = provider === "rankmath" && id === posts
            ? ["twitter_title", "twitter_description"]
            : [];
          await agrees(at, id, untold);
          const own = { title: "Own", description: "Own about", og_title: "OT", og_description: "OD" };
          await write(at, id, own);
          const { page } = await agrees(at, id, untold);
          assert.deepEqual([page.title, page.meta.get("og:title")], ["Own", "OT"]);
          await write(at, id, { robots: { noindex: true } });
          await agrees(at, id, untold);
          await write(at, id, { robots: { noindex: false }, ...emptied(own) });
          await agrees(at, id, untold);
        }
      });
    },
  },
  {
    name: "structured data of the page that lists the posts is seen, or refused where the plugin prints none",
    on: ALL,
    async run(at, provider) {
      await placed(at, async ([, posts]) => {
        const call = { site_id: SITE, post_id: posts, schema: { "@type": "Event", name: "Fair" } };
        if (provider === "rankmath") {
          const says = /^schema: would not be shown: post_id is the page that lists the site's posts/;
          await at.kit.refuses("set_seo_schema", { ...call, confirm: true }, "E_BAD_INPUT", says, "reads");
          return;
        }
        const { proof } = await at.kit.write<Args>("mcp", "set_seo_schema", call);
        assert.deepEqual([proof.live!.as_expected, proof.warnings], [true, []]);
      });
    },
  },
  {
    name: "where WordPress keeps search engines away, canonical addresses are read as they are seen",
    on: ALL,
    async run(at) {
      const id = await published(at);
      await having(at, { blog_public: "0" }, async () => {
        const { page } = await agrees(at, id);
        assert.ok(page.robots.has("noindex"));
      });
      await agrees(at, id);
    },
  },
  {
    name: "a part that is off: nothing of it is seen, writes are refused, and the switch to turn is named",
    on: ALL,
    async run(at, provider) {
      for (const [part, field, options] of OFF[provider]) {
        const id = await published(at);
        await having(at, options, async () => {
          await agrees(at, id);
          const { checks } = await at.kit.both<{ checks: Json[] }>("diagnose_site", { site_id: SITE });
          const bridge = checks.find(({ name }) => name === "seo_bridge")!;
          assert.equal(bridge["ok"], false, part);
          const status = await at.kit.both<Args>("get_sitemap_status", { site_id: SITE });
          assert.ok((status["off"] as Json[]).length > 0, part);
          if (field === null) {
            assert.equal(status["enabled"], false);
            return;
          }
          const call = { site_id: SITE, post_id: id, [field]: "Never seen", confirm: true };
          const says = new RegExp(`^${field}: "Never seen" would not be shown`);
          await at.kit.refuses("set_seo_meta", call, "E_BAD_INPUT", says, "reads");
        });
        await agrees(at, id);
      }
    },
  },
  {
    name:
      "a post published over REST is in the sitemap; noindex takes it out with the write, and lifted it is back",
    on: ALL,
    async run(at, provider) {
      const status = await at.kit.both<Args>("get_sitemap_status", { site_id: SITE });
      assert.equal(status["enabled"], true);
      assert.ok(Array.isArray(await sitemapPaths(String(status["url"]))));
      await isListed(at, provider, await published(at)); // what is kept of it is made now
      const id = await at.ask.draft("admin", { title: fresh("By REST") });
      const public_ = await at.ask.rest("admin", "POST", `/posts/${id}`, { status: "publish" });
      assert.equal(public_.status, 200);
      assert.equal(await isListed(at, provider, id), true, "published");
      await write(at, id, { robots: { noindex: true } });
      assert.equal(await isListed(at, provider, id), false, "noindex");
      await write(at, id, { robots: { noindex: false } });
      assert.equal(await isListed(at, provider, id), true, "lifted");
    },
  },
  {
    name: "structured data is seen; what the plugin made by itself stays, or is named as lost",
    on: ALL,
    async run(at, provider) {
      const id = await published(at);
      const typesOn = (page: PageHead) => page.things.flatMap((thing) => thing["@type"]);
      const before = typesOn(await pageOf(at, id));
      const call = { site_id: SITE, post_id: id, schema: { "@type": "Recipe", name: "Soup" } };
      const { warnings } = await at.kit.preview("set_seo_schema", call);
      const { done, proof } = await at.kit.write<Args>("mcp", "set_seo_schema", call);
      const after = typesOn(await pageOf(at, id));
      assert.ok(after.includes("Recipe"));
      const lost = before.filter((type) => !after.includes(type) && type !== "Person");
      assert.deepEqual(lost, provider === "rankmath" ? ["BlogPosting"] : []);
      for (const said of [warnings, proof.warnings]) {
        assert.equal(said.some((one) => one.includes("(BlogPosting)")), lost.length > 0, said.join());
      }
      const other = { ...call, entry_id: done["entry_id"], schema: { "@type": "Event", name: "Fair" } };
      await at.kit.write("mcp", "set_seo_schema", other);
      const replaced = typesOn(await pageOf(at, id));
      assert.deepEqual([replaced.includes("Event"), replaced.includes("Recipe")], [true, false]);
    },
  },
  {
    name:
      "what is printed otherwise than it was sent is a warning, and what is warned of is printed otherwise",
    on: ALL,
    async run(at) {
      const id = await published(at);
      const sent = {
        "@type": "Recipe",
        name: "Salt & <pepper>",
        plain: "as it is",
        empty: "",
        about: { "@type": "Thing" },
        count: 3,
      };
      const { proof } = await at.kit.write<Args>("rest", "set_seo_schema", {
        site_id: SITE,
        post_id: id,
        schema: sent,
      });
      const shown = (await pageOf(at, id)).things.find((thing) => thing["@type"] === "Recipe")!;
      for (const [name, value] of Object.entries(sent)) {
        const same = JSON.stringify(shown[name]) === JSON.stringify(value);
        const warned = proof.warnings.some((one) =>
          one.includes(`(${name})`) || one.includes(`(${name},`) || one.includes(`, ${name})`)
        );
        assert.equal(warned, !same, `${name}: ${JSON.stringify(shown[name])}; ${proof.warnings.join("; ")}`);
      }
    },
  },
];

const emptied = (fields: Args) => Object.fromEntries(Object.keys(fields).map((name) => [name, ""]));

/** Makes two pages the front page and the list of posts, tries something, and puts the site back. */
async function placed(at: RealSeo, work: (ids: [front: number, posts: number]) => Promise<void>) {
  const ids = [await published(at, { post_type: "page" }), await published(at, { post_type: "page" })];
  const [front, posts] = ids as [number, number];
  const options = { show_on_front: "page", page_on_front: front, page_for_posts: posts };
  await having(at, options, () => work([front, posts]));
}

/** Readies a fresh site: Rank Math waits for its set-up, and WordPress for the addresses of its sitemap. */
export async function readyLive(at: RealSeo, provider: LiveProvider): Promise<void> {
  if (provider !== "rankmath") return;
  await at.wp.peek({ options: { rank_math_registration_skip: 1 } });
  const { body } = await at.wp.call("admin", "POST", "/seo/sitemap/rebuild", {});
  assert.deepEqual(body, { invalidated: true });
}
