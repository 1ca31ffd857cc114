/** `live` beside `verified`: what visitors get after a write, told apart from a cache, a wall and a fault. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { type SeoOptions, type SeoWorld, seoWorld } from "./_seo.ts";
import { world } from "./_stand_in.ts";

const MARK = "site-ops-check";
const ANNA = { title: "Anna's roofs", description: "Slate & more", canonical: "https://else.example/a" };

/** A page of HTML in the place of the true answer. */
const page = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { "content-type": "text/html", ...headers } });

/** A world in which visitors' requests may be answered otherwise; undefined for as they are. */
async function seen(
  instead: (url: URL) => Response | undefined | Promise<Response | undefined>,
  options: SeoOptions = {},
  ask: typeof fetch = fetch,
): Promise<SeoWorld & { visits: URL[] }> {
  const visits: URL[] = [];
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input));
    if (url.pathname.startsWith("/wp-json") || init?.method === "HEAD") return await ask(input, init);
    visits.push(url);
    const headers = Object.keys(init?.headers ?? {}).sort();
    assert.deepEqual(headers, ["accept", "user-agent"], "no credentials and no cookie");
    return await instead(url) ?? await fetch(input, init);
  };
  const at = await seoWorld({ fetch: answer, ...options });
  at.published.slug = "live";
  return Object.assign(at, { visits });
}

const asIs = () => undefined;
const fields = (at: SeoWorld, more: Args = {}) => ({ site_id: "live", post_id: at.published.id, ...more });

for (const door of DOORS) {
  Deno.test(`set_seo_meta through ${door} tells that visitors get the fields, and on which address`, async () => {
    await using at = await seen(asIs);
    const robots = { nofollow: true };
    const og = { og_title: "Shared", og_image: `${at.cms.base_url}/a.png`, twitter_title: "Tweeted" };
    const { proof } = await at.kit.write(door, "set_seo_meta", fields(at, { ...ANNA, ...og, robots }));
    assert.deepEqual([proof.verified, proof.warnings], [true, []]);
    assert.deepEqual(proof.live, {
      checked_at: "2026-11-21T12:00:00.000Z",
      address: `${at.cms.base_url}/live/`,
      as_expected: true,
      differs: [],
    });
    assert.deepEqual(at.visits.map(({ pathname, search }) => `${pathname}${search.split("=")[0]}`), [
      "/?p",
      "/live/",
      `/live/?${MARK}`,
    ]);
  });
}

Deno.test("a value that the page does not show is told beside verified, which it changes nothing of", async () => {
  await using at = await seen(asIs);
  // A theme that prints a title of its own, and a plugin that hides the whole site.
  at.cms.state.heads.unshift(() => ({
    title: "The theme's own",
    tags: ['<meta name="robots" content="noindex" />'],
  }));
  const { done, proof, row } = await at.kit.write<Args>(
    "rest",
    "set_seo_meta",
    fields(at, { ...ANNA, robots: { noindex: false, nosnippet: true } }),
  );
  assert.deepEqual([proof.verified, done["title"], row.status], [true, ANNA.title, "ok"]);
  assert.deepEqual([proof.live!.as_expected, proof.live!["cause"]], [false, "page"]);
  assert.deepEqual(proof.live!["differs"], [
    { field: "title", expected: ANNA.title, seen: "The theme's own" },
    { field: "robots.noindex", expected: false, seen: true },
  ]);
  assert.match(
    proof.warnings.join(),
    /^live: visitors of .* get something else: title is "The theme's own", expected/,
  );
});

Deno.test("what a page cannot be held to is no difference, and no proof: variables, cleared fields, marks the theme sets", async () => {
  await using at = await seen(asIs);
  at.cms.state.heads.unshift(() => ({ title: "Anna&#8217;s &#8211; x", tags: [] }));
  const unsaid = /^title: cleared or made of variables, and the site does not say what visitors get then$/;
  const cases: [Args, boolean | null, RegExp][] = [
    [{ title: "%%title%% %%sep%% x" }, null, unsaid],
    [{ title: "Anna's - x" }, true, /^undefined$/],
    [{ title: "" }, null, unsaid],
    [{ focus_keyword: "x" }, null, /^no page shows what was set$/],
    [{ focus_keyword: "y", robots: { noindex: false } }, true, /^undefined$/],
  ];
  for (const [change, as_expected, reason] of cases) {
    const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, change));
    assert.deepEqual([proof.live!.as_expected, proof.live!["differs"], proof.warnings], [
      as_expected,
      [],
      [],
    ]);
    assert.match(String(proof.live!["reason"]), reason, JSON.stringify(change));
  }
});

