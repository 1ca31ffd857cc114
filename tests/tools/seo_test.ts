/** SEO fields over the companion plugin: read and changed through both doors, previewed, guarded and read back. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, type RefusedRow } from "../cms_kit.ts";
import { type SeoOptions, type SeoWorld, seoWorld, test } from "./_seo.ts";

const EMPTY = {
  title: "",
  description: "",
  focus_keyword: "",
  canonical: "",
  og_title: "",
  og_description: "",
  og_image: "",
  twitter_title: "",
  twitter_description: "",
  twitter_image: "",
  robots: { noindex: false, nofollow: false, noarchive: false, nosnippet: false, noimageindex: false },
};
const FIELDS = {
  title: 'Fish & "Chips" %%date%% $& \\ \u{1f600}',
  description: "What it is about",
  focus_keyword: "fish, chips",
  canonical: "https://example.test/a?b=1&c=%20",
  og_title: "OT",
  og_description: "OD",
  og_image: "https://example.test/o.png",
  twitter_title: "TT",
  twitter_description: "TD",
  twitter_image: "http://example.test/t.png",
  robots: { noindex: true, noarchive: true },
};

for (const door of DOORS) {
  test(`set_seo_meta through ${door} stores what is given, leaves the rest and clears with an empty text`, async (at) => {
    const { id } = at.draft;
    const target = { site_id: "seo", post_id: String(id) };
    const { done, row } = await at.kit.write<Args>(door, "set_seo_meta", { ...target, ...FIELDS });
    const robots = { ...EMPTY.robots, ...FIELDS.robots };
    const head = { post_id: id, post_type: "post", status: "draft", provider: "none" };
    assert.deepEqual(done, { ...head, ...FIELDS, robots });
    assert.deepEqual(at.plugin.fields.get(id), {
      title: FIELDS.title,
      description: FIELDS.description,
      focus_keyword: FIELDS.focus_keyword,
      canonical: FIELDS.canonical,
      robots,
      og: { title: "OT", description: "OD", image: FIELDS.og_image },
      twitter: { title: "TT", description: "TD", image: FIELDS.twitter_image },
    });
    assert.deepEqual([row.tier, row.result_id, row._published], [1, String(id), undefined]);
    assert.deepEqual(row.changes?.at(-1), { field: "robots.noarchive", from: false, to: true });
    const [sent] = at.cms.writes;
    assert.ok(!("allow_published" in (sent?.body as Args)), "nothing is said of published posts");
    const again = { ...target, description: "", robots: { noindex: false }, og_image: "" };
    const second = await at.kit.write<Args>(door, "set_seo_meta", again);
    const left = { ...robots, noindex: false };
    assert.deepEqual(second.done, { ...head, ...FIELDS, description: "", og_image: "", robots: left });
    assert.deepEqual(await at.kit.both("get_seo_meta", target), second.done);
  });

  test(`set_seo_meta through ${door} changes a published post only where the site allows it, and says so`, async (at) => {
    const { id } = at.published;
    const says = /^Post \d+ is published: .*allow_seo_on_published; a super-admin can set it$/;
    for (const confirm of [false, true]) {
      const args = { site_id: "seo", post_id: id, title: "x", confirm };
      await at.kit.refuses("set_seo_meta", args, "E_FORBIDDEN_OP", says, "reads");
    }
    assert.deepEqual((await at.kit.rows(4)).map(({ _published }) => _published), Array(4).fill(undefined));
    const args = { site_id: "live", post_id: id, title: "Seen" };
    const { done, row } = await at.kit.write<Args>(door, "set_seo_meta", args);
    assert.deepEqual([done["status"], done["title"], row._published], ["published", "Seen", true]);
    assert.deepEqual(at.cms.writes.map(({ body }) => body), [{ title: "Seen", allow_published: true }]);
    const draft = await at.kit.write<Args>(door, "set_seo_meta", { ...args, post_id: at.draft.id });
    assert.equal(draft.row._published, undefined);
    assert.deepEqual(at.cms.writes.at(-1)?.body, { title: "Seen" }, "of a draft nothing more is allowed");
  });
}

test("get_seo_meta answers both doors alike, of posts and pages in any status", async (at) => {
  for (const post of [at.draft, at.page, at.scheduled, at.published]) {
    const { post_type, status, ...fields } = await at.kit.both<Args>("get_seo_meta", {
      site_id: "seo",
      post_id: post.id,
    });
    assert.deepEqual(fields, { post_id: post.id, provider: "none", ...EMPTY });
    const word = { draft: "draft", future: "scheduled", publish: "published" }[post.status];
    assert.deepEqual([post_type, status], [post.type, word]);
  }
  assert.deepEqual(at.cms.writes, []);
});

test("a preview shows each field as it is on the site now and as it would be sent", async (at) => {
  const args = { site_id: "seo", post_id: at.draft.id, title: " One\n line ", robots: { nofollow: true } };
  const { summary, changes, tier } = await at.kit.preview("set_seo_meta", args);
  assert.deepEqual([summary, tier], ['Change the SEO fields of the draft post "Before" on seo', 1]);
  assert.deepEqual(changes, [
    { field: "title", from: "", to: "One line" },
    { field: "robots.nofollow", from: false, to: true },
  ]);
  await at.kit.write("rest", "set_seo_meta", { ...args, title: "Stored" });
  const again = await at.kit.preview("set_seo_meta", args);
  assert.deepEqual(again.changes, [
    { field: "title", from: "Stored", to: "One line" },
  ], "what is so already does not change");
  const live = await at.kit.preview("set_seo_meta", { ...args, site_id: "live", post_id: at.published.id });
  assert.equal(
    live.summary,
    'Change the SEO fields of the published post "Live" on live; visitors and search engines see that at once',
  );
  const page = await at.kit.preview("set_seo_meta", { ...args, post_id: at.page.id });
  assert.match(page.summary, /the draft page "A page"/);
});

const BAD: readonly RefusedRow[] = [
  [{}, /^title, .*twitter_image: give at least one of them$/],
  [{ post_id: "x", title: "y" }, /^post_id: expected a whole number/],
  [{ post_id: undefined, title: "y" }, /^post_id is required/],
  [{ title: 1 }, /^title: expected a string/],
  [{ title: "x".repeat(1001) }, /^title: .*at most 1000 characters/],
  [{ title: "a\ud800" }, /^title: holds an unpaired surrogate/],
  [{ robots: {} }, /^robots: give at least one of noindex/],
  [{ robots: { index: true } }, /^robots\.index: unknown argument/],
  [{ robots: { noindex: "yes" } }, /^robots\.noindex: expected true or false/],
  [{ canonical: "/relative" }, /^canonical: expected an address/],
  [{ canonical: "javascript:alert(1)" }, /^canonical: /],
  [{ canonical: "https://" }, /^canonical: /],
  [{ og_image: "data:image/png;base64,AA" }, /^og_image: /],
  [{ og_image: 'https://a.test/"onload="x' }, /^og_image: /],
  [{ twitter_image: "https://a.test/x y" }, /^twitter_image: /],
  [{ twitter_image: "https://a.test\\x" }, /^twitter_image: /],
  [{ titel: "x" }, /^titel: unknown argument, did you mean title/],
  [{ title: "x", allow_published: true }, /^allow_published: unknown argument/],
  [{ title: "x", status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
];

test("arguments that are none are refused before the site is asked", async (at) => {
  for (const [args, says, code = "E_BAD_INPUT"] of BAD) {
    const call = { site_id: "live", post_id: at.draft.id, confirm: true, ...args };
    await at.kit.refuses("set_seo_meta", call, code, says);
  }
  await at.kit.refuses("get_seo_meta", { site_id: "seo", post_id: "../1" }, "E_BAD_INPUT", /^post_id: /);
  assert.deepEqual(at.cms.requests, []);
});

test("a site with the feature off or of another platform is refused and not asked", async (at) => {
  const read = { post_id: 4 };
  const calls: [string, Args][] = [
    ["get_seo_meta", read],
    ["set_seo_meta", { ...read, title: "x", confirm: true }],
    ["set_seo_schema", { ...read, schema: { "@type": "Article" }, confirm: true }],
    ["set_seo_redirect", { source: "/a", destination: "/b", confirm: true }],
    ["get_sitemap_status", {}],
    ["get_sitemap_status", { rebuild: true, confirm: true }],
  ];
  for (const [tool, args] of calls) {
    for (const site_id of ["off", "acme"]) {
      const says = new RegExp(`off for site "${site_id}"; .*site update ${site_id} --seo enabled=true$`);
      await at.kit.refuses(tool, { ...args, site_id }, "E_SEOPLUGIN_DISABLED", says);
    }
    for (const site_id of ["builder", "files", "client"]) {
      await at.kit.refuses(tool, { ...args, site_id }, "E_NOT_SUPPORTED", /works on cms sites/);
    }
  }
  assert.deepEqual(at.cms.requests, []);
});

test("what needs the bridge says so where the channel is rest, nothing being asked", async (at) => {
  const says =
    /^Site "rest" has the SEO channel "rest"; .*version 1\.0\.0 or newer.*channel "plugin".*update rest --seo channel=plugin$/;
  const calls: [string, Args][] = [
    ["set_seo_schema", { post_id: 4, schema: { "@type": "Article" } }],
    ["set_seo_schema", { post_id: 4, schema: { "@type": "Article" }, confirm: true }],
    ["set_seo_redirect", { source: "/a", destination: "/b", confirm: true }],
    ["get_sitemap_status", {}],
    ["get_sitemap_status", { rebuild: true }],
  ];
  for (const [tool, args] of calls) {
    await at.kit.refuses(tool, { site_id: "rest", ...args }, "E_SEOPLUGIN_PLUGIN_REQUIRED", says);
  }
  assert.deepEqual(at.cms.requests, []);
});

Deno.test("a plugin that is missing or too old is told with the version that is needed", async () => {
  const cases: [SeoOptions["plugin"], RegExp][] = [
    [false, /^The site has no companion plugin; version 1\.0\.0 or newer is needed: .*deno task companion/],
    [{ version: "0.9.9" }, /^The site's companion plugin is version "0\.9\.9"; 1\.0\.0 or newer is needed/],
    [{ version: "next" }, /1\.0\.0 or newer is needed/],
  ];
  for (const [plugin, says] of cases) {
    await using at = await seoWorld({ plugin });
    const { id } = at.draft;
    const calls: [string, Args][] = [
      ["get_seo_meta", { post_id: id }],
      ["set_seo_meta", { post_id: id, title: "x", confirm: true }],
      ["set_seo_schema", { post_id: id, schema: { "@type": "Article" }, confirm: true }],
      ["set_seo_redirect", { source: "/a", destination: "/b", confirm: true }],
      ["get_sitemap_status", {}],
      ["get_sitemap_status", { rebuild: true, confirm: true }],
    ];
    for (const [tool, args] of calls) {
      const refusal = { says, sends: "reads" } as const;
      await at.kit.refuses(tool, { site_id: "live", ...args }, "E_SEOPLUGIN_PLUGIN_REQUIRED", refusal);
    }
    assert.deepEqual(at.cms.writes, []);
  }
});

test("fields of an SEO plugin the bridge cannot reach are neither told nor set; structured data is", async (at) => {
  at.plugin.provider = "other";
  const target = { site_id: "seo", post_id: at.draft.id };
  const says = /^The site's SEO plugin keeps its fields where .*\(Yoast SEO, Rank Math, SEOPress\)$/;
  const code = "E_SEOPLUGIN_PLUGIN_REQUIRED";
  await at.kit.refuses("get_seo_meta", target, code, says, "reads");
  await at.kit.refuses("set_seo_meta", { ...target, title: "T", confirm: true }, code, says, "reads");
  await at.kit.write("mcp", "set_seo_schema", { ...target, schema: { "@type": "Thing" } });
});

test("what is private, binned, unknown or about to go live is left alone", async (at) => {
  const { id } = at.draft;
  const call = (site_id: string) => ({ site_id, post_id: id, title: "x", confirm: true });
  const refuses = (site_id: string, code: Code, says: RegExp) =>
    at.kit.refuses("set_seo_meta", call(site_id), code, { says, sends: "reads" });
  for (const status of ["private", "publish", "acme-shown"]) {
    at.draft.status = status;
    await refuses("seo", "E_FORBIDDEN_OP", /a change of its SEO is seen at once/);
  }
  at.draft.status = "trash";
  await refuses("live", "E_UPSTREAM", /^CMS 404 site_ops_post_not_found/);
  at.draft.status = "future";
  at.draft.date = { at: at.kit.gw.clock.now + 59_000, floating: false };
  await refuses("seo", "E_FORBIDDEN_OP", /^Post \d+ goes live at 2026-11-21T12:00:59Z/);
  const { row } = await at.kit.write("rest", "set_seo_meta", { site_id: "live", post_id: id, title: "x" });
  assert.equal(row._published, undefined, "it was not live yet");
  await at.kit.refuses("get_seo_meta", { site_id: "seo", post_id: 99999 }, "E_UPSTREAM", {
    says: /^CMS 404 site_ops_post_not_found: There is no post 99999/,
    sends: "reads",
  });
  const own = { site_id: "auth", post_id: at.page.id };
  await at.kit.refuses("get_seo_meta", own, "E_UPSTREAM", /^CMS 403 rest_forbidden/, "reads");
});

/** A world where something happens on the site once, right after the n-th look at a post's fields. */
async function disturbed(after: number, happen: (at: SeoWorld) => void): Promise<SeoWorld> {
  let looks = 0;
  const at: SeoWorld = await seoWorld({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const path = new URL(new Request(input, init).url).pathname;
      if (path.includes("/v1/seo/meta/") && (init?.method ?? "GET") === "GET" && ++looks === after) {
        happen(at);
      }
      return answer;
    },
  });
  return at;
}

