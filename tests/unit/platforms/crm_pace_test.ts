/** What may be asked of the CRM and how fast: the policy, the pacer, the budget, and a request's turn on the way out. */
import assert from "node:assert/strict";
import { createHttp } from "../../../platforms/http.ts";
import { Budget, each } from "../../../platforms/highlevel/budget.ts";
import { PACE_MS, PACE_REQUESTS, Pacer, pacerOf } from "../../../platforms/highlevel/pacer.ts";
import { refusalOf } from "../../../platforms/highlevel/routes.ts";
import type { Outgoing } from "../../../platforms/request.ts";
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

Deno.test("the pacer hands out 80 moments in any 10 seconds, whatever time passes between", () => {
  for (const step of [0, 1, 50, 124, 126, 1000]) {
    const pacer = new Pacer();
    const turns = Array.from({ length: 400 }, (_, at) => pacer.reserve(NOW + at * step));
    for (const [at, turn] of turns.entries()) {
      const before = turns[at - PACE_REQUESTS];
      if (before !== undefined) assert.ok(turn - before >= PACE_MS, `step ${step}, turn ${at}`);
    }
    assert.ok(turns[PACE_REQUESTS - 1]! <= NOW + (PACE_REQUESTS - 1) * step, "nobody waits before that");
  }
});

Deno.test("the pacer hears what is left upstream, and is not held up for ever by a clock that was set back", () => {
  const pacer = new Pacer();
  pacer.heard(new Headers({ "x-ratelimit-remaining": "20" }), NOW);
  pacer.heard(new Headers(), NOW);
  assert.equal(pacer.next(NOW), NOW);
  pacer.heard(
    new Headers({ "x-ratelimit-remaining": "19", "x-ratelimit-interval-milliseconds": "7000" }),
    NOW,
  );
  assert.equal(pacer.next(NOW), NOW + 7000);
  pacer.block(new Headers({ "x-ratelimit-interval-milliseconds": "99999999" }), NOW);
  assert.equal(pacer.next(NOW), NOW + PACE_MS, "an interval that makes no sense is not believed");
  const hour = 60 * 60_000;
  for (let at = 0; at < 90; at++) pacer.reserve(NOW);
  assert.equal(pacer.next(NOW - hour), NOW - hour);
  assert.equal(pacerOf(BASE, "a"), pacerOf(BASE, "a"));
  assert.notEqual(pacerOf(BASE, "a"), pacerOf(BASE, "b"));
});

Deno.test("a budget gives so many requests, and none that could not be answered in time", () => {
  const budget = new Budget(2);
  assert.deepEqual([1, 2, 3].map(() => budget.take(NOW, NOW + 60_000)), [true, true, false]);
  assert.deepEqual([budget.used, budget.stopped], [2, "requests"]);
  const late = new Budget();
  assert.equal(late.take(NOW + 58_000, NOW + 60_000), false);
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
  await http.send(out, { endsAt: NOW + 60_000 });
  assert.deepEqual(sent, [NOW, NOW + 1000], "the second try has a turn of its own");
  assert.deepEqual(waits, [250, 750]);
  turn = now + 30_000;
  await assert.rejects(http.send(out, { endsAt: now + 60_000 }), /was not asked: its pace allows no more/);
  assert.equal(sent.length, 2);
});
