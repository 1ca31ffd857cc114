/** Structured data of posts: added, replaced and read back through both doors, and every way that is refused. */
import assert from "node:assert/strict";
import type { Code } from "../../core/errors.ts";
import { type Args, DOORS, type RefusedRow } from "../cms_kit.ts";
import { type SeoWorld, seoWorld, test } from "./_seo.ts";

const CONTEXT = "https://schema.org";
const ARTICLE = {
  "@context": CONTEXT,
  "@type": "Article",
  name: 'q" \\ \u{1f600} </script>',
  empty: {},
  list: [],
};

for (const door of DOORS) {
  test(`set_seo_schema through ${door} adds an entry and replaces the one that is named`, async (at) => {
    const { id } = at.draft;
    const target = { site_id: "seo", post_id: String(id) };
    const first = await at.kit.write<Args>(door, "set_seo_schema", { ...target, schema: ARTICLE });
    const made = { post_id: id, status: "draft", entry_id: "so-1", type: "Article", created: true };
    assert.deepEqual(first.done, made);
    const { row } = first;
    assert.deepEqual([row.tier, row.result_id, row._published], [1, String(id), undefined]);
    assert.deepEqual(row.changes?.map(({ field, from }) => [field, from]), [["type", null], [
      "schema",
      null,
    ]]);
    const text = JSON.stringify([{ "@type": "A" }, { "@type": ["B", "C"] }]);
    const second = await at.kit.write<Args>(door, "set_seo_schema", { ...target, schema: text });
    assert.deepEqual([second.done["entry_id"], second.done["type"]], ["so-2", "A, B, C"]);
    const graph = { "@context": CONTEXT, "@graph": [{ "@type": "D" }] };
    const again = { ...target, schema: graph, entry_id: "so-1" };
    const third = await at.kit.write<Args>(door, "set_seo_schema", again);
    assert.deepEqual(third.done, { ...made, type: "D", created: false });
    assert.deepEqual(third.row.changes?.[1], { field: "schema", from: ARTICLE, to: graph });
    assert.deepEqual(at.plugin.schemas.get(id)?.map(({ schema }) => schema), [graph, JSON.parse(text)]);
    assert.ok(at.cms.writes.every(({ body }) => !("allow_published" in (body as Args))));
  });

  test(`set_seo_schema through ${door} touches a published post only where the site allows it`, async (at) => {
    const { id } = at.published;
    const args = { post_id: id, schema: ARTICLE };
    const says = /^Post \d+ is published: .*allow_seo_on_published/;
    for (const confirm of [false, true]) {
      const call = { ...args, site_id: "seo", confirm };
      await at.kit.refuses("set_seo_schema", call, "E_FORBIDDEN_OP", says, "reads");
    }
    const { done, row } = await at.kit.write<Args>(door, "set_seo_schema", { ...args, site_id: "live" });
    assert.deepEqual([done["status"], row._published], ["published", true]);
    assert.deepEqual(at.cms.writes.map(({ body }) => body), [{ schema: ARTICLE, allow_published: true }]);
  });
}

test("a preview names the entries there are, what would be replaced, and a context that is missing", async (at) => {
  const args = { site_id: "seo", post_id: at.draft.id, schema: ARTICLE };
  const first = await at.kit.preview("set_seo_schema", args);
  assert.equal(first.summary, 'Add structured data to the draft post "Before" on seo');
  assert.deepEqual(first.changes, [
    { field: "type", from: null, to: "Article" },
    { field: "schema", from: null, to: ARTICLE },
  ]);
  await at.kit.write("rest", "set_seo_schema", args);
  const bare = await at.kit.preview("set_seo_schema", { ...args, schema: { "@type": "Recipe" } });
  assert.match(bare.summary, /; it has so-1 \(Article\) too, which stays; it has no "@context"/);
  const replaced = await at.kit.preview("set_seo_schema", { ...args, entry_id: "so-1" });
  assert.equal(replaced.summary, 'Replace the structured data "so-1" of the draft post "Before" on seo');
  assert.deepEqual(replaced.changes[1]?.from, ARTICLE);
});

