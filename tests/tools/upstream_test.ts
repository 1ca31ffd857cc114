/** A site that misbehaves, through both doors: what is said, how often it is asked, what the audit keeps. */
import assert from "node:assert/strict";
import type { FaultMatch, WordPressFault } from "../../sandbox/wordpress_standin/start.ts";
import { type Args, DOORS, PNG, type ToolName } from "../cms_kit.ts";
import { mcpResult } from "../endings.ts";
import { NOW } from "../kit.ts";
import { passing } from "../passing.ts";
import { test, type World, world } from "./_stand_in.ts";

/** A call begins with 60 s; with so little of it left a site that hangs is given up at once. */
const HURRIED = { http: { now: () => NOW + 59_700 } };

const UNKNOWN =
  /the outcome is unknown: look at the site (?:with "\w+"|in its media library) before trying again$/;

/** What is met while a post is read, how the message goes, and the status that MCP shows beside it. */
const READS: readonly (readonly [WordPressFault, RegExp, number])[] = [
  [{ kind: "hang" }, /^127\.0\.0\.1:\d+ gave no answer within 0\.3 s; see that it is up and try again$/, 504],
  [{ kind: "reset" }, /^127\.0\.0\.1:\d+ broke the connection off; see that it is up and try again$/, 504],
  [{ kind: "partial" }, /broke the connection off/, 504],
  [{ kind: "huge" }, /answered with more than 8388608 bytes, or in too many pieces; ask for less$/, 504],
  [
    { kind: "html" },
    /^CMS 500: WordPress › Error There has been a critical error.*not an answer of WordPress itself: .*a firewall or a fault of the site/,
    500,
  ],
  [{ kind: "html", status: 403 }, /^CMS 403: .*a firewall/, 403],
  [
    { kind: "html", status: 200 },
    /^CMS 200: the answer is not JSON; a plugin or a proxy may have changed the answer$/,
    502,
  ],
  [{ kind: "partial", length: "true" }, /^CMS 200: the answer is not JSON/, 502],
  [{ kind: "busy", status: 503, retry_after: 3600 }, /^CMS 503 busy: .*: try again in 60 minutes$/, 503],
  [
    { kind: "busy", status: 429, retry_after: 1 },
    /^CMS 429 busy: .*; the site is busy: try again in 1 s$/,
    429,
  ],
  [
    { kind: "busy", status: 429, retry_after: 3600 },
    /^CMS 429 busy: .*; the site is busy: try again in 60 minutes$/,
    429,
  ],
  [{ kind: "unauthorized" }, /application password of the site was not accepted/, 401],
  [
    { kind: "answer", status: 400, body: { code: "constructor", message: "No" } },
    /^CMS 400 constructor: No; change what was sent$/,
    400,
  ],
];

for (const [trouble, says, status] of READS) {
  Deno.test(`get_post that meets ${JSON.stringify(trouble)} says what to do, through both doors`, async () => {
    await using at = await world(trouble.kind === "hang" ? HURRIED : {});
    const { id } = at.draft;
    at.cms.inject(trouble, { method: "GET", path: `/wp/v2/posts/${id}`, times: 99 });
    const args = { site_id: "acme", post_id: id };
    await at.kit.refuses("get_post", args, "E_UPSTREAM", says, "reads");
    assert.equal((await mcpResult(at.kit.gw, "get_post", args))._meta["status"], status);
    at.cms.clear();
    const post = await at.kit.both<Args>("get_post", args);
    assert.equal(post["title"], "Before", "the next call is not spoiled");
  });
}

test("a read whose first answers are a broken connection and a busy site is asked again", async (at) => {
  const gets = { method: "GET", path: `/wp/v2/posts/${at.draft.id}` };
  at.cms.inject({ kind: "reset" }, gets);
  at.cms.inject({ kind: "busy", status: 503, retry_after: 0 }, gets);
  const post = await at.kit.gw.call<Args>("get_post", { site_id: "acme", post_id: at.draft.id });
  assert.equal(post["title"], "Before");
});

