/** Verifying and retaining the audit. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import { decodePart, encodePart, type Packed } from "../../../store/audit/bundle.ts";
import { Database } from "../../../store/database.ts";
import { AUDIT_KEYS, bench, collect, edit, keys, row } from "./kit.ts";
import { instead } from "../../instead.ts";

/** An audit of five segments of one row, a second apart, and their keys. */
async function five() {
  const at = await bench();
  for (const id of ["1", "2", "3", "4", "5"]) {
    await at.audit.append(row(id, { tool: `tool_${id}`, at: new Date(at.clock.ms).toISOString() }));
    at.clock.ms += 1000;
  }
  await at.audit.verify(); // sets the head
  const segments = await keys(at.kv, "audit", "segment");
  const [head] = await keys(at.kv, "audit", "head");
  return {
    ...at,
    segments,
    head: head!,
    writer: String(head![2]),
    id: (n: number) => String(segments[n - 1]![2]),
  };
}

Deno.test("an untouched audit of several writers is sound", async () => {
  await using at = await five();
  const second = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
  await Promise.all([second.append(row("a")), at.audit.append(row("b"))]);
  await second.close();
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 2, segments: 7, rows: 7, faults: [] });
});

Deno.test("verify names the segment whose row was changed", async () => {
  await using at = await five();
  await edit(at.kv, at.segments[2]!, (text) => text.replace('"acme"', '"evil"'));
  assert.deepEqual((await at.audit.verify()).faults, [
    `Segment 3 (${at.id(3)}) of writer ${at.writer} was changed: its proof is not the gateway's`,
  ]);
});

Deno.test("verify names the last segment when its row was changed", async () => {
  await using at = await five();
  await edit(at.kv, at.segments[4]!, (text) => text.replace('"ok"', '"no"'));
  assert.deepEqual((await at.audit.verify()).faults, [
    `Segment 5 (${at.id(5)}) of writer ${at.writer} was changed: its proof is not the gateway's`,
  ]);
});

Deno.test("verify names what is missing in the middle, at the beginning and at the end", async () => {
  await using at = await five();
  await at.kv.delete(at.segments[1]!);
  await at.kv.delete(at.segments[2]!);
  assert.deepEqual((await at.audit.verify()).faults, [
    `Missing: segments 2 to 3 of writer ${at.writer}, before segment 4 (${at.id(4)})`,
  ]);
  await at.kv.delete(at.segments[0]!);
  await at.kv.delete(at.segments[4]!);
  assert.deepEqual((await at.audit.verify()).faults, [
    `Missing: segments 1 to 3 of writer ${at.writer}, before segment 4 (${at.id(4)})`,
    `Missing: segment 5 of writer ${at.writer}, at the end`,
  ]);
});

Deno.test("verify sees a moved segment, a damaged one, a damaged row and a head that was set back", async () => {
  await using at = await five();
  await at.kv.set(at.segments[1]!, (await at.kv.get(at.segments[0]!)).value);
  const moved = (await at.audit.verify()).faults;
  assert.equal(moved[0], `Segment ${at.id(2)} of writer ${at.writer} holds the text of segment ${at.id(1)}`);
  await at.kv.set(at.segments[1]!, "nonsense");
  await edit(at.kv, at.segments[3]!, (text) => text.replace('{"id"', '{"id'));
  await at.kv.set(at.head, { n: 4, hash: "0".repeat(64), id: at.id(4) });
  assert.deepEqual((await at.audit.verify()).faults, [
    `The head of writer ${at.writer} was changed: its proof is missing`,
    `Segment ${at.id(2)} cannot be read: it was damaged or changed`,
    `Missing: segment 2 of writer ${at.writer}, before segment 3 (${at.id(3)})`,
    `Segment 4 (${at.id(4)}) of writer ${at.writer} was changed: its proof is not the gateway's`,
    `Row 1 of segment 4 (${at.id(4)}) of writer ${at.writer} cannot be read`,
  ]);
  await at.kv.set(at.head, "garbage");
  assert.match((await at.audit.verify()).faults[0] ?? "", /^The head of writer .* cannot be read/);
});

