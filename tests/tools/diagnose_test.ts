/** diagnose_site on CMS sites: every check in each of its states. */
import { COMPANION_VERSION } from "../../platforms/wordpress/companion/plugin.ts";
import assert from "node:assert/strict";
import type { PluginRow, WordPressFault } from "../../sandbox/wordpress_standin/start.ts";
import { gateway, site } from "../kit.ts";
import {
  CAPS,
  type Check,
  diagnose,
  featured,
  FEATURES,
  REPORT,
  reporting,
  says,
  told,
} from "./_diagnose.ts";

const HTML = { kind: "html" } as const;
const INDEX = /^\/$/;
const HEALTH = "/site-ops/v1/health";
const row = (folder: string, status: PluginRow["status"], version: string): PluginRow => ({
  plugin: `${folder}/${folder}`,
  status,
  name: folder,
  version,
});

Deno.test("a site that has everything meets every check", async () => {
  await using at = await reporting(REPORT);
  const found = await diagnose(at.kit.both.bind(at.kit), { site_id: "plugin" });
  const unmet = Object.values(found).filter(({ name, ok }) => ok !== true && name !== "google_account");
  assert.deepEqual(unmet, []);
  const details = Object.fromEntries(Object.entries(found).map(([name, { detail }]) => [name, detail]));
  assert.deepEqual(details, {
    rest_api: '"Test Site" answers',
    credentials: 'Signed in as "admin" (administrator)',
    clock: "The site's clock agrees with the gateway's",
    companion: `The companion plugin ${COMPANION_VERSION} is active`,
    page_builder: "The visual page builder 3.27.0 is active",
    theme: "The theme is twentytwentyfour 1.1",
    tool_adapter: "The tool adapter 0.5.0 is active",
    builder_tools: "The builder tool plugin 1.4.2 is active",
    theme_snippet: "The theme snippet is applied",
    code_page: "Pages can be made from code",
    seo_bridge: "The SEO bridge is active, over yoast 22.5",
    seo_settings: "The SEO feature is on, over the companion plugin",
    schema_bridge: "The schema bridge is active, over schemapro: 3 entries",
    google_account: "No Google account is bound to the site",
    topicmap_link: 'Linked to workspace "w1"',
  });
});

Deno.test("an address that the gateway may not call is not blamed on the site's firewall", async () => {
  await using gw = await gateway({
    sites: [site("acme", "cms", { base_url: "http://127.0.0.1:9" })],
    allowPrivate: [],
  });
  const args = { site_id: "acme", checks: ["rest_api"] };
  const { checks: [found] } = await gw.call<{ checks: Check[] }>("diagnose_site", args);
  assert.equal(found!.ok, false);
  assert.match(found!.detail, /is not https/);
  assert.match(found!.next_step!, /^Correct base_url, or have the operator list its host in ALLOW_PRIVATE/);
  assert.deepEqual(gw.requests, []);
});

Deno.test("the index tells whether the API is reachable, and the clock", async () => {
  const base = /firewall/;
  await told(REPORT, {
    rest_api: [false, /^CMS 500: /, base],
    clock: [null, /did not answer/, /rest_api/],
    credentials: [true, /"admin"/],
    companion: [true, /1\.7\.0/],
  }, { trouble: HTML, path: INDEX });
  await told(REPORT, { rest_api: [false, /CMS 200: the answer is not JSON/, base] }, {
    trouble: { kind: "html", status: 200 },
    path: INDEX,
  });
  await told(REPORT, { rest_api: [false, /broke the connection off/, base] }, {
    trouble: { kind: "partial" },
    path: INDEX,
  });
  await told(REPORT, { rest_api: [null, /CMS 401/, /credentials/] }, {
    trouble: { kind: "unauthorized" },
    path: INDEX,
  });
});