/** One write of each tool, and the request that makes it. */
function writes(at: World): [ToolName, Args, FaultMatch][] {
  const { draft, scheduled } = at;
  const post = (id: number) => ({ method: "POST", path: new RegExp(`/posts/${id}$`) });
  return [
    ["create_draft", { title: "Once", content_html: "x" }, { method: "POST", path: /\/posts$/ }],
    ["update_draft", { post_id: draft.id, title: "Once" }, post(draft.id)],
    ["unschedule", { post_id: scheduled.id }, post(scheduled.id)],
    ["publish_post", { post_id: draft.id }, post(draft.id)],
    ["upload_media", { filename: "a.png", content_base64: PNG }, { method: "POST", path: /\/media$/ }],
    ["create_taxonomy", { taxonomy: "tag", name: "Once" }, { method: "POST", path: /\/tags$/ }],
  ];
}

for (const door of DOORS) {
  for (const applied of [false, true]) {
    const when = applied ? "after" : "before";
    test(`a connection that ends ${when} a write was made is reported as an unknown outcome through ${door}`, async (at) => {
      for (const [tool, args, filter] of writes(at)) {
        const before = at.cms.writes.length;
        at.cms.inject({ kind: "reset", applied }, filter);
        const call = { site_id: "open", ...args, confirm: true };
        const ending = await at.kit.gw.end(tool, call, { door });
        assert.ok("code" in ending && ending.code === "E_UPSTREAM", `${tool}: ${JSON.stringify(ending)}`);
        assert.match(ending.message, /^127\.0\.0\.1:\d+ broke the connection off; see that it is up; /);
        assert.match(ending.message, UNKNOWN);
        assert.equal(at.cms.writes.length, before + 1, `${tool} is sent once`);
        const [row] = await at.kit.rows(1);
        assert.deepEqual([row?.tool, row?.status, row?.error], [tool, "error", "E_UPSTREAM"]);
      }
    });
  }
}

test("a schedule whose answer was lost is looked up: reported as done where it was, as unknown where not", async (at) => {
  const { id } = at.draft;
  const posts = { method: "POST", path: `/wp/v2/posts/${id}` };
  const args = { site_id: "acme", post_id: id, scheduled_at: at.ahead(3600), confirm: true };
  at.cms.inject({ kind: "reset" }, posts);
  const says = UNKNOWN;
  const ending = await at.kit.gw.end("schedule_draft", args);
  assert.ok("code" in ending && says.test(ending.message), JSON.stringify(ending));
  assert.equal(at.cms.posts.get(id)!.status, "draft");
  at.cms.inject({ kind: "reset", applied: true }, posts);
  const { done } = await at.kit.write("mcp", "schedule_draft", args);
  assert.equal(done.status, "scheduled");
});

Deno.test("a write that hangs, or is answered by HTML or half a JSON, has an unknown outcome and is not repeated", async () => {
  const moved = {
    kind: "redirect",
    to: "https://www.acme.example/wp-json/wp/v2/posts",
    status: 301,
  } as const;
  const troubles: [WordPressFault, RegExp, outcome?: "told"][] = [
    [{ kind: "hang" }, /gave no answer within 0\.3 s/],
    [{ kind: "html" }, /^CMS 500: /],
    [{ kind: "html", status: 200 }, /^CMS 200: the answer is not JSON/],
    [{ kind: "partial" }, /broke the connection off/],
    [{ kind: "partial", length: "true" }, /^CMS 20[01]: /],
    [{ kind: "huge" }, /more than 8388608 bytes/],
    [{ kind: "busy", status: 503, retry_after: 1 }, /^CMS 503/, "told"],
    [moved, /"https:\/\/www\.acme\.example".*set base_url/, "told"],
  ];
  for (const [trouble, says, outcome] of troubles) {
    await using at = await world(trouble.kind === "hang" ? HURRIED : {});
    at.cms.inject(trouble, { method: "POST", path: "/wp/v2/posts" });
    const args = { site_id: "acme", title: "Once", content_html: "x", confirm: true };
    const ending = await at.kit.gw.end("create_draft", args, { door: "mcp" });
    assert.ok("code" in ending && ending.code === "E_UPSTREAM", JSON.stringify(ending));
    assert.match(ending.message, says);
    if (outcome === undefined) assert.match(ending.message, UNKNOWN);
    assert.equal(at.cms.writes.length, 1);
    assert.ok([...at.cms.posts.values()].filter(({ title }) => title === "Once").length <= 1);
  }
});