const RACES: Record<string, [(at: SeoWorld) => void, RegExp]> = {
  published: [(at) => at.cms.publish(at.draft.id), /^(Post \d+ is published|status: post \d+ was changed)/],
  "taken into review": [
    (at) => void (at.draft.status = "pending"),
    /^status: post \d+ was changed at .*nothing/,
  ],
  "given other SEO fields": [
    (at) => {
      at.plugin.fields.set(at.draft.id, {
        title: "Theirs",
        description: "",
        focus_keyword: "",
        canonical: "",
        robots: EMPTY.robots,
        og: { title: "", description: "", image: "" },
        twitter: { title: "", description: "", image: "" },
      });
    },
    /^title: post \d+ was changed at .*nothing was written: preview again/,
  ],
};

for (const [what, [happen, says]] of Object.entries(RACES)) {
  Deno.test(`a post ${what} between plan and write is not written`, async () => {
    for (const site_id of ["seo", "live"]) {
      await using at = await disturbed(1, happen);
      const args = { site_id, post_id: at.draft.id, title: "x", confirm: true };
      const ending = await at.kit.gw.end("set_seo_meta", args);
      assert.ok("code" in ending, JSON.stringify(ending));
      const locked = what === "published" && site_id === "seo";
      assert.equal(ending.code, locked ? "E_FORBIDDEN_OP" : "E_STALE_PREVIEW");
      assert.match(ending.message, says);
      assert.deepEqual(at.cms.writes, []);
    }
  });
}

