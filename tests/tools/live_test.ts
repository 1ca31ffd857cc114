/** `live` beside `verified`: what visitors get after a write, told apart from a wall and a fault. */
import assert from "node:assert/strict";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { type Args, DOORS } from "../cms_kit.ts";
import { asIs, fields, MARK, page, seen } from "./_seen.ts";
import { world } from "./_stand_in.ts";

const ANNA = { title: "Anna's roofs", description: "Slate & more", canonical: "https://else.example/a" };

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

Deno.test("a page that leads visitors on at once is not the page", async () => {
  await using at = await seen(asIs);
  at.cms.state.heads.unshift(() => ({
    title: ANNA.title,
    tags: ['<meta http-equiv="refresh" content="0;url=https://else.example/" />'],
  }));
  const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", fields(at, { title: ANNA.title }));
  assert.deepEqual([proof.verified, proof.live!.as_expected], [true, false]);
  assert.deepEqual(proof.live!["differs"], [
    { field: "page", expected: "the page", seen: "leads on to https://else.example/ by itself" },
  ]);
});
