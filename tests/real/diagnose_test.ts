/** diagnose_site on a real WordPress: the companion plugin present, inactive, absent and too old, beside SEO plugins. */
import assert from "node:assert/strict";
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { fixture, PLUGIN } from "../companion/site.ts";
import { diagnose, says, type Seen } from "../tools/_diagnose.ts";
import { seoSites } from "../tools/_seo.ts";
import { markup } from "./_schema.ts";
import { onWordPress, Real } from "./_wordpress.ts";

const NEEDED = /version 1\.0\.0 or newer is needed: .*deno task companion/;

/** A kit with the sites of tests/tools/_seo.ts. */
const open = (site: CmsSandbox) => Real.open(site, { sites: seoSites(site) });

/** Asserts what checks say, through both doors, with nothing written. */
async function told(at: Real, site_id: string, expected: Readonly<Record<string, Seen>>): Promise<void> {
  await says(at.kit.both.bind(at.kit), site_id, expected);
  assert.equal(at.kit.writes, 0);
}

onWordPress({
  async "the companion plugin beside an SEO plugin, a builder and custom schema meets what it brings"(site) {
    await using at = await open(site);
    await told(at, "seo", {
      schema_bridge: [true, /^The schema bridge is active, over schemapro: 0 entries$/],
    });
    await markup(at, "One", '{"@type":"Thing"}');
    await told(at, "seo", {
      rest_api: [true, /answers$/],
      credentials: [true, /administrator/],
      companion: [true, /^The companion plugin \d+\.\d+\.\d+ is active$/],
      page_builder: [true, /^The visual page builder 3\.27\.0-standin is active; .*does not offer it/],
      tool_adapter: [false, /is not installed/, /Install it/],
      builder_tools: [false, /is not installed/, /Install it/],
      theme_snippet: [false, /is not applied/, /Nothing, unless/],
      code_page: [true, /can be made/],
      seo_bridge: [true, /^The SEO bridge is active, over yoast 22\.0-standin$/],
      seo_settings: [true, /over the companion plugin$/],
      schema_bridge: [true, /: 1 entry$/],
    });
    await told(at, "rest", {
      seo_settings: [false, /channel is rest, though the companion plugin is ready/, /channel=plugin$/],
    });
    await told(at, "off", {
      seo_settings: [false, /SEO feature is off/, /site update off --seo enabled=true --seo channel=plugin$/],
    });
  },

  async "an editor is told the same by the companion plugin, an author which rights are missing"(site) {
    await using at = await open(site);
    await told(at, "ed", {
      companion: [true, /is active$/],
      page_builder: [true, /3\.27\.0-standin is active/],
      tool_adapter: [false, /is not active/, /Install and activate/],
      code_page: [true, /can be made/],
      seo_bridge: [true, /yoast/],
      schema_bridge: [true, /schemapro/],
    });
    await told(at, "auth", {
      companion: [true, /is active$/],
      code_page: [false, /lacks the right "edit_pages" and "unfiltered_html"/, /role/],
      schema_bridge: [false, /"edit_others_posts" and "unfiltered_html"/, /role/],
    });
    await told(at, "subscriber", { companion: [null, /CMS 403/, /role that may edit posts/] });
    await told(at, "wrong", {
      rest_api: [true, /answers/],
      credentials: [false, /CMS 401/, /new application password/],
      companion: [null, /CMS 401/, /^Repair credentials first$/],
      theme: [null, /CMS 401/, /^Repair credentials first$/],
      tool_adapter: [null, /cannot be seen: CMS 401/, /^Repair credentials first$/],
      seo_bridge: [null, /gave no report/, /companion/],
    });
  },

  async "a companion plugin that is switched off is reported as installed, with its version"(site) {
    await using at = await open(site);
    const turn = async (status: string) => {
      const { body } = await at.ask.rest("admin", "POST", "/plugins/site-ops/site-ops", { status });
      assert.equal(body["status"], status);
    };
    await turn("inactive");
    try {
      await told(at, "seo", {
        companion: [
          false,
          /^The companion plugin \d+\.\d+\.\d+ is installed but not active$/,
          /^Activate it/,
        ],
        seo_bridge: [false, /needs the companion plugin, which is not active/, /companion/],
        seo_settings: [false, /no SEO bridge/, /companion and seo_bridge/],
      });
      await told(at, "ed", { companion: [false, /is not active$/, NEEDED] });
    } finally {
      await turn("active");
    }
    await told(at, "seo", { companion: [true, /is active$/] });
  },
}, {
  plugins: [PLUGIN, ...["peek", "yoast-standin", "elementor-standin", "schemapro-standin"].map(fixture)],
});

onWordPress({
  async "without an SEO plugin the companion plugin keeps the fields itself, and there is no custom schema"(
    site,
  ) {
    await using at = await open(site);
    await told(at, "seo", {
      companion: [true, /is active$/],
      page_builder: [false, /is not installed/, /Install it/],
      seo_bridge: [true, /without an SEO plugin it keeps and shows the fields itself/],
      seo_settings: [true, /over the companion plugin/],
      schema_bridge: [false, /no plugin that keeps custom schema is active/, /custom schema is wanted/],
    });
  },
}, { plugins: [PLUGIN] });

onWordPress({
  async "without the companion plugin the fields that an SEO plugin opens to REST are told"(site) {
    await using at = await open(site);
    const absent = /needs the companion plugin, which is not installed/;
    const expected: Record<string, Seen> = {
      companion: [false, /is not installed$/, NEEDED],
      theme_snippet: [null, absent, /companion/],
      code_page: [false, absent, /companion/],
      seo_bridge: [false, absent, /companion/],
      schema_bridge: [false, absent, /companion/],
    };
    await told(at, "rest", {
      ...expected,
      seo_settings: [true, /for the fields that seopress opens to REST$/],
    });
    await told(at, "seo", {
      ...expected,
      seo_settings: [false, /no SEO bridge/, /companion and seo_bridge/],
    });
    await told(at, "off", { seo_settings: [false, /SEO feature is off/, /channel=rest$/] });
    await told(at, "ed", { companion: [false, /is not active$/, NEEDED] });
  },
}, { plugins: [fixture("seopress-standin")] });

onWordPress({
  async "a companion plugin that is too old is told with its version and the one that is needed"(site) {
    await using at = await open(site);
    const old = /needs the companion plugin, which is too old/;
    await told(at, "seo", {
      companion: [false, /^The companion plugin 0\.9\.0 is too old$/, NEEDED],
      theme_snippet: [null, old, /companion/],
      code_page: [false, old, /companion/],
      seo_bridge: [false, old, /companion/],
      seo_settings: [false, /no SEO bridge/, /companion/],
      schema_bridge: [false, old, /companion/],
    });
    const all = await diagnose(at.kit.both.bind(at.kit), { site_id: "seo" });
    assert.deepEqual(
      Object.values(all).filter(({ ok }) => ok).map(({ name }) => name),
      ["rest_api", "credentials", "clock", "theme"],
    );
  },
}, { plugins: [fixture("oldsiteops-standin")] });
