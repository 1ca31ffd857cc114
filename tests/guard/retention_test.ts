/** Retention over a whole gateway: what it drops, what it waits for, and what an operator sees of both. */
import assert from "node:assert/strict";
import { type AuditRow, VERSION } from "../../core/model.ts";
import type { RetentionReport } from "../../rules/retention.ts";
import type { AuditStore, Store } from "../../store/store.ts";
import { gateway, type Kit, MASTER, NOW } from "../kit.ts";
import { folder } from "../unit/store/kit.ts";
import { instead } from "../instead.ts";

const DAY = 24 * 60 * 60 * 1000;
const YEARS = 730 * DAY;
const TOOL = "audit.retain";

interface Aged {
  readonly store?: (real: Store) => Store;
  /** The file the store lies in, else it is in memory. */
  readonly path?: string;
}

/** A gateway whose log holds a call each ten days for so many days from NOW on, each in a segment of its own. */
async function aged(days: number, { path = ":memory:", store }: Aged = {}): Promise<Kit> {
  const gw = await gateway({ settings: { kvPath: path }, ...store && { store } });
  for (let day = 0; day <= days; day += 10) {
    gw.clock.now = NOW + day * DAY;
    await gw.call("list_sites", {});
  }
  gw.clock.now = NOW + days * DAY;
  return gw;
}

/** Another instance on the same store, with a clock of its own that shows the same. */
async function beside(first: Kit, auditRetentionDays = 400): Promise<Kit> {
  const store = (own: Store) => {
    own.close();
    return first.store;
  };
  return await gateway({ settings: { auditRetentionDays }, start: first.clock.now, store });
}

const at = (day: number) => new Date(NOW + day * DAY).toISOString();

/** Lets so many days pass, with a run each. */
async function nights(gw: Kit, count: number): Promise<void> {
  for (let night = 0; night < count; night++) {
    gw.clock.now += DAY;
    await gw.gateway.retention.run();
  }
}

async function calls(gw: Kit): Promise<number> {
  return (await gw.audit()).filter(({ tool }) => tool === "list_sites").length;
}

async function rows(gw: Kit): Promise<AuditRow[]> {
  return (await gw.audit()).filter(({ tool }) => tool === TOOL);
}

async function admin<T>(gw: Kit, method: string, path: string, body?: unknown): Promise<T> {
  const headers = { authorization: `Bearer ${MASTER}`, "content-type": "application/json" };
  const response = await gw.http(`/admin/api/${path}`, {
    method,
    headers,
    ...body === undefined ? {} : { body: JSON.stringify(body) },
  });
  const { ok, result, error } = await response.json();
  assert.ok(ok, JSON.stringify(error));
  return result;
}

/** The store with parts of its audit replaced. */
const withAudit = (change: (real: AuditStore) => Partial<AuditStore>) => (real: Store): Store => ({
  ...real,
  audit: instead(real.audit, change(real.audit)),
});

Deno.test("night by night what grows too old goes, and a row says what went", async () => {
  await using gw = await aged(395);
  await nights(gw, 5);
  assert.deepEqual([await calls(gw), await rows(gw)], [40, []]);
  await nights(gw, 1);
  assert.equal(await calls(gw), 39);
  const [row, ...more] = await rows(gw);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [row!.door, row!.token_name, row!.status, row!.site_id, row!.tier],
    ["admin", "retention", "ok", null, null],
  );
  assert.deepEqual(row!.arguments, { before: at(1), horizon: at(0), segments: 1, entries: 1 });
  assert.equal(gw.logged.at(-1)!.event, "audit_retention");
});

Deno.test("the row of a drop is listed, exported and verified as any other", async () => {
  await using gw = await aged(395);
  await nights(gw, 6);
  const { rows: listed } = await admin<{ rows: AuditRow[] }>(
    gw,
    "GET",
    `audit?tool=${TOOL}&status=ok&token_id=gateway`,
  );
  assert.equal(listed.length, 1);
  const exported =
    await (await gw.http("/admin/api/audit.ndjson", { headers: { authorization: `Bearer ${MASTER}` } }))
      .text();
  const entries = exported.trimEnd().split("\n").map((line) => JSON.parse(line)).filter(({ tool }) =>
    tool === TOOL
  );
  assert.deepEqual(entries.map(({ id, status }) => [id, status]), [[listed[0]!.id, "started"], [
    listed[0]!.id,
    "ok",
  ]]);
  assert.deepEqual((await gw.store.audit.verify()).faults, []);
});