test("a site that is down was sent nothing, which is said, also of a write", async (at) => {
  await at.cms.stop();
  const says =
    /^127\.0\.0\.1:\d+ could not be reached, nothing was sent: it refuses the connection; check the address and that it is up$/;
  for (const [tool, args] of Object.entries({ ping_site: {}, create_draft: at.calls.create_draft })) {
    const call = { site_id: "acme", ...args, confirm: true };
    await at.kit.refuses(tool, call, "E_UPSTREAM", says, "reads");
  }
});

test("a site that moved, is in maintenance, has no API or no address is reported as such", async (at) => {
  let answer: (path: string) => Response = () => new Response();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    return answer(pathname + search);
  });
  const there = `http://127.0.0.1:${server.addr.port}`;
  const moved = (path: string) =>
    new Response(null, { status: 301, headers: { location: at.cms.base_url + path } });
  const down = { status: 503, headers: { "retry-after": "3600" } };
  const { username, application_password } = at.cms.users.admin;
  const move = (base_url: string | null) =>
    at.kit.gw.store.sites.update("acme", {
      base_url,
      credentials: { cms: { username, application_password } },
    });
  const rows: [tool: ToolName, answer: typeof answer, says: RegExp][] = [
    [
      "get_post",
      moved,
      new RegExp(
        `redirects to "${at.cms.base_url}", which was not followed: .*; if it has moved, set its new address, which is the site's base_url or the setting of a service`,
      ),
    ],
    [
      "ping_site",
      () => new Response("<h1>Down for maintenance</h1>", down),
      /CMS 503: the site is in maintenance mode; .*; try again in 60 minutes$/,
    ],
    ["ping_site", () => new Response("<h1>Hi</h1>"), /shows no WordPress REST API; check that base_url/],
  ];
  for (const [tool, given, says] of rows) {
    answer = given;
    await move(there);
    const args = { site_id: "acme", ...at.calls[tool] };
    await at.kit.refuses(tool, args, "E_UPSTREAM", says, "reads");
  }
  assert.deepEqual(at.cms.requests, [], "nor was the password sent to where it moved");
  await move(null);
  const says = /base_url, .* site update \w+ --base-url/;
  await at.kit.refuses("get_post", { site_id: "acme", post_id: 1 }, "E_MISSING_SECRET", says);
});

Deno.test("diagnose_site answers within three seconds of a site that hangs", async () => {
  await using at: World = await world({ http: passing(() => at.kit.gw.clock) });
  at.cms.inject({ kind: "hang" }, { times: 99 });
  const began = at.kit.gw.clock.now;
  const { checks } = await at.kit.gw.call<{ checks: { name: string; ok: boolean | null }[] }>(
    "diagnose_site",
    { site_id: "acme" },
  );
  const took_ms = at.kit.gw.clock.now - began;
  assert.ok(took_ms > 0 && took_ms < 3000, `${took_ms} ms were waited`);
  const by = Object.fromEntries(checks.map(({ name, ok }) => [name, ok]));
  const found = [by["rest_api"], by["credentials"], by["page_builder"], by["seo_bridge"]];
  assert.deepEqual(found, [false, null, null, null]);
});

test("over MCP the status of the site stands beside its failure", async (at) => {
  const of = async (site_id: string, post_id: number) =>
    (await mcpResult(at.kit.gw, "get_post", { site_id, post_id }))._meta["status"];
  assert.equal(await of("acme", 999), 404);
  assert.equal(await of("wrong", at.draft.id), 401);
  at.cms.inject({ kind: "reset" }, { path: "/wp/v2/posts", times: 9 });
  assert.equal(await of("acme", at.draft.id), 504);
});
