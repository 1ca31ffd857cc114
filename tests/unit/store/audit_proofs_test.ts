/** Who can write the store and has none of its keys cannot write its audit: not change it, not add to it, not begin it anew. */
import assert from "node:assert/strict";
import { Audit } from "../../../store/audit/audit.ts";
import { decodePart, encodePart } from "../../../store/audit/bundle.ts";
import { AuditKeys } from "../../../store/audit/keys.ts";
import { chainHash, GENESIS, parseSegment, type Segment, segmentHash } from "../../../store/audit/segment.ts";
import { checkStore } from "../../../store/check.ts";
import { Database } from "../../../store/database.ts";
import { openPlace } from "../../../store/engines.ts";
import { resealStore } from "../../../store/keys.ts";
import { KnownStores } from "../../../store/known_stores.ts";
import { acceptKeys, backUpStore, restoreStore } from "../../../store/maintenance.ts";
import type { StoreMark } from "../../../store/mark.ts";
import { lay, OPENED_AT } from "../../fixtures/stores/stores.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { AUDIT_KEYS, type Bench, bench, edit, folder, KEY, keys, newToken, open, row } from "./kit.ts";

const NEXT = new Uint8Array(32).fill(9);
const { addressBound } = SITE_SHAPE;
const encoded = (text: string) => new TextEncoder().encode(text);

/** An audit of five segments of one row. */
async function five(): Promise<Bench> {
  const at = await bench();
  for (const id of ["1", "2", "3", "4", "5"]) {
    await at.audit.append(row(id));
    at.clock.ms += 1000;
  }
  await at.audit.verify(); // sets the head
  return at;
}

const another = ({ kv, clock }: Bench) => new Audit(new Database(kv, clock.now, clock.now), AUDIT_KEYS);

/** A chain as a version before wrote it: nothing but hashes. Answers its segments with their keys. */
function chained(writer: string, rows: readonly (readonly [id: string, line: string])[]) {
  let prev = GENESIS;
  return rows.map(([id, line], index) => {
    const text = `{"segment":"${id}","writer":"${writer}","n":${index + 1},"prev":"${prev}"}\n${line}\n`;
    prev = segmentHash(encoded(text));
    return { key: ["audit", "segment", id], value: encoded(text), end: { n: index + 1, hash: prev, id } };
  });
}

/** The segments of an audit with the rows changed, each with the hash of the one before; `header` gives each its further fields. */
async function rewritten(
  kv: Deno.Kv,
  header: (segment: Segment) => object,
  last: (segment: Segment) => string,
) {
  let prev: string | null = null;
  let end = { n: 0, hash: "", id: "" };
  let writer = "";
  for (const key of await keys(kv, "audit", "segment")) {
    const segment = parseSegment((await kv.get(key)).value)!;
    const { segment: id, n } = segment;
    writer = segment.writer;
    const head = { segment: id, writer, n, prev: prev ?? segment.prev, ...header(segment) };
    const lines = segment.lines.map((line) => line.replace('"acme"', '"evil"'));
    const bytes = encoded(`${JSON.stringify(head)}\n${lines.join("\n")}\n`);
    prev = segmentHash(bytes);
    end = { n, hash: prev, id };
    await kv.set(key, encoded(new TextDecoder().decode(bytes) + last(segment)));
  }
  return { writer, end };
}

Deno.test("a row that was rewritten with all hashes behind it and the head is named, whatever becomes of the proofs", async () => {
  for (const form of ["kept", "taken out", "of a key of their own"]) {
    await using at = await five();
    const own = AuditKeys.of([NEXT]);
    const key = form === "kept" ? AUDIT_KEYS.current : own.current;
    const line = (segment: Segment) =>
      `{"mac":"${form === "kept" ? segment.proof!.mac : own.prove("x").mac}"}\n`;
    const { writer, end } = form === "taken out"
      ? await rewritten(at.kv, () => ({}), () => "")
      : await rewritten(at.kv, () => ({ key }), line);
    const { value: head } = await at.kv.get<object>(["audit", "head", writer]);
    await at.kv.set(["audit", "head", writer], { ...head, ...end });
    const { ok, faults } = await at.audit.verify();
    assert.equal(ok, false, form);
    assert.equal(faults[0], `The head of writer ${writer} was changed: its proof is not the gateway's`);
    const [first, ...more] = faults.slice(1);
    if (form === "kept") {
      assert.match(
        first!,
        /^Segment 1 \(\w{26}\) of writer \w{26} was changed: its proof is not the gateway's$/,
      );
      assert.equal(more.length, 4);
    } else {
      assert.match(
        first!,
        form === "taken out"
          ? /^Segments 1 to 5 .* have no proof, and no head that the gateway wrote tells of them/
          : /^Segments 1 to 5 .* cannot be verified: its proof was made with key "[0-9a-f]{12}" of the audit, which is not in/,
      );
    }
  }
});

