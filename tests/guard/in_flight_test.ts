/** What may be under way at once, through both doors: calls of one token wait for a place, and bodies take room. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";

const APP = { REPO_APP_ID: "1", REPO_APP_PRIVATE_KEY: "a key that nothing signs with" };

/** A site that answers nothing until it is told to. */
class SlowSite {
  readonly #asked: { method: string; answer: () => void }[] = [];
  #isOpen = false;

  readonly fetch = async (_: unknown, init?: { method?: string }): Promise<Response> => {
    const method = init?.method ?? "GET";
    if (!this.#isOpen) await new Promise<void>((answer) => this.#asked.push({ method, answer }));
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };

  get asked(): string {
    return this.#asked.map(({ method }) => method).join();
  }

  /** Answers whoever has asked longest. */
  one(): void {
    this.#asked.shift()?.answer();
  }

  /** Answers all, and whoever comes. */
  all(): void {
    this.#isOpen = true;
    for (const { answer } of this.#asked.splice(0)) answer();
  }
}

function open(upstream: SlowSite, settings: KitOptions["settings"]): Promise<Kit> {
  return gateway({
    roots: [new URL("../fixtures/toys/", import.meta.url)],
    sites: [site("acme", "cms", { repo: "owner/name" })],
    settings: {
      rateLimitToken: 0,
      rateLimitSite: 0,
      upstream: { ...APP, ADS_DEVELOPER_TOKEN: "dev" },
      ...settings,
    },
    tokens: { other: {} },
    fetch: upstream.fetch as typeof fetch,
    allowPrivate: ["acme.example"],
  });
}

const JSON_TYPE = { "content-type": "application/json" };
const READ = { site_id: "acme", page: 1 };

/** A call over REST whose client can leave; its answer's status and code. */
async function rest(gw: Kit, { as = "all", tool = "toy_read", args = READ, signal, key }: {
  as?: string;
  tool?: string;
  args?: Record<string, unknown>;
  signal?: AbortSignal;
  key?: string;
} = {}) {
  const headers = { ...JSON_TYPE, ...(key ? { "idempotency-key": key } : {}) };
  const body = JSON.stringify(args);
  const response = await gw.http(`/api/v1/tools/${tool}`, { method: "POST", headers, body, as, signal });
  const { error } = await response.json();
  return { status: response.status, code: error?.code, message: error?.message, headers: response.headers };
}

/** Lets what is ready run, until it holds. */
async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 2000 && !holds(); turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  assert.ok(holds());
}

const statuses = async (calls: readonly Promise<{ status: number }>[]) =>
  (await Promise.all(calls)).map(({ status }) => status);

Deno.test("the call after the last place waits, those of other tokens do not, and each is answered", async () => {
  const upstream = new SlowSite();
  await using gw = await open(upstream, { callsPerToken: 2 });
  const calls = Array.from({ length: 4 }, () => rest(gw));
  const overMcp = gw.end("toy_read", READ, { door: "mcp" });
  await until(() => upstream.asked === "GET,GET");
  const other = rest(gw, { as: "other" });
  await until(() => upstream.asked === "GET,GET,GET");
  upstream.one();
  await until(() => gw.requests.length === 4);
  assert.equal(upstream.asked, "GET,GET,GET", "whoever waited longest has the place");
  upstream.all();
  assert.deepEqual(await statuses([...calls, other]), [200, 200, 200, 200, 200]);
  assert.ok("value" in await overMcp);
});

Deno.test("with 256 waiting the next is told to come back, over REST and over MCP, and nothing was sent", async () => {
  const upstream = new SlowSite();
  await using gw = await open(upstream, { callsPerToken: 1 });
  const calls = Array.from({ length: 1 + LIMITS.CALLS_WAITING_PER_TOKEN }, () => rest(gw));
  await until(() => upstream.asked === "GET");
  await new Promise((resolve) => setTimeout(resolve, 20)); // all of them wait
  const refused = await rest(gw);
  assert.deepEqual([refused.status, refused.code, refused.headers.get("retry-after")], [503, "E_BUSY", "2"]);
  assert.match(
    refused.message,
    /1 calls under way and 256 waiting, the most there may be; .*try again in 2 s$/,
  );
  const params = { name: "toy_read", arguments: READ };
  const response = await gw.http("/mcp", {
    method: "POST",
    headers: JSON_TYPE,
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
  });
  const { result } = await response.json();
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /^E_BUSY: /);
  assert.equal(result._meta["site-operations/retry-after"], 2);
  assert.equal(gw.requests.length, 1);
  upstream.all();
  assert.ok((await statuses(calls)).every((status) => status === 200));
});

