/** Requests counted by the day, answers kept in parts, snapshots by site and day, and leases that are renewed. */
import assert from "node:assert/strict";
import type { Snapshot } from "../../../core/model.ts";
import { Clock, folder, open } from "./kit.ts";

const HOUR = 60 * 60 * 1000;
const SCOPE = ["clarity", "p1"];
const DAY = "2026-03-01";

const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
  site_id: "acme",
  date: DAY,
  source: "p1",
  status: "ok",
  error: null,
  attempts: 1,
  retry: false,
  credentials_version: 1,
  pulled_at: null,
  window_start: null,
  window_end: null,
  late: false,
  metrics: null,
  ...more,
});

Deno.test("of a hundred requests at once, from two instances, exactly as many are counted as a day allows", async () => {
  await using place = await folder();
  const path = `${place.path}/kv.sqlite3`;
  await using one = await open({ path });
  await using two = await open({ path });
  const taken = await Promise.all(
    Array.from({ length: 100 }, (_, n) => (n % 2 ? one : two).allowances.take(SCOPE, DAY, 10)),
  );
  assert.equal(taken.filter(Boolean).length, 10);
  assert.deepEqual(await one.allowances.read(SCOPE, DAY), { used: 10, exhausted: false });
  assert.deepEqual(await one.allowances.read(SCOPE, "2026-03-02"), { used: 0, exhausted: false });
  assert.deepEqual(await one.allowances.read(["clarity", "p2"], DAY), { used: 0, exhausted: false });
});

Deno.test("a day that the upstream called used up allows nothing more, however few were counted", async () => {
  await using store = await open();
  assert.equal(await store.allowances.take(SCOPE, DAY, 10), true);
  await store.allowances.exhaust(SCOPE, DAY);
  assert.equal(await store.allowances.take(SCOPE, DAY, 10), false);
  assert.deepEqual(await store.allowances.read(SCOPE, DAY), { used: 1, exhausted: true });
  await assert.rejects(store.allowances.take(["clarity", "x".repeat(300)], DAY, 10), /account: at most 256/);
});

Deno.test("a value of any size is kept whole, for its time, and a newer one takes its place", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const name = ["clarity", "p1", "q"];
  const large = Array.from({ length: 20_000 }, () => crypto.randomUUID());
  for (const value of ["", null, { a: [1, "ü"] }, large]) {
    await store.allowances.keep(name, value, HOUR);
    assert.deepEqual(await store.allowances.find(name), { value, at: clock.ms });
  }
  assert.equal(await store.allowances.find(["clarity", "p1"]), null);
  const both = await Promise.all([store.allowances.keep(name, large, HOUR), store.allowances.find(name)]);
  assert.deepEqual(both[1]!.value, large);
  clock.ms += HOUR;
  assert.equal(await store.allowances.find(name), null);
});

Deno.test("a value that is damaged is found no more, and one that is kept anew is", async () => {
  let kv: Deno.Kv | undefined;
  await using store = await open({ around: (real) => kv = real });
  const name = ["clarity", "p1", "q"];
  for (
    const [prefix, ...damage] of [["kept", "x", {}, 7], ["kept_parts", "x", {}, new Uint8Array(9)]] as const
  ) {
    for (const value of damage) {
      await store.allowances.keep(name, "answer", HOUR);
      for await (const { key } of kv!.list({ prefix: [prefix] })) await kv!.set(key, value);
      assert.equal(await store.allowances.find(name), null, `${prefix} ${JSON.stringify(value)}`);
    }
  }
  await store.allowances.keep(name, "answer", HOUR);
  assert.equal((await store.allowances.find(name))?.value, "answer");
});

Deno.test("a snapshot that did not fail is never replaced, one that failed is", async () => {
  await using store = await open();
  const { snapshots } = store;
  const put = (more: Partial<Snapshot>) => snapshots.put("clarity", snapshot(more), 400);
  assert.deepEqual([await put({ status: "failed" }), await put({ status: "failed", attempts: 2 })], [
    true,
    true,
  ]);
  const race = await Promise.all([put({ source: "a" }), put({ source: "b" }), put({ status: "empty" })]);
  assert.equal(race.filter(Boolean).length, 1);
  assert.equal(await put({ status: "failed" }), false);
  assert.equal((await snapshots.list("clarity", "acme", DAY, DAY)).length, 1);
});

Deno.test("snapshots are listed by site and days, both ends included", async () => {
  await using store = await open();
  const { snapshots } = store;
  for (const date of ["2026-02-28", DAY, "2026-03-02", "2026-03-10"]) {
    for (const site_id of ["acme", "acme-2"]) {
      await snapshots.put("clarity", snapshot({ site_id, date }), 400);
    }
  }
  const listed = await snapshots.list("clarity", "acme", DAY, "2026-03-02");
  assert.deepEqual(listed.map(({ site_id, date }) => [site_id, date]), [["acme", DAY], [
    "acme",
    "2026-03-02",
  ]]);
  assert.deepEqual(await snapshots.list("other", "acme", DAY, "2026-03-02"), []);
  const ids = Array.from({ length: 25 }, (_, n) => `s${n}`);
  for (const site_id of ids) await snapshots.put("clarity", snapshot({ site_id }), 400);
  const found = await snapshots.ofDay("clarity", DAY, [...ids, "acme", "none"]);
  assert.deepEqual([...found.keys()], [...ids, "acme"]);
});

Deno.test("work that renews its lease keeps it beyond its time; where it was lost the work is told", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now, elapsed: clock.now });
  const taken = () => store.leases.hold("nightly", 1000, () => Promise.resolve());
  await store.leases.hold("nightly", 1000, async (renew) => {
    for (let part = 0; part < 10; part++) {
      clock.ms += 400;
      assert.deepEqual(await Promise.all([renew(), renew(), renew()]), [true, true, true]);
      assert.equal(await taken(), false, "it is held");
    }
    clock.ms += 1001;
    await store.leases.hold("nightly", 1000, async () => {
      assert.equal(await renew(), false, "another holder has it");
    });
  });
  assert.equal(await taken(), true);
});