const BAD: readonly RefusedRow[] = [
  [{ schema: undefined }, /^schema is required/],
  [{ schema: 1 }, /^schema: expected an object or a list.* or a string/],
  [{ schema: [] }, /^schema: /],
  [{ schema: "{" }, /^schema: /],
  [{ schema: "{not json" }, /^schema: the text is not JSON/],
  [{ schema: { name: "x" } }, /^schema: every object needs its "@type"/],
  [
    { schema: { "@type": "A", t: "x".repeat(102_400) } },
    /^schema: \d+ bytes of UTF-8/,
    "E_PAYLOAD_TOO_LARGE",
  ],
  [{ post_id: "x" }, /^post_id: /],
  [{ entry_id: "../x" }, /^entry_id: /],
  [{ entry_id: "" }, /^entry_id: /],
  [{ status: "publish" }, /would publish/, "E_FORBIDDEN_OP"],
  [{ schema: { "@type": "A", post_status: "publish" } }, /^schema\.post_status: /, "E_FORBIDDEN_OP"],
];

test("what is no structured data is refused before the site is asked", async (at) => {
  for (const [args, says, code = "E_BAD_INPUT"] of BAD) {
    const call = { site_id: "live", post_id: at.draft.id, schema: ARTICLE, confirm: true, ...args };
    await at.kit.refuses("set_seo_schema", call, code, says);
  }
  assert.deepEqual(at.cms.requests, []);
});

test("what the post, the account or the SEO plugin cannot take is refused before anything is written", async (at) => {
  const { id } = at.draft;
  const refuses = (args: Args, code: Code, says: RegExp) => {
    const call = { site_id: "live", post_id: id, schema: ARTICLE, ...args };
    return at.kit.refuses("set_seo_schema", call, code, { says, sends: "reads" });
  };
  const none = /^entry_id: post \d+ has no structured data "so-9", it has none; leave entry_id out/;
  await refuses({ entry_id: "so-9" }, "E_UPSTREAM", none);
  await refuses({ site_id: "auth" }, "E_UPSTREAM", /^CMS 403.*"unfiltered_html" to store structured data/);
  await refuses({ post_id: 99999 }, "E_UPSTREAM", /^CMS 404 site_ops_post_not_found/);
  at.draft.status = "private";
  await refuses({ site_id: "seo" }, "E_FORBIDDEN_OP", /is private/);
  at.draft.status = "draft";
  at.plugin.provider = "rankmath";
  const one = /^schema: the site's SEO plugin keeps one object with one plain "@type" an entry/;
  for (const schema of [[ARTICLE], { "@graph": [ARTICLE] }, { "@type": "schema:Article" }]) {
    await refuses({ schema }, "E_BAD_INPUT", one);
  }
  const loose = /^schema: a text holds the end of a script element .*prints as it is; leave it out/;
  await refuses({ schema: { "@type": "Thing", name: "</SCRIPT><script>" } }, "E_BAD_INPUT", loose);
  assert.deepEqual(at.cms.writes, []);
  const { done } = await at.kit.write<Args>("mcp", "set_seo_schema", {
    site_id: "seo",
    post_id: id,
    schema: { "@type": ["Article", "NewsArticle"] },
  });
  assert.equal(done["created"], true);
});

Deno.test("a post published between plan and write is left alone; a lost entry is no success", async () => {
  let looks = 0;
  await using at = await seoWorld({
    fetch: async (input, init) => {
      const answer = await fetch(input, init);
      const path = new URL(new Request(input, init).url).pathname;
      if (path.includes("/v1/seo/meta/") && ++looks === 1) at.cms.publish(at.draft.id);
      return answer;
    },
  });
  const args = { site_id: "live", post_id: at.draft.id, schema: ARTICLE, confirm: true };
  const late = await at.kit.gw.end("set_seo_schema", args);
  assert.ok("code" in late && late.code === "E_STALE_PREVIEW", JSON.stringify(late));
  assert.match(late.message, /^status: post \d+ was changed .*nothing was written/);
  assert.deepEqual([at.cms.writes, at.plugin.schemas.size], [[], 0]);

  const answers: Record<string, [unknown, RegExp]> = {
    "another entry": [
      { entry_id: "so-7", type: "A", created: true },
      /said it stored .*"so-7", but does not show/,
    ],
    "nothing of use": [{ done: true }, /^CMS 200: the answer lacks what was relied on/],
  };
  for (const [answer, says] of Object.values(answers)) {
    await using liar = await seoWorld({
      fetch: async (input, init) =>
        init?.method === "POST" ? Response.json(answer) : await fetch(input, init),
    });
    await liar.kit.gw.fails("set_seo_schema", { ...args, post_id: liar.draft.id }, "E_UPSTREAM", says);
  }
});