Deno.test("a chain that somebody else adds is named, and a gateway that packs what is there vouches for none of it", async () => {
  await using at = await five();
  const writer = "01KAHZ00000000000000000000";
  const rows = ["A", "B"].map((name) =>
    [`01KAHZ0000000000000000000${name}`, JSON.stringify(row(name))] as const
  );
  for (const { key, value } of chained(writer, rows)) await at.kv.set(key, value);
  const named =
    /^Segments 1 to 2 \(up to \w{25}B\) of writer \w{26} have no proof, and no head that the gateway wrote/;
  assert.match((await at.audit.verify()).faults.join("\n"), named);
  const next = another(at);
  await next.flush();
  await next.close();
  await at.audit.flush();
  assert.equal((await at.kv.get(["audit", "head", writer])).value, null);
  assert.match((await at.audit.verify()).faults.join("\n"), named);
  // With a head as a version before would have set it.
  await at.kv.set(["audit", "head", writer], chained(writer, rows).at(-1)!.end);
  assert.deepEqual((await at.audit.verify()).faults.map((fault) => fault.split(":")[0]), [
    `The head of writer ${writer} was changed`,
    `Segments 1 to 2 (up to ${
      rows[1]![0]
    }) of writer ${writer} have no proof, and no head that the gateway wrote tells of them`,
  ]);
});

Deno.test("a segment that is added behind a head, in the place of the last one, or to a chain of another is named", async () => {
  await using at = await bench();
  const killed = another(at);
  for (const id of ["1", "2", "3"]) await killed.append(row(id));
  const all = await keys(at.kv, "audit", "segment");
  const third = parseSegment((await at.kv.get(all[2]!)).value)!;
  const id = "7ZZZZZZZZZZZZZZZZZZZZZZZZZ";
  const { writer } = third;
  const line = `${JSON.stringify(row("4"))}\n`;
  const add = async (proof: string, header: object) => {
    const head = JSON.stringify({ segment: id, writer, n: 4, prev: chainHash(third), ...header });
    await at.kv.set(["audit", "segment", id], encoded(`${head}\n${line}${proof}`));
    return (await at.audit.verify()).faults.join("\n");
  };
  assert.match(await add("", {}), /^Segment 4 \(7Z+\) .* has no proof, and no head/);
  const { key, mac } = third.proof!;
  assert.match(
    await add(`{"mac":"${mac}"}\n`, { key }),
    /^Segment 4 \(7Z+\) .* its proof is not the gateway's$/,
  );
  await at.kv.delete(["audit", "segment", id]);
  assert.equal((await at.audit.verify()).ok, true);
  await edit(at.kv, all[2]!, (text) => text.replace('"ok"', '"no"'));
  assert.match((await at.audit.verify()).faults.join("\n"), /^Segment 3 .* its proof is not the gateway's$/);
});

Deno.test("a tail that was cut off with a head made up is seen; with an older head of the gateway's an anchor tells", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const past = async (write: (kv: Deno.Kv) => Promise<unknown>) => {
    const kv = await openPlace(path);
    await write(kv);
    kv.close();
  };
  await using store = await open({ path });
  for (const id of ["1", "2"]) await store.audit.append(row(id));
  await store.audit.verify();
  let older: Deno.KvEntry<{ n: number }> | undefined;
  await past(async (kv) =>
    void ([older] = await Array.fromAsync(kv.list<{ n: number }>({ prefix: ["audit", "head"] })))
  );
  for (const id of ["3", "4"]) await store.audit.append(row(id));
  await store.audit.verify();
  const anchor = await store.anchors.make();
  assert.equal((await store.anchors.verify(anchor)).ok, true);
  await store.close();
  await past(async (kv) => {
    const [part] = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["audit", "part"] }));
    const { dropped, segments } = decodePart(part!.value)!;
    await kv.set(part!.key, encodePart({ dropped, segments: segments.slice(0, 2) }));
    const second = parseSegment(segments[1]!.bytes)!;
    await kv.set(older!.key, { ...older!.value, n: 2, hash: chainHash(second), id: second.segment });
  });
  const found = () => checkStore({ path, keys: [KEY], now: Date.now });
  await past(async (kv) => {
    const { value } = await kv.get<object>(older!.key);
    await kv.set(older!.key, { ...value, mac: "A".repeat(22) });
  });
  assert.match(
    (await found()).audit!.faults.join("\n"),
    /^The head of writer \w{26} was changed: its proof is not the gateway's$/,
  );
  await past((kv) => kv.set(older!.key, older!.value));
  assert.equal((await found()).audit!.ok, true, "of an older head nobody can tell by the store alone");
  await using again = await open({ path });
  assert.match(
    (await again.anchors.verify(anchor)).faults[0]!,
    /^Missing: segments 3 to 4 of writer \w{26}, which were there/,
  );
});