/** Changes the segments of the only bundle, all in its first part. */
async function repack(kv: Deno.Kv, change: (segments: Packed[]) => Packed[]): Promise<void> {
  const [key] = await keys(kv, "audit", "part");
  const { dropped, segments } = decodePart((await kv.get(key!)).value)!;
  await kv.set(key!, encodePart({ dropped, segments: change([...segments]) }));
}

Deno.test("verify sees in a bundle what was changed, taken out or moved, and a bundle that no head tells of", async () => {
  await using at = await five();
  await at.audit.flush();
  assert.equal((await keys(at.kv, "audit", "segment")).length, 0);
  const [key] = await keys(at.kv, "audit", "part");
  const whole = await at.kv.get(key!);
  const faults = async (change: (segments: Packed[]) => Packed[]) => {
    await at.kv.set(key!, whole.value);
    await repack(at.kv, change);
    return (await at.audit.verify()).faults;
  };
  assert.deepEqual(await faults((all) => all), []);
  const changed = (one: Packed) => {
    const bytes = new TextEncoder().encode(new TextDecoder().decode(one.bytes).replace('"acme"', '"evil"'));
    return { ...one, bytes };
  };
  assert.deepEqual(await faults((all) => all.with(2, changed(all[2]!))), [
    `Segment 3 (${at.id(3)}) of writer ${at.writer} was changed: its proof is not the gateway's`,
  ]);
  assert.deepEqual(await faults((all) => all.with(4, changed(all[4]!))), [
    `Segment 5 (${at.id(5)}) of writer ${at.writer} was changed: its proof is not the gateway's`,
  ]);
  assert.deepEqual(await faults((all) => all.toSpliced(1, 2)), [
    `Missing: segments 2 to 3 of writer ${at.writer}, before segment 4 (${at.id(4)})`,
  ]);
  assert.deepEqual(await faults((all) => all.slice(0, 4)), [
    `Missing: segment 5 of writer ${at.writer}, at the end`,
  ]);
  assert.deepEqual(
    (await faults((all) => all.with(1, { ...all[0]!, id: all[1]!.id })))[0],
    `Segment ${at.id(2)} of writer ${at.writer} holds the text of segment ${at.id(1)}`,
  );
  await at.kv.set(key!, "nonsense");
  assert.deepEqual((await at.audit.verify()).faults, [
    `The part ["audit","part","${at.id(5)}",0] cannot be read: it was damaged or changed`,
    `Missing: segments 1 to 5 of writer ${at.writer}, at the end`,
  ]);
  await at.kv.set(key!, whole.value);
  const head = await at.kv.get(at.head);
  await at.kv.set(at.head, { n: 4, hash: "0".repeat(64), id: at.id(4) });
  assert.deepEqual((await at.audit.verify()).faults, [
    `The head of writer ${at.writer} was changed: its proof is missing`,
    `Segment 4 (${at.id(4)}) of writer ${at.writer} was changed: the writer's head names another hash`,
  ]);
  await at.kv.delete(at.head);
  assert.match((await at.audit.verify()).faults.at(-1) ?? "", /has segments up to 5 and no head/);
  await at.kv.set(at.head, head.value);
  assert.equal((await at.audit.verify()).ok, true);
});

Deno.test("what a killed writer had written after its last head is followed, packed once by the next stores, and then has a head", async () => {
  await using at = await bench();
  const killed = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
  for (let n = 0; n < 70; n++) await killed.append(row(`killed-${n}`));
  const [head] = await keys(at.kv, "audit", "head");
  assert.ok(
    ((await at.kv.get<{ n: number }>(head!)).value?.n ?? 0) >= 64,
    "a head is set once per 64 segments",
  );
  const verdict = { ok: true, writers: 1, segments: 70, rows: 70, faults: [] };
  assert.deepEqual(await at.audit.verify(), verdict);
  const next = [1, 2].map(() => new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS));
  await Promise.all(next.map((audit) => audit.flush()));
  assert.deepEqual(await keys(at.kv, "audit", "segment"), []);
  assert.equal((await at.kv.get<{ n: number }>(head!)).value?.n, 70);
  assert.deepEqual(await at.audit.verify(), verdict);
  assert.equal((await at.audit.list({ tool: "create_draft" }, { limit: 500 })).rows.length, 70);
});

