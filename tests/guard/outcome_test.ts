/** What a failed write says of the change: none, made or unknown, on both doors and in its row. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import { Writes } from "../../guard/pipeline/writes.ts";
import { withOutcome } from "../../guard/pipeline/outcome.ts";
import type { Outcome } from "../../core/model.ts";
import { endingOf } from "../../platforms/_http/failures.ts";
import type { Ending, Incoming, Outgoing } from "../../platforms/_http/request.ts";
import { NotSent } from "../../platforms/_http/sockets.ts";
import { gateway, type Kit, site } from "../kit.ts";

const DRAFT = { site_id: "acme", title: "Hello", content_html: "<p>Hello</p>", confirm: true };
const ME = {
  slug: "admin",
  roles: ["administrator"],
  id: 1,
  name: "Admin",
  capabilities: { edit_posts: true, edit_others_posts: true, manage_categories: true },
};
const POST = {
  id: 7,
  status: "draft",
  link: "https://acme.example/?p=7",
  slug: "hello",
  date_gmt: null,
  author: 1,
  modified_gmt: "2026-11-21T12:00:00",
  title: { raw: "Hello" },
  content: { raw: "<p>Hello</p>" },
  excerpt: { raw: "" },
  featured_media: 0,
  categories: [],
  tags: [],
};
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
const refusedBy = (status: number) => json({ code: "rest_trouble", message: "No", data: { status } }, status);

/** A CMS that reads well and answers each write as it is told, by the end of its path. */
async function cms(write: (path: string) => Response | Promise<Response>): Promise<Kit> {
  return await gateway({
    sites: [site("acme", "cms")],
    http: { lookup: () => Promise.resolve(["93.184.216.34"]), sleep: () => Promise.resolve() },
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      if (init?.method === "POST") return await write(pathname);
      if (init?.method === "HEAD") return new Response(null);
      if (pathname.endsWith("/users/me")) return json(ME);
      if (pathname.endsWith("/tags")) return json([]);
      return json({ namespaces: ["wp/v2"] });
    },
  });
}

interface Told {
  readonly code: string;
  readonly message: string;
  readonly outcome?: Outcome;
}

/** The same refused call through both doors: the error of REST, what `_meta` says on MCP, and the rows. */
async function told(gw: Kit, tool: string, args: object) {
  const headers = { "content-type": "application/json" };
  const rest = await gw.http(`/api/v1/tools/${tool}`, {
    method: "POST",
    headers,
    body: JSON.stringify(args),
  });
  const { error } = await rest.json() as { error: Told };
  const params = { name: tool, arguments: args };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  const mcp = await gw.http("/mcp", { method: "POST", headers, body });
  const { result } = await mcp.json();
  assert.equal(result._meta["site-operations/outcome"], error.outcome);
  assert.equal(result._meta["site-operations/request-id"], mcp.headers.get("x-request-id"));
  assert.equal(result.content[0].text, `${error.code}: ${error.message}`);
  const rows = await gw.audit();
  assert.deepEqual(rows.map((row) => row.id), [mcp, rest].map((one) => one.headers.get("x-request-id")));
  assert.deepEqual(rows.map((row) => row.outcome), [error.outcome, error.outcome]);
  return { error, row: rows[0]!, response: rest };
}

const LOOK = 'look at the site with "list_drafts" before trying again';
const ANSWERS: readonly [string, () => Response | Promise<Response>, Outcome][] = [
  ["cut off", () => Promise.reject(new TypeError("reset")), "unknown"],
  ["504 in JSON", () => refusedBy(504), "unknown"],
  ["500 in JSON", () => refusedBy(500), "unknown"],
  ["503 in JSON", () => json({ code: "busy", message: "Busy" }, 503), "unknown"],
  ["502 in HTML", () => new Response("<h1>Bad gateway</h1>", { status: 502 }), "unknown"],
  ["408", () => refusedBy(408), "unknown"],
  ["499", () => new Response("", { status: 499 }), "unknown"],
  ["a redirect", () => Response.redirect("https://acme.example/elsewhere", 302), "unknown"],
  ["200 in HTML", () => new Response("<h1>Welcome</h1>"), "unknown"],
  ["200 with nothing", () => new Response(""), "unknown"],
  ["200 of another shape", () => json({ hello: "world" }), "unknown"],
  ["nothing, for it could not be sent", () => Promise.reject(new NotSent("no route")), "none"],
  ["400", () => refusedBy(400), "none"],
  ["403", () => refusedBy(403), "none"],
  ["403 of a firewall", () => new Response("<h1>No</h1>", { status: 403 }), "unknown"],
  ["403 of a firewall that speaks JSON", () => json({ error: "blocked" }, 403), "unknown"],
  ["404", () => refusedBy(404), "none"],
  ["404 of a proxy", () => new Response("Not Found", { status: 404 }), "unknown"],
  ["401 of a proxy, which carries nothing out", () => new Response("<h1>No</h1>", { status: 401 }), "none"],
  ["413 of a proxy, which passes nothing on", () => new Response("<h1>No</h1>", { status: 413 }), "none"],
  ["429", () => refusedBy(429), "none"],
  ["429 of a proxy", () => new Response("Slow down", { status: 429 }), "none"],
];