Deno.test("two instances and the starts after them prove with the key of the store, and a backup and its restore keep all proofs", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const store = { path, keys: [KEY], now: 1, known: `${dir.path}/known` };
  {
    await using one = await open({ path });
    await using two = await open({ path });
    await Promise.all(["1", "2"].map((id) => one.audit.append(row(id))));
    await two.audit.append(row("3"));
    assert.deepEqual((await one.audit.verify()).faults, []);
  }
  await using again = await open({ path });
  await again.audit.append(row("4"));
  const { ok, rows, hashed } = await again.audit.verify();
  assert.deepEqual([ok, rows, hashed], [true, 4, undefined], "each row has a proof of its own");
  const kv = await openPlace(path);
  assert.equal((await keys(kv, "sealing", "audit")).length, 1);
  kv.close();
  for (const name of ["copy.sqlite3", "copy.ndjson"]) {
    const made = await backUpStore(store, `${dir.path}/${name}`);
    assert.deepEqual([made.audit.ok, made.audit.unproven], [true, "keys"]);
    const { audit } = await restoreStore(
      { ...store, path: `${dir.path}/${name}.then` },
      `${dir.path}/${name}`,
    );
    assert.deepEqual([audit.ok, audit.rows, audit.hashed], [true, 4, undefined]);
  }
});

Deno.test("a store of a version before is taken note of once: its rows are known by hashes until then, and no change after it passes", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  await lay(await Deno.readTextFile(new URL("../../fixtures/stores/format-5.ndjson", import.meta.url)), path);
  const before = await checkStore({ path, keys: [KEY], now: Date.now });
  const { rows, segments } = before.audit!;
  assert.deepEqual([before.audit?.ok, before.audit?.unproven, before.audit?.hashed], [
    true,
    "format",
    undefined,
  ]);
  const start = async () => await open({ path, keys: [KEY], now: () => OPENED_AT });
  for (const after of [1, 2]) {
    await using store = await start();
    await store.audit.append(row(`${after}`));
    const { ok, rows: all, hashed } = await store.audit.verify();
    assert.deepEqual([ok, all, hashed?.segments, hashed?.rows], [true, rows + after, segments, rows]);
    assert.match(hashed!.until!, /^2\d{3}-\d\d-\d\dT/);
  }
  const kv = await openPlace(path);
  const [part] = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["audit", "part"] }));
  const { dropped, segments: old } = decodePart(part!.value)!;
  let prev = GENESIS;
  let end = { n: 0, hash: "", id: "" };
  const forged = old.map((packed) => {
    const { segment, writer, n, lines } = parseSegment(packed.bytes)!;
    const text = `${JSON.stringify({ segment, writer, n, prev })}\n${
      lines.join("\n").replace('"acme"', '"evil"')
    }\n`;
    prev = segmentHash(encoded(text));
    end = { n, hash: prev, id: segment };
    return { ...packed, bytes: encoded(text) };
  });
  await kv.set(part!.key, encodePart({ dropped, segments: forged }));
  const faults = async () =>
    (await checkStore({ path, keys: [KEY], now: Date.now })).audit!.faults.join("\n");
  assert.match(
    await faults(),
    /^Segment \d+ .* was changed: the writer's head names another hash\nSegments 1 to \d+ /,
  );
  const { writer } = parseSegment(forged[0]!.bytes)!;
  await kv.set(["audit", "head", writer], end);
  kv.close();
  const says =
    /^The head of writer \w{26} was changed: its proof is missing\nSegments 1 to \d+ .* have no proof, and no head/;
  assert.match(await faults(), says);
  await (await start()).close();
  assert.match(await faults(), says, "a start does not take it for its own");
});

