/** The kit of stand-ins: each of its powers, tried on a small stand-in made of it. */
import assert from "node:assert/strict";
import { ManualTime } from "../../sandbox/core/clock.ts";
import { shown } from "../../sandbox/core/recorder.ts";
import { startService } from "../../sandbox/core/service.ts";
import { type OrdersFault, type OrdersStandIn, startOrders } from "./orders/start.ts";

const NOON = Date.UTC(2026, 4, 4, 12);

const get = (at: OrdersStandIn, path = "/orders", signal?: AbortSignal) =>
  fetch(at.base_url + path, { headers: { "x-api-key": at.api_key }, redirect: "manual", signal });

function post(at: OrdersStandIn, title: string): Promise<Response> {
  const headers = { "x-api-key": at.api_key, "content-type": "application/json" };
  return fetch(`${at.base_url}/orders`, { method: "POST", headers, body: JSON.stringify({ title }) });
}

/** The status of an answer nobody reads. */
async function status(answer: Promise<Response>): Promise<number> {
  const got = await answer;
  await got.body?.cancel();
  return got.status;
}

/** Resolves when the stand-in has taken that many requests in. */
async function asked(at: OrdersStandIn, count: number): Promise<void> {
  while (at.requests.length < count) await new Promise<void>((done) => setTimeout(done, 0));
}

Deno.test("requests are recorded whole, and shown without what is secret", async () => {
  await using at = startOrders({ now: () => NOON });
  await status(get(at, "/orders?page=2&q=a%20b"));
  await status(post(at, "Lamp"));
  const [read, write] = at.requests;
  assert.deepEqual([read!.method, read!.path, read!.query, read!.target, read!.body, read!.at, read!.fault], [
    "GET",
    "/orders",
    { page: "2", q: "a b" },
    "/orders?page=2&q=a%20b",
    null,
    NOON,
    null,
  ]);
  assert.deepEqual(write!.body, { title: "Lamp" });
  assert.deepEqual(at.writes, [write]);
  assert.equal(write!.headers["x-api-key"], at.api_key);
  assert.equal(shown(write!).headers["x-api-key"], "(hidden)");
  assert.equal(shown(write!).headers["content-type"], "application/json");
  at.clear();
  assert.deepEqual([at.requests, at.writes, at.orders.size], [[], [], 1]);
});

Deno.test("bodies are recorded as what they are", async () => {
  await using at = startOrders();
  const send = (type: string, body: BodyInit) =>
    status(fetch(`${at.base_url}/x`, { method: "PUT", headers: { "content-type": type }, body }));
  await send("application/x-www-form-urlencoded", "a=1&b=2");
  await send("application/json", "{not json");
  await send("image/png", new Uint8Array([0xff, 0xd8]));
  assert.deepEqual(at.requests.map(({ body }) => body), [
    { a: "1", b: "2" },
    "{not json",
    new Uint8Array([0xff, 0xd8]),
  ]);
});

Deno.test("a fault strikes once, so many times, or while something holds, and only what fits", async () => {
  await using at = startOrders();
  let down = true;
  at.inject({ kind: "answer", status: 500 }, { method: "POST", path: "/orders" });
  at.inject({ kind: "html", status: 504 }, { path: /^\/slow/, times: 2 });
  at.inject({ kind: "expired" }, { path: "/down", while: () => down });
  assert.deepEqual([await status(get(at)), await status(post(at, "a")), await status(post(at, "b"))], [
    200,
    500,
    201,
  ]);
  assert.deepEqual(
    [await status(get(at, "/slow")), await status(get(at, "/slow")), await status(get(at, "/slow"))],
    [504, 504, 404],
  );
  const seen = [await status(get(at, "/down")), await status(get(at, "/down"))];
  down = false;
  assert.deepEqual([...seen, await status(get(at, "/down"))], [401, 401, 404]);
  assert.deepEqual(at.requests.map(({ fault }) => fault), [
    null,
    "answer",
    null,
    "html",
    "html",
    null,
    "expired",
    "expired",
    null,
  ]);
  at.inject({ kind: "expired" });
  at.clearFaults();
  assert.equal(await status(get(at)), 200);
});

Deno.test("answers are scripted, malformed, huge, moved, busy in the vendor's words, or cut in the middle", async () => {
  await using at = startOrders();
  const ask = async (fault: OrdersFault) => {
    at.inject(fault);
    return await get(at);
  };
  const scripted = await ask({ kind: "answer", status: 418, body: { tea: true }, headers: { "x-pot": "1" } });
  assert.deepEqual([scripted.status, scripted.headers.get("x-pot"), await scripted.json()], [418, "1", {
    tea: true,
  }]);
  assert.equal(await (await ask({ kind: "answer", body: "[]" })).text(), "[]");
  await assert.rejects(async () => await (await ask({ kind: "malformed" })).json(), SyntaxError);
  assert.equal((await (await ask({ kind: "huge", bytes: 5000 })).text()).length, 5000);
  const moved = await ask({ kind: "redirect", to: "http://127.0.0.1:9/", status: 307 });
  assert.deepEqual([moved.status, moved.headers.get("location")], [307, "http://127.0.0.1:9/"]);
  await moved.body?.cancel();
  const busy = await ask({ kind: "busy", retry_after: 9 });
  assert.deepEqual([busy.status, busy.headers.get("x-wait"), await busy.json()], [429, "9", {
    error: "Slow down",
  }]);
  await assert.rejects(async () => await (await ask({ kind: "partial" })).text(), TypeError);
  await assert.rejects(
    async () => await (await ask({ kind: "partial", length: "true" })).json(),
    SyntaxError,
  );
});

