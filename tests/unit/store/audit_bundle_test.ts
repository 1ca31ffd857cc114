/** Bundles: packed segments are listed, exported, dropped and counted as they were before, also while they are packed. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import { decodePart } from "../../../store/audit/bundle.ts";
import { commonRows, decodeRows, encodeRows, hasRows } from "../../../store/audit/rows.ts";
import { Database } from "../../../store/database.ts";
import { AUDIT_KEYS, type Bench, bench, collect, keys, row, START } from "./kit.ts";

const MINUTE = 60_000;
const iso = (ms: number) => new Date(ms).toISOString();
const another = ({ kv, clock }: Bench) => new Audit(new Database(kv, clock.now, clock.now), AUDIT_KEYS);
const at = new Date(START + 30 * MINUTE);

/** An audit of an hour in one bundle, a row each minute, every third of another tool. */
async function hour(): Promise<Bench> {
  const bed = await bench();
  for (let n = 0; n < 60; n++) {
    await bed.audit.append(row(String(n), { at: iso(bed.clock.ms), tool: n % 3 ? "common" : "third" }));
    bed.clock.ms += MINUTE;
  }
  await bed.audit.flush();
  assert.equal((await keys(bed.kv, "audit", "bundle")).length, 1);
  return bed;
}

async function listed({ audit }: Pick<Bench, "audit">, query = {}, limit = 500): Promise<number[]> {
  const found: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await audit.list(query, { limit, ...cursor === undefined ? {} : { cursor } });
    found.push(...page.rows.map(({ id }) => Number(id)));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return found;
}

/** From `first` down to `last`. */
const down = (first: number, last: number) => Array.from({ length: first - last + 1 }, (_, n) => first - n);

Deno.test("rows are kept as gaps and runs, and what two lists have in common is what sets have", () => {
  let seed = 7;
  const some = (chance: number) =>
    Array.from({ length: 3000 }, (_, n) => n + (n > 2000 ? 400_000 : 0)).filter(() => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 100 < chance;
    });
  const all = (runs: readonly number[]) => {
    const rows: number[] = [];
    for (let n = 0; n < runs.length; n += 2) for (let r = runs[n]!; r < runs[n + 1]!; r++) rows.push(r);
    return rows;
  };
  for (const [a, b] of [[0, 50], [1, 99], [50, 50], [100, 3], [100, 100]] as const) {
    const [one, two] = [some(a), some(b)];
    const runs = [one, two].map((rows) => decodeRows(encodeRows(rows)));
    assert.deepEqual(all(runs[0]!), one);
    const both = one.filter((n) => two.includes(n));
    assert.deepEqual(all(commonRows(runs[0]!, runs[1]!)), both);
    for (const from of [0, 100, 2999, 402_000]) {
      assert.equal(hasRows(runs[0]!, from, from + 20), one.some((n) => n >= from && n < from + 20));
    }
  }
  assert.ok(encodeRows(some(100)).length < 10, "what every row has costs next to nothing");
  assert.deepEqual(decodeRows("no bytes"), []);
});

Deno.test("retention drops what is due of a bundle and leaves the rest, which is found, counted and sound", async () => {
  await using bed = await hour();
  assert.deepEqual(await bed.audit.amount(at), { segments: 30, entries: 30 });
  const counts = await Promise.all([bed.audit.retain(at), another(bed).retain(at)]);
  assert.equal(counts[0].segments + counts[1].segments, 30);
  assert.deepEqual(await bed.audit.amount(at), { segments: 0, entries: 0 });
  assert.deepEqual(await listed(bed), down(59, 30));
  assert.deepEqual(await listed(bed, { tool: "third" }), down(59, 30).filter((n) => n % 3 === 0));
  assert.deepEqual(await listed(bed, { tool: "common", status: "ok" }, 4), down(59, 30).filter((n) => n % 3));
  assert.deepEqual(await bed.audit.verify(), { ok: true, writers: 1, segments: 30, rows: 30, faults: [] });
  const { oldest, newest, dropped } = await bed.audit.age(new Date(START + 45 * MINUTE));
  const minutes = [oldest, newest, dropped].map((time) => Math.floor((time! - START) / MINUTE));
  assert.deepEqual(minutes, [30, 44, 29]);
  assert.deepEqual(await bed.audit.retain(new Date(START + 120 * MINUTE)), { segments: 30, entries: 30 });
  for (const kind of ["bundle", "part", "rows", "segment"]) {
    assert.deepEqual(await keys(bed.kv, "audit", kind), []);
  }
  await bed.audit.append(row("60"));
  assert.deepEqual(await bed.audit.verify(), { ok: true, writers: 1, segments: 1, rows: 1, faults: [] });
});