for (const [name, answer, outcome] of ANSWERS) {
  Deno.test(`a write answered with ${name} leaves the outcome ${outcome}`, async () => {
    await using gw = await cms(answer);
    const { error, row, response } = await told(gw, "create_draft", DRAFT);
    assert.deepEqual([error.code, error.outcome, row.carried_out], ["E_UPSTREAM", outcome, row.carried_out]);
    if (outcome === "none") return assert.doesNotMatch(error.message, /outcome|try again later/);
    assert.ok(error.message.endsWith(LOOK), error.message);
    assert.equal(error.message.split("outcome is unknown").length, 2, error.message);
    assert.doesNotMatch(error.message, /try again later/);
    assert.equal(response.headers.get("retry-after"), null);
  });
}

Deno.test("a write that is refused after another was carried out is in doubt, and both message and row name that one", async () => {
  await using gw = await cms((path) =>
    path.endsWith("/tags")
      ? json({ id: 17, name: "News", slug: "news", count: 0, parent: 0 }, 201)
      : refusedBy(400)
  );
  const { error, row } = await told(gw, "create_draft", { ...DRAFT, tags: ["News"] });
  assert.equal(error.outcome, "unknown");
  assert.deepEqual(row.carried_out, ["POST wp/v2/tags (17)"]);
  assert.match(
    error.message,
    /by then it had made tag 17 \("News"\); a part of the change was made, the outcome/,
  );
});

Deno.test("refusals before the write, of a preview too, leave the outcome none; a read says nothing of it", async () => {
  await using gw = await cms(() => json(POST, 201));
  assert.equal((await told(gw, "create_draft", { ...DRAFT, title: 7 })).error.outcome, "none");
  const read = await gw.end("get_post", { site_id: "nowhere", post_id: 1 });
  assert.deepEqual("code" in read && [read.code, "outcome" in read], ["E_NOT_FOUND", false]);
  const unknown = await gw.end("no_such_tool", {});
  assert.deepEqual("code" in unknown && [unknown.code, "outcome" in unknown], ["E_TOOL_NOT_FOUND", false]);
});

Deno.test("a write that succeeds has the outcome made in its row, a preview and a read have none to tell", async () => {
  await using gw = await cms(() => json(POST, 201));
  const { confirm: _, ...unconfirmed } = DRAFT;
  await gw.call("create_draft", unconfirmed);
  await gw.call("create_draft", DRAFT);
  await gw.call("list_sites", {});
  assert.deepEqual((await gw.audit()).map(({ tool, outcome }) => [tool, outcome]), [
    ["list_sites", undefined],
    ["create_draft", "made"],
    ["create_draft", undefined],
  ]);
});

Deno.test("an intent carries the deadline of its call", async () => {
  const gone = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  await using gw = await cms(async () => (arrived.resolve(), await gone.promise, json(POST, 201)));
  const call = gw.call("create_draft", DRAFT);
  await arrived.promise;
  const [row] = await gw.audit();
  assert.deepEqual(
    [row?.status, row?.deadline, row?.outcome],
    ["started", "2026-11-21T12:01:00.000Z", undefined],
  );
  gone.resolve();
  await call;
});

const OUT: Outgoing = { method: "POST", url: "https://a.example/x?access_token=secret", effect: "write" };
const failed = new GatewayError("E_UPSTREAM", "No");

