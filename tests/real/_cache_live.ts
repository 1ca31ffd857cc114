/** The table of cases of page caches: what visitors get of a page that is kept, once it was changed through the gateway. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import type { Args } from "../cms_kit.ts";
import { Companion, fixture, PLUGIN } from "../companion/site.ts";
import { until } from "../e2e/running.ts";
import { seoSites } from "../tools/_seo.ts";
import { startWordPress } from "../wordpress.ts";
import { RealSeo } from "./_seo.ts";
import { fresh, Real } from "./_wordpress.ts";

/** A page cache: how `caches_asked` names it, its main file, and how a fresh site has it keep pages. */
export interface PageCache {
  readonly name: string;
  readonly main: string;
  ready(wp: Companion): Promise<void>;
}

const nothing = () => Promise.resolve();

/** Has WordPress look for a kept page first, as the line in wp-config.php does that hosts and plugins set. */
async function loadEarly(wp: Companion): Promise<void> {
  const asked = async (...call: unknown[]) => (await wp.peek({ call })).result;
  const file = `${await asked("constant", ["ABSPATH"])}wp-config.php`;
  const code = String(await asked("file_get_contents", [file]));
  await asked("file_put_contents", [file, code.replace("<?php", "<?php\ndefine( 'WP_CACHE', true );")]);
  await until(async () => await asked("constant", ["WP_CACHE"]) === true, 20_000);
}

/** Sets a line of WP Super Cache's own configuration, as its settings screen does. */
async function superCacheLine(wp: Companion, name: string, line: string): Promise<void> {
  const { result } = await wp.peek({ call: ["constant", ["WP_CONTENT_DIR"]] });
  const file = `${result}/wp-cache-config.php`;
  await wp.peek({ call: ["wp_cache_replace_line", [`^ *\\$${name}`, `$${name} = ${line};`, file]] });
}

/** Those that run on a sandbox site. */
export const PAGE_CACHES: readonly PageCache[] = [
  { name: "Cache Enabler", main: "cache-enabler.php", ready: loadEarly },
  {
    name: "WP Super Cache",
    main: "wp-cache.php",
    async ready(wp) {
      await superCacheLine(wp, "cache_enabled", "true");
      await superCacheLine(wp, "wp_cache_slash_check", "1");
    },
  },
];

/** The stand-in, which behaves as WP Super Cache. */
export const STAND_IN: PageCache = { name: "WP Super Cache", main: "pagecache-standin.php", ready: nothing };

/** A site that keeps pages. */
export async function cachedSite(cache: PageCache, folder: string): Promise<CmsSandbox> {
  const plugins = [PLUGIN, fixture("peek"), fixture("seopress-standin"), folder];
  const site = await startWordPress({ plugins });
  try {
    const wp = new Companion(site);
    await wp.peek({ options: { seopress_standin_free: 1 } });
    await cache.ready(wp);
    return site;
  } catch (thrown) {
    await site.stop();
    throw thrown;
  }
}

/** A kit at it, whose sites may change what is live. */
export async function openCached(site: CmsSandbox): Promise<RealSeo> {
  const flags = { allow_publish: true, allow_seo_on_published: true };
  const sites = seoSites(site).map((one) => ({ ...one, flags }));
  return new RealSeo(await Real.open(site, { sites }));
}

/** Asks as a browser does: some caches keep nothing for whoever does not ask for HTML. */
const ask = (address: string) =>
  fetch(address, { headers: { accept: "text/html,*/*;q=0.8" }, redirect: "manual" });
const text = async (address: string) => await (await ask(address)).text();

async function statusOf(address: string): Promise<number> {
  const response = await ask(address);
  await response.body?.cancel();
  return response.status;
}

/** A post that visitors have seen, and its address; fails where no copy of it is kept. */
async function kept(at: RealSeo): Promise<{ readonly id: number; readonly address: string }> {
  const title = fresh("Kept");
  const id = await at.ask.draft("admin", { title, content: "<p>Old words.</p>" });
  const public_ = await at.ask.rest("admin", "POST", `/posts/${id}`, { status: "publish" });
  const address = String(public_.body["link"]);
  const change = async (to: string) => {
    const sql = `UPDATE wp_posts SET post_title = '${to}' WHERE ID = ${id}`;
    await at.wp.peek({ db: ["query", sql] });
  };
  await text(address);
  await change("Behind its back");
  assert.ok((await text(address)).includes(title), "no copy is kept");
  await change(title);
  return { id, address };
}

/** A row of the table. */
export interface CacheCase {
  readonly name: string;
  run(at: RealSeo, cache: PageCache): Promise<void>;
}

/** Every case. */
export const CACHE_CASES: readonly CacheCase[] = [
  {
    name: "a kept page is dropped with each change of its SEO fields, structured data and text",
    async run(at, { name }) {
      const { id, address } = await kept(at);
      const target = { site_id: "live", post_id: id };
      const writes: [tool: string, args: Args, shows: string][] = [
        ["set_seo_meta", { title: "The first title" }, "<title>The first title</title>"],
        ["set_seo_meta", { title: "The second title" }, "<title>The second title</title>"],
        ["set_seo_schema", { schema: { "@type": "Event", name: "The fair" } }, "The fair"],
        ["revise_published", { content_html: "<p>New words.</p>" }, "New words."],
      ];
      for (const [tool, args, shows] of writes) {
        const { proof } = await at.kit.write<Args>("rest", tool, { ...target, ...args });
        assert.deepEqual([proof.live!.as_expected, proof.live!["caches_asked"]], [true, [name]], tool);
        assert.ok((await text(address)).includes(shows), `${tool}: visitors get the page as it was`);
      }
    },
  },
  {
    name: "a redirect from a kept page leads its visitors on",
    async run(at, { name }) {
      const { address } = await kept(at);
      const source = new URL(address).pathname;
      const call = { site_id: "live", source, destination: "/" };
      const { proof } = await at.kit.write<Args>("mcp", "set_seo_redirect", call);
      assert.deepEqual([proof.live!.as_expected, proof.live!["caches_asked"]], [true, [name]]);
      assert.equal(await statusOf(address), 301);
    },
  },
  {
    name: "a redirect from a kept list of posts leads its visitors on",
    async run(at, { name }) {
      await kept(at);
      const source = "/category/uncategorized/";
      const address = `${at.site.base_url}${source}`;
      assert.match(await text(address), /Uncategorized/);
      const call = { site_id: "live", source, destination: "/" };
      const { proof } = await at.kit.write<Args>("rest", "set_seo_redirect", call);
      assert.deepEqual([proof.live!.as_expected, proof.live!["caches_asked"]], [true, [name]]);
      assert.equal(await statusOf(address), 301);
    },
  },
  {
    name: "where no cache is asked, live tells the kept page from a fault, at every write of an hour",
    async run(at) {
      const { id, address } = await kept(at);
      for (const title of ["Not seen yet", "Not seen either"]) {
        const call = { site_id: "rest_live", post_id: id, title };
        const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", call);
        assert.deepEqual([proof.verified, proof.live!.as_expected], [true, false]);
        assert.equal(proof.live!["cause"], "page_cache", title);
        assert.ok(!(await text(address)).includes(title), "visitors have it");
      }
    },
  },
];