Deno.test("a field that is cleared or holds variables is held to what the site says it comes to", async () => {
  await using at = await seen(asIs);
  const visitorsGet = (title: string) => at.cms.state.heads.unshift(() => ({ title, tags: [] }));
  const made = "Roofs & more - Site";
  at.plugin.effects.set(at.published.id, { shown: { title: { value: made, by: "type" } } });
  for (const title of ["%%title%% %%sep%% %%sitename%%", ""]) {
    visitorsGet("Roofs &amp; more &#8211; Site");
    const right = (await at.kit.write("rest", "set_seo_meta", fields(at, { title }))).proof;
    assert.deepEqual([right.live!.as_expected, right.warnings], [true, []], title);
    visitorsGet("The theme's own");
    const { proof } = await at.kit.write("mcp", "set_seo_meta", fields(at, { title }));
    assert.deepEqual([proof.verified, proof.live!.as_expected], [true, false], title);
    assert.deepEqual(proof.live!["differs"], [{ field: "title", expected: made, seen: "The theme's own" }]);
  }
});

Deno.test("percent signs alone are no variable: a text that the SEO plugin takes apart is seen", async () => {
  await using at = await seen(asIs);
  at.cms.state.heads.unshift(() => ({ title: "5 off", tags: [] }));
  const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "5%-10% off" }));
  assert.deepEqual(proof.live!["differs"], [{ field: "title", expected: "5%-10% off", seen: "5 off" }]);
});

Deno.test("a cache that serves the old page for a minute is told apart from a fault", async () => {
  let kept = true;
  await using at = await seen((url) =>
    kept && url.pathname === "/live/" && !url.searchParams.has(MARK)
      ? page("<title>As it was</title>", 200, { "x-litespeed-cache": "hit", age: "35" })
      : undefined
  );
  const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "New" }));
  const { as_expected, cause, cache, reason, next, differs } = proof.live as Args;
  assert.deepEqual([proof.verified, as_expected, cause], [true, false, "page_cache"]);
  assert.deepEqual(cache, { name: "LiteSpeed", hit: true, age_seconds: 35 });
  assert.deepEqual(differs, [{ field: "title", expected: "New", seen: "As it was" }]);
  assert.match(
    String(reason),
    /the page cache of LiteSpeed \(a copy 35 s old\) still serves visitors the page as it was/,
  );
  assert.match(String(next), /empty that cache for this address, or wait until its copy has expired/);
  assert.equal(proof.warnings.length, 1);
  kept = false; // a minute later
  const again = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "New" }));
  assert.equal(again.proof.live!.as_expected, true, "unchanged, and looked at all the same");
});

Deno.test("the page caches that the site asked to drop the page are named, and not asked for again", async () => {
  let kept = false;
  const told = async (input: string | URL | Request, init?: RequestInit) => {
    const answer = await fetch(input, init);
    if (init?.method !== "POST") return answer;
    const headers = new Headers(answer.headers);
    headers.set("x-site-ops-caches", "WP Rocket, <b>, LiteSpeed Cache");
    return new Response(answer.body, { status: answer.status, headers });
  };
  const instead = (url: URL) =>
    kept && url.pathname === "/live/" && !url.searchParams.has(MARK)
      ? page("<title>As it was</title>")
      : undefined;
  await using at = await seen(instead, {}, told);
  const names = ["WP Rocket", "LiteSpeed Cache"];
  const writes: [string, Args][] = [
    ["set_seo_meta", fields(at, { title: "New" })],
    [
      "set_seo_schema",
      fields(at, { schema: { "@context": "https://schema.org", "@type": "Event", name: "x" } }),
    ],
    ["set_seo_redirect", { site_id: "live", source: "/from/", destination: "/live/" }],
  ];
  for (const [tool, args] of writes) {
    const { proof } = await at.kit.write("rest", tool, args);
    assert.deepEqual(proof.live!["caches_asked"], names, tool);
  }
  kept = true;
  const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "Newer" }));
  assert.deepEqual([proof.live!.as_expected, proof.live!["cause"]], [false, "page_cache"]);
  assert.match(proof.warnings.join(), /WP Rocket, LiteSpeed Cache were asked to drop it already; empty/);
});

Deno.test("a kept copy that is right does not hide a site that no longer is", async () => {
  await using at = await seen((url) =>
    url.pathname !== "/live/"
      ? undefined
      : url.searchParams.has(MARK)
      ? page("<title>Broken</title>")
      : page("<title>New</title>", 200, { "cf-cache-status": "HIT" })
  );
  const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "New" }));
  assert.deepEqual([proof.live!.as_expected, proof.live!["cause"]], [false, "page"]);
  assert.match(String(proof.live!["reason"]), /Cloudflare still shows what was expected/);
});

