/** Listing and exporting the audit. */
import assert from "node:assert/strict";
import { hash } from "node:crypto";
import type { AuditRow } from "../../../core/model.ts";
import { Audit } from "../../../store/audit/audit.ts";
import { Database } from "../../../store/database.ts";
import type { AuditQuery, AuditStore } from "../../../store/store.ts";
import { AUDIT_KEYS, bench, collect, edit, keys, row, START } from "./kit.ts";

/** All rows of a query, page by page. */
async function all(audit: AuditStore, query: AuditQuery, limit: number): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  let cursor: string | undefined;
  do {
    const page = await audit.list(query, cursor === undefined ? { limit } : { limit, cursor });
    assert.ok(page.rows.length <= limit);
    rows.push(...page.rows);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}

const iso = (ms: number) => new Date(ms).toISOString();
const idsOf = (rows: readonly AuditRow[]) => rows.map(({ id }) => id);

Deno.test("rows are listed newest first, and pages join without gap or repeat", async () => {
  await using at = await bench();
  const wanted: string[] = [];
  for (let round = 0; round < 7; round++) {
    const some = Array.from({ length: round + 1 }, (_, index) => `${round}-${index}`);
    await Promise.all(some.map((id) => at.audit.append(row(id))));
    wanted.unshift(...some.reverse());
  }
  for (const limit of [1, 3, 28, 500]) assert.deepEqual(idsOf(await all(at.audit, {}, limit)), wanted);
});

Deno.test("a write under way is shown as started, and afterwards only by its outcome", async () => {
  await using at = await bench();
  await at.audit.append(row("w", { status: "started", duration_ms: null }));
  await at.audit.append(row("read", { tier: 0 }));
  assert.deepEqual((await all(at.audit, {}, 10)).map(({ id, status }) => [id, status]), [
    ["read", "ok"],
    ["w", "started"],
  ]);
  assert.deepEqual(idsOf(await all(at.audit, { status: "started", site_id: "acme" }, 10)), ["w"]);
  assert.deepEqual(await all(at.audit, { status: "started", site_id: "other" }, 10), []);
  await at.audit.append(row("w", { status: "error", error: "E_UPSTREAM" }));
  for (const limit of [1, 10]) {
    assert.deepEqual((await all(at.audit, {}, limit)).map(({ id, status }) => [id, status]), [
      ["w", "error"],
      ["read", "ok"],
    ]);
  }
  assert.deepEqual(await all(at.audit, { status: "started" }, 10), []);
});

Deno.test("every filter gives what reading everything would, indexed or not, over several writers and hours", async () => {
  await using at = await bench();
  const second = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
  const written: AuditRow[] = [];
  let seed = 1;
  const pick = <T>(values: readonly T[]): T => values[(seed = seed * 48271 % 2147483647) % values.length]!;
  for (let i = 0; i < 400; i++) {
    const made = row(`r${i}`, {
      at: new Date(at.clock.ms).toISOString(),
      tool: pick(["a", "b", "c", `long ${"t".repeat(300)}`]),
      token_id: pick(["t1", "t2"]),
      site_id: pick(["s1", "s2", "é", null]),
      status: pick(["ok", "ok", "ok", "denied"]),
      ...pick([true, false, false]) && { target_site_id: "s3" },
    });
    written.push(made);
    await pick([at.audit, at.audit, second]).append(made);
    if (i % 90 === 0) await at.audit.flush();
    at.clock.ms += pick([0, 1000, 60_000, 700_000]);
  }
  const middle = new Date(START + (at.clock.ms - START) / 2).toISOString();
  const later = new Date(START + (at.clock.ms - START) * 0.7).toISOString();
  const queries: AuditQuery[] = [
    { tool: "a" },
    { tool: `long ${"t".repeat(300)}` },
    { site_id: "s3" },
    { site_id: "é", status: "denied" },
    { token_id: "t2", tool: "b", site_id: "s1" },
    { from: middle },
    { to: middle },
    { from: middle, to: later, token_id: "t1", site_id: "s2" },
    { to: middle, tool: "c" },
    { tool: "none" },
    { from: "0001-01-01", to: "+200000-01-01T00:00:00Z", tool: "a" },
  ];
  for (const query of queries) {
    const expected = written.filter((each) =>
      (query.tool === undefined || each.tool === query.tool) &&
      (query.token_id === undefined || each.token_id === query.token_id) &&
      (query.status === undefined || each.status === query.status) &&
      (query.site_id === undefined || each.site_id === query.site_id ||
        each.target_site_id === query.site_id) &&
      (query.from === undefined || Date.parse(each.at) >= Date.parse(query.from)) &&
      (query.to === undefined || Date.parse(each.at) < Date.parse(query.to))
    ).map(({ id }) => id).reverse();
    for (const limit of [7, 500]) {
      const found = idsOf(await all(at.audit, query, limit));
      // Within one millisecond the order of two writers is open.
      assert.deepEqual(found.toSorted(), expected.toSorted(), JSON.stringify(query));
    }
  }
  await second.close();
});

