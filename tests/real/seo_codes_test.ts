/** Every code of the SEO tools on a real WordPress: with the companion plugin, with one too old, and without. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { type Args, type Refused, refusedCalls } from "../cms_kit.ts";
import { fixture } from "../companion/site.ts";
import { onProvider, RealSeo } from "./_seo.ts";
import { fresh, onWordPress } from "./_wordpress.ts";

const SCHEMA = { "@type": "Article" };

/** One call of each tool, of a rebuild too. */
const calls = (post_id: number): [string, Args][] => [
  ["get_seo_meta", { post_id }],
  ["set_seo_meta", { post_id, title: "x", confirm: true }],
  ["set_seo_schema", { post_id, schema: SCHEMA, confirm: true }],
  ["set_seo_redirect", { source: "/a", destination: "/b", confirm: true }],
  ["get_sitemap_status", {}],
  ["get_sitemap_status", { rebuild: true, confirm: true }],
];

onProvider("none", {
  async "a site with the feature off, or with the channel rest, is told so and not asked"(at) {
    for (const [tool, args] of calls(1)) {
      const off = { says: /^The SEO feature is off for site "off"/ };
      await at.kit.refuses(tool, { ...args, site_id: "off" }, "E_SEOPLUGIN_DISABLED", off);
      if (tool.endsWith("_meta")) continue;
      const rest = { says: /^Site "rest" has the SEO channel "rest".*version 1\.0\.0 or newer/ };
      await at.kit.refuses(tool, { ...args, site_id: "rest" }, "E_SEOPLUGIN_PLUGIN_REQUIRED", rest);
    }
    assert.deepEqual(at.kit.gw.requests, []);
  },

  async "what may not be is refused before the site is asked"(at) {
    const bad: Refused = {
      set_seo_meta: [
        [{ post_id: 1 }, /give at least one of them$/],
        [{ post_id: 1, canonical: "/x" }, /^canonical: /],
        [{ post_id: "1 or 2", title: "x" }, /^post_id: /],
        [{ post_id: 1, title: "x", post_status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
      ],
      set_seo_schema: [
        [{ post_id: 1, schema: "{" + "x" }, /^schema: the text is not JSON/],
        [{ post_id: 1, schema: { name: "x" } }, /"@type"/],
        [{ post_id: 1, schema: { ...SCHEMA, t: "x".repeat(102_400) } }, /^schema: /, "E_PAYLOAD_TOO_LARGE"],
      ],
      set_seo_redirect: [
        [{ source: "/%77p-admin", destination: "/b" }, /^source: /],
        [{ source: "/a", destination: "/A/" }, /^destination: leads back/],
        [{ source: "/a", destination: "/b\r\nX: y" }, /^destination: /],
        [{ source: "/a", destination: "/b", status: 200 }, /^status: /],
      ],
    };
    for (const [tool, args, says, code] of refusedCalls(bad)) {
      await at.kit.refuses(tool, { site_id: "live", confirm: true, ...args }, code, says);
    }
    assert.deepEqual(at.kit.gw.requests, []);
  },

  async "who may not, and what is not there, is told before anything is written"(at) {
    const own = await at.ask.draft("auth", { title: fresh("Own") });
    const theirs = await at.ask.draft("ed", { title: fresh("Theirs") });
    const gone = await at.ask.draft("ed", { title: fresh("Gone") });
    await at.ask.rest("ed", "DELETE", `/posts/${gone}`);
    const cases: [string, string, Args, RegExp][] = [
      ["auth", "get_seo_meta", { post_id: theirs }, /^CMS 403 rest_forbidden/],
      ["auth", "set_seo_meta", { post_id: theirs, title: "x" }, /^CMS 403 rest_forbidden/],
      ["auth", "set_seo_schema", { post_id: own, schema: SCHEMA }, /^CMS 403: .*"unfiltered_html"/],
      ["ed", "set_seo_redirect", { source: "/a", destination: "/b" }, /^CMS 403: .*"manage_options" to set/],
      ["seo", "get_seo_meta", { post_id: 999999 }, /^CMS 404 site_ops_post_not_found/],
      ["live", "set_seo_meta", { post_id: gone, title: "x" }, /^CMS 404 site_ops_post_not_found/],
      ["live", "set_seo_schema", { post_id: gone, schema: SCHEMA }, /^CMS 404 site_ops_post_not_found/],
    ];
    for (const [site_id, tool, args, says] of cases) {
      const call = { site_id, ...args, confirm: true };
      await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
    }
    const { done } = await at.kit.write<Args>("mcp", "set_seo_meta", {
      site_id: "auth",
      post_id: own,
      title: "Mine",
    });
    assert.equal(done["title"], "Mine");
  },

  async "a scheduled post is changed, one that is due within the minute only where live ones may be"(at) {
    const id = await at.ask.draft("ed", { title: fresh("Soon") });
    const in_s = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString().slice(0, 19);
    await at.ask.rest("ed", "POST", `/posts/${id}`, { status: "future", date_gmt: in_s(7200) });
    const args = { site_id: "seo", post_id: id, title: "Soon" };
    const { done } = await at.kit.write<Args>("rest", "set_seo_meta", args);
    assert.deepEqual([done["status"], done["title"]], ["scheduled", "Soon"]);
    const due = in_s(40).replace("T", " ");
    await at.wp.peek({ id, columns: { post_date_gmt: due, post_date: due } });
    for (
      const [tool, more] of [["set_seo_meta", { title: "x" }], ["set_seo_schema", {
        schema: SCHEMA,
      }]] as const
    ) {
      const call = { site_id: "seo", post_id: id, ...more, confirm: true };
      await at.kit.refuses(tool, call, "E_FORBIDDEN_OP", /^Post \d+ goes live at /, "reads");
    }
    const allowed = await at.kit.write<Args>("mcp", "set_seo_meta", {
      ...args,
      site_id: "live",
      title: "Due",
    });
    assert.equal(allowed.done["title"], "Due");
    assert.equal((await at.wp.peek({ id })).post["post_status"], "future", "it was not published by that");
  },

  async "text a visitor must not be hurt by comes out harmless, on that page only"(at) {
    const id = await at.ask.draft("ed", { title: fresh("Hostile") }, "pages");
    const hostile = `"><script>alert(1)</script>' onload=x`;
    const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", {
      site_id: "seo",
      post_id: id,
      title: hostile,
      og_title: hostile,
      canonical: "https://example.test/?a='b",
    });
    assert.equal(proof.verified, false);
    assert.match(proof.warnings[0]!, /^title: the site kept /);
    const name = `</script><script>alert(2)</script>`;
    await at.kit.write("rest", "set_seo_schema", {
      site_id: "seo",
      post_id: id,
      schema: { ...SCHEMA, name },
    });
    const html = await at.wp.text(await at.wp.publish(id));
    assert.ok(html.includes("ld+json") && !html.includes("<script>alert("), "nothing of it runs");
    assert.ok(!/<meta[^>]*onload=/.test(html.replaceAll(/"[^"]*"/g, '""')), "no attribute was broken out of");
  },

  async "a sitemap nobody makes is not rebuilt"(at) {
    await at.wp.peek({ options: { blog_public: "0" } });
    const status = await at.kit.both<Args>("get_sitemap_status", { site_id: "seo" });
    assert.deepEqual([status["enabled"], status["url"]], [false, null]);
    const rebuild = { site_id: "seo", rebuild: true, confirm: true };
    const says = /^Nothing makes a sitemap on this site/;
    await at.kit.refuses("get_sitemap_status", rebuild, "E_SEOPLUGIN_PLUGIN_REQUIRED", says, "reads");
    await at.wp.peek({ options: { blog_public: "1" } });
  },
});

/** All tools over the channel plugin say what the site lacks. */
async function lacking(site: CmsSandbox, says: RegExp): Promise<void> {
  await using at = await RealSeo.open(site);
  for (const [tool, args] of calls(1)) {
    const refusal = { says, sends: "reads" } as const;
    await at.kit.refuses(tool, { ...args, site_id: "live" }, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
  }
}

onWordPress({
  "without the companion plugin every SEO tool says so, and which version is needed": (site) =>
    lacking(
      site,
      /^The site has no companion plugin; version 1\.0\.0 or newer is needed: .*deno task companion/,
    ),
});

onWordPress({
  "with a companion plugin that is too old every SEO tool names both versions": (site) =>
    lacking(site, /^The site's companion plugin is version "0\.9\.0"; 1\.0\.0 or newer is needed/),
}, { plugins: [fixture("oldsiteops-standin")] });