Deno.test("an audit key is sealed anew with all else, new rows get a new one, and rows of before are proven under the old one", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  {
    await using store = await open({ path });
    await store.audit.append(row("1"));
  }
  const both = { path, keys: [NEXT, KEY] };
  {
    await using store = await open(both);
    await store.audit.append(row("2"));
  }
  const { resealed } = await resealStore(both, { addressBound });
  assert.equal(resealed["sealing"], 1);
  assert.deepEqual((await resealStore(both, { addressBound })).resealed, {}, "nothing is done twice");
  await using store = await open({ path, keys: [NEXT] });
  await store.audit.append(row("3"));
  const { ok, rows, hashed } = await store.audit.verify();
  assert.deepEqual([ok, rows, hashed], [true, 3, undefined]);
  await store.audit.flush();
  let text = "";
  for await (const piece of store.audit.export({})) text += piece;
  const named = text.split("\n").flatMap((line) => line.includes('"segment"') ? [JSON.parse(line).key] : []);
  assert.deepEqual([named.length, new Set(named).size, named[0] === named[1]], [3, 2, true]);
});

Deno.test("where the keys are lost the audit cannot be verified, until they are given up: then it is known by its hashes", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const known = `${dir.path}/known`;
  {
    await using store = await open({ path });
    for (const id of ["1", "2", "3"]) await store.audit.append(row(id));
    await store.tokens.create(newToken());
  }
  const lost = await checkStore({ path, keys: [NEXT], now: Date.now });
  assert.equal(lost.ok, false);
  assert.match(
    lost.audit!.faults.join("\n"),
    /^The head of writer \w{26} cannot be verified: its proof was made with key "[0-9a-f]{12}" of the audit, which is not in the store or does not open with these ENCRYPTION_KEYS\nSegments 1 to 3 /,
  );
  await acceptKeys({ path, keys: [NEXT], now: 1, known });
  await using store = await open({ path, keys: [NEXT] });
  await store.audit.append(row("4"));
  const { ok, hashed } = await store.audit.verify();
  assert.deepEqual([ok, hashed], [true, { segments: 3, rows: 3, until: row("3").at }]);
});

Deno.test("a mark that says that segments are not proven yet is refused: edited by its seal, put back by what this machine knows", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const known = `${dir.path}/known`;
  await (await open({ path, known })).close();
  const kv = await openPlace(path);
  const { value: mark } = await kv.get<StoreMark>(["store"]);
  await kv.set(["store"], { ...mark, format: 5, lowest: { format: 5, version: "0.5.0" } });
  await assert.rejects(open({ path, known }), { message: /the mark of ".*" was changed; put back a copy$/ });
  await kv.set(["store"], mark);
  const seen = await new KnownStores(known).seen(path);
  assert.equal(seen?.numbers["sealing"], 2, "the key of the audit is counted");
  kv.close();
});

Deno.test("a checkpoint that somebody else set, in the place of rows that are gone, is named", async () => {
  await using at = await five();
  const all = await keys(at.kv, "audit", "segment");
  const second = parseSegment((await at.kv.get(all[1]!)).value)!;
  const { writer, n, segment: id } = second;
  for (const key of all.slice(0, 2)) await at.kv.delete(key);
  const { value: head } = await at.kv.get<object>(["audit", "head", writer]);
  for (const proof of [{}, head]) {
    await at.kv.set(["audit", "checkpoint", writer], { ...proof, n, hash: chainHash(second), id });
    const { faults: [fault, ...more] } = await at.audit.verify();
    assert.match(
      fault!,
      /^The checkpoint of writer \w{26} was changed: its proof is (missing|not the gateway's)$/,
    );
    assert.deepEqual(more, []);
  }
});

Deno.test("retention tells by its checkpoint of nothing that stands under the id of another segment", async () => {
  await using at = await five();
  const all = await keys(at.kv, "audit", "segment");
  const { value } = await at.kv.get(all[3]!);
  for (const key of all.slice(0, 4)) await at.kv.delete(key);
  await at.kv.set(all[0]!, value); // four segments are gone, and the last of them stands where the first was
  await at.audit.retain(new Date(at.clock.ms - 4500));
  assert.match((await at.audit.verify()).faults.join("\n"), /^Missing: segments 1 to 4 of writer/);
});