Deno.test("a clock that is off is told in either direction, and one that cannot be read too", async () => {
  for (const [seconds, way] of [[-300, /300 s behind/], [300, /300 s ahead of/]] as const) {
    await using at = await reporting(REPORT);
    at.cms.skew(seconds);
    await says(at.kit.both.bind(at.kit), "plugin", { clock: [false, way, /clock of the site's server/] });
  }
  const undated: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const headers = new Headers(answer.headers);
    headers.delete("date");
    return new Response(answer.body, { status: answer.status, headers });
  };
  await using at = await reporting(REPORT, {}, { fetch: undated });
  await says(at.kit.both.bind(at.kit), "plugin", { clock: [null, /carry no time/, /Date/] });
});

Deno.test("credentials are met, refused, turned off, or not known", async () => {
  await told(REPORT, { credentials: [false, /CMS 401/, /new application password/] }, { site_id: "wrong" });
  await told(REPORT, { credentials: [false, /"sub" \(subscriber\), who lacks/, /Give the account a role/] }, {
    site_id: "subscriber",
  });
  await told(REPORT, { credentials: [false, /application passwords turned off/, /https/] }, {
    environment: "production",
  });
  await told(REPORT, { credentials: [null, /CMS 500/, /rest_api/] }, { trouble: HTML, path: "/users/me" });
  await told(REPORT, { credentials: [null, /lacks what was relied on|not JSON|broke/, /rest_api/] }, {
    trouble: { kind: "partial", length: "true" },
    path: "/users/me",
  });
  await using at = await reporting(REPORT);
  const bare = await diagnose(at.kit.both.bind(at.kit), { site_id: "bare" });
  for (const { name, ok, next_step } of Object.values(bare)) {
    const expected = name === "credentials" || name === "topicmap_link" ? false : null;
    assert.equal(ok, expected, name);
    if (ok === null && name !== "google_account") assert.equal(next_step, "Set the credentials first");
  }
  assert.deepEqual(at.cms.requests, [], "a site is not asked in nobody's name");
});

Deno.test("the companion plugin is there, missing, inactive, silent, too old, or not known", async () => {
  const needed = /version 1\.0\.0 or newer is needed: an operator makes its zip with deno task companion/;
  const own = (status: PluginRow["status"]) => [row("site-ops", status, "1.1.0")];
  await told(null, { companion: [false, /is not installed$/, needed] });
  await told(null, { companion: [false, /1\.1\.0 is installed but not active/, /^Activate it/] }, {
    plugins: own("inactive"),
  });
  await told(null, { companion: [false, /1\.1\.0 is active, but has no report/, /error log/] }, {
    plugins: own("active"),
  });
  await told(null, { companion: [false, /is not active$/, needed] }, { site_id: "editor" });
  for (const [version, said] of [["0.9.9", /0\.9\.9 is too old/], ["<b>1</b>", /cannot be read/]] as const) {
    const old = { ...REPORT, plugin_version: version };
    await told(old, {
      companion: [false, said, needed],
      theme_snippet: [null, /which is too old/, /companion/],
      code_page: [false, /which is too old/, /companion/],
      seo_bridge: [false, /which is too old/, /companion/],
      schema_bridge: [false, /which is too old/, /companion/],
      seo_settings: [false, /no SEO bridge/, /companion/],
    });
  }
  const rows: [WordPressFault, RegExp, RegExp][] = [
    [HTML, /CMS 500/, /error log/],
    [{ kind: "html", status: 200 }, /not JSON/, /error log/],
    [{ kind: "html", status: 403 }, /firewall/, /firewall/],
    [{ kind: "partial" }, /broke the connection off/, /error log/],
    [{ kind: "partial", length: "true" }, /not JSON/, /error log/],
    [{ kind: "unauthorized" }, /CMS 401/, /credentials/],
  ];
  for (const [trouble, said, next] of rows) {
    await told(REPORT, {
      companion: [null, said, next],
      rest_api: [true, /answers/],
      theme_snippet: [null, /gave no report/, /companion/],
      code_page: [null, /gave no report/, /companion/],
      seo_bridge: [null, /gave no report/, /companion/],
      schema_bridge: [null, /gave no report/, /companion/],
      seo_settings: [null, /companion plugin, which is not known/, /companion/],
    }, { trouble, path: HEALTH });
  }
  await told({ features: FEATURES }, { companion: [null, /plugin_version/, /error log/] });
  await told(null, { companion: [false, /is not installed$/, needed] }, { trouble: HTML, path: HEALTH });
});

Deno.test("an old companion plugin that works is named with the way to update it, and an update that was refused too", async () => {
  const host = "updates.example.com";
  const rows: [version: string, update: unknown, says: RegExp][] = [
    ["1.7.0", null, /1\.7\.0 is active$/],
    ["1.7.0", { host, offered: null, refused: null }, /1\.7\.0 is active$/],
    [
      "1.1.0",
      undefined,
      /1\.1\.0 is active, and older than 1\.7\.0, .*an operator makes its zip with deno task/,
    ],
    [
      "1.3.0",
      { host: null, offered: null, refused: null },
      /older than 1\.7\.0, .*uploads it on the site's Plugins/,
    ],
    [
      "1.3.0",
      { host, offered: "1.7.0", refused: null },
      /older than 1\.7\.0, .*press the update that the site's/,
    ],
    [
      "1.7.0",
      { host, offered: null, refused: "<b>obey</b>" },
      /active; the site refused an update .*there why$/,
    ],
    [
      "1.7.0",
      { host, offered: null, refused: null, unanswered: true },
      /1\.7\.0 is active; the server of its updates did not answer when the site last looked for one$/,
    ],
    ["1.3.0", 7, /older than 1\.7\.0/],
  ];
  for (const [plugin_version, update, says] of rows) {
    const report = { ...REPORT, plugin_version, ...(update === undefined ? {} : { update }) };
    await told(report, { companion: [true, says] });
  }
});

const PARTS = [
  ["page_builder", "elementor", "elementor/v1", "The visual page builder"],
  ["tool_adapter", "mcp-adapter", "mcp", "The tool adapter"],
  ["builder_tools", "elementor-mcp", null, "The builder tool plugin"],
  ["builder_tools", "emcp-tools", "emcp-tools/oauth/v1", "The builder tool plugin"],
] as const;

for (const [name, folder, namespace, what] of PARTS) {
  Deno.test(`${name} in ${folder} is told from the report, the plugin list or the index, whichever there is`, async () => {
    const off = featured({
      page_builder: { visual: { active: false, version: null } },
      [name === "page_builder" ? "none" : name]: { active: false, version: null },
    });
    await told(null, { [name]: [true, new RegExp(`^${what} 2\\.0\\.1 is active`)] }, {
      plugins: [row(folder, "active", "2.0.1")],
    });
    await told(null, { [name]: [false, /2\.0\.1 is installed but not active/, /^Activate it/] }, {
      plugins: [row(folder, "inactive", "2.0.1")],
    });
    await told(null, { [name]: [false, /is not installed/, /^Install it/] });
    await told(null, { [name]: [true, new RegExp(`^${what} is active`)] }, {
      plugins: [row(folder, "active", "as it comes")],
    });
    await told(off, { [name]: [false, /2\.0\.1 is active, but does not work/, /error log/] }, {
      plugins: [row(folder, "active", "2.0.1")],
    });
    await told(off, { [name]: [false, /is not active/, /^Install and activate it/] }, { site_id: "editor" });
    await told(null, { [name]: [null, /cannot be seen: CMS 403/, /Plugins/] }, { site_id: "editor" });
    await told(REPORT, { [name]: [true, new RegExp(`^${what} [\\d.]+ is active`)] }, { site_id: "editor" });
    if (namespace === null) return;
    await told(null, { [name]: [true, /its version shows only to an account/] }, {
      site_id: "editor",
      namespaces: [namespace],
    });
  });
}

Deno.test("the visual builder is seen by its namespace where the plugin list fails", async () => {
  await told(
    null,
    { page_builder: [true, /its version shows only to an account/], theme: [true, /theme is/] },
    { trouble: HTML, path: "/wp/v2/plugins", namespaces: ["elementor/v1"] },
  );
});

Deno.test("the visual builder is held to what the site's record offers", async () => {
  await told(REPORT, { page_builder: [true, /the site's record does not offer it/] }, { site_id: "rest" });
  await told(null, { page_builder: [false, /yet the site's record offers it/, /take visual out/] });
});

Deno.test("the theme is told, or why it is not", async () => {
  await told(REPORT, { theme: [null, /CMS 500/, /Appearance/] }, { trouble: HTML, path: "/themes" });
  await told(REPORT, { theme: [null, /CMS 403/, /Appearance/] }, { site_id: "subscriber" });
  const none: typeof fetch = async (input, init) =>
    String(input).includes("/themes") ? Response.json([]) : await fetch(input, init);
  await using at = await reporting(REPORT, {}, { fetch: none });
  await says(at.kit.both.bind(at.kit), "plugin", { theme: [null, /shows no theme/, /Appearance/] });
});

Deno.test("what the companion plugin brings is met, not met, or not told of", async () => {
  const absent = /needs the companion plugin, which is not installed/;
  await told(null, {
    theme_snippet: [null, absent, /companion/],
    code_page: [false, absent, /companion/],
    seo_bridge: [false, absent, /companion/],
    schema_bridge: [false, absent, /companion/],
  });
  const off = { active: false, provider: null, provider_version: null, entries: 0 };
  await told(
    featured({ theme_snippet: { applied: false }, code_page: off, seo_bridge: off, schema_bridge: off }),
    {
      theme_snippet: [false, /is not applied/, /the companion plugin does its work/],
      code_page: [false, /turned off/, /companion plugin/],
      seo_bridge: [false, /turned off/, /companion plugin/],
      schema_bridge: [false, /no plugin that keeps custom schema is active/, /custom schema is wanted/],
      seo_settings: [false, /no SEO bridge/, /seo_bridge/],
    },
  );
  const bridge = { active: true, provider: "yoast", provider_version: "22.5" };
  const two = { ...bridge, beside: ["rankmath", "<b>obey</b>"] };
  await told(featured({ seo_bridge: { ...bridge, beside: ["rankmath"] } }), {
    seo_bridge: [false, /over yoast 22\.5, and rankmath prints fields of its own beside it/, /Keep one/],
  });
  await told(featured({ seo_bridge: two }), { seo_bridge: [true, /over yoast 22\.5$/] });
  const silent = { theme_snippet: null, code_page: "yes", seo_bridge: [], schema_bridge: { active: "1" } };
  const untold = /the companion plugin does not tell/;
  for (const features of [silent, [], "none"]) {
    const report = { ...REPORT, features };
    await told(report, {
      companion: [true, /1\.7\.0/],
      theme_snippet: [null, untold, /update the companion plugin/],
      code_page: [null, untold, /update the companion plugin/],
      seo_bridge: [null, untold, /update the companion plugin/],
      schema_bridge: [null, untold, /update the companion plugin/],
      seo_settings: [null, /not known/, /companion/],
    });
  }
  const poor = { ...REPORT, user: { caps: { ...CAPS, unfiltered_html: false, edit_pages: false } } };
  await told(poor, {
    code_page: [false, /lacks the right "edit_pages" and "unfiltered_html"/, /role/],
    schema_bridge: [false, /lacks the right "unfiltered_html"/, /role/],
  });
  await told({ ...REPORT, user: [] }, { code_page: [true, /can be made/] });
});

Deno.test("the bridges name their plugins, their versions and the count as far as they are told", async () => {
  const bridge = (provider: unknown, provider_version: unknown) =>
    featured({ seo_bridge: { active: true, provider, provider_version } });
  await told(bridge("none", null), { seo_bridge: [true, /without an SEO plugin it keeps/] });
  await told(bridge("other", "4.9"), { seo_bridge: [false, /cannot reach the fields/, /or use Yoast SEO/] });
  await told(bridge("rankmath", null), { seo_bridge: [true, /over rankmath$/] });
  await told(bridge("seopress", "<i>9</i>"), { seo_bridge: [true, /over seopress$/] });
  const off = (parts: unknown) =>
    featured({ seo_bridge: { active: true, provider: "rankmath", provider_version: "1.0.273", off: parts } });
  const setup = [{ part: "all", switch: "Rank Math > Setup Wizard" }];
  await told(off(setup), {
    seo_bridge: [false, /1\.0\.273 is active and shows nothing yet$/, /Setup Wizard/],
  });
  const parts = [{ part: "schema", switch: "Schema" }, { part: "sitemap", switch: "Sitemap" }];
  await told(off(parts), {
    seo_bridge: [
      false,
      /switched off: structured data, the sitemap$/,
      /^If they are wanted: Schema; Sitemap$/,
    ],
  });
  await told(off("all"), { seo_bridge: [true, /over rankmath 1\.0\.273$/] });
  await told(bridge("<script>", "1"), { seo_bridge: [true, /over an SEO plugin that is not told/] });
  const schema = (provider: unknown, entries: unknown) =>
    featured({ schema_bridge: { active: true, provider, entries } });
  await told(schema("schemapro", 1), { schema_bridge: [true, /: 1 entry$/] });
  await told(schema("schemapro", 0), { schema_bridge: [true, /: 0 entries$/] });
  await told(schema("x", "many"), {
    schema_bridge: [true, /a plugin that is not told: how many .* not told/],
  });
  await told(REPORT, { schema_bridge: [true, /3 entries; tools reach it once .* plugin$/] }, {
    site_id: "rest",
  });
});

Deno.test("the record's SEO settings are held to what the site has", async () => {
  const off = /SEO feature is off/;
  await told(REPORT, {
    seo_settings: [false, off, /site update acme --seo enabled=true --seo channel=plugin$/],
  }, { site_id: "acme" });
  await told(null, {
    seo_settings: [false, off, /site update acme --seo enabled=true --seo channel=rest$/],
  }, { site_id: "acme" });
  await told(null, { seo_settings: [false, /no SEO bridge/, /companion and seo_bridge/] });
  const rest = { site_id: "rest" };
  await told(REPORT, {
    seo_settings: [false, /channel is rest, though the companion plugin is ready/, /channel=plugin$/],
  }, rest);
  await told(null, { seo_settings: [false, /shows no SEO plugin/, /Install the companion plugin/] }, rest);
  await told(null, { seo_settings: [true, /for the fields that seopress opens/] }, {
    ...rest,
    namespaces: ["seopress/v1"],
  });
  await told(null, { seo_settings: [null, /did not answer/, /rest_api/] }, {
    ...rest,
    trouble: HTML,
    path: INDEX,
  });
});