Deno.test("a firewall or a challenge that meets our reader only says nothing of the page, and fails no write", async () => {
  const walls: [answer: () => Response, says: RegExp][] = [
    [() => page("no", 403), /people may see the page all the same/],
    [
      () => page("<title>Just a moment...</title>", 403, { "cf-mitigated": "challenge" }),
      /a bot check of Cloudflare/,
    ],
    [() => page("slow", 429), /too busy \(429\)/],
    [
      () => new Response(null, { status: 301, headers: { location: "https://www.elsewhere.example/" } }),
      /set its base_url/,
    ],
    [
      () => new Response(null, { status: 302, headers: { location: "http://10.0.0.7/" } }),
      /not this site and was not asked/,
    ],
  ];
  for (const [answer, says] of walls) {
    await using at = await seen(answer);
    const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "New" }));
    assert.deepEqual([proof.verified, proof.live!.as_expected, proof.warnings], [true, null, []]);
    assert.match(String(proof.live!["reason"]), says);
    assert.ok(String(proof.live!["next"]).length > 10);
    assert.equal(at.visits.length, 1, "nothing is asked twice or elsewhere");
  }
});

Deno.test("what every visitor meets in the page's place is not as expected, and says what to do", async () => {
  const walls: [answer: () => Response, says: RegExp][] = [
    [() => page("", 401, { "www-authenticate": 'Basic realm="staging"' }), /basic authentication/],
    [() => page("Briefly unavailable for scheduled maintenance.", 503), /maintenance mode/],
    [() => new Response(null, { status: 302, headers: { location: "/wp-login.php" } }), /log-in/],
    [() => page("There has been a critical error on this website.", 500), /critical error/],
    [() => page("<title>gone</title>", 404), /status is 404, expected 200/],
  ];
  for (const [answer, says] of walls) {
    await using at = await seen(answer);
    const { proof } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "New" }));
    assert.deepEqual([proof.verified, proof.live!.as_expected], [true, false]);
    assert.match(proof.warnings.join(), says);
  }
});

Deno.test("where nobody answers, the write stands as it is and live says that nobody knows", async () => {
  await using at = await seen(() => Promise.reject(new TypeError("broken off")));
  const { proof, row } = await at.kit.write("rest", "set_seo_meta", fields(at, { title: "New" }));
  assert.deepEqual([proof.verified, row.status, proof.warnings], [true, "ok", []]);
  assert.equal(proof.live!.as_expected, null);
  assert.match(String(proof.live!["reason"]), /broke the connection off|could not be reached/);
});

Deno.test("a draft is not looked at: live is null with the next step", async () => {
  await using at = await seen(asIs);
  const { proof } = await at.kit.write("rest", "set_seo_meta", {
    site_id: "live",
    post_id: at.draft.id,
    title: "New",
  });
  assert.deepEqual([proof.live, at.visits], [null, []]);
  assert.match(proof.live_reason!, /not published; look with view_live once it is/);
  const schema = { "@context": "https://schema.org", "@type": "Event", name: "x" };
  const data = await at.kit.write("rest", "set_seo_schema", {
    site_id: "live",
    post_id: at.draft.id,
    schema,
  });
  assert.deepEqual([data.proof.live, at.visits], [null, []]);
});

Deno.test("structured data is looked for on the page, with what its plugin made of its texts", async () => {
  await using at = await seen(asIs);
  const schema = {
    "@context": "https://schema.org",
    "@type": "Event",
    name: "Rock & Roll",
    location: { "@type": "Place" },
  };
  const { proof } = await at.kit.write("rest", "set_seo_schema", fields(at, { schema }));
  assert.deepEqual([proof.live!.as_expected, proof.warnings], [true, []]);
  at.cms.state.heads.splice(0, 9, () => ({
    tags: [
      '<script type="application/ld+json">{"@graph":[{"@type":"Event","name":"Rock &amp; Roll"}]}</script>',
    ],
  }));
  const escaped = await at.kit.write("rest", "set_seo_schema", fields(at, { schema }));
  assert.deepEqual(escaped.proof.live!["differs"], [
    { field: "structured_data.Event.name", expected: "Rock & Roll", seen: "Rock &amp; Roll" },
  ]);
  at.cms.state.heads.splice(0, 9, () => ({ tags: ['<script type="application/ld+json">{oops</script>'] }));
  const lost = await at.kit.write("rest", "set_seo_schema", fields(at, { schema }));
  assert.deepEqual(lost.proof.live!["differs"], [{ field: "structured_data", expected: "Event", seen: [] }]);
});