Deno.test("a call whose client has gone leaves the line, is audited, and sends nothing", async () => {
  const upstream = new SlowSite();
  await using gw = await open(upstream, { callsPerToken: 1 });
  const first = rest(gw);
  await until(() => upstream.asked === "GET");
  const client = new AbortController();
  const gone = rest(gw, { signal: client.signal });
  await new Promise((resolve) => setTimeout(resolve, 5));
  client.abort();
  assert.equal((await gone).code, "E_CANCELLED");
  upstream.all();
  assert.equal((await first).status, 200);
  assert.equal(gw.requests.length, 1);
  assert.deepEqual((await gw.audit()).map(({ error }) => error ?? null).sort(), ["E_CANCELLED", null]);
});

Deno.test("a repeat that waits for the first call takes no place from others", async () => {
  const upstream = new SlowSite();
  await using gw = await open(upstream, { callsPerToken: 2 });
  const args = { site_id: "acme", title: "a", confirm: true };
  const write = { tool: "toy_write", args, key: "k" };
  const first = rest(gw, write);
  await until(() => upstream.asked === "GET"); // its plan
  upstream.one();
  await until(() => upstream.asked !== "");
  const repeat = rest(gw, write);
  await new Promise((resolve) => setTimeout(resolve, 50)); // it waits for the first
  const read = rest(gw);
  await until(() => upstream.asked.endsWith("GET"));
  upstream.all();
  assert.deepEqual(await statuses([first, repeat, read]), [200, 200, 200]);
  assert.equal((await repeat).headers.get("idempotent-replayed"), "true");
});

Deno.test("a client that listens for changes takes no place", async () => {
  const upstream = new SlowSite();
  upstream.all();
  await using gw = await open(upstream, { callsPerToken: 1 });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const params = { _meta: meta, notifications: { toolsListChanged: true } };
  const stream = await gw.http("/mcp", {
    method: "POST",
    headers: {
      ...JSON_TYPE,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }),
  });
  assert.match(stream.headers.get("content-type") ?? "", /event-stream/);
  const { status, message } = await rest(gw);
  assert.deepEqual([status, message], [200, undefined]);
  await stream.body?.cancel();
});

Deno.test("with 0 a token may have as many calls under way as it likes", async () => {
  const upstream = new SlowSite();
  await using gw = await open(upstream, { callsPerToken: 0 });
  const calls = Array.from({ length: 100 }, () => rest(gw));
  await until(() => gw.requests.length === 100);
  upstream.all();
  assert.ok((await statuses(calls)).every((status) => status === 200));
});

Deno.test("bodies beyond the room for them are refused, over REST and over MCP, until others have ended", async () => {
  const upstream = new SlowSite();
  await using gw = await open(upstream, { maxBodyBytesInFlight: 1000 });
  const args = { ...READ, page: 1 };
  const padded = JSON.stringify(args) + " ".repeat(700);
  const send = (path: string, body: string, as = "all") =>
    gw.http(path, { method: "POST", headers: JSON_TYPE, body, as });
  const first = send("/api/v1/tools/toy_read", padded);
  await until(() => upstream.asked === "GET");
  const frame = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "toy_read", arguments: args },
  });
  for (const as of ["all", "other"]) {
    for (
      const [path, body] of [["/api/v1/tools/toy_read", padded], ["/mcp", frame + " ".repeat(700)]] as const
    ) {
      const refused = await send(path, body, as);
      assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "2"], path);
      assert.equal((await refused.json()).error.code, "E_BUSY");
    }
  }
  assert.equal(gw.requests.length, 1, "nothing was sent");
  const small = send("/api/v1/tools/toy_read", JSON.stringify(args), "other");
  await until(() => upstream.asked === "GET,GET");
  upstream.all();
  for (const call of [first, small]) await (await call).json();
  for (const path of ["/api/v1/tools/toy_read", "/mcp"]) {
    const again = await send(path, path === "/mcp" ? frame + " ".repeat(700) : padded);
    assert.equal(again.status, 200);
    await again.body?.cancel();
  }
  const whole = await send("/mcp", "{" + " ".repeat(999));
  assert.equal(whole.status, 400, "what was refused or is no message gave its room back");
  await whole.body?.cancel();
});
