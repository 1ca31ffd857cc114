/** Streams of changes over MCP: what may be asked for, who is told of what, and what ends a stream. */
import assert from "node:assert/strict";
import { mcpDoor } from "../../../doors/mcp.ts";
import { GatewayError } from "../../../core/errors.ts";
import { type Caller, SUBSCRIPTION_LIMITS } from "../../../core/model.ts";
import { fakePorts, TOKEN } from "./fake_ports.ts";
import { legacy, modern } from "./mcp_requests.ts";

const TOOLS_CHANGED = { toolsListChanged: true };
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";

interface Message {
  readonly method?: string;
  readonly id?: unknown;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
}

/** A door whose clock and lists a test moves; the token's text is its id. */
function opened() {
  const { ports, seen } = fakePorts();
  const world = {
    now: 0,
    revoked: new Set<string>(),
    /** By token: what its list depends on, and what it is. */
    lists: new Map<string, { key: string; digest: string }>(),
    /** What the clock does. */
    works: new Set<() => Promise<void>>(),
    stopping: new AbortController(),
    compared: 0,
    listed: 0,
    /** What judging a token, whose id it is given, throws. */
    fails: (_token: string): Error | null => null,
  };
  const of = ({ token }: Caller) => world.lists.get(token.id) ?? { key: "k1", digest: "d1" };
  const caller = Promise.resolve(
    ports.authenticate(new Request("https://x.test", { headers: { authorization: `Bearer ${TOKEN}` } })),
  );
  const door = mcpDoor({
    ...ports,
    async authenticate(request) {
      const id = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
      const fault = world.fails(id);
      if (fault) throw fault;
      if (world.revoked.has(id)) throw new GatewayError("E_AUTH", "The token was revoked");
      const known = await caller;
      return { ...known, token: { ...known.token, id } };
    },
    listing(caller, sites) {
      world.listed++;
      return ports.listing(caller, sites, false);
    },
    lists: {
      fresh() {},
      key: (caller) => of(caller).key,
      digest(caller) {
        world.compared++;
        return of(caller).digest;
      },
    },
    stopping: world.stopping.signal,
    clock: {
      elapsed: () => world.now,
      every(ms, work) {
        assert.equal(ms, SUBSCRIPTION_LIMITS.LOOK_MS);
        world.works.add(work);
        return () => void world.works.delete(work);
      },
    },
  });
  return {
    world,
    seen,
    door,
    listen: (token = "a", notifications: unknown = TOOLS_CHANGED) =>
      door(
        modern("subscriptions/listen", { notifications }, { headers: { authorization: `Bearer ${token}` } }),
      ),
    /** Looks once, after that much time. */
    async look(ms: number = SUBSCRIPTION_LIMITS.LOOK_MS) {
      world.now += ms;
      for (const work of world.works) await work();
    },
  };
}

/** The messages of a stream, one at a time; comments are answered as text. */
function reading(response: Response) {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "text/event-stream");
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  const next = async (): Promise<Message | string | null> => {
    while (!rest.includes("\n\n")) {
      const { value, done } = await reader.read();
      if (done) return null;
      rest += value;
    }
    const end = rest.indexOf("\n\n");
    const event = rest.slice(0, end);
    rest = rest.slice(end + 2);
    if (event.startsWith(":")) return event;
    assert.match(event, /^event: message\ndata: /);
    return JSON.parse(event.replace("event: message\ndata: ", ""));
  };
  const all = async () => {
    const found: (Message | string)[] = [];
    for (let one = await next(); one !== null; one = await next()) found.push(one);
    return found;
  };
  return { next, all, cancel: () => reader.cancel() };
}

const acknowledged = (notifications: object) => ({
  jsonrpc: "2.0",
  method: "notifications/subscriptions/acknowledged",
  params: { _meta: { [SUBSCRIPTION]: 1 }, notifications },
});
const CHANGED = {
  jsonrpc: "2.0",
  method: "notifications/tools/list_changed",
  params: { _meta: { [SUBSCRIPTION]: 1 } },
};
const ENDED = {
  jsonrpc: "2.0",
  id: 1,
  result: {
    resultType: "complete",
    _meta: {
      [SUBSCRIPTION]: 1,
      "io.modelcontextprotocol/serverInfo": { name: "gateway", version: "1.0.0" },
    },
  },
};