Deno.test("what the plugin refuses all the same keeps its code", async () => {
  const cases: [number, string, Code][] = [
    [422, "site_ops_invalid_json", "E_BAD_INPUT"],
    [413, "site_ops_too_large", "E_PAYLOAD_TOO_LARGE"],
    [409, "site_ops_published", "E_FORBIDDEN_OP"],
    [409, "site_ops_seo_provider_missing", "E_SEOPLUGIN_PLUGIN_REQUIRED"],
    [404, "site_ops_schema_entry_not_found", "E_STALE_PREVIEW"],
    [404, "rest_no_route", "E_SEOPLUGIN_PLUGIN_REQUIRED"],
  ];
  for (const [status, code, expected] of cases) {
    const body = { code, message: `Because of ${code}`, data: { status } };
    await using at = await seoWorld({
      fetch: async (input, init) =>
        init?.method === "POST" ? Response.json(body, { status }) : await fetch(input, init),
    });
    const args = { site_id: "live", post_id: at.published.id, schema: ARTICLE, confirm: true };
    const ending = await at.kit.gw.end("set_seo_schema", args);
    assert.ok("code" in ending && ending.code === expected, JSON.stringify(ending));
  }
});

Deno.test("a write that cannot be read back is reported as done, by every tool, so that it is not done twice", async () => {
  const calls: Record<string, [Args, RegExp]> = {
    set_seo_schema: [{ schema: ARTICLE }, /^The structured data of post \d+ was stored as "so-1", but/],
    set_seo_redirect: [{ source: "/a", destination: "/b" }, /^The redirect from \/a was set, but could not/],
    get_sitemap_status: [{ rebuild: true }, /^What was kept of the sitemap was thrown away, but could not/],
  };
  for (const [tool, [args, says]] of Object.entries(calls)) {
    await using at: SeoWorld = await seoWorld({
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (init?.method !== "POST") return response;
        const body = await response.bytes();
        at.cms.inject({ kind: "busy", status: 503 }, { method: "GET", times: 9 });
        return new Response(body, response);
      },
    });
    const post = tool.endsWith("_schema") ? { post_id: at.draft.id } : {};
    await at.kit.gw.fails(tool, { site_id: "seo", ...post, ...args, confirm: true }, "E_UPSTREAM", says);
    assert.equal(at.cms.writes.length, 1);
  }
  await using at = await seoWorld();
  const args = { site_id: "seo", post_id: at.draft.id, title: "T" };
  await at.kit.preview("set_seo_meta", args);
  const from = at.kit.gw.requests.length;
  await at.kit.gw.call("set_seo_meta", { ...args, confirm: true });
  const methods = at.kit.gw.requests.slice(from).map(({ method }) => method);
  assert.deepEqual(methods, ["GET", "GET", "GET", "POST"], "its write answers what stands");
});

Deno.test("what Rank Math takes away, drops and escapes is said in preview and result", async () => {
  await using at = await seoWorld({ guarded: true });
  at.plugin.provider = "rankmath";
  at.plugin.automatic = "BlogPosting";
  const target = { site_id: "seo", post_id: at.draft.id };
  const schema = {
    "@type": "FAQPage",
    name: "Salt & pepper",
    empty: "",
    about: { "@type": "Thing" },
    list: ["%title%", "50% of 100"],
    count: 3,
    url: "https://a.test/?a=%20b%20",
  };
  const says = [
    /^schema: the site's SEO plugin makes structured data by itself \(BlogPosting\) only .* no longer, so say all/,
    /^schema: of a FAQPage Rank Math shows only mainEntity/,
    /"&" as "&amp;".*\(name\)$/,
    /drops empty texts.*\(empty, about\)$/,
    /variables .*\(list\.0\)$/,
    /numbers and switches as texts.*\(count\)$/,
  ];
  const { warnings } = await at.kit.preview("set_seo_schema", { ...target, schema });
  const { proof, done } = await at.kit.write<Args>("rest", "set_seo_schema", { ...target, schema });
  for (const all of [warnings, proof.warnings]) {
    assert.equal(all.length, says.length, all.join("\n"));
    says.forEach((pattern, at) => assert.match(all[at]!, pattern));
  }
  assert.equal(proof.verified, true, "what is stored is what was sent");
  const plain = { ...target, schema: { "@type": "Recipe", name: "Soup" }, entry_id: done["entry_id"] };
  assert.deepEqual((await at.kit.preview("set_seo_schema", plain)).warnings, []);
  at.plugin.automatic = null;
  const other = { site_id: "seo", post_id: at.page.id, schema: { "@type": "Recipe", name: "Soup" } };
  assert.deepEqual(
    (await at.kit.preview("set_seo_schema", other)).warnings,
    [],
    "where it makes none, none is lost",
  );
});