Deno.test("one call reads a bounded number of segments and then gives a cursor to go on", async () => {
  await using at = await bench();
  await at.audit.append(row("first", { site_id: "rare", at: iso(START - 1000) }));
  const filler = { text: "x".repeat(15_000) };
  for (let i = 0; i < 30; i++) {
    const some = Array.from(
      { length: 30 },
      // Before or after the time that is asked for, in every segment: no index tells them apart.
      (_, index) =>
        row(`${i}-${index}`, { arguments: filler, at: iso(START + (index % 2 ? -5 : 5) * 60_000) }),
    );
    await Promise.all(some.map((each) => at.audit.append(each)));
  }
  const query = { from: iso(START - 1000), to: iso(START) };
  const page = await at.audit.list(query, { limit: 5 });
  assert.deepEqual(page.rows, []);
  assert.notEqual(page.next_cursor, null);
  assert.deepEqual(idsOf(await all(at.audit, query, 5)), ["first"]);
  await at.audit.flush();
  const indexed = await at.audit.list({ site_id: "rare" }, { limit: 5 });
  assert.deepEqual([idsOf(indexed.rows), indexed.next_cursor], [["first"], null]);
});

Deno.test("a damaged segment or row is left out, and the rest is listed", async () => {
  await using at = await bench();
  for (const id of ["1", "2", "3", "4", "5"]) await at.audit.append(row(id));
  const [one, two, three, four] = await keys(at.kv, "audit", "segment");
  assert.ok(one && two && three && four);
  await at.kv.set(one, 42);
  await at.kv.set(two, "no segment");
  await edit(at.kv, three, (text) => text.replace('{"id"', '{"id'));
  await at.kv.delete(four);
  assert.deepEqual(idsOf(await all(at.audit, {}, 2)), ["5"]);
  assert.deepEqual(idsOf(await all(at.audit, { tool: "create_draft" }, 2)), ["5"]);
  const faults = (await collect(at.audit.export({}))).filter((line) => "fault" in line);
  assert.equal(faults.length, 3);
});

Deno.test("a wrong query, limit or cursor is refused naming the field", async () => {
  await using at = await bench();
  const refused = async (field: string, query: AuditQuery, page: { limit: number; cursor?: string }) => {
    const expected = { code: "E_BAD_INPUT", message: new RegExp(`^${field}: `) };
    await assert.rejects(at.audit.list(query, page), expected);
  };
  await refused("limit", {}, { limit: 0 });
  await refused("limit", {}, { limit: 501 });
  await refused("limit", {}, { limit: 1.5 });
  await refused("from", { from: "yesterday" }, { limit: 1 });
  await refused("to", { to: "" }, { limit: 1 });
  await refused("status", { status: "fine" as "ok" }, { limit: 1 });
  for (const cursor of ["", "!!", "abc", btoa("../..")]) await refused("cursor", {}, { limit: 1, cursor });
  await assert.rejects(collect(at.audit.export({ from: "x" })), { code: "E_BAD_INPUT" });
});

Deno.test("an export holds every entry oldest first, and whoever reads it can check the chain", async () => {
  await using at = await bench();
  await at.audit.append(row("1", { status: "started" }));
  await Promise.all(["2", "3"].map((id) => at.audit.append(row(id, { arguments: { text: "é" } }))));
  await at.audit.append(row("1"));
  let text = "";
  for await (const piece of at.audit.export({})) text += piece;
  let prev = "0".repeat(64);
  let pending = "";
  let claimed = prev;
  const seen: string[] = [];
  for (const line of text.split("\n").slice(0, -1)) {
    const parsed = JSON.parse(line);
    if ("segment" in parsed) {
      if (pending !== "") assert.equal(prev = hash("sha256", pending), claimed);
      assert.equal(parsed.prev, prev);
      claimed = parsed.hash;
      delete parsed.hash;
      pending = `${JSON.stringify(parsed)}\n`;
    } else {
      seen.push(parsed.id);
      pending += `${line}\n`;
    }
  }
  assert.equal(hash("sha256", pending), claimed);
  assert.deepEqual(seen, ["1", "2", "3", "1"]);
});

Deno.test("an export with a filter holds the matching entries and their segments only", async () => {
  await using at = await bench();
  await at.audit.append(row("1", { tool: "a" }));
  await at.audit.append(row("2", { tool: "b" }));
  await Promise.all([at.audit.append(row("3", { tool: "a" })), at.audit.append(row("4", { tool: "b" }))]);
  const lines = await collect(at.audit.export({ tool: "b" }));
  assert.deepEqual(lines.map((line) => line["id"] ?? "segment"), ["segment", "2", "segment", "4"]);
});
