/** A KV that hangs without failing: every operation is answered in time, and nothing is said that is not known. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { Audit } from "../../../store/audit/audit.ts";
import { Database, type KvTraits } from "../../../store/database.ts";
import { openStore } from "../../../store/kv.ts";
import { Leases } from "../../../store/leases.ts";
import { Unanswered } from "../../../store/store_timeout.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { HangingKv, runToEnd, Ticks } from "../../hanging_kv.ts";
import { AUDIT_KEYS, KEY, row } from "./kit.ts";

const SILENT = /^GatewayError: The gateway's store does not answer at the moment; try again in some seconds$/;
const COMMIT_UNKNOWN = /has not said in time whether it kept a change, which may hold all the same/;

async function opened(traits: KvTraits = {}) {
  const hanging = new HangingKv();
  const ticks = new Ticks();
  const kv = hanging.around(await Deno.openKv(":memory:"));
  const db = new Database(kv, Date.now, ticks.elapsed, ticks, traits);
  const set = (value: string) => db.commit(db.kv.atomic().set(["name"], value));
  const standing = async () => (await db.kv.get(["name"])).value;
  return { hanging, ticks, db, set, standing, [Symbol.dispose]: () => db.close() };
}

const READS: readonly (readonly [name: string, read: (db: Database) => Promise<unknown>])[] = [
  ["a get", (db) => db.kv.get(["name"])],
  ["a get of many", (db) => db.kv.getMany([["name"], ["other"]])],
  ["a list", (db) => Array.fromAsync(db.kv.list({ prefix: [] }))],
];

for (const [name, read] of READS) {
  Deno.test(`${name} of a KV that hangs is given up after ${LIMITS.STORE_DEADLINE_MS} ms, and not before`, async () => {
    using at = await opened();
    at.hanging.hang();
    let failed: unknown;
    read(at.db).catch((error) => failed = error);
    await at.ticks.pass(LIMITS.STORE_DEADLINE_MS);
    assert.equal(failed, undefined);
    await at.ticks.pass(500);
    assert.match(String(failed), SILENT);
    await at.hanging.answer();
  });
}

Deno.test("a change that KV has not spoken of in time may hold: it is said, and told once it is known", async () => {
  using at = await opened();
  at.hanging.hang();
  const changing = at.set("Ann").catch((error: Unanswered) => error);
  await at.ticks.pass();
  const unanswered = await changing;
  assert.ok(unanswered instanceof Unanswered);
  assert.match(unanswered.message, COMMIT_UNKNOWN);
  await at.hanging.answer();
  assert.equal((await unanswered.late)?.ok, true);
  assert.equal(await at.standing(), "Ann");
});

Deno.test("nothing more is sent to a KV that hangs but a trial now and then, and all goes on once that is answered", async () => {
  using at = await opened();
  at.hanging.hang();
  const first = at.set("Ann").catch((error: Unanswered) => error);
  await at.ticks.pass();
  await first;
  for (let calls = 0; calls < 100; calls++) {
    const error: unknown = await at.set("Bea").catch((error) => error);
    assert.ok(error instanceof Unanswered && error.late === null);
    assert.match(String(error), SILENT, "it is known that nothing was changed");
  }
  await at.ticks.pass(60_000);
  assert.ok(at.hanging.asked.length > 5 && at.hanging.asked.length < 20, `${at.hanging.asked.length} asked`);
  await at.hanging.answer();
  await at.set("Cleo");
  assert.equal(await at.standing(), "Cleo");
});

Deno.test("where changes hang, reads go on, and the store is not called well", async () => {
  using at = await opened();
  await at.set("Ann");
  at.hanging.hang((kind) => kind === "changes");
  const changing = at.set("Bea").catch(() => {});
  await at.ticks.pass();
  await changing;
  assert.equal(await at.standing(), "Ann");
  await assert.rejects(at.db.probe(), Unanswered);
  await at.hanging.answer();
  await at.db.probe();
});

Deno.test("one operation that is lost while others are answered stops none of them", async () => {
  using at = await opened();
  at.hanging.hang((_, nth) => nth === 0);
  const lost = at.set("Ann").catch((error) => error);
  await at.ticks.pass(2000);
  await at.set("Bea");
  await at.ticks.pass();
  assert.match(String(await lost), COMMIT_UNKNOWN);
  await at.set("Cleo");
  assert.equal(at.hanging.asked.length, 1);
  await at.hanging.answer();
});

Deno.test("the clock runs only while something is under way", async () => {
  using at = await opened();
  await at.set("Ann");
  assert.ok(at.ticks.running);
  await at.ticks.pass(1000);
  assert.ok(!at.ticks.running);
  await at.standing();
  assert.ok(at.ticks.running);
  at.db.close();
  assert.ok(!at.ticks.running);
});

for (const isInProcess of [false, true]) {
  const where = isInProcess ? "in the process" : "elsewhere";
  Deno.test(`rows that a store ${where} did not answer are in the log once it answers, each once and in order`, async () => {
    using at = await opened({ isInProcess });
    const audit = new Audit(at.db, AUDIT_KEYS);
    await audit.append(row("0"));
    at.hanging.hang((kind) => kind === "changes");
    const first = audit.append(row("1", { status: "started" })).catch((error) => error);
    await at.ticks.pass();
    const second = audit.append(row("1", { status: "error" })).catch((error) => error);
    for (const one of [await first, await second]) assert.match(String(one), /audit log cannot be written/);
    await at.ticks.pass(30_000);
    await at.hanging.answer();
    await audit.flush();
    const { rows } = await audit.list({}, { limit: 10 });
    assert.deepEqual(rows.map(({ id, status }) => [id, status]), [["1", "error"], ["0", "ok"]]);
    assert.deepEqual(await audit.doubts(), { unknown: 0, open: 0 });
    assert.equal((await audit.verify()).ok, true);
    await audit.close();
  });
}

Deno.test("while one commit hangs in the process and others are answered, rows wait for it, and stand once", async () => {
  using at = await opened({ isInProcess: true });
  const audit = new Audit(at.db, AUDIT_KEYS);
  await audit.append(row("0"));
  at.hanging.hang((kind, nth) => kind === "changes" && nth === 0);
  const first = audit.append(row("1")).catch((error) => error);
  await at.ticks.pass(2000);
  await at.set("Ann");
  await at.ticks.pass();
  assert.match(String(await first), /audit log cannot be written/);
  const second = audit.append(row("2")).catch((error) => error);
  await at.ticks.pass(30_000);
  assert.match(String(await second), /audit log cannot be written/);
  assert.ok(at.hanging.begun < 40, `${at.hanging.begun} operations were begun meanwhile`);
  await at.hanging.answer();
  await at.ticks.pass();
  await audit.append(row("3"));
  await audit.flush();
  const { rows } = await audit.list({}, { limit: 10 });
  assert.deepEqual(rows.map(({ id }) => id), ["3", "2", "1", "0"]);
  assert.equal((await audit.verify()).ok, true);
  await audit.close();
});

Deno.test("a lease that is taken too late for its work is given back", async () => {
  using at = await opened();
  const leases = new Leases(at.db);
  at.hanging.hang((kind) => kind === "changes");
  const held = leases.hold("work", 60_000, () => Promise.resolve()).catch((error) => error);
  await at.ticks.pass();
  assert.ok(await held instanceof Unanswered);
  await at.hanging.answer();
  assert.equal(await leases.hold("work", 60_000, () => Promise.resolve()), true);
});

for (const kind of ["reads", "changes"] as const) {
  Deno.test(`where the store's ${kind} hang once an account was refreshed, its call is answered and its only token kept`, async () => {
    const [hanging, ticks] = [new HangingKv(), new Ticks()];
    const around = (kv: Deno.Kv) => hanging.around(kv);
    const options = { path: ":memory:", keys: [KEY], siteShape: SITE_SHAPE, tokenPrefix: "gate" };
    let now = Date.now();
    const { delay } = ticks;
    const store = await openStore({ ...options, clock: ticks, around, delay, now: () => now });
    const user = await store.users.create({
      email: "ann@agency.example",
      role: "member",
      allowed_sites: ["*"],
      max_risk: 4,
    });
    const granted = { account: "ann", scopes: ["mail"], expires_in: 3600 };
    await store.accounts.connect(user!.id, "mail", {
      ...granted,
      access_token: "first",
      refresh_token: "one",
    });
    now += 2 * 3_600_000;
    const refresh = () => {
      hanging.hang((one) => one === kind);
      const answer = { access_token: "second", refresh_token: "two", expires_in: 3600 };
      return Promise.resolve(answer);
    };
    const asked = store.accounts.token(user!.id, "mail", { refresh, wait_ms: 50_000 });
    const { value, waited_ms } = await runToEnd(ticks, asked);
    assert.equal(value.state, "unavailable");
    assert.ok(waited_ms <= 12_000, `${waited_ms} ms`);
    await ticks.pass(120_000);
    await hanging.answer();
    await ticks.pass(10_000);
    const never = () => Promise.reject(new Error("the token before is used up"));
    const { value: then } = await runToEnd(
      ticks,
      store.accounts.token(user!.id, "mail", { refresh: never, wait_ms: 50_000 }),
    );
    assert.ok(then.state === "ok" && then.access_token === "second", JSON.stringify(then));
    await store.close();
  });
}

Deno.test("a store that hangs is closed all the same", async () => {
  const [hanging, ticks] = [new HangingKv(), new Ticks()];
  const around = (kv: Deno.Kv) => hanging.around(kv);
  const options = { path: ":memory:", keys: [KEY], siteShape: SITE_SHAPE, tokenPrefix: "gate" };
  const store = await openStore({ ...options, clock: ticks, around });
  hanging.hang();
  store.audit.append(row("1")).catch(() => {});
  const { waited_ms } = await runToEnd(ticks, store.close());
  assert.ok(waited_ms <= 12_000, `${waited_ms} ms`);
  await hanging.answer();
});