Deno.test("a clock two years ahead drops nothing, and says so in the log, the audit and the health details", async () => {
  await using gw = await aged(390);
  await nights(gw, 1);
  gw.clock.now += YEARS;
  await nights(gw, 2);
  assert.equal(await calls(gw), 40);
  const waited = await rows(gw);
  assert.deepEqual(waited.map(({ status }) => status), ["needs_confirmation", "needs_confirmation"]);
  assert.match(JSON.stringify(waited[0]!.arguments), /"reason":"ahead".*the clock jumped.*2029-/);
  assert.deepEqual(gw.logged.map(({ event, reason }) => [event, reason]), [
    ["audit_retention_waits", "ahead"],
    ["audit_retention_waits", "ahead"],
  ]);
  const health = await admin<{ ok: boolean; retention: { waiting: { reason: string; since: string } } }>(
    gw,
    "GET",
    "health",
  );
  assert.deepEqual([health.ok, health.retention.waiting.reason], [false, "ahead"]);
  assert.equal(health.retention.waiting.since, at(390 + 1 + 730 + 1));
  assert.deepEqual(await (await gw.http("/healthz")).json(), { ok: true, version: VERSION });
});

Deno.test("set right again, the clock is believed again, and nothing waits", async () => {
  await using gw = await aged(390);
  await nights(gw, 1);
  gw.clock.now += YEARS;
  await nights(gw, 1);
  gw.clock.now -= YEARS;
  await nights(gw, 1);
  const { ok } = await admin<{ ok: boolean }>(gw, "GET", "health");
  assert.deepEqual([ok, await calls(gw)], [true, 40]);
});

Deno.test("an operator is shown what would go, changes nothing by looking, and drops it with confirm", async () => {
  await using gw = await aged(390);
  await nights(gw, 1);
  gw.clock.now += 60 * DAY;
  await gw.gateway.retention.run();
  const shown = await admin<RetentionReport>(gw, "POST", "audit/retain", {});
  assert.deepEqual(
    [shown.due.segments, shown.due.entries, shown.waiting?.reason, shown.dropped],
    [6, 6, "ahead", null],
  );
  assert.equal(await calls(gw), 40);
  const went = await admin<RetentionReport>(gw, "POST", "audit/retain", { confirm: true });
  assert.deepEqual(went.dropped, { segments: 6, entries: 6 });
  const [row] = await rows(gw);
  assert.deepEqual([row!.token_name, row!.status], ["master token", "ok"]);
  assert.equal((await admin<{ ok: boolean }>(gw, "GET", "health")).ok, true);
  assert.equal(await calls(gw), 34);
  await nights(gw, 10);
  assert.equal(await calls(gw), 33, "the next nights go on as ever");
});

Deno.test("AUDIT_RETENTION_DAYS lowered by much waits, and is reported as that", async () => {
  await using gw = await aged(390);
  await nights(gw, 1);
  await using later = await beside(gw, 90);
  await nights(later, 1);
  assert.equal(await calls(gw), 40);
  assert.match(String(later.logged.at(-1)!.message), /AUDIT_RETENTION_DAYS was lowered from 400 to 90/);
});

Deno.test("the first run over a log that was never cut waits; over one that an earlier version cut it goes on", async () => {
  await using never = await aged(500);
  await nights(never, 1);
  assert.deepEqual([await calls(never), never.logged.at(-1)!.reason], [51, "first"]);
  await using cut = await aged(500);
  await cut.store.audit.retain(new Date(NOW + 100 * DAY));
  await nights(cut, 1);
  assert.deepEqual([await calls(cut), cut.logged.at(-1)!.event], [40, "audit_retention"]);
});

Deno.test("the first run of all under a clock two years ahead empties no log, young or old", async () => {
  for (const days of [20, 390]) {
    await using gw = await aged(days);
    gw.clock.now += YEARS;
    await nights(gw, 3);
    assert.equal(await calls(gw), days / 10 + 1);
  }
});

