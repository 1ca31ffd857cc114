/** What may be asked of the CRM and how fast: the policy, the pacer, the budget, and a request's turn on the way out. */
import assert from "node:assert/strict";
import { createHttp } from "../../../platforms/_http/http.ts";
import { Budget, each } from "../../../platforms/highlevel/budget.ts";
import type { NoTurn, Pace, Turn } from "../../../core/pace.ts";
import { PACE, Pacer, Waiting } from "../../../platforms/highlevel/pacer.ts";
import { refusalOf } from "../../../platforms/highlevel/routes.ts";
import type { Outgoing } from "../../../platforms/_http/request.ts";
import { NOW } from "../../kit.ts";

const BASE = "https://crm.example/api";
const get = (path: string, more: Partial<Outgoing> = {}): Outgoing => ({
  method: "GET",
  url: `${BASE}${path}`,
  effect: "read",
  ...more,
});

Deno.test("only reads of known routes that name the site's own location may be sent", () => {
  const fine = [
    get("/workflows/?locationId=own"),
    get("/opportunities/search?location_id=own&limit=100"),
    get("/invoices/?altId=own&altType=location"),
    get("/locations/own"),
    get("/locations/own/tags"),
    get("/conversations/abc/messages?limit=100"),
    get("/contacts/search", { method: "POST", json: { locationId: "own", pageLimit: 1 } }),
  ];
  for (const out of fine) assert.equal(refusalOf(out, BASE, "own"), null, out.url);
  const refused: [Outgoing, RegExp][] = [
    [get("/workflows/?locationId=other"), /another location/],
    [get("/workflows/?locationId=own&locationId=other"), /another location/],
    [get("/workflows/?locationId=own&altId=other"), /another location/],
    [get("/workflows/"), /no location/],
    [get("/invoices/?altId=own&altType=agency"), /no location/],
    [get("/opportunities/search?locationId=own"), /no location/],
    [get("/locations/other"), /another location/],
    [get("/locations/own/../other"), /another location/],
    [get("/locations/own/templates"), /no route/],
    [get("/contacts/abc?locationId=own"), /no route/],
    [get("/conversations/a%2Fb/messages"), /no route/],
    [get("/contacts/search", { method: "POST", json: { locationId: "other" } }), /another location/],
    [get("/contacts/search", { method: "POST", json: {} }), /no location/],
    [get("/contacts/search", { method: "POST", effect: "write", json: { locationId: "own" } }), /only read/],
    [get("/workflows/?locationId=own", { method: "POST" }), /no route/],
    [{ ...get(""), url: "https://crm.example/workflows/?locationId=own" }, /no route/],
  ];
  for (const [out, why] of refused) assert.match(refusalOf(out, BASE, "own") ?? "sent", why, out.url);
  assert.match(refusalOf(fine[0]!, BASE, null) ?? "", /names no location/);
});

/** A pace without limits, and what it was told to leave. */
function freePace(now: () => number) {
  const blocks: [number, string][] = [];
  let blockedUntil = 0;
  const pace: Pace = {
    take: () => Promise.resolve({ at: now(), until: now() + 1000, done: () => {} }),
    block(until, why) {
      blocks.push([until - now(), why]);
      blockedUntil = until;
      return Promise.resolve();
    },
    get blockedUntil() {
      return blockedUntil;
    },
  };
  return { pace, blocks };
}

Deno.test("the pacer hears what is left upstream: of the interval, and of the day", async () => {
  const answers: [number, Record<string, string>, [number, string][]][] = [
    [200, { "x-ratelimit-remaining": "20" }, []],
    [200, {}, []],
    [200, { "x-ratelimit-remaining": "19", "x-ratelimit-interval-milliseconds": "7000" }, [[7000, "busy"]]],
    [429, { "x-ratelimit-interval-milliseconds": "99999999" }, [[PACE.window_ms, "busy"]]],
    [200, { "x-ratelimit-daily-remaining": "1" }, []],
    [200, { "x-ratelimit-daily-remaining": "0" }, [[15 * 60_000, "day"]]],
    [429, { "x-ratelimit-daily-remaining": "0" }, [[15 * 60_000, "day"]]],
  ];
  for (const [status, headers, expected] of answers) {
    const { pace, blocks } = freePace(() => NOW);
    await new Pacer(pace, () => NOW).heard({ status, headers: new Headers(headers) });
    assert.deepEqual(blocks, expected, JSON.stringify([status, headers]));
  }
});

