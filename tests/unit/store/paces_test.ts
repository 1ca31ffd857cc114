/** Paces: turns reserved a few at a time, so that no window holds too many, whichever instance of a store asks. */
import assert from "node:assert/strict";
import type { NoTurn, PaceLimits, Turn } from "../../../core/pace.ts";
import { PaceDraft, type PaceRecord } from "../../../store/pace_record.ts";
import type { Store } from "../../../store/store.ts";
import { Clock, folder, open, START } from "./kit.ts";

const LIMITS: PaceLimits = { requests: 80, window_ms: 10_000, requests_a_day: 200_000 };
const DAY_MS = 24 * 60 * 60_000;
const FOREVER = Infinity;

/** The most of the moments that lie within any window. */
function busiest(moments: readonly number[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  return Math.max(
    ...sorted.map((end, last) =>
      sorted.slice(0, last + 1).filter((at) => at > end - LIMITS.window_ms).length
    ),
  );
}

function given(turn: Turn | NoTurn): Turn {
  assert.ok(typeof turn !== "string", String(turn));
  return turn;
}

/** Stores on one file and one clock. */
async function instances(count: number) {
  const dir = await folder();
  const clock = new Clock();
  const stores: (Store & AsyncDisposable)[] = [];
  for (let at = 0; at < count; at++) {
    stores.push(await open({ path: `${dir.path}/kv.db`, now: clock.now, elapsed: clock.now }));
  }
  return {
    clock,
    paces: stores.map((store) => store.paces.of("crm loc", LIMITS)),
    stores,
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("three instances together begin at most 80 turns in any 10 s, however fast each sends and is answered", async () => {
  await using at = await instances(3);
  const arrivals: number[] = [];
  const { clock } = at;
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  for (let step = 0; step < 300; step++) {
    const pace = at.paces[Math.floor(random() * 3)]!;
    const turn = await pace.take(clock.ms);
    if (typeof turn === "string") {
      assert.equal(turn, "late");
      clock.ms += 100 + Math.floor(random() * 400);
      continue;
    }
    assert.ok(turn.at <= clock.ms && clock.ms <= turn.until);
    if (random() < 0.8) {
      arrivals.push(clock.ms + Math.floor(random() * 200)); // on its way, answered after
      clock.ms += Math.floor(random() * 300);
      if (random() < 0.9) turn.done();
    }
  }
  assert.ok(arrivals.length > 150, `${arrivals.length}`);
  assert.ok(busiest(arrivals) <= 80, `${busiest(arrivals)} in 10 s`);
  assert.ok(busiest(arrivals) > 40, `${busiest(arrivals)}: what is allowed is made use of`);
});

Deno.test("those who wait are served in turn, whichever instance they wait at, and nobody waits for ever", async () => {
  await using at = await instances(2);
  const [one, other] = at.paces;
  const first = await Promise.all(Array.from({ length: 80 }, () => one!.take(FOREVER)));
  for (const turn of first) given(turn).done();
  const waits: Turn[] = [];
  for (let asked = 0; asked < 40; asked++) waits.push(given(await at.paces[asked % 2]!.take(FOREVER)));
  const moments = waits.map((turn) => turn.at - START);
  assert.deepEqual(moments, [...moments].sort((a, b) => a - b), "in the order they asked");
  assert.ok(moments[0]! >= 10_000 && moments[0]! <= 13_000, `${moments[0]}`);
  assert.ok(moments.at(-1)! <= 13_000, `${moments.at(-1)}: none is put off twice`);
  assert.equal(await other!.take(START + 9000), "late");
});

Deno.test("one instance alone asks 80 times in 10 s with few commits, and gives back what it did not use", async () => {
  await using at = await instances(2);
  const [pace, other] = at.paces;
  const reserved = new Set<number>(); // turns that are reserved in one commit begin at one moment
  for (let asked = 0; asked < 80; asked++) {
    const turn = given(await pace!.take(FOREVER));
    assert.ok(turn.at <= at.clock.ms, `request ${asked} waits`);
    at.clock.ms += 100;
    turn.done();
    reserved.add(turn.at);
  }
  assert.ok(reserved.size <= 16, `${reserved.size} commits`);
  at.clock.ms += 10_000;
  given(await pace!.take(FOREVER)); // gives back what the last block held
  assert.equal(given(await other!.take(at.clock.ms)).at, at.clock.ms);
});

Deno.test("an instance that crashed holds nothing up for longer than its turns would have counted", async () => {
  await using at = await instances(2);
  const [crashed, alive] = at.paces;
  await Promise.all(Array.from({ length: 80 }, () => crashed!.take(FOREVER)));
  await at.stores[0]!.close();
  const turn = given(await alive!.take(FOREVER));
  assert.ok(turn.at > START + 10_000 && turn.at <= START + 13_000, `${turn.at - START}`);
  at.clock.ms += 13_000;
  for (let asked = 0; asked < 79; asked++) assert.ok(given(await alive!.take(FOREVER)).at <= at.clock.ms);
});

Deno.test("a pause holds for every instance, and the requests of a day are counted together", async () => {
  await using at = await instances(2);
  const [one, other] = at.paces;
  await one!.block(START + 7000, "busy");
  assert.equal(await other!.take(START + 6000), "late");
  assert.equal(given(await other!.take(FOREVER)).at, START + 7000);
  await one!.block(START + 900_000, "day");
  assert.equal(await other!.take(FOREVER), "day");
  at.clock.ms += 900_000;
  given(await other!.take(FOREVER));

  const limits = { ...LIMITS, requests_a_day: 10 };
  const [few, more] = at.stores.map((store) => store.paces.of("few", limits));
  for (let asked = 0; asked < 10; asked++) {
    given(await (asked % 2 ? few : more)!.take(FOREVER)).done();
    at.clock.ms += 3000;
  }
  assert.equal(await few!.take(FOREVER), "day");
  assert.equal(await more!.take(FOREVER), "day");
  at.clock.ms = (Math.floor(at.clock.ms / DAY_MS) + 1) * DAY_MS;
  given(await more!.take(FOREVER));
});

Deno.test("paces of other names have turns of their own", async () => {
  await using store = await open();
  const pace = (name: string) => store.paces.of(name, { ...LIMITS, requests: 1 });
  const now = Date.now();
  assert.ok(given(await pace("a").take(FOREVER)).at < now + 5000);
  assert.ok(given(await pace("a").take(FOREVER)).at >= now + 10_000);
  assert.ok(given(await pace("b").take(FOREVER)).at < now + 5000);
  assert.equal(pace("a"), pace("a"));
});

Deno.test("what was written under a clock that has gone back since holds nobody up", () => {
  const far = START + 3 * 60 * 60_000;
  const record: PaceRecord = {
    holders: { other: Array.from({ length: 80 }, () => far) },
    day: Math.floor(START / DAY_MS),
    sent: 80,
    blocked: { until: far, why: "day" },
  };
  const draft = new PaceDraft(record, "own", [], 0, LIMITS, START);
  assert.equal(draft.grant(FOREVER), START);
  assert.deepEqual([draft.alone, draft.blockedUntil, draft.record.sent], [true, 0, 81]);
});

Deno.test("a block of a pace that is over is not written back, and a shorter one does not end a longer", () => {
  const draft = new PaceDraft(null, "own", [], 0, LIMITS, START);
  draft.block(START + 5000, "busy");
  draft.block(START + 1000, "busy");
  assert.equal(draft.blockedUntil, START + 5000);
  draft.block(START + 1000, "day");
  assert.deepEqual(draft.record.blocked, { until: START + 5000, why: "day" });
  const later = new PaceDraft(draft.record, "own", [], 0, LIMITS, START + 5000);
  assert.equal(later.record.blocked, null);
});