Deno.test("verify reads a log that is being written without finding fault", async () => {
  await using at = await five();
  const writing = (async () => {
    for (let i = 0; i < 50; i++) await at.audit.append(row(`more-${i}`));
  })();
  for (let i = 0; i < 5; i++) assert.deepEqual((await at.audit.verify()).faults, []);
  await writing;
  assert.deepEqual((await at.audit.verify()).rows, 55);
});

Deno.test("retention drops the tail, leaves a checkpoint, and the chain stays sound", async () => {
  await using at = await five();
  await at.audit.flush();
  const before = new Date(at.clock.ms - 3000);
  assert.deepEqual(await at.audit.amount(before), { segments: 2, entries: 2 });
  assert.deepEqual(await at.audit.retain(before), { segments: 2, entries: 2 });
  assert.deepEqual(await at.audit.retain(before), { segments: 0, entries: 0 });
  const { value } = await at.kv.get<{ n: number; id: string }>(["audit", "checkpoint", at.writer]);
  assert.deepEqual([value?.n, value?.id], [2, at.id(2)]);
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 3, rows: 3, faults: [] });
  const { rows } = await at.audit.list({}, { limit: 10 });
  assert.deepEqual(rows.map(({ id }) => id), ["5", "4", "3"]);
  assert.deepEqual((await at.audit.list({ tool: "tool_1" }, { limit: 10 })).rows, []);
});

Deno.test("after retention a change before or behind the checkpoint is still found", async () => {
  await using at = await five();
  await at.audit.retain(new Date(at.clock.ms - 3000));
  await at.kv.set(["audit", "checkpoint", at.writer], { n: 2, hash: "a".repeat(64), id: at.id(2) });
  assert.match(
    (await at.audit.verify()).faults.join(),
    /^The checkpoint of writer .* was changed: its proof is missing,Segment 2 \(.*\) of writer .* was changed: segment 3/,
  );
  await at.kv.set(["audit", "checkpoint", at.writer], { n: 1, hash: "a".repeat(64), id: at.id(1) });
  assert.match((await at.audit.verify()).faults.join(), /Missing: segment 2 of writer .*, before segment 3/);
});

Deno.test("retention of everything leaves a chain that goes on", async () => {
  await using at = await five();
  assert.equal((await at.audit.retain(new Date(at.clock.ms + 1))).segments, 5);
  assert.equal((await at.audit.verify()).ok, true);
  await at.audit.append(row("6"));
  assert.deepEqual(await at.audit.verify(), { ok: true, writers: 1, segments: 1, rows: 1, faults: [] });
  assert.deepEqual((await collect(at.audit.export({})))[0]?.["n"], 6);
});

Deno.test("retention drops index entries and open marks whose segments are all gone, and no others", async () => {
  await using at = await bench();
  await at.audit.append(row("left-open", { status: "started", tool: "old" }));
  await at.audit.flush();
  at.clock.ms += 60_000;
  await at.audit.append(row("new", { status: "started", tool: "new" }));
  await at.audit.flush();
  await at.audit.retain(new Date(at.clock.ms));
  const tools = (await keys(at.kv, "audit", "rows", "tool")).map((key) => key[3]);
  assert.deepEqual(tools, ["new"]);
  assert.deepEqual((await keys(at.kv, "audit", "open")).map((key) => key[2]), ["new"]);
  await at.audit.append(row("left-open", { tool: "old" }));
  assert.deepEqual((await at.audit.list({ tool: "old" }, { limit: 5 })).rows.map(({ status }) => status), [
    "ok",
  ]);
});

Deno.test("two instances that retain at once drop each segment once", async () => {
  await using at = await five();
  const second = new Audit(new Database(at.kv, at.clock.now, at.clock.now), AUDIT_KEYS);
  const before = new Date(at.clock.ms - 1000);
  const counts = await Promise.all([at.audit.retain(before), second.retain(before)]);
  assert.equal(counts[0].segments + counts[1].segments, 4);
  assert.equal((await at.audit.verify()).ok, true);
  await second.close();
});