Deno.test("rows written while a clock was behind are not dropped as too old once it is right", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.sqlite3`;
  const right = await aged(390, { path });
  await nights(right, 1);
  await right[Symbol.asyncDispose]();
  // A process of its own, for what was opened before numbers its rows upwards only.
  const behind = await gateway({ settings: { kvPath: path }, start: NOW - YEARS });
  await behind.call("list_sites", {});
  await behind.gateway.retention.run();
  await behind[Symbol.asyncDispose]();
  await using again = await gateway({ settings: { kvPath: path }, start: NOW + 392 * DAY });
  await again.gateway.retention.run();
  assert.deepEqual([await calls(again), again.logged.at(-1)!.reason], [41, "behind"]);
  assert.deepEqual((await again.gateway.retention.confirm()).dropped, { segments: 1, entries: 1 });
  await nights(again, 1);
  assert.equal((await admin<{ ok: boolean }>(again, "GET", "health")).ok, true);
});

Deno.test("a drop that is cut off leaves the horizon where it was, and is finished by the next run", async () => {
  let broken = true;
  const store = withAudit((real) => ({
    async retain(before) {
      if (!broken) return await real.retain(before);
      await real.retain(new Date(NOW + 5 * DAY));
      throw new Error("the disk is full");
    },
  }));
  await using gw = await aged(398, { store });
  await nights(gw, 1);
  const { horizon } = await gw.store.audit.retention();
  gw.clock.now += 20 * DAY;
  await gw.gateway.retention.run();
  assert.deepEqual((await rows(gw)).map(({ status, error }) => [status, error]), [["error", "E_INTERNAL"]]);
  assert.equal(gw.logged.at(-1)!.event, "audit_retention_failed");
  const cutOff = await gw.store.audit.retention();
  assert.equal(cutOff.horizon, horizon);
  assert.equal(cutOff.dropping, NOW + 19 * DAY);
  assert.equal(await calls(gw), 39);
  broken = false;
  gw.clock.now += 20 * DAY;
  await gw.gateway.retention.run();
  const after = await gw.store.audit.retention();
  assert.deepEqual([after.horizon, after.dropping], [NOW + 19 * DAY, null], "what was begun is finished");
  assert.equal(await calls(gw), 38);
  assert.deepEqual((await gw.store.audit.verify()).faults, []);
});

Deno.test("a drop confirmed under a wrong clock and cut off spares what the right clock does not call too old", async () => {
  let broken = true;
  const store = withAudit((real) => ({
    retain: async (before) => broken ? await Promise.reject(new Error("killed")) : await real.retain(before),
  }));
  await using gw = await aged(390, { store });
  await nights(gw, 1);
  gw.clock.now += YEARS;
  await assert.rejects(gw.gateway.retention.confirm(), /killed/);
  broken = false;
  gw.clock.now -= YEARS;
  await nights(gw, 1);
  assert.equal(await calls(gw), 40);
  assert.equal((await gw.store.audit.retention()).dropping, null);
});

Deno.test("a drop is handed what takes its lease anew, and stops where another instance has it by now", async () => {
  const answers: boolean[] = [];
  const store = withAudit((real) => ({
    retain: async (before, renew) => {
      answers.push(await renew!());
      return await real.retain(before, () => Promise.resolve(false));
    },
  }));
  await using gw = await aged(398, { store });
  await nights(gw, 1);
  gw.clock.now += 20 * DAY;
  await gw.gateway.retention.run();
  assert.deepEqual(answers, [true]);
  assert.deepEqual((await rows(gw)).map(({ status, error }) => [status, error]), [["error", "E_INTERNAL"]]);
  assert.equal(await calls(gw), 40, "nothing is dropped without the lease");
  assert.notEqual((await gw.store.audit.retention()).dropping, null, "the next run goes on");
});

Deno.test("where its row cannot be written nothing is dropped", async () => {
  const store = withAudit((real) => ({
    append: async (row) => row.tool === TOOL ? await Promise.reject(new Error("no")) : await real.append(row),
  }));
  await using gw = await aged(398, { store });
  await nights(gw, 6);
  assert.deepEqual([await calls(gw), gw.logged.at(-1)!.event], [40, "audit_retention_failed"]);
});

Deno.test("of two instances one does the night's run, and a day has one run", async () => {
  await using one = await aged(398);
  await using two = await beside(one);
  await nights(one, 1);
  two.clock.now = one.clock.now += 3 * DAY;
  await Promise.all([one.gateway.retention.run(), two.gateway.retention.run()]);
  one.clock.now += 60 * 60 * 1000;
  await one.gateway.retention.run();
  assert.equal((await rows(one)).length, 1);
});

Deno.test("an operator is told to wait while a run is under way", async () => {
  await using gw = await aged(30);
  await gw.store.leases.hold("audit-retention", 60_000, async () => {
    await assert.rejects(gw.gateway.retention.confirm(), { code: "E_RATE_LIMITED", retryAfter: 60 });
  });
});