Deno.test("a stream begins with what is listened for, tells of each change, and ends with the result", async () => {
  const at = opened();
  const response = await at.listen();
  assert.equal(response.headers.get("x-request-id"), "r1");
  assert.equal(response.headers.get("cache-control"), "no-cache");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  const { next, all } = reading(response);
  assert.deepEqual(await next(), acknowledged(TOOLS_CHANGED));
  for (const n of [2, 3]) {
    at.world.lists.set("a", { key: `k${n}`, digest: `d${n}` });
    await at.look();
    assert.deepEqual(await next(), CHANGED);
  }
  at.world.stopping.abort();
  assert.deepEqual(await all(), [ENDED]);
  assert.equal(at.world.works.size, 0, "nothing is looked at any more");
  assert.equal(at.world.listed, 1, "opening one counts as a listing, looking does not");
});

Deno.test("only who sees another list is told: not where another's changed, and not where the same came about anew", async () => {
  const at = opened();
  const [a, b] = [reading(await at.listen("a")), reading(await at.listen("b"))];
  await a.next();
  await b.next();
  at.world.lists.set("a", { key: "k2", digest: "d2" });
  at.world.lists.set("b", { key: "k2", digest: "d1" });
  await at.look();
  assert.deepEqual(await a.next(), CHANGED);
  const before = at.world.compared;
  await at.look();
  assert.equal(at.world.compared, before, "lists are compared only where something has changed");
  at.world.stopping.abort();
  assert.deepEqual([await a.all(), await b.all()], [[ENDED], [ENDED]]);
});

Deno.test("changes between two looks are told once, and those that are taken back not at all", async () => {
  const at = opened();
  const { next, all } = reading(await at.listen());
  await next();
  for (const n of [2, 3, 4]) at.world.lists.set("a", { key: `k${n}`, digest: `d${n}` });
  await at.look();
  assert.deepEqual(await next(), CHANGED);
  at.world.lists.set("a", { key: "k5", digest: "d5" });
  at.world.lists.set("a", { key: "k6", digest: "d4" });
  await at.look();
  at.world.stopping.abort();
  assert.deepEqual(await all(), [ENDED]);
});

Deno.test("what is not there is not promised, and a stream of nothing ends at once", async () => {
  const at = opened();
  const others = { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ["x:y"] };
  for (const asked of [{}, others, { toolsListChanged: false }]) {
    assert.deepEqual(await reading(await at.listen("a", asked)).all(), [acknowledged({}), ENDED]);
  }
  assert.equal(at.world.works.size, 0);
  const { next, cancel } = reading(await at.listen("a", { ...others, ...TOOLS_CHANGED }));
  assert.deepEqual(await next(), acknowledged(TOOLS_CHANGED));
  await cancel();
});

Deno.test("what is no filter is refused", async () => {
  const at = opened();
  const none = [null, [], "all", { toolsListChanged: "yes" }, { resourceSubscriptions: [1] }];
  for (const asked of [...none.map((notifications) => ({ notifications })), {}]) {
    const response = await at.door(modern("subscriptions/listen", asked));
    const { error } = await response.json();
    assert.deepEqual([response.status, error.code], [200, -32602]);
    assert.match(error.message, /notifications: send an object, \{"toolsListChanged": true\}/);
  }
});

Deno.test("before 2026-07-28 there is nothing to listen to, and neither era is promised what it has not", async () => {
  const at = opened();
  const { error } = await (await at.door(legacy("subscriptions/listen", { notifications: TOOLS_CHANGED })))
    .json();
  assert.equal(error.code, -32601);
  const old = await (await at.door(legacy("initialize", { protocolVersion: "2025-11-25" }))).json();
  assert.deepEqual(old.result.capabilities.tools, {});
  const now = await (await at.door(modern("server/discover"))).json();
  const { tools, ...others } = now.result.capabilities;
  assert.deepEqual(tools, { listChanged: true });
  assert.ok(Object.values(others).every((one) => Object.keys(one as object).length === 0));
});

Deno.test("a token that is revoked ends its streams at the next look, and no others", async () => {
  const at = opened();
  const [a, b] = [reading(await at.listen("a")), reading(await at.listen("b"))];
  at.world.revoked.add("a");
  at.world.lists.set("a", { key: "k2", digest: "d2" });
  await at.look();
  assert.deepEqual(await a.all(), [acknowledged(TOOLS_CHANGED), ENDED], "it is told of nothing more");
  at.world.lists.set("b", { key: "k2", digest: "d2" });
  assert.deepEqual(await b.next(), acknowledged(TOOLS_CHANGED));
  await at.look();
  assert.deepEqual(await b.next(), CHANGED);
  await b.cancel();
  assert.deepEqual(at.seen.faults, []);
});