Deno.test("a post published during the write itself is kept from it by the plugin", async () => {
  await using at = await disturbed(2, (late) => late.cms.publish(late.draft.id));
  const args = { site_id: "live", post_id: at.draft.id, title: "x", confirm: true };
  const says = /^CMS 409 site_ops_published.*nothing was changed: read it again$/;
  await at.kit.gw.fails("set_seo_meta", args, "E_FORBIDDEN_OP", says);
  assert.equal(at.plugin.fields.size, 0);
});

test("a success is believed only when the fields are read back; what was lost is told", async (at) => {
  const args = { site_id: "seo", post_id: at.draft.id };
  const tagged = { ...args, title: "With <b>tags</b>", description: "Kept" };
  const { warnings } = await at.kit.preview("set_seo_meta", tagged);
  assert.deepEqual(warnings, ['title: HTML tags are taken out as it is stored; what stays is "With tags"']);
  const { proof } = await at.kit.write<Args>("rest", "set_seo_meta", tagged);
  assert.equal(proof.verified, false);
  assert.deepEqual(proof.warnings, ['title: the site kept "With tags" instead of "With <b>tags</b>"']);
  const alone = await at.kit.write<Args>("mcp", "set_seo_meta", { ...args, title: "<i>Alone</i>" });
  assert.deepEqual(alone.proof.warnings, ['title: the site kept "Alone" instead of "<i>Alone</i>"']);
  const again = { ...args, title: "<i>Alone</i>", confirm: true };
  const says =
    /said it stored title, but every value is as it was before; the site may keep this in a way of its own/;
  await at.kit.gw.refuses("set_seo_meta", again, "E_UPSTREAM", says);
  await using liar = await seoWorld({
    fetch: async (input, init) => {
      if (init?.method !== "POST") return await fetch(input, init);
      return await fetch(input, { ...init, method: "GET", body: undefined });
    },
  });
  const lost = await liar.kit.gw.end("set_seo_meta", { ...args, title: "x", confirm: true });
  assert.ok("code" in lost && lost.code === "E_UPSTREAM", JSON.stringify(lost));
  assert.match(lost.message, /every value is as it was before; .*another plugin may be in the way/);
  await using other = await seoWorld({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      if (!String(new Request(input, init).url).includes("/seo/meta/")) return answer;
      return Response.json({ ...await answer.json(), post_id: 1 });
    },
  });
  await other.kit.gw.fails("get_seo_meta", args, "E_UPSTREAM", /was asked for post \d+ and answered post 1/);
});

test("a site that breaks off, hangs up or answers nonsense is reported as it is", async (at) => {
  const args = { site_id: "live", post_id: at.published.id, title: "x", confirm: true };
  const write = { method: "POST", path: "/seo/meta/" };
  at.cms.inject({ kind: "reset", applied: true }, write);
  await at.kit.gw.fails("set_seo_meta", args, "E_UPSTREAM", /the outcome is unknown/);
  const [row] = await at.kit.rows(1);
  assert.deepEqual([row?.status, row?._published], ["error", true], "it may have reached the published post");
  at.cms.inject({ kind: "html", status: 200 }, write);
  const page = await at.kit.gw.end("set_seo_meta", { ...args, title: "y" });
  assert.ok("code" in page && page.code === "E_UPSTREAM", JSON.stringify(page));
  at.cms.inject({ kind: "html" }, { path: "/seo/meta/", times: 9 });
  await at.kit.refuses("get_seo_meta", { site_id: "seo", post_id: 4 }, "E_UPSTREAM", /^CMS 500/, "reads");
});