Deno.test("what the writes of a call tell together", () => {
  const rows: [Ending[], Outcome][] = [
    [[], "none"],
    [["not_sent"], "none"],
    [["refused", "refused"], "none"],
    [["carried_out"], "made"],
    [["refused", "carried_out"], "made"],
    [["carried_out", "refused"], "unknown"],
    [["carried_out", "not_sent"], "unknown"],
    [["in_doubt", "carried_out"], "unknown"],
    [["in_doubt", "refused"], "unknown"],
  ];
  for (const [endings, outcome] of rows) {
    const writes = new Writes();
    for (const ending of endings) writes.begin(OUT)(ending, null);
    assert.equal(writes.outcomeOf(failed), outcome, endings.join());
  }
});

Deno.test("a write that never ended, one that only prepares, and a tool's own failure leave doubt", () => {
  const open = new Writes();
  open.begin(OUT);
  assert.equal(open.outcomeOf(failed), "unknown");
  const part = new Writes();
  part.begin({ ...OUT, part: true })("carried_out", null);
  assert.equal(part.outcomeOf(failed), "unknown");
  const tool = new Writes();
  tool.begin(OUT)("carried_out", null);
  assert.equal(tool.outcomeOf(new GatewayError("E_TOOL_ERROR", "No")), "unknown");
  assert.deepEqual(tool.carriedOut, ["POST /x"]);
});

Deno.test("whoever throws may know better than the requests tell", () => {
  const writes = new Writes();
  writes.begin(OUT)("carried_out", null);
  assert.equal(writes.outcomeOf(new GatewayError("E_FORBIDDEN_OP", "No", { outcome: "none" })), "none");
});

Deno.test("a write that may have been made is never told when to try again", () => {
  const writes = new Writes();
  writes.begin(OUT)("in_doubt", null);
  const busy = new GatewayError("E_UPSTREAM", "Busy", { upstream: 503, retryAfter: 30 });
  const record = { decision: { tier: 1 as const, writing: true }, writes, allMade: [] };
  const one = withOutcome(busy, record, undefined);
  assert.deepEqual([one.retryAfter, one.upstream, one.outcome], [undefined, 503, "unknown"]);
  assert.equal(
    withOutcome(busy, { ...record, decision: { tier: 1, writing: false } }, undefined).retryAfter,
    30,
  );
});

Deno.test("an answer is a refusal, a success that reads as one, or doubt", () => {
  const incoming = (status: number, text: string, type = "application/json"): Incoming => {
    const bytes = new TextEncoder().encode(text);
    const json = () => {
      try {
        return JSON.parse(text);
      } catch {
        return undefined;
      }
    };
    return { status, url: "", headers: new Headers({ "content-type": type }), bytes, text: () => text, json };
  };
  const rows: [Incoming, Ending][] = [
    [incoming(204, ""), "carried_out"],
    [incoming(201, "{}"), "carried_out"],
    [incoming(200, "null"), "carried_out"],
    [incoming(200, "data: {}", "text/event-stream"), "carried_out"],
    [incoming(200, "<p>", "text/html"), "in_doubt"],
    [incoming(200, ""), "in_doubt"],
    [incoming(304, ""), "in_doubt"],
    [incoming(409, "{}"), "refused"],
    [incoming(409, "<p>", "text/html"), "in_doubt"],
    [incoming(403, "[]"), "in_doubt"],
    [incoming(422, ""), "in_doubt"],
    [incoming(413, "<p>", "text/html"), "refused"],
    [incoming(408, "{}"), "in_doubt"],
    [incoming(499, ""), "in_doubt"],
    [incoming(500, "{}"), "in_doubt"],
  ];
  for (const [answer, ending] of rows) assert.equal(endingOf(answer), ending, `${answer.status}`);
  const own = { isRefusal: (json: unknown) => (json as { code?: string } | undefined)?.code !== undefined };
  assert.equal(
    endingOf(incoming(403, '{"error":"blocked"}'), own),
    "in_doubt",
    "not in the upstream's own words",
  );
  assert.equal(endingOf(incoming(403, '{"code":"no"}'), own), "refused");
  assert.equal(
    endingOf(incoming(403, ""), { ...own, busy: () => 1000 }),
    "refused",
    "it was too busy to do anything",
  );
  assert.equal(endingOf(incoming(403, ""), { ...own, busy: () => null }), "in_doubt");
});