Deno.test("each try has a turn of its own, one that was missed is taken anew, and a pause is waited for", async () => {
  let now = NOW;
  const ended: number[] = [];
  const turns: (Turn | NoTurn)[] = [[500, 1500], [2000, 3000], [9000, 9500]].map(([at, until], index) => ({
    at: NOW + at!,
    until: NOW + until!,
    done: () => void ended.push(index),
  }));
  turns.push("late");
  let blockedUntil = 0;
  const waiting = new Waiting({
    take: () => Promise.resolve(turns.shift()!),
    now: () => now,
    blockedUntil: () => blockedUntil,
  }, turns.shift() as Turn);
  assert.equal(await waiting.left(), 500);
  now += 1600; // too late for the first
  assert.equal(await waiting.left(), 400);
  blockedUntil = NOW + 2500;
  assert.equal(await waiting.left(), 900);
  now = NOW + 2500;
  assert.equal(await waiting.left(), 0);
  assert.deepEqual(ended, []);
  assert.equal(await waiting.left(), 6500, "the next try");
  assert.deepEqual(ended, [1]);
  now = NOW + 9000;
  assert.equal(await waiting.left(), 0);
  waiting.done();
  waiting.done();
  assert.deepEqual(ended, [1, 2]);
  assert.equal(waiting.refused, null);
  assert.equal(await waiting.left(), Infinity);
  assert.equal(waiting.refused, "late");
});

Deno.test("a budget gives so many requests, and what could not be sent is given back", () => {
  const budget = new Budget(2);
  assert.deepEqual([1, 2, 3].map(() => budget.take()), [true, true, false]);
  assert.deepEqual([budget.used, budget.stopped], [2, "requests"]);
  const late = new Budget();
  assert.equal(late.take(), true);
  late.giveBack("time");
  assert.deepEqual([late.used, late.stopped], [0, "time"]);
});

Deno.test("six are under way at once; after a failure nothing more is begun, and what is under way is waited for", async () => {
  let [under, most, begun] = [0, 0, 0];
  const gate = Promise.withResolvers<void>();
  const done = each(Array.from({ length: 20 }, (_, at) => at), async (at) => {
    begun++;
    most = Math.max(most, ++under);
    await gate.promise;
    under--;
    if (at === 2) throw new Error("third");
    return at;
  });
  gate.resolve();
  await assert.rejects(done, /third/);
  assert.deepEqual([most, under], [6, 0]);
  assert.ok(begun < 20);
  assert.deepEqual(await each([1, 2, 3], (at) => Promise.resolve(at * 2)), [2, 4, 6]);
});

Deno.test("a request waits for its turn before each try, and is not sent where that comes too late", async () => {
  let now = NOW;
  const [waits, sent]: [number[], number[]] = [[], []];
  using http = createHttp({
    allowPrivate: [],
    now: () => now,
    lookup: () => Promise.resolve(["93.184.215.14"]),
    random: () => 0.5,
    sleep: (ms) => {
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
    fetch: () => {
      sent.push(now);
      return sent.length === 1
        ? Promise.reject(new TypeError("broken"))
        : Promise.resolve(new Response("{}", { headers: { "content-type": "application/json" } }));
    },
  });
  let turn = NOW;
  const take = (at: number) => {
    if (turn > at) return turn - at;
    turn = at + 1000;
    return 0;
  };
  const out = get("/x", { turn: take });
  await http.send(out, { deadline: NOW + 60_000 });
  assert.deepEqual(sent, [NOW, NOW + 1000], "the second try has a turn of its own");
  assert.deepEqual(waits, [250, 750]);
  turn = now + 30_000;
  await assert.rejects(http.send(out, { deadline: now + 60_000 }), /was not asked: its pace allows no more/);
  assert.equal(sent.length, 2);
});