Deno.test("a file that cannot be read to the end is a fault that names the last readable segment, and ends no process", async () => {
  const damaged = (after: number) => (kv: Deno.Kv) =>
    instead(kv, {
      list: ((selector: Deno.KvListSelector, options?: Deno.KvListOptions) => {
        const entries = kv.list(selector, options);
        return "start" in selector && selector.start[1] === "segment" ? until(after, entries) : entries;
      }) as typeof kv.list,
    });
  async function* until<T>(
    after: number,
    entries: AsyncIterable<Deno.KvEntry<T>>,
  ): AsyncGenerator<Deno.KvEntry<T>> {
    for await (const entry of entries) {
      const { n } = JSON.parse(new TextDecoder().decode(entry.value as Uint8Array).split("\n")[0]!);
      if (n > after) throw new TypeError("database disk image is malformed");
      yield entry;
    }
  }
  for (
    const [after, says] of [[0, /^No segment can be read, for it is damaged /], [
      1,
      /^Nothing after segment \w{26} can be read, for it is damaged /,
    ]] as const
  ) {
    await using at = await bench(damaged(after));
    await at.audit.append(row("1"));
    await at.audit.append(row("2"));
    const { ok, segments, faults: [fault, ...more] } = await at.audit.verify();
    assert.deepEqual([ok, segments, more], [false, after, []]);
    assert.match(fault!, says);
    assert.match(fault!, / \(database disk image is malformed\)$/);
  }
});

Deno.test("behind a segment that is named only what follows is verified, and what is told of how far it is can be named", async () => {
  await using at = await bench();
  for (let nth = 0; nth < 6; nth++) await at.audit.append(row(`${nth}`));
  const segments = await Array.fromAsync(at.kv.list<Uint8Array>({ prefix: ["audit", "segment"] }));
  const ids = segments.map(({ key }) => String(key[2]));
  const spoil = (nth: number) => at.kv.set(segments[nth]!.key, new Uint8Array([1]));
  await spoil(1);
  const after = ids[2]!;
  const verdict = await at.audit.verify({ after });
  assert.deepEqual(verdict, { ok: true, writers: 1, segments: 3, rows: 3, faults: [], after });
  assert.equal((await at.audit.verify({ after: ids[0]! })).ok, false, "the changed one is behind that");
  assert.equal((await at.audit.verify()).ok, false);
  assert.deepEqual(await at.audit.verify({ after: ids[5]! }), {
    ok: true,
    writers: 0,
    segments: 0,
    rows: 0,
    faults: [],
    after: ids[5],
  });
  await spoil(4);
  const { faults } = await at.audit.verify({ after });
  assert.match(faults.join("\n"), /cannot be read: it was damaged or changed\nMissing: segment 5/);
});

Deno.test("nothing is called whole behind what is no segment, or is newer than all", async () => {
  await using at = await bench();
  const newer = "7".padEnd(26, "Z");
  const none = { code: "E_BAD_INPUT", message: /so nothing was verified; it has no segments$/ };
  await assert.rejects(at.audit.verify({ after: newer }), none);
  await at.audit.append(row("1"));
  for (const after of ["nonsense", "", "0", `${newer}0`, newer.toLowerCase()]) {
    await assert.rejects(at.audit.verify({ after }), {
      code: "E_BAD_INPUT",
      message: /^after: expected the id of a segment, as it was shown while the audit was verified, not "/,
    });
  }
  await assert.rejects(at.audit.verify({ after: newer }), {
    code: "E_BAD_INPUT",
    message:
      /^after: the audit ends before segment "7Z+", so nothing was verified; its newest segment is \w{26}$/,
  });
  assert.equal((await at.audit.verify({ after: "0".repeat(26) })).rows, 1);
});

Deno.test("whoever waits for a long log to be verified is told how far that is", async () => {
  await using at = await bench();
  await at.audit.append(row("1"));
  const [segment] = await Array.fromAsync(at.kv.list<Uint8Array>({ prefix: ["audit", "segment"] }));
  for (let nth = 0; nth < 2500; nth++) {
    await at.kv.set(["audit", "segment", `0${String(nth).padStart(25, "0")}`], segment!.value);
  }
  const told: [number, string][] = [];
  await at.audit.verify({ told: (segments, newest) => told.push([segments, newest]) });
  assert.deepEqual(told.map(([segments]) => segments), [1000, 2000]);
  assert.equal(told[0]![1], "00000000000000000000000999");
});
