/** Budgets of calls: exact for one process, within a stated bound for several, and few commits for many calls. */
import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { Budgets } from "../../../store/budgets.ts";
import { Database } from "../../../store/database.ts";
import type { Budget } from "../../../store/store.ts";
import { HangingKv, type Hung, Ticks } from "../../hanging_kv.ts";
import { instead } from "../../instead.ts";
import { openMemory } from "../../memory_kv.ts";
import { folder, interfere, open, START } from "./kit.ts";
import { seeded } from "./virtual_time.ts";

const MINUTE = 60_000;
const PER_MINUTE = 1200;
const SECOND = PER_MINUTE / 60;

/** A process: its budget, its own clock for records, and what it asked of the store. */
interface Process {
  readonly budget: Budget;
  readonly asked: { reads: number; commits: number };
  wall: () => number;
}

/** Processes on one KV, whose time moves when a test says so. */
async function processes(count: number, perMinute = PER_MINUTE, commit?: Parameters<typeof interfere>[1]) {
  const kv = await openMemory(":memory:");
  const time = { ms: 0 };
  const all = Array.from({ length: count }, (_, nth): Process => {
    const asked = { reads: 0, commits: 0 };
    const counted = interfere(
      instead(kv, { get: (key: Deno.KvKey) => (asked.reads++, kv.get(key)) } as Partial<Deno.Kv>),
      (real) => (asked.commits++, commit ? commit(real) : real()),
    );
    const one: Process = {
      asked,
      wall: () => START + time.ms,
      budget: new Budgets(
        new Database(counted, () => one.wall(), () => time.ms + nth * 1e7),
        true,
        new Ticks(),
      )
        .of("token", perMinute),
    };
    return one;
  });
  return { kv, time, all, one: all[0]!, other: all[1]! };
}

/** Resolves once what is under way in the background is done: the KV answers within a turn. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 8; turns++) await setImmediate();
}

/** Which of so many calls that come at once are let through. */
async function passed({ budget }: Process, calls: number, key = "a"): Promise<number> {
  const waits = await Promise.all(Array.from({ length: calls }, () => budget.take(key)));
  await settled();
  return waits.filter((wait) => wait === 0).length;
}

/** The most that was let through over any stretch of time, beyond what `aMinute` allows for it. */
class Excess {
  #passed = 0;
  #least = 0;
  most = 0;

  constructor(private readonly aMinute: number) {}