Deno.test("a large segment stands in a bundle as it was stored, and is read, found and dropped from there", async () => {
  await using bed = await bench();
  for (let n = 0; n < 4; n++) {
    const together = Array.from({ length: 20 }, (_, m) => row(String(n * 20 + m), { at: iso(bed.clock.ms) }));
    await Promise.all(together.map((one) => bed.audit.append(one)));
    bed.clock.ms += 15 * MINUTE;
  }
  const segment = async (n: number) =>
    (await bed.kv.get<Uint8Array>((await keys(bed.kv, "audit", "segment"))[n]!)).value!;
  const stored = await Promise.all([0, 1, 2, 3].map(segment));
  assert.ok(stored.every((bytes) => bytes[0] === 0x78 && bytes.length < 4096), "each is deflated");
  await bed.audit.flush();
  const [part] = await keys(bed.kv, "audit", "part");
  const packed = decodePart((await bed.kv.get(part!)).value)!.segments;
  assert.deepEqual(packed.map(({ bytes }) => Uint8Array.from(bytes)), stored);
  assert.deepEqual(await bed.audit.verify(), { ok: true, writers: 1, segments: 4, rows: 80, faults: [] });
  assert.deepEqual(await bed.audit.retain(at), { segments: 2, entries: 40 });
  assert.deepEqual((await listed(bed)).toSorted((a, b) => b - a), down(79, 40));
  assert.deepEqual(await bed.audit.verify(), { ok: true, writers: 1, segments: 2, rows: 40, faults: [] });
});

Deno.test("retention whose lease is another's by now stops, and the next run goes on", async () => {
  await using bed = await hour();
  await bed.audit.append(row("60", { at: iso(bed.clock.ms) }));
  let left = 1;
  const renew = () => Promise.resolve(left-- > 0);
  await assert.rejects(bed.audit.retain(new Date(START + 120 * MINUTE), renew), { code: "E_INTERNAL" });
  assert.deepEqual(await listed(bed), [60]);
  assert.equal((await bed.audit.verify()).ok, true);
  assert.deepEqual(await bed.audit.retain(new Date(START + 120 * MINUTE)), { segments: 1, entries: 1 });
  assert.deepEqual(await keys(bed.kv, "audit", "rows"), []);
});

Deno.test("a damaged part is left out of lists and is a fault of an export, and the rest is read", async () => {
  await using bed = await hour();
  const [part] = await keys(bed.kv, "audit", "part");
  bed.clock.ms += MINUTE;
  await bed.audit.append(row("60"));
  await bed.audit.flush();
  await bed.kv.set(part!, new Uint8Array(9));
  assert.deepEqual(await listed(bed), [60]);
  assert.deepEqual(await listed(bed, { tool: "create_draft" }), [60]);
  assert.equal((await collect(bed.audit.export({}))).filter((line) => "fault" in line).length, 1);
  await bed.audit.retain(at);
  assert.equal((await bed.audit.verify()).ok, false, "what is not due stays, so that it is seen");
});

Deno.test("segments of several writers, packed or not, are exported oldest first and listed newest first", async () => {
  await using bed = await bench();
  const writers = [bed.audit, another(bed), another(bed)];
  for (let n = 0; n < 90; n++) {
    await writers[n * 7 % 3]!.append(row(String(n), { at: iso(bed.clock.ms) }));
    bed.clock.ms += MINUTE * 20; // more than a day
    if (n === 50) { for (const audit of writers.slice(1)) await audit.flush(); }
  }
  const exported = (await collect(bed.audit.export({}))).flatMap(({ id }) =>
    id === undefined ? [] : [Number(id)]
  );
  assert.deepEqual(exported, down(89, 0).reverse());
  for (const limit of [1, 7, 500]) {
    assert.deepEqual(await listed(bed, {}, limit), down(89, 0));
    assert.deepEqual(await listed(bed, { site_id: "acme" }, limit), down(89, 0));
  }
  assert.deepEqual((await bed.audit.verify()).faults, []);
});

Deno.test("pages join without gap or repeat while what they list is packed", async () => {
  await using bed = await bench();
  const second = another(bed);
  for (let n = 0; n < 300; n++) {
    await [bed.audit, second][n % 2]!.append(row(String(n), { at: iso(bed.clock.ms) }));
    bed.clock.ms += 1000;
  }
  for (const query of [{}, { tool: "create_draft" }]) {
    const page = await bed.audit.list(query, { limit: 20 });
    const rest = [];
    let cursor = page.next_cursor;
    for (let nth = 0; cursor !== null; nth++) {
      const packing = nth === 2 ? bed.audit.flush() : nth === 4 ? second.flush() : null;
      const next = await bed.audit.list(query, { limit: 20, cursor });
      await packing;
      rest.push(...next.rows);
      cursor = next.next_cursor;
    }
    assert.deepEqual([...page.rows, ...rest].map(({ id }) => Number(id)), down(299, 0));
  }
  assert.equal((await keys(bed.kv, "audit", "segment")).length, 0);
});

Deno.test("what a version before left is packed at the start, and its index and marks go", async () => {
  await using bed = await bench();
  for (let n = 0; n < 3; n++) await bed.audit.append(row(String(n)));
  for (const [, , id] of await keys(bed.kv, "audit", "segment")) {
    await bed.kv.set(["audit", "todo", id!], true);
  }
  for (let n = 0; n < 450; n++) {
    await bed.kv.set(["audit", "index", "tool", "create_draft", String(n)], "a,b");
  }
  await another(bed).flush();
  for (const kind of ["segment", "todo", "index"]) assert.deepEqual(await keys(bed.kv, "audit", kind), []);
  assert.deepEqual(await listed(bed, { tool: "create_draft" }), [2, 1, 0]);
  assert.deepEqual(await bed.audit.verify(), { ok: true, writers: 1, segments: 3, rows: 3, faults: [] });
});
