/** Rows that were written long after their time, or under ids of a clock that ran ahead, are found by their time. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import { Database } from "../../../store/database.ts";
import type { AuditQuery } from "../../../store/store.ts";
import { AUDIT_KEYS, type Bench, bench, collect, folder, keys, open, row, START } from "./kit.ts";

const HOUR_MS = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();

/** The ids of a query's rows, one page after another, and those that an export has. */
async function found({ audit }: Pick<Bench, "audit">, query: AuditQuery, limit = 1): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await audit.list(query, { limit, ...cursor === undefined ? {} : { cursor } });
    ids.push(...page.rows.map(({ id }) => id));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  const exported = (await collect(audit.export(query))).flatMap(({ id }) => id === undefined ? [] : [id]);
  assert.deepEqual([...new Set(exported)].sort(), [...ids].sort(), "an export has the same");
  return ids;
}

const append = (at: Bench, id: string, more = {}) =>
  at.audit.append(row(id, { at: iso(at.clock.ms), ...more }));
/** Every way to ask for what began within that hour. */
const within = (ms: number): AuditQuery[] =>
  [{}, { tool: "create_draft" }, { site_id: "acme", token_id: "token-1" }].map((more) => ({
    ...more,
    from: iso(ms),
    to: iso(ms + HOUR_MS),
  }));

Deno.test("after a clock that ran ahead was set back, what is written is found by its time", async () => {
  await using at = await bench();
  await append(at, "before");
  at.clock.ms += 5 * HOUR_MS;
  await append(at, "ahead");
  at.clock.ms -= 5 * HOUR_MS - 1000;
  for (const id of ["after-1", "after-2", "after-3"]) await append(at, id);
  for (const flushed of [false, true]) {
    if (flushed) await at.audit.flush();
    for (const query of within(START)) {
      assert.deepEqual(await found(at, query), ["after-3", "after-2", "after-1", "before"]);
      assert.deepEqual(await found(at, query, 3), ["after-3", "after-2", "after-1", "before"]);
    }
    for (const query of within(START + 5 * HOUR_MS)) assert.deepEqual(await found(at, query), ["ahead"]);
  }
  assert.deepEqual((await at.audit.verify()).faults, []);
});

Deno.test("what is written after a start comes first, also where the process before wrote by a clock that ran ahead", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  for (const [ahead, newest] of [[5 * HOUR_MS, "second"], [365 * 24 * HOUR_MS, "first"]] as const) {
    const first = await open({ path, now: () => START + ahead });
    await first.audit.append(row("first", { at: iso(START + ahead) }));
    await first.close();
    const second = await open({ path, now: () => START });
    await second.audit.append(row("second", { at: iso(START) }));
    const { rows } = await second.audit.list({}, { limit: 1 });
    assert.equal(rows[0]?.id, newest, "a clock that was wrong by more than a day is not followed");
    assert.deepEqual((await second.audit.verify()).faults, []);
    await second.close();
  }
});

Deno.test("a write whose end an operator found out a day later is found under the day of the call", async () => {
  await using at = await bench();
  await append(at, "w", { status: "started", duration_ms: null });
  await append(at, "other");
  at.clock.ms += 24 * HOUR_MS;
  for await (const open of at.audit.open()) {
    assert.ok(await at.audit.settle(open, { ...open.row, outcome: "unknown" }));
  }
  for (const query of within(START)) assert.deepEqual((await found(at, query)).sort(), ["other", "w"]);
  at.clock.ms += 24 * HOUR_MS;
  const doubtful = await at.audit.unknown("w");
  const resolution = { found: "made", note: "", at: iso(at.clock.ms), door: "admin", by: "master" } as const;
  assert.ok(await at.audit.settle(doubtful!, { ...doubtful!.row, outcome: "made", resolution }));
  for (const flushed of [false, true]) {
    if (flushed) await at.audit.flush();
    for (const query of within(START)) assert.deepEqual((await found(at, query)).sort(), ["other", "w"]);
    assert.deepEqual(await found(at, { ...within(START)[0], outcome: "made" }), ["w"]);
    assert.deepEqual(await found(at, { to: iso(START) }), []);
  }
});

Deno.test("what a version before wrote late is found by its mark of doubt", async () => {
  await using at = await bench();
  await append(at, "w", { status: "started", duration_ms: null });
  at.clock.ms += 24 * HOUR_MS;
  for await (const open of at.audit.open()) await at.audit.settle(open, { ...open.row, outcome: "unknown" });
  for (const key of await keys(at.kv, "audit", "late")) await at.kv.delete(key);
  assert.deepEqual(await found(at, within(START)[0]!), ["w"]);
});

Deno.test("what is written in time is marked by nothing, and retention takes the marks away with their segments", async () => {
  await using at = await bench();
  await append(at, "in time");
  at.clock.ms += 5 * 60_000;
  await at.audit.append(row("slow"));
  assert.deepEqual(await keys(at.kv, "audit", "late"), []);
  at.clock.ms += HOUR_MS;
  await at.audit.append(row("late"));
  assert.equal((await keys(at.kv, "audit", "late")).length, 1);
  await at.audit.flush();
  await at.audit.retain(new Date(at.clock.ms + HOUR_MS));
  assert.deepEqual(await keys(at.kv, "audit", "late"), []);
  const second = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
  assert.deepEqual((await second.list({}, { limit: 5 })).rows, []);
});