Deno.test("a lost answer may be that of a request that was carried out", async () => {
  await using at = startOrders();
  at.inject({ kind: "reset" });
  await assert.rejects(post(at, "never"), TypeError);
  assert.equal(at.orders.size, 0);
  at.inject({ kind: "reset", applied: true });
  await assert.rejects(post(at, "done"), TypeError);
  at.inject({ kind: "html", applied: true });
  assert.equal(await status(post(at, "done too")), 502);
  assert.deepEqual([...at.orders.values()], [{ title: "done" }, { title: "done too" }]);
});

Deno.test("it hangs until the client gives up, and stops under one that does not", async () => {
  const at = startOrders({ limits: { concurrency: 1 } });
  at.inject({ kind: "hang" });
  const leaving = new AbortController();
  const left = assert.rejects(get(at, "/orders", leaving.signal), { name: "AbortError" });
  await asked(at, 1);
  assert.equal(await status(get(at)), 429);
  leaving.abort();
  await left;
  while (await status(get(at)) === 429); // until it has seen that the client is gone
  at.clear();
  at.inject({ kind: "hang" });
  const stays = assert.rejects(get(at), TypeError);
  await asked(at, 1);
  await at.stop();
  await at.stop();
  await stays;
});

Deno.test("latency is one for all or by route, and waits by the clock it is given", async () => {
  const time = new ManualTime(NOON);
  const delays = [{ path: "/orders", method: "POST", ms: 400 }, { path: "/orders", ms: 150 }];
  await using at = startOrders({ now: time.now, sleep: time.sleep, latency: delays });
  assert.equal(await status(get(at, "/elsewhere")), 404);
  const order: string[] = [];
  const note = async (answer: Promise<Response>, method: string) =>
    void order.push(`${method} ${await status(answer)}`);
  const writing = note(post(at, "a"), "POST");
  const reading = note(get(at), "GET");
  await time.sleepers(2);
  time.advance(149);
  assert.deepEqual(order, []);
  time.advance(1);
  await reading;
  assert.deepEqual(order, ["GET 200"]);
  time.advance(250);
  await writing;
  assert.deepEqual(order, ["GET 200", "POST 201"]);
  at.latency = 1000;
  const last = get(at, "/elsewhere");
  await time.sleepers(1);
  time.advance(1000);
  assert.equal(await status(last), 404);
});

Deno.test("a stand-in that stops waits for nobody it keeps waiting", async () => {
  const time = new ManualTime(NOON);
  const at = startOrders({ now: time.now, sleep: time.sleep, latency: 150 });
  const lost = assert.rejects(post(at, "never"), TypeError);
  await time.sleepers(1);
  await at.stop();
  await lost;
  assert.equal(at.orders.size, 0);
});

Deno.test("a slow answer comes a few bytes at a time", async () => {
  const time = new ManualTime(NOON);
  await using at = startOrders({ now: time.now, sleep: time.sleep });
  at.inject({ kind: "slow", bytes: 1, pause_ms: 50 });
  const answering = get(at).then((answer) => answer.text());
  for (const _ of "[]") {
    await time.sleepers(1);
    time.advance(50);
  }
  assert.equal(await answering, "[]");
});

Deno.test("a rate limit refuses in the vendor's words until the window ends", async () => {
  const time = new ManualTime(NOON + 2500);
  await using at = startOrders({ now: time.now, limits: { rate: { requests: 2, window_ms: 10_000 } } });
  assert.deepEqual([await status(get(at)), await status(get(at))], [200, 200]);
  at.inject({ kind: "expired" });
  const refused = await get(at);
  assert.deepEqual([refused.status, refused.headers.get("x-wait")], [429, "8"]);
  await refused.body?.cancel();
  time.advance(7500);
  assert.deepEqual([await status(get(at)), await status(get(at))], [401, 200], "no refusal uses a fault up");
});

Deno.test("too many at once are refused, while those before them are served", async () => {
  const time = new ManualTime(NOON);
  await using at = startOrders({
    now: time.now,
    sleep: time.sleep,
    latency: [{ method: "GET", ms: 150 }],
    limits: { concurrency: 2 },
  });
  const first = [get(at), get(at)];
  await time.sleepers(2);
  assert.equal(await status(post(at, "too many")), 429);
  time.advance(150);
  assert.deepEqual(await Promise.all(first.map(status)), [200, 200]);
  assert.equal(await status(post(at, "in time")), 201);
});

Deno.test("what a stand-in throws is answered, and an event stream is sent as it comes", async () => {
  let send: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
  await using at = startService({}, {
    handle({ url }) {
      if (url.pathname === "/bug") throw new Error("a bug of its own");
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        start: (controller) => void (send = controller),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const bug = await fetch(`${at.base_url}/bug`);
  assert.deepEqual([bug.status, /a bug of its own/.test(await bug.text())], [500, true]);
  const stream = await fetch(`${at.base_url}/events`);
  const reader = stream.body!.getReader();
  send!.enqueue(new TextEncoder().encode("data: 1\n\n"));
  assert.equal(new TextDecoder().decode((await reader.read()).value), "data: 1\n\n");
  await at.stop();
  assert.equal((await reader.read()).done, true);
});