  add(at: number, calls: number): void {
    const allowed = at / MINUTE * this.aMinute;
    this.#least = Math.min(this.#least, this.#passed - allowed);
    this.#passed += calls;
    this.most = Math.max(this.most, this.#passed - allowed - this.#least);
  }

  get passed(): number {
    return this.#passed;
  }
}

for (const perMinute of [1, 7, 45, 60, 1200]) {
  Deno.test(`alone, a process on a shared store refuses as one with a store of its own does: ${perMinute} a minute`, async () => {
    const { time, one } = await processes(1, perMinute);
    const db = new Database(await openMemory(":memory:"), () => 0, () => time.ms);
    const own = new Budgets(db, false).of("token", perMinute);
    const random = seeded(perMinute);
    let refused = 0;
    for (let step = 0; step < 400; step++) {
      time.ms += Math.floor(random() ** 4 * (random() < 0.05 ? 3 * MINUTE : 2 * MINUTE / perMinute));
      const calls = Math.ceil(random() ** 6 * 2 * perMinute);
      const waits = Array.from({ length: calls }, () => own.take("a"));
      assert.deepEqual(
        await Promise.all(Array.from({ length: calls }, () => one.budget.take("a"))),
        waits,
        `step ${step}`,
      );
      assert.equal(one.budget.look("a"), own.look("a"));
      await settled();
      refused += waits.filter((wait) => wait !== 0).length;
    }
    assert.ok(refused > 20, `${refused}`);
  });
}

/** Processes that are called at once and more often than the limit, by turns more and less, for five minutes. */
async function pressed({ time, all }: Awaited<ReturnType<typeof processes>>) {
  const random = seeded(5);
  const excess = new Excess(PER_MINUTE + all.length * SECOND);
  const from = time.ms;
  while (time.ms < from + 5 * MINUTE) {
    const calls = await Promise.all(all.map((one) => passed(one, Math.floor(random() * 40))));
    excess.add(time.ms, calls.reduce((sum, one) => sum + one));
    time.ms += Math.floor(random() * 1500);
  }
  return { excess, least: PER_MINUTE * (1 + (time.ms - from) / MINUTE) };
}

for (const count of [2, 3]) {
  Deno.test(`${count} processes let through a minute's worth and its refill, and the calls of two seconds each beyond it`, async () => {
    const { excess, least } = await pressed(await processes(count));
    const bound = PER_MINUTE + count * 2 * SECOND;
    assert.ok(excess.most <= bound, `${excess.most} over ${bound}`);
    assert.ok(excess.passed >= least - (count * 2 + 2) * SECOND, `${excess.passed} of ${least}`);
  });
}

Deno.test("where one process is idle the other has the whole limit, and whatever it used is missing to the idle one", async () => {
  const { time, one, other } = await processes(2);
  assert.equal(await passed(one, 100), 100);
  assert.equal(await passed(other, 2000), PER_MINUTE - 100);
  const late = await passed(one, 2000);
  assert.ok(late <= 2 * SECOND, `${late}`);
  for (let minute = 0; minute < 3; minute++) {
    time.ms += MINUTE;
    const busy = await passed(other, 2000);
    assert.ok(busy >= PER_MINUTE - 2 * SECOND && busy <= PER_MINUTE, `${busy}`);
  }
  time.ms += MINUTE;
  const changed = await passed(one, 2000) + await passed(other, 2000);
  assert.ok(changed >= PER_MINUTE - 2 * SECOND && changed <= PER_MINUTE + 2 * SECOND, `${changed}`);
});

Deno.test("a limit of one call a minute lets each process make one, and then one in a minute all together", async () => {
  const { time, all } = await processes(3, 1);
  let calls = 0;
  for (; time.ms < 20 * MINUTE; time.ms += 1000) for (const one of all) calls += await passed(one, 1);
  assert.ok(calls >= 20 && calls <= 20 + 3, `${calls}`);
});

Deno.test("what others used while a process had no calls and a full bucket is not counted against it for longer than for them", async () => {
  const { time, one, other } = await processes(2);
  await passed(one, 2 * SECOND);
  time.ms += 10_000;
  await passed(other, 2000);
  time.ms += 30_000;
  assert.equal(await passed(other, 2000), PER_MINUTE / 2);
  time.ms += 10_000;
  const calls = await passed(one, 2000);
  assert.ok(calls >= 8 * SECOND && calls <= 12 * SECOND, `${calls}`);
});

Deno.test("a record that ran out and was made anew is not taken for the one before", async () => {
  const { kv, time, one, other } = await processes(2);
  await passed(one, 100);
  await kv.delete(["budgets", "token", "a"]);
  time.ms += 4 * MINUTE;
  assert.equal(await passed(other, 2000), PER_MINUTE);
  const calls = await passed(one, 2000);
  assert.ok(calls <= 2 * SECOND, `${calls}`);
});

Deno.test("a process that starts anew knows what was used before", async () => {
  const { one, other } = await processes(2);
  assert.equal(await passed(one, 2000), PER_MINUTE);
  const fresh = await passed(other, 2000);
  assert.ok(fresh <= 2 * SECOND, `${fresh}`);
});

Deno.test("fewer calls than those of a second, in a minute, ask the store nothing", async () => {
  const { time, one } = await processes(1);
  for (let minute = 0; minute < 10; minute++) {
    assert.equal(await passed(one, SECOND - 1), SECOND - 1);
    time.ms += MINUTE;
  }
  assert.deepEqual(one.asked, { reads: 0, commits: 0 });
});

Deno.test("many calls at once are one commit or two, and steady ones one for the calls of a second", async () => {
  const { time, one } = await processes(1);
  assert.equal(await passed(one, PER_MINUTE), PER_MINUTE);
  assert.ok(one.asked.commits <= 3, `${one.asked.commits}`);
  time.ms += 5 * MINUTE;
  const before = one.asked.commits;
  for (let call = 0; call < PER_MINUTE; call++) {
    assert.equal(await passed(one, 1), 1);
    time.ms += MINUTE / PER_MINUTE;
  }
  const steady = one.asked.commits - before;
  assert.ok(steady > 30 && steady <= 60, `${steady}`);
});

Deno.test("a refused caller asks the store nothing, however often it tries", async () => {
  const { one, other } = await processes(2);
  await passed(one, PER_MINUTE);
  await passed(other, 100);
  const before = [{ ...one.asked }, { ...other.asked }];
  for (const each of [one, other]) assert.equal(await passed(each, 10_000), 0);
  assert.deepEqual([one.asked, other.asked], before);
});

Deno.test("keys and names have budgets of their own", async () => {
  const { one } = await processes(1, 2);
  assert.deepEqual([await passed(one, 5, "a"), await passed(one, 5, "b"), await passed(one, 5, "a")], [
    2,
    2,
    0,
  ]);
});

for (
  const [what, clock] of [
    ["an hour ahead", (ms: number) => ms + 60 * MINUTE],
    ["an hour behind", (ms: number) => ms - 60 * MINUTE],
    ["set by an hour every other second", (ms: number) => ms + (Math.floor(ms / 2000) % 2) * 60 * MINUTE],
    ["stopped", () => 0],
  ] as const
) {
  Deno.test(`a clock that is ${what} gives at most a minute's worth once, and takes nothing`, async () => {
    const at = await processes(2);
    at.other.wall = () => START + clock(at.time.ms);
    for (const one of at.all) await passed(one, 2 * SECOND);
    at.time.ms += 1.5 * MINUTE; // full again, and for a while
    const { excess, least } = await pressed(at);
    const bound = 2 * PER_MINUTE + 4 * SECOND;
    assert.ok(excess.most <= bound, `${excess.most} over ${bound}`);
    assert.ok(excess.passed >= least - 6 * SECOND, `${excess.passed} of ${least}`);
  });
}

Deno.test("a clock that is three seconds off costs the calls of three seconds at most", async () => {
  for (const off of [-3000, 3000]) {
    const at = await processes(2);
    at.other.wall = () => START + at.time.ms + off;
    const { excess, least } = await pressed(at);
    const bound = PER_MINUTE + (4 + 3) * SECOND;
    assert.ok(excess.most <= bound, `${excess.most} over ${bound}`);
    assert.ok(excess.passed >= least - (6 + 3) * SECOND, `${excess.passed} of ${least}`);
  }
});

for (const hung of ["reads", "changes"] as const satisfies readonly Hung[]) {
  Deno.test(`where the store's ${hung} hang, calls wait half a second once, and the process's own bucket counts`, async () => {
    const [hanging, ticks, time] = [new HangingKv(), new Ticks(), { ms: 0 }];
    const db = new Database(
      hanging.around(await openMemory(":memory:")),
      () => START + time.ms,
      () => time.ms,
      ticks,
    );
    const budget = new Budgets(db, true, ticks).of("token", PER_MINUTE);
    const waits: number[] = [];
    const take = (calls: number) => {
      for (let call = 0; call < calls; call++) Promise.resolve(budget.take("a")).then((ms) => waits.push(ms));
    };
    const through = () => waits.filter((ms) => ms === 0).length;
    hanging.hang((kind) => kind === hung);
    take(PER_MINUTE + 100);
    await ticks.pass(400);
    assert.equal(waits.length, 2 * SECOND, "what may be owed is not waited for");
    await ticks.pass(100);
    assert.deepEqual([waits.length, through()], [PER_MINUTE + 100, PER_MINUTE]);
    for (let second = 0; second < 12; second++) {
      time.ms += 1000;
      take(3 * SECOND);
      await ticks.pass(1000);
    }
    assert.deepEqual([waits.length, through()], [
      PER_MINUTE + 100 + 12 * 3 * SECOND,
      PER_MINUTE + 12 * SECOND,
    ]);
    assert.ok(hanging.asked.length <= 8, `${hanging.asked.length} asked`);
    await hanging.answer();
    time.ms += 1000;
    take(1);
    await ticks.pass(1000);
    const other = new Budgets(db, true, ticks).of("token", PER_MINUTE);
    const late = await Promise.all(Array.from({ length: PER_MINUTE }, () => other.take("a")));
    assert.ok(late.filter((ms) => ms === 0).length <= 3 * SECOND, "it is paid for once the store answers");
    time.ms += MINUTE;
    const again = Array.from({ length: PER_MINUTE }, () => budget.take("a"));
    assert.equal(again.filter((ms) => ms === 0).length, 2 * SECOND, "the store is asked again");
    await Promise.all(again);
    db.close();
  });
}

Deno.test("where the store fails no call waits, the process's own bucket counts, and the store is tried once a second", async () => {
  const { time, one } = await processes(1, PER_MINUTE, () => Promise.reject(new Error("disk full")));
  assert.equal(await passed(one, PER_MINUTE + 100), PER_MINUTE);
  const { commits } = one.asked;
  for (let tenth = 0; tenth < 100; tenth++) {
    time.ms += 100;
    assert.equal(await passed(one, 50), SECOND / 10, `${tenth}`);
  }
  assert.ok(one.asked.commits - commits <= 10, `${one.asked.commits}`);
});

Deno.test("once the store is back processes count together again, and are not held to what they let through alone", async () => {
  let isDown = false;
  const down = () => Promise.reject(new Error("disk full"));
  const { time, all, one } = await processes(2, PER_MINUTE, (real) => isDown ? down() : real());
  for (const each of all) await passed(each, 2 * SECOND);
  isDown = true;
  for (let second = 0; second < 300; second++, time.ms += 1000) {
    for (const each of all) assert.equal(await passed(each, SECOND), SECOND);
  }
  isDown = false;
  for (const each of all) await passed(each, 2 * SECOND);
  time.ms += MINUTE;
  const together = await passed(one, 2000) + await passed(all[1]!, 2000);
  assert.ok(together >= PER_MINUTE - 4 * SECOND && together <= PER_MINUTE + 4 * SECOND, `${together}`);
});

Deno.test("a commit of which nobody said that it was made costs no more than what may be owed", async () => {
  let commits = 0;
  const { time, one, other } = await processes(2, PER_MINUTE, async (real) => {
    const made = await real();
    if (++commits === 3) throw new Error("connection lost");
    return made;
  });
  await passed(one, SECOND);
  await passed(other, SECOND);
  time.ms += 5000;
  assert.equal(await passed(one, 2000), PER_MINUTE);
  time.ms += 50_000;
  const rest = await passed(one, 2000) + await passed(other, 2000);
  assert.ok(rest >= 46 * SECOND && rest <= 54 * SECOND, `${rest}`);
  time.ms += MINUTE;
  const next = await passed(one, 2000);
  assert.ok(next >= PER_MINUTE - 2 * SECOND, `${next}`);
});

Deno.test("what was paid for and not used lapses as it would have been refilled", async () => {
  const [hanging, ticks, time] = [new HangingKv(), new Ticks(), { ms: 0 }];
  const db = new Database(hanging.around(await openMemory(":memory:")), () => START + time.ms, () => time.ms);
  const [one, other] = [0, 1].map(() => new Budgets(db, true, ticks).of("token", PER_MINUTE));
  hanging.hang((kind) => kind === "changes");
  const waiting = Array.from({ length: 100 }, () => one!.take("a"));
  await settled();
  await ticks.pass(500);
  assert.deepEqual(
    await Promise.all(waiting),
    waiting.map(() => 0),
    "they wait no longer, and are paid for later",
  );
  await hanging.answer();
  time.ms += MINUTE;
  await Promise.all(Array.from({ length: 2000 }, () => other!.take("a")));
  const calls = await Promise.all(Array.from({ length: 200 }, () => one!.take("a")));
  assert.equal(calls.filter((ms) => ms === 0).length, 2 * SECOND);
});

Deno.test("stores that are opened on one file count together", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using one = await open({ path, elapsed: () => 0 });
  await using other = await open({ path, elapsed: () => 0 });
  let calls = 0;
  for (const store of [one, other, one]) {
    const budget = store.budgets.of("site", 300);
    const waits = await Promise.all(Array.from({ length: 200 }, () => budget.take("acme")));
    calls += waits.filter((wait) => wait === 0).length;
  }
  assert.ok(calls >= 300 && calls <= 320, `${calls}`);
});

Deno.test("a store in memory is one process's own: no call of a budget reads or writes it", async () => {
  const hanging = new HangingKv();
  await using store = await open({ around: (kv) => hanging.around(kv), elapsed: () => 0 });
  await store.audit.flush(); // it looks for what earlier stores left
  const before = hanging.begun;
  const budget = store.budgets.of("token", 300);
  const waits = Array.from({ length: 400 }, () => budget.take("a"));
  assert.equal(waits.filter((wait) => wait === 0).length, 300);
  await settled();
  assert.equal(hanging.begun, before);
});
