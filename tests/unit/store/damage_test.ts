/** A file that is cut or has flipped bits is refused when it is opened, or found by a check, and never written to. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { checkStore } from "../../../store/check.ts";
import { copyStoreTo } from "../../../store/copying.ts";
import { Database } from "../../../store/database.ts";
import { judgeFile } from "../../../store/file_check.ts";
import { compareKeys } from "../../../store/key_bytes.ts";
import { between, RangeReading, rangeText } from "../../../store/key_ranges.ts";
import { backUpStore, compactStore, restoreStore } from "../../../store/maintenance.ts";
import { layNewest } from "../../fixtures/stores/stores.ts";
import { filesOf, refused } from "./files_kit.ts";
import { bench, folder, KEY, open, row } from "./kit.ts";

const PAGE = 4096;
const MEND = String
  .raw`see what of it can be read \(deno task admin store check\), and put back a copy \(deno task admin store restore\)`;

/** A store with the entries of the fixtures and a few hundred more, in one file, and where in it some of them are. */
async function place() {
  const dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  await layNewest(path);
  const kv = await Deno.openKv(path);
  const [part] = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["audit", "part"] }));
  for (let nth = 0; nth < 300; nth++) {
    await kv.set(["snapshots", "clarity", "acme", `day ${1000 + nth}`], "x".repeat(300));
  }
  await kv.set(["kept_parts", "large", 0], new Uint8Array(60_000).fill(0x55));
  kv.close();
  {
    using database = new DatabaseSync(path);
    database.exec(`PRAGMA journal_mode=DELETE; PRAGMA page_size=${PAGE}; VACUUM`);
  }
  const whole = await Deno.readFile(path);
  let nth = 0;
  /** A file of its own for each damage. */
  const spoiled = async (spoil: (bytes: Uint8Array) => Uint8Array | void) => {
    const file = `${dir.path}/spoiled-${nth++}.sqlite3`;
    const bytes = whole.slice();
    await Deno.writeFile(file, spoil(bytes) ?? bytes);
    return file;
  };
  const check = (file: string) => checkStore({ path: file, keys: [KEY], now: Date.now });
  return {
    path,
    whole,
    /** Segments of the audit, as they are packed. */
    part: new TextDecoder("latin1").decode(part!.value.subarray(0, 40)),
    spoiled,
    check,
    dir: dir.path,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const flip = (...at: number[]) => (bytes: Uint8Array) => {
  for (const one of at) bytes[one]! ^= 0xff;
};
const cut = (length: number) => (bytes: Uint8Array) => bytes.slice(0, length);

/** Where a text is in the file. */
function placeOf(bytes: Uint8Array, text: string | RegExp): number {
  const all = new TextDecoder("latin1").decode(bytes);
  const at = typeof text === "string" ? all.indexOf(text) : all.search(text);
  assert.ok(at > 0, String(text));
  return at;
}

/** The first byte of a page that has no pages below it. */
const LEAF = 0x0a;

/** A record among many that is on such a page, with its value behind its key: the index of what goes by itself has the key alone. */
function rare(bytes: Uint8Array): { day: number; page: number } {
  for (let day = 1150; day < 1170; day++) {
    const page = pageOf(bytes, new RegExp(`day ${day}[^]{1,12}xxxx`));
    if (bytes[page] === LEAF) return { day, page };
  }
  assert.fail("no such record");
}

const pageOf = (bytes: Uint8Array, text: string | RegExp) => Math.floor(placeOf(bytes, text) / PAGE) * PAGE;

Deno.test("a file that is cut, at or within any page, or whose pages do not fit together is refused and not written to", async () => {
  await using p = await place();
  const { whole } = p;
  const { day, page: leaf } = rare(whole);
  const large = pageOf(whole, "\x55".repeat(1000));
  const cases: [what: string, file: string][] = [];
  for (
    const length of [
      1,
      50,
      100,
      511,
      512,
      PAGE,
      PAGE + 1,
      3 * PAGE + 17,
      whole.length - PAGE,
      whole.length - 1,
    ]
  ) {
    cases.push([`cut to ${length}`, await p.spoiled(cut(length))]);
  }
  const flips: Record<string, number[]> = {
    magic: [3],
    "page size": [16],
    "count of pages": [29],
    "type of the first page": [100],
    "type of a b-tree's root": [3 * PAGE],
    "cells of a root": [3 * PAGE + 3],
    "type of a leaf": [leaf],
    "free place in a leaf": [leaf + 1],
    "cells of a leaf": [leaf + 3],
    "place of a cell": [leaf + 8],
    "next page of a large value": [large],
    "order of keys in a leaf": [placeOf(whole, new RegExp(`day ${day}[^]{1,12}xxxx`))],
  };
  for (const [what, at] of Object.entries(flips)) cases.push([what, await p.spoiled(flip(...at))]);
  const before = await filesOf(p.dir);
  for (const [what, file] of cases) {
    const says = new RegExp(`^KV_PATH: ".*" is (damaged \\(.*\\)|no database or is damaged); ${MEND}`);
    await assert.doesNotReject(() => refused(() => open({ path: file }), says), what);
    const found = await p.check(file);
    assert.equal(found.ok, false, what);
    assert.match(found.faults[0]!, /^The file ".*" is damaged \(/, what);
  }
  assert.deepEqual(await filesOf(p.dir), before);
});

Deno.test("bits that are flipped in what a value says are found by a check where anything tells what it should say", async () => {
  await using p = await place();
  const found = async (text: string, skip = 0) => {
    const file = await p.spoiled(flip(placeOf(p.whole, text) + skip));
    await (await open({ path: file })).close(); // no page shows it
    return await p.check(file);
  };
  const audit = await found(p.part, 60);
  assert.ok(
    audit.audit!.faults.some((fault) => /damaged or changed/.test(fault)),
    audit.audit!.faults.join(),
  );
  const sealed = await p.check(
    await p.spoiled((bytes) => {
      const at = placeOf(bytes, "credentials");
      const data = placeOf(bytes.subarray(at), "data") + at;
      bytes[data + 12]! ^= 1;
    }),
  );
  assert.match(sealed.faults.join(), /^What is sealed in \["[^\]]*"\] was damaged or changed$/);
  for (const checked of [audit, sealed]) assert.equal(checked.ok, false);
});

Deno.test("a whole store is found whole, with every kind counted, and nothing is changed", async () => {
  await using p = await place();
  const entries = async () => {
    const kv = await Deno.openKv(p.path);
    const all = await Array.fromAsync(kv.list({ prefix: [] }));
    kv.close();
    return all;
  };
  const before = await entries();
  const found = await p.check(p.path);
  assert.deepEqual(found.faults, []);
  assert.ok(found.ok && found.audit!.ok);
  assert.equal(found.kinds["snapshots"], 300);
  assert.equal(found.entries, before.length);
  assert.deepEqual(await entries(), before);
});

Deno.test("what cannot be read is named by the last key before it and the first behind it", async () => {
  await using p = await place();
  const { day, page: leaf } = rare(p.whole);
  const { faults, kinds } = await p.check(await p.spoiled(flip(leaf)));
  const range = faults.find((fault) => fault.startsWith("Of snapshots"));
  const [, first, last] =
    /between \["snapshots","clarity","acme","day (\d+)"\] and \[.*"day (\d+)"\] cannot be read/.exec(range!)!;
  assert.ok(Number(first) < day && Number(last) > day, range);
  assert.ok(Number(last) - Number(first) < 20, `no more than a page is lost: ${range}`);
  assert.equal(kinds["snapshots"], 300 - (Number(last) - Number(first) - 1));
});

Deno.test("a portable backup of a file that is damaged or cut off has what can be read, and says with what it cannot what is missing", async () => {
  await using p = await place();
  const { page: leaf } = rare(p.whole);
  const all = (await p.check(p.path)).entries;
  for (const file of [await p.spoiled(flip(leaf)), await p.spoiled(cut(p.whole.length - 100))]) {
    const before = await Deno.readFile(file);
    const made = await backUpStore({ path: file, now: 0 }, `${file}.ndjson`);
    assert.match(made.faults[0]!, /^The file ".*" is damaged \((it ends |Tree )/);
    const names = made.faults.some((fault) => /what lies between .* and .* cannot be read \(/.test(fault));
    assert.ok(names || made.faults[0]!.includes("it ends"), made.faults.join("\n"));
    assert.ok(made.entries! > all / 2);
    assert.deepEqual(await Deno.readFile(file), before);
    const store = { path: `${file}.restored`, keys: [KEY], now: 0, known: `${p.dir}/known` };
    const restored = await restoreStore(store, `${file}.ndjson`);
    for (const fault of made.faults) assert.ok(restored.faults.includes(fault), fault);
    await (await open({ path: store.path })).close();
  }
  const file = await p.spoiled(cut(3 * PAGE + 17));
  await refused(
    () => backUpStore({ path: file, now: 0 }, `${file}.ndjson`),
    new RegExp(
      `^"${file}" is damaged \\(it ends 17 bytes into a page of 4096: it was cut off\\), and nothing of it can be read; put back a copy \\(deno task admin store restore\\)$`,
    ),
  );
});

Deno.test("a file that is damaged is not compacted, for what cannot be read of it would be gone, and stays as it is", async () => {
  await using p = await place();
  const { day, page: leaf } = rare(p.whole);
  const damages = {
    "a page": flip(leaf),
    "the root of all entries": flip(3 * PAGE),
    "the order of keys": flip(placeOf(p.whole, new RegExp(`day ${day}[^]{1,12}xxxx`))),
    "its end": cut(p.whole.length - 100),
  };
  for (const [what, spoil] of Object.entries(damages)) {
    const path = await p.spoiled(spoil);
    const before = await Deno.readFile(path);
    const compacting = () => compactStore({ path, now: 0, known: `${p.dir}/known` });
    const says = new RegExp(`^KV_PATH: ".*" is damaged \\(.*\\); ${MEND}$`);
    await assert.doesNotReject(() => refused(compacting, says), what);
    assert.deepEqual(await Deno.readFile(path), before, what);
  }
});

Deno.test("a portable backup of a file whose keys are damaged has all others, in order, and is not called whole", async () => {
  await using p = await place();
  const { day } = rare(p.whole);
  const at = placeOf(p.whole, new RegExp(`day ${day}[^]{1,12}xxxx`));
  const all = (await p.check(p.path)).entries;
  const cases: [what: string, byte: number, to: number, lost: number][] = [
    ["out of its order", at, "z".charCodeAt(0), 0],
    ["without an end", at + "day 1000".length, 1, 1],
  ];
  for (const [what, byte, to, lost] of cases) {
    const file = await p.spoiled((bytes) => void (bytes[byte] = to));
    const checked = await p.check(file);
    const made = await backUpStore({ path: file, now: 0 }, `${file}.ndjson`);
    for (const { faults, entries } of [checked, made]) {
      assert.match(faults[0]!, /^The file ".*spoiled-\d+\.sqlite3" is damaged \(row /, what);
      assert.equal(entries, all - lost, what);
      assert.equal(faults.length, 1 + lost, faults.join("\n"));
    }
    const from = { path: file, named: "<from>" };
    const to_ = { path: `${file}.moved`, named: "<to>" };
    await refused(
      () => copyStoreTo({ from, to: to_, keys: [KEY], now: Date.now, known: `${p.dir}/known` }),
      /is damaged \(row .*; put back a copy .*, or move what is left of it: .*store backup <file>\.ndjson/,
    );
    const store = { path: `${file}.restored`, keys: [KEY], now: 0, known: `${p.dir}/known` };
    const restored = await restoreStore(store, `${file}.ndjson`);
    assert.deepEqual(restored.faults, made.faults);
    assert.equal((await p.check(store.path)).entries, all - lost);
  }
});

Deno.test("a store whose records, counters or keys are not as they should be is told so, and no reading throws", async () => {
  await using p = await place();
  const kv = await Deno.openKv(p.path);
  await kv.set(["versions", "tokens"], 5);
  const { faults } = await p.check(p.path);
  assert.deepEqual(faults, ['["versions","tokens"] does not hold what it should: it was damaged or changed']);
  await kv.set(["sites", "acme"], { id: "other" });
  await kv.set(["tokens_by_hash", "hash"], "no such token");
  await kv.set(["accounts", "user", "google"], null);
  for (let nth = 0; nth < 30; nth++) await kv.set(["users", `u${nth}`], 1);
  kv.close();
  const found = await p.check(p.path);
  assert.equal(found.ok, false);
  for (const key of ['["sites","acme"]', '["accounts","user","google"]']) {
    assert.ok(found.faults.some((fault) => fault.startsWith(`${key} does not hold what it should`)), key);
  }
  assert.ok(found.faults.includes("14 more records are not as they should be"), found.faults.join("\n"));
  const other = await checkStore({ path: p.path, keys: [new Uint8Array(32).fill(8)], now: Date.now });
  assert.ok(other.faults.some((fault) => /^ENCRYPTION_KEYS: none of them opens/.test(fault)));
  assert.ok(
    other.faults.some((fault) =>
      /^\d+ records are sealed under key "[0-9a-f]{12}", which ENCRYPTION_KEYS lacks$/.test(fault)
    ),
  );
  await refused(() => p.check(`${p.dir}/none.sqlite3`), /there is no store at/);
  await refused(() => p.check(":memory:"), /":memory:" is kept by the gateway alone/);
});

Deno.test("several places that cannot be read are named each, at the beginning and the end too", async () => {
  const kv = await Deno.openKv(":memory:");
  for (let nth = 0; nth < 50; nth++) await kv.set(["a", `id-${String(nth).padStart(3, "0")}`], nth);
  const bad = new Set([0, 1, 20, 35, 36]);
  const list = (selector: Deno.KvListSelector, options?: Deno.KvListOptions) => {
    async function* entries() {
      for await (const entry of kv.list<number>(selector, options)) {
        if (bad.has(entry.value)) throw new TypeError("database disk image is malformed");
        yield entry;
      }
    }
    return entries() as never;
  };
  const reading = new RangeReading({ list } as unknown as Deno.Kv);
  const read = (await Array.fromAsync(reading.entries())).map(({ value }) => value);
  assert.deepEqual(read, Array.from({ length: 50 }, (_, nth) => nth).filter((nth) => !bad.has(nth)));
  assert.deepEqual(reading.unreadable.map((range) => rangeText(range)), [
    'What lies between the beginning and ["a","id-002"] cannot be read (database disk image is malformed)',
    'Of a, what lies between ["a","id-019"] and ["a","id-021"] cannot be read (database disk image is malformed)',
    'Of a, what lies between ["a","id-034"] and ["a","id-037"] cannot be read (database disk image is malformed)',
  ]);
  kv.close();
});

Deno.test("a key between two lies between them, and halving ends", () => {
  const pairs: [Deno.KvKey, Deno.KvKey][] = [
    [["a"], ["b"]],
    [["a", "01"], ["a", "02"]],
    [["a", 1], ["a", 2]],
    [[""], ["zz"]],
    [["a", "x"], ["a", "xy"]],
  ];
  for (const [low, high] of pairs) {
    let from = low;
    let halvings = 0;
    for (let next = between(from, high); next !== null; next = between(from, high)) {
      assert.ok(compareKeys(from, next) < 0 && compareKeys(next, high) <= 0);
      from = next;
      assert.ok(++halvings < 5000);
      if (halvings === 64) break;
    }
  }
  assert.equal(between(["a"], ["a"]), null);
  assert.equal(between(["a", true], ["a", new Uint8Array([1])]), null);
});

Deno.test("a large file is read on another thread, and what that finds ends the store's work with one sentence", async () => {
  await using p = await place();
  // On a busy machine the thread takes longer than is waited for: then it says later what it found.
  const judged = async (path: string) => {
    const { damage, going } = await judgeFile(path, 1);
    return going === null ? damage : await going.found;
  };
  assert.equal(await judged(p.path), null);
  const damage = await judged(await p.spoiled(flip(rare(p.whole).page + 1)));
  assert.match(damage!, /^Tree \d+ page \d+: free space corruption$/);
  await using at = await bench();
  await at.audit.append(row("1"));
  const db = new Database(at.kv, Date.now, () => 0, { elapsed: () => 0, every: () => () => {} });
  db.foundDamage(damage!);
  const sentence = new RegExp(`^The file of the store is damaged \\(Tree .*\\); stop the gateway, ${MEND}$`);
  for (const work of [() => db.kv.get(["a"]), () => db.commit(at.kv.atomic()), () => db.probe()]) {
    await refused(async () => await work(), sentence);
  }
});

/** What a process of its own says that opens the store, which may write files of so many blocks only. */
async function started(path: string, blocks: string): Promise<string> {
  const [script, config] = ["children/starts.ts", "../../../deno.json"].map((at) =>
    new URL(at, import.meta.url).pathname
  );
  const limited = `trap "" XFSZ; ulimit -f ${blocks}; exec "$@"`;
  const run = [Deno.execPath(), "run", "-A", "--quiet", "--config", config!, script!, path];
  const { stdout } = await new Deno.Command("/bin/sh", {
    args: ["-c", limited, "sh", ...run],
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(stdout);
}

Deno.test("where the disk takes nothing more the store is not opened, its file stays as it was, and once there is room it opens", async () => {
  await using p = await place();
  const before = await filesOf(p.dir);
  assert.match(
    await started(p.path, "1"),
    /^KV_PATH: ".*" (is on a disk that is full; make room on it|cannot be written \(.*\): its disk is full, over its quota, or fails; see to it) and start again\n$/,
  );
  assert.equal((await filesOf(p.dir))["store.sqlite3"], before["store.sqlite3"]);
  assert.equal(await started(p.path, "unlimited"), "open\n");
  assert.ok((await p.check(p.path)).ok);
});