for (
  const fault of [
    new TypeError("disk I/O error"),
    new GatewayError("E_INTERNAL", "The store does not answer"),
  ]
) {
  Deno.test(`while tokens cannot be judged (${fault.message}) streams stay, are told nothing, and are told once they can`, async () => {
    const at = opened();
    const streams = [reading(await at.listen("a")), reading(await at.listen("b"))];
    for (const { next } of streams) assert.deepEqual(await next(), acknowledged(TOOLS_CHANGED));
    at.world.fails = () => fault;
    for (const token of ["a", "b"]) at.world.lists.set(token, { key: "k2", digest: "d2" });
    for (let n = 0; n < 20; n++) await at.look();
    assert.deepEqual([at.world.compared, at.seen.faults.length], [2, 1], "the operator reads it once");
    assert.match(String(at.seen.faults), new RegExp(fault.message));
    await at.look(SUBSCRIPTION_LIMITS.QUIET_MS);
    for (const { next } of streams) {
      assert.equal(await next(), ": keep-alive", "so that nothing on the way closes it");
    }
    at.world.fails = () => null;
    await at.look();
    for (const { next } of streams) assert.deepEqual(await next(), CHANGED);
    at.world.fails = (token) => token === "a" ? fault : null;
    at.world.lists.set("b", { key: "k3", digest: "d3" });
    await at.look();
    assert.deepEqual(await streams[1]!.next(), CHANGED, "one that cannot be judged holds up no other");
    assert.equal(at.seen.faults.length, 2, "and a new outage is read again");
    at.world.fails = () => fault;
    await at.look(SUBSCRIPTION_LIMITS.STREAM_MS);
    for (const { all } of streams) assert.deepEqual(await all(), [ENDED], "none lives for ever");
  });
}

Deno.test("a quiet stream is kept alive, and ends in order when it has lived long enough", async () => {
  const at = opened();
  const { next, all } = reading(await at.listen());
  await next();
  await at.look(SUBSCRIPTION_LIMITS.QUIET_MS - 1);
  await at.look(1);
  assert.equal(await next(), ": keep-alive");
  await at.look(SUBSCRIPTION_LIMITS.STREAM_MS);
  assert.deepEqual(await all(), [ENDED]);
});

Deno.test("a client that does not read fills no memory, and still finds that its list has changed", async () => {
  const at = opened();
  const response = await at.listen();
  for (let n = 2; n < 200; n++) {
    at.world.lists.set("a", { key: `k${n}`, digest: `d${n}` });
    await at.look(SUBSCRIPTION_LIMITS.QUIET_MS);
  }
  at.world.stopping.abort();
  const found = await reading(response).all();
  assert.ok(found.length < 12, `${found.length} events`);
  assert.deepEqual(found.at(-1), ENDED);
  assert.ok(found.filter((one) => typeof one !== "string" && one.method === CHANGED.method).length > 4);
});

Deno.test("a token may have so many streams, and no more; one that is closed makes room", async () => {
  const at = opened();
  const open = [];
  for (let n = 0; n < SUBSCRIPTION_LIMITS.STREAMS_PER_TOKEN; n++) open.push(reading(await at.listen()));
  const { error } = await (await at.listen()).json();
  assert.equal(error.code, -32603);
  assert.match(error.message, /^The token has 16 streams open, the most it may have; close one of them$/);
  const other = reading(await at.listen("b"));
  await open.pop()!.cancel();
  open.push(reading(await at.listen()), other);
  await Promise.all(open.map((one) => one.cancel()));
  assert.equal(at.world.works.size, 0);
});

Deno.test("all tokens together may have so many streams, and no more", async () => {
  const at = opened();
  const open = [];
  for (let n = 0; n < SUBSCRIPTION_LIMITS.STREAMS_MAX; n++) open.push(reading(await at.listen(`t${n}`)));
  const { error } = await (await at.listen("one more")).json();
  assert.equal(error.message, "As many streams are open as there may be; try again later");
  at.world.stopping.abort();
  await Promise.all(open.map((one) => one.all()));
});

Deno.test("while the gateway stops, a stream that is opened ends at once", async () => {
  const at = opened();
  at.world.stopping.abort();
  assert.deepEqual(await reading(await at.listen()).all(), [acknowledged(TOOLS_CHANGED), ENDED]);
  assert.equal(at.world.works.size, 0);
});