Deno.test("a redirect is asked plain, by its first answer and whether a visitor gets anywhere", async () => {
  await using at = await seen(asIs);
  const set = (more: Args) =>
    at.kit.write("rest", "set_seo_redirect", {
      site_id: "live",
      source: "/old",
      destination: "/live/",
      ...more,
    });
  const good = await set({ status: 302 });
  assert.deepEqual([good.proof.live!.as_expected, good.proof.warnings], [true, []]);
  assert.ok(at.visits.every(({ search }) => search === ""), "no mark behind it");
  const part = await set({ source: "/part", destination: "/live/#team" });
  assert.deepEqual([part.proof.live!.as_expected, part.proof.warnings], [true, []], "a part of a page");
  const nowhere = await set({ source: "/lost", destination: "/nothing/" });
  assert.deepEqual(nowhere.proof.live!["differs"], [{ field: "destination", expected: "a page", seen: 404 }]);
  // Another rule of the host's sends the destination back: a circle that the plugin knows nothing of.
  at.cms.state.leads.push((path) => path === "/round/" ? { destination: "/away", status: 301 } : null);
  const circle = await set({ source: "/away", destination: "/round/" });
  assert.equal(circle.proof.live!.as_expected, false);
  assert.match(circle.proof.warnings.join(), /leads in a circle: visitors never get a page/);
});

Deno.test("a redirect that depends on the query is judged as visitors ask it", async () => {
  const bare = (url: URL) =>
    url.pathname === "/old" && url.search !== "" ? page("<title>Old</title>") : undefined;
  await using at = await seen(bare);
  const args = { site_id: "live", source: "/old", destination: "/live/" };
  assert.equal((await at.kit.write("rest", "set_seo_redirect", args)).proof.live!.as_expected, true);
  const other = (url: URL) =>
    url.pathname === "/old" && url.search === "" ? page("<title>Old</title>") : undefined;
  await using off = await seen(other);
  const { proof } = await off.kit.write("rest", "set_seo_redirect", args);
  assert.deepEqual([proof.live!.as_expected, proof.live!["differs"]], [
    false,
    [{ field: "status", expected: 301, seen: 200 }],
  ]);
});

for (const kind of ["post", "page"] as const) {
  Deno.test(`publish_${kind} tells that visitors get it, and that they are led elsewhere`, async () => {
    await using at = await world();
    const made = addPost(at.cms.state, {
      type: kind,
      author: 2,
      title: "Roofs & more",
      content: "<p>Slate.</p>",
      slug: "roofs",
    });
    const call = { site_id: "open", [`${kind}_id`]: made.id };
    const { proof } = await at.kit.write("rest", `publish_${kind}`, call);
    assert.deepEqual([proof.live!.as_expected, proof.warnings], [true, []]);
    assert.equal(proof.live!["address"], `${at.cms.base_url}/roofs/`);
    const asked = at.cms.requests.filter(({ path }) => path === "/roofs/");
    assert.deepEqual(asked.map(({ query }) => Object.keys(query)).sort(), [[], [MARK]].sort());
    assert.ok(asked.every(({ login }) => login === null), "signed in as nobody");
    const short = { title: "Gutters", content: "<p>e</p>", slug: "gutters" }; // a letter that every page holds
    const other = addPost(at.cms.state, { type: kind, author: 2, ...short });
    at.cms.state.leads.push((path) => path === "/gutters/" ? { destination: "/roofs/", status: 302 } : null);
    const led = await at.kit.write("rest", `publish_${kind}`, { site_id: "open", [`${kind}_id`]: other.id });
    assert.deepEqual([led.proof.verified, led.proof.live!.as_expected], [true, false]);
  });
}

Deno.test("view_live by id finds the page of a published post, and refuses what visitors do not see", async () => {
  await using at = await world();
  const made = addPost(at.cms.state, {
    type: "page",
    author: 2,
    title: "Out",
    status: "publish",
    slug: "out",
  });
  const live = await at.kit.both<Args>("view_live", { site_id: "acme", id: made.id });
  assert.deepEqual([live["status"], live["address"]], [200, `${at.cms.base_url}/out/`]);
  for (const id of [at.draft.id, at.scheduled.id]) {
    const says = {
      says: /so visitors do not see it; read what is stored with get_post/,
      sends: "reads",
    } as const;
    await at.kit.refuses("view_live", { site_id: "acme", id }, "E_BAD_INPUT", says);
  }
  await at.kit.refuses("view_live", { site_id: "acme", id: 9999 }, "E_BAD_INPUT", {
    says: /has no post or page 9999/,
    sends: "reads",
  });
});

Deno.test("a site with plain permalinks is read by the address that its own answer names", async () => {
  await using at = await world({}, { plain_permalinks: true });
  const { proof } = await at.kit.write("rest", "publish_post", { site_id: "open", post_id: at.draft.id });
  assert.deepEqual([proof.live!.as_expected, proof.live!["address"]], [
    true,
    `${at.cms.base_url}/?p=${at.draft.id}`,
  ]);
});
