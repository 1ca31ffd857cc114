/** Redirects and the sitemap through both doors: an upsert without circles, and a rebuild that is a write. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, type RefusedRow } from "../cms_kit.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type SeoWorld, seoWorld, test } from "./_seo.ts";

const paths = (at: SeoWorld) =>
  at.plugin.redirects.map(({ source, destination, status }) => `${source} ${destination} ${status}`);

for (const door of DOORS) {
  test(`set_seo_redirect through ${door} adds a redirect and changes the one there is`, async (at) => {
    const first = await at.kit.write<Args>(door, "set_seo_redirect", {
      site_id: "live",
      source: "/Alt//%65ins/",
      destination: "/neu?a=1#b",
    });
    assert.deepEqual(
      first.done,
      { id: 1, created: true, source: "/Alt/eins", destination: "/neu?a=1#b", status: 301 },
    );
    assert.deepEqual([first.row.tier, first.row.result_id, first.row._published], [1, 1, undefined]);
    const to = "https://other.example/x";
    const change = { site_id: "live", source: "/alt/eins", destination: to, status: 307 };
    const second = await at.kit.write<Args>(door, "set_seo_redirect", change);
    assert.deepEqual([second.done["id"], second.done["created"], second.done["status"]], [1, false, 307]);
    assert.deepEqual([second.row.tier, second.row._published], [3, true]);
    assert.deepEqual(second.row.changes, [
      { field: "source", from: "/Alt/eins", to: "/alt/eins" },
      { field: "destination", from: "/neu?a=1#b", to },
      { field: "status", from: 301, to: 307 },
    ]);
    assert.deepEqual(paths(at), [`/Alt/eins ${to} 307`]);
    const sent = at.cms.writes.map(({ method, path, body }) => [method, path, body]);
    assert.deepEqual(sent, [
      ["POST", "/site-ops/v1/seo/redirects", { source: "/Alt/eins", destination: "/neu?a=1#b", status: 301 }],
      ["POST", "/site-ops/v1/seo/redirects", { source: "/alt/eins", destination: to, status: 307 }],
    ]);
  });

  test(`get_sitemap_status through ${door} rebuilds only when that is confirmed`, async (at) => {
    at.plugin.sitemap.cache = "kept";
    const rebuild = { site_id: "live", rebuild: true };
    const { summary, changes, tier } = await at.kit.preview("get_sitemap_status", rebuild);
    assert.equal(
      summary,
      `Throw away what is kept of the sitemap of live (${at.cms.base_url}/wp-sitemap.xml)`,
    );
    assert.deepEqual([tier, changes], [1, [
      { field: "cache", from: "kept", to: "made anew when it is next asked for" },
    ]]);
    assert.equal(at.plugin.sitemap.rebuilt, 0);
    const { done, row } = await at.kit.write<Args>(door, "get_sitemap_status", rebuild);
    const url = `${at.cms.base_url}/wp-sitemap.xml`;
    const sitemap = { provider: "none", enabled: true, url, modules: { sitemap: true }, cache: "kept" };
    assert.deepEqual(done, { ...sitemap, invalidated: true });
    assert.deepEqual([row.tier, row.changes, at.plugin.sitemap.rebuilt], [1, changes, 1]);
    assert.deepEqual(await at.kit.both("get_sitemap_status", { site_id: "live" }), sitemap);
    assert.deepEqual(await at.kit.both("get_sitemap_status", { site_id: "ed", rebuild: false }), sitemap);
    assert.equal(at.plugin.sitemap.rebuilt, 1);
  });
}

test("a preview names the published page that visitors would no longer reach", async (at) => {
  at.published.slug = "live";
  const { id } = at.published;
  const args = { site_id: "live", destination: "/b" };
  const live = await at.kit.preview("set_seo_redirect", { ...args, source: "/Live/" });
  const hidden = `visitors follow it at once and do not reach the published "Live" (${id}) that is there`;
  assert.ok(live.summary.endsWith(`; ${hidden}`), live.summary);
  for (const source of ["/before", "/nowhere"]) {
    const { summary } = await at.kit.preview("set_seo_redirect", { ...args, source });
    assert.ok(summary.endsWith("; visitors follow it at once"), summary);
  }
});

test("a path with a blank is sent escaped and kept as it reads", async (at) => {
  const args = { site_id: "live", source: "/two%20words", destination: "/b%20c" };
  const { done } = await at.kit.write<Args>("rest", "set_seo_redirect", args);
  assert.deepEqual([done["source"], done["destination"]], ["/two words", "/b%20c"]);
  assert.equal((at.cms.writes[0]?.body as Args)["source"], "/two%20words");
  const again = await at.kit.write<Args>("mcp", "set_seo_redirect", { ...args, source: "/Two%2520Words/" });
  assert.equal(again.done["created"], false);
});

test("a preview shows the redirect as it is and as it would be", async (at) => {
  const args = { site_id: "live", source: "/a", destination: "/b" };
  const made = await at.kit.preview("set_seo_redirect", args);
  assert.equal(made.summary, "Redirect /a on live to /b (301); visitors follow it at once");
  assert.deepEqual(made.changes, [
    { field: "source", from: null, to: "/a" },
    { field: "destination", from: null, to: "/b" },
    { field: "status", from: null, to: 301 },
  ]);
  at.plugin.redirects.push({ id: 9, source: "/a", destination: "/c", status: 302 });
  const changed = await at.kit.preview("set_seo_redirect", args);
  assert.match(changed.summary, /^Change the redirect from \/a on live to \/b/);
  assert.deepEqual(changed.changes.map(({ from }) => from), ["/a", "/c", 302]);
  assert.deepEqual(at.cms.writes, []);
});

const BAD: readonly RefusedRow[] = [
  [{ source: undefined }, /^source is required/],
  [{ destination: "" }, /^destination: /],
  [{ source: "/wp-admin/x" }, /^source: .*may not lead elsewhere/],
  [{ source: "/%77p-login.php" }, /^source: .*may not lead elsewhere/],
  [{ source: "/wp-json" }, /^source: /],
  [{ source: "/a\r\nX: y" }, /^source: /],
  [{ source: "https://seo.example/a" }, /^source: expected a path/],
  [{ destination: "javascript:alert(1)" }, /^destination: expected an address/],
  [{ destination: "//evil.test" }, /^destination: /],
  [{ destination: "/b%0d%0aX:y" }, /^destination: /],
  [{ destination: "/wp-admin/" }, /^destination: the admin area/],
  [{ destination: "/A/" }, /^destination: leads back to \/a/],
  [{ destination: "/%61" }, /^destination: leads back/],
  [{ destination: "HTTP://127.0.0.1/a?x" }, /^destination: leads back/],
  [{ status: 303 }, /^status: expected one of 301, 302, 307, 308/],
  [{ status: "301" }, /^status: expected one of/],
  [{ status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
  [{ delete: true }, /^delete: unknown argument/],
];

test("bad redirects are refused before the site is asked", async (at) => {
  for (const [args, says, code = "E_BAD_INPUT"] of BAD) {
    const call = { site_id: "live", source: "/a", destination: "/b", confirm: true, ...args };
    await at.kit.refuses("set_seo_redirect", call, code, says);
  }
  assert.deepEqual(at.cms.requests, []);
});

test("circles over the redirects there are are found before anything is written", async (at) => {
  const { base_url } = at.cms;
  at.plugin.redirects.push(
    { id: 1, source: "/b", destination: "/C/?x=1", status: 301 },
    { id: 2, source: "/c", destination: `${base_url}/d#y`, status: 301 },
    { id: 3, source: "/d", destination: "/a/", status: 301 },
    { id: 4, source: "/x", destination: "/y", status: 301 },
    { id: 5, source: "/y", destination: "/x", status: 301 },
    { id: 6, source: "/away", destination: "https://other.example/a", status: 301 },
    { id: 7, source: "/home", destination: "/", status: 301 },
    { id: 8, source: "/file", destination: "/wp-content/uploads/a.pdf", status: 301 },
  );
  const before = paths(at);
  const circles: [string, RegExp][] = [
    [
      "/b",
      /^destination: would lead in a circle \(\/a → \/b → \/C → \/d → \/a\); change where it leads first$/,
    ],
    [`${base_url.replace("http", "https")}/B/`, /circle/],
    ["/d", /circle \(\/a → \/d → \/a\)/],
    ["/x", /circle \(\/a → \/x → \/y → \/x\)/],
  ];
  for (const [destination, says] of circles) {
    for (const confirm of [false, true]) {
      const call = { site_id: "live", source: "/a", destination, confirm };
      await at.kit.refuses("set_seo_redirect", call, "E_BAD_INPUT", says, "reads");
    }
  }
  assert.deepEqual([paths(at), at.cms.writes], [before, []]);
  for (const destination of ["/away", "/home", "/file", "/nowhere"]) {
    const { done } = await at.kit.write<Args>("rest", "set_seo_redirect", {
      site_id: "live",
      source: "/a",
      destination,
    });
    assert.equal(done["destination"], destination);
  }
});

test("a row of redirects without end is refused", async (at) => {
  for (let n = 0; n < 30; n++) {
    at.plugin.redirects.push({ id: n + 1, source: `/r${n}`, destination: `/r${n + 1}`, status: 301 });
  }
  const says =
    /^destination: more than 10 redirects in a row \(\/a → \/r0 .*→ \/r9\); lead to where they end$/;
  const call = { site_id: "live", source: "/a", destination: "/r0", confirm: true };
  await at.kit.refuses("set_seo_redirect", call, "E_BAD_INPUT", says, "reads");
  const { done } = await at.kit.write<Args>("mcp", "set_seo_redirect", { ...call, destination: "/r21" });
  assert.equal(done["created"], true, "nine follow on it");
});

for (const guarded of [true, undefined] as const) {
  const way = guarded ? "told by the plugin at once" : "followed one by one";
  Deno.test(`a circle over a pattern of the site's SEO plugin is refused, ${way}`, async () => {
    await using at = await seoWorld({ guarded });
    at.plugin.patterns.set(/^\/shop/, "/hello-world/");
    const call = { site_id: "live", source: "/hello-world", destination: "/shop/zzz", confirm: true };
    const says = /^destination: would lead in a circle \(\/hello-world → \/shop\/zzz → \/hello-world\)/;
    await at.kit.refuses("set_seo_redirect", call, "E_BAD_INPUT", says, "reads");
    const { done } = await at.kit.write<Args>("rest", "set_seo_redirect", { ...call, source: "/other" });
    assert.equal(done["created"], true);
  });
}

test("what the account or the SEO plugin cannot do is refused before anything is written", async (at) => {
  const args = { source: "/a", destination: "/b" };
  const says = /^CMS 403: .*"manage_options" to set redirects; nothing was written/;
  await at.kit.refuses("set_seo_redirect", { ...args, site_id: "ed" }, "E_UPSTREAM", says, "reads");
  await at.kit.refuses("get_sitemap_status", { site_id: "ed", rebuild: true, confirm: true }, "E_UPSTREAM", {
    says: /^CMS 403: .*"manage_options" to rebuild the sitemap/,
    sends: "reads",
  });
  at.plugin.provider = "seopress";
  for (const confirm of [false, true]) {
    await at.kit.refuses(
      "set_seo_redirect",
      { ...args, site_id: "live", status: 308, confirm },
      "E_BAD_INPUT",
      /^status: the site's SEO plugin has no redirects of status 308, only 301, 302, 307$/,
      "reads",
    );
  }
  at.plugin.sitemap.enabled = false;
  at.plugin.sitemap.off = [{ part: "sitemap", switch: "SEO > XML Sitemap" }];
  const off = await at.kit.both<Args>("get_sitemap_status", { site_id: "live" });
  assert.deepEqual([off["enabled"], off["url"], off["off"]], [false, null, at.plugin.sitemap.off]);
  const rebuild = { site_id: "live", rebuild: true };
  await at.kit.refuses("get_sitemap_status", rebuild, "E_SEOPLUGIN_PLUGIN_REQUIRED", {
    says: /^Nothing makes a sitemap on this site: SEO > XML Sitemap$/,
    sends: "reads",
  });
  assert.deepEqual(at.cms.writes, []);
});

Deno.test("a sitemap whose address visitors get 404 at is not on, until the address is learned", async () => {
  await using at = await seoWorld();
  at.plugin.sitemap.unknown = true;
  const lost = await at.kit.both<Args>("get_sitemap_status", { site_id: "live" });
  assert.deepEqual([lost["enabled"], lost["modules"]], [false, { sitemap: true }]);
  assert.match(String(lost["why"]), /404 or 410 .* rebuild: true/);
  const learned = await at.kit.write<Args>("mcp", "get_sitemap_status", { site_id: "live", rebuild: true });
  assert.deepEqual([learned.done["enabled"], learned.done["why"]], [true, undefined]);
});

Deno.test("a redirect that is not there afterwards is no success, and what the plugin refuses keeps its code", async () => {
  const answering = (answer: unknown, status = 200) => ({
    fetch: async (input: string | URL | Request, init?: RequestInit) =>
      init?.method === "POST" ? Response.json(answer, { status }) : await fetch(input, init),
  });
  const args = { site_id: "live", source: "/a", destination: "/b", confirm: true };
  await using liar = await seoWorld(
    answering({ id: 1, created: true, source: "/a", destination: "/b", status: 301 }),
  );
  const says = /said it set the redirect, but the one from \/a is not there/;
  await liar.kit.gw.fails("set_seo_redirect", args, "E_UPSTREAM", says);
  liar.plugin.redirects.push({ id: 1, source: "/a", destination: "/elsewhere", status: 302 });
  const other = await liar.kit.gw.end("set_seo_redirect", args);
  assert.ok("code" in other && other.code === "E_UPSTREAM", JSON.stringify(other));
  assert.match(other.message, /the one from \/a leads to \/elsewhere with 302/);
  const cases: [number, string, Code][] = [
    [422, "site_ops_redirect_loop", "E_BAD_INPUT"],
    [422, "site_ops_redirect_target", "E_BAD_INPUT"],
    [409, "site_ops_seo_provider_missing", "E_SEOPLUGIN_PLUGIN_REQUIRED"],
    [403, "rest_forbidden", "E_UPSTREAM"],
  ];
  for (const [status, code, expected] of cases) {
    await using at = await seoWorld(answering({ code, message: "No", data: { status } }, status));
    const ending = await at.kit.gw.end("set_seo_redirect", args);
    assert.ok("code" in ending && ending.code === expected, JSON.stringify(ending));
    const again = await at.kit.gw.end(
      "get_sitemap_status",
      { site_id: "live", rebuild: true, confirm: true },
    );
    assert.ok("code" in again && again.code === expected, JSON.stringify(again));
  }
});

Deno.test("a rebuild is a write of tier 1 to a token that may only read, and the look is none", async () => {
  await using at = await seoWorld({ tokens: { reader: { max_risk: 0 } } });
  const rebuild = { site_id: "live", rebuild: true };
  for (const confirm of [false, true]) {
    await at.kit.refuses("get_sitemap_status", { ...rebuild, confirm }, "E_SCOPE_DENIED", {
      says: /is a tier 1 call here and the token's max_risk is 0/,
      audit: "risk_capped",
      as: "reader",
    });
  }
  await at.kit.both("get_sitemap_status", { site_id: "live", rebuild: false }, "reader");
  for (const tool of ["set_seo_meta", "set_seo_schema", "set_seo_redirect"]) {
    const says = /tier 1/;
    await at.kit.refuses(tool, { site_id: "live" }, "E_SCOPE_DENIED", {
      says,
      audit: "risk_capped",
      as: "reader",
    });
  }
});

for (const guarded of [undefined, true] as const) {
  Deno.test(`a redirect behind a rule that goes before it is told${guarded ? ", in one request" : ""}`, async () => {
    await using at = await seoWorld({ fetch: visited, guarded });
    const rule = /^\/shop/;
    at.plugin.patterns.set(rule, "/hello-world/");
    addPost(at.cms.state, { type: "post", author: 2, title: "Neu", status: "publish", slug: "neu" });
    const call = { site_id: "live", source: "/shop/a", destination: "/neu/" };
    const ahead = await at.kit.write<Args>("rest", "set_seo_redirect", call);
    assert.deepEqual([ahead.proof.verified, ahead.proof.warnings], [true, []]);
    at.plugin.foremost.add(rule);
    const { done, proof } = await at.kit.write<Args>("mcp", "set_seo_redirect", {
      ...call,
      destination: "/new",
    });
    assert.deepEqual([done["destination"], proof.verified], ["/new", false]);
    assert.match(
      proof.warnings.join(),
      /visitors of \/shop\/a are still led to \/hello-world\/ \(301\); another/,
    );
  });
}

/** What a redirect counts for: a source, a destination, whether it moves visitors, and why. */
const MOVES: readonly (readonly [source: string, destination: string, because: RegExp | null])[] = [
  ["/nobody", "/b", null],
  ["/nobody", "BASE/b", null],
  ["/nobody", "https://other.example/", /is not on seo: visitors would leave the site/],
  ["/nobody", "http://127.0.0.1:1/b", /is not on seo/],
  ["/live", "/b", /visitors get an answer at \/live today/],
  ["/LIVE/", "/b", /visitors get an answer at \/LIVE today/],
  ["/moved", "/b", /visitors get an answer at \/moved today/],
  ["/feed", "/b", /visitors get an answer at \/feed today/],
  [
    "/broken",
    "/b",
    /could not be seen whether visitors get an answer at \/broken today \(the answer was 500\)/,
  ],
];

/** Where something answers before the redirect does, and where that cannot be told. */
const UNFOLLOWED: Readonly<Record<string, { verified: boolean | null; says: RegExp }>> = {
  "/feed": { verified: false, says: /^source: the redirect is stored, and visitors of \/feed still get/ },
  "/broken": { verified: null, says: /did not show whether visitors of \/broken are sent on$/ },
};

/** The site, with an archive that no post stands behind, and an address that fails. */
async function visited(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const { pathname } = new URL(String(input));
  if (init?.method === "HEAD" && pathname === "/feed") return new Response(null);
  if (init?.method === "HEAD" && pathname === "/broken") return new Response(null, { status: 500 });
  return await fetch(input, init);
}

for (const [source, given, because] of MOVES) {
  Deno.test(`a redirect from ${source} to ${given} ${because ? "moves visitors" : "moves nobody"}`, async () => {
    await using at = await seoWorld({
      fetch: visited,
      tokens: { drafts: { max_risk: 1 }, two: { max_risk: 2 } },
    });
    at.published.slug = "live";
    addPost(at.cms.state, { type: "post", author: 2, title: "B", status: "publish", slug: "b" });
    at.plugin.redirects.push({ id: 9, source: "/moved", destination: "/c", status: 302 });
    const args = { source, destination: given.replace("BASE", at.cms.base_url) };
    const before = paths(at);
    if (because === null) {
      const made = await at.kit.preview("set_seo_redirect", { ...args, site_id: "seo" });
      assert.deepEqual([made.tier, made.warnings], [1, []]);
      await at.kit.gw.call("set_seo_redirect", { ...args, site_id: "seo", confirm: true }, { as: "drafts" });
      return assert.equal(paths(at).length, before.length + 1);
    }
    for (const confirm of [false, true]) {
      const sends = "reads";
      const call = { ...args, confirm };
      await at.kit.refuses("set_seo_redirect", { ...call, site_id: "seo" }, "E_FORBIDDEN_OP", because, sends);
      const capped = { says: /is a tier 3 call here/, sends, audit: "risk_capped" } as const;
      for (const as of ["drafts", "two"]) {
        await at.kit.refuses("set_seo_redirect", { ...call, site_id: "live" }, "E_SCOPE_DENIED", {
          ...capped,
          as,
        });
      }
    }
    assert.deepEqual([paths(at), at.cms.writes], [before, []]);
    const preview = await at.kit.gw.call<Args>("set_seo_redirect", { ...args, site_id: "live" });
    assert.equal(preview["tier"], 3);
    assert.match(String(preview["warnings"]), new RegExp(because.source.replace("on seo", "on live")));
    const { row, proof } = await at.kit.write<Args>("mcp", "set_seo_redirect", { ...args, site_id: "live" });
    assert.deepEqual([row.tier, row._published], [3, true]);
    const { verified = true, says = /^$/ } = UNFOLLOWED[source] ?? {};
    assert.equal(proof.verified, verified);
    assert.match(proof.verified_reason ?? proof.warnings.join(), says);
  });
}
