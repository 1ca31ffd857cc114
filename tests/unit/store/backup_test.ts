/** Portable backups: made while the store is written, put back whole or not at all, at any place. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { CLOCK } from "../../../core/async.ts";
import { backUp } from "../../../store/backup.ts";
import { AuditReading } from "../../../store/backup_audit.ts";
import { copyStoreTo } from "../../../store/copying.ts";
import { Database } from "../../../store/database.ts";
import { Intake, type Laid } from "../../../store/intake.ts";
import { backUpStore, restoreStore, type StoreFile } from "../../../store/maintenance.ts";
import { STORE_FORMAT } from "../../../store/mark.ts";
import { layNewest } from "../../fixtures/stores/stores.ts";
import { butMark, entriesOf, filesOf, refused } from "./files_kit.ts";
import { bench, folder, KEY, newToken, open, row, START } from "./kit.ts";

const OTHER = new Uint8Array(32).fill(8);

async function place() {
  const dir = await folder();
  const at = (name: string) => `${dir.path}/${name}`;
  const facts = await layNewest(at("store.sqlite3"));
  const store = (name: string, more: Partial<StoreFile> = {}): StoreFile => ({
    path: at(name),
    keys: [KEY],
    now: START,
    known: at("known"),
    ...more,
  });
  const made = await backUpStore(store("store.sqlite3"), at("whole.ndjson"));
  const whole = await Deno.readTextFile(at("whole.ndjson"));
  return {
    at,
    store,
    facts,
    made,
    whole,
    dir: dir.path,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

Deno.test("a backup put back has every entry as it was stored, sealed as it was, and opens as the store", async () => {
  await using p = await place();
  const before = await entriesOf(p.at("store.sqlite3"));
  assert.equal(p.made.entries, before.length);
  assert.equal(Deno.statSync(p.at("whole.ndjson")).mode! & 0o077, 0);
  assert.ok(!p.whole.includes("application_password"), "what is sealed stays sealed");
  const restored = await restoreStore(p.store("new.sqlite3"), p.at("whole.ndjson"));
  assert.deepEqual([restored.aside, restored.faults, restored.audit.ok], [null, [], true]);
  assert.deepEqual([p.made.faults, p.made.audit], [[], { ...restored.audit, unproven: "keys" }]);
  assert.deepEqual(butMark(await entriesOf(p.at("new.sqlite3"))), butMark(before));
  await using store = await open({ path: p.at("new.sqlite3") });
  assert.ok(await store.tokens.find(p.facts.all));
  assert.ok((await store.audit.verify()).ok);
});

Deno.test("a backup takes the place of its own store and of an unused one, and what was there is kept", async () => {
  await using p = await place();
  await (await open({ path: p.at("unused.sqlite3") })).close();
  for (const [nth, name] of ["store.sqlite3", "unused.sqlite3"].entries()) {
    const { aside } = await restoreStore(p.store(name, { now: START + nth }), p.at("whole.ndjson"));
    assert.ok(aside !== null && Deno.statSync(`${aside}/${name}`).size > 0);
    await using store = await open({ path: p.at(name) });
    assert.ok(await store.tokens.find(p.facts.all));
  }
});

Deno.test("a part of a backup, a changed one, one of a newer version or of other keys is refused, and nothing changes", async () => {
  await using p = await place();
  const lines = p.whole.split("\n");
  const header = JSON.parse(lines[0]!);
  const spoiled: Record<string, string> = {
    half: p.whole.slice(0, p.whole.length / 2),
    unended: lines.slice(0, -2).join("\n") + "\n",
    ["short line"]: p.whole.slice(0, -10),
    shorter: [...lines.slice(0, 5), ...lines.slice(6)].join("\n"),
    changed: p.whole.replace('"Acme"', '"Acmf"'),
    added: `${p.whole}[["tokens","x"],1]\n`,
    twice: p.whole + p.whole,
    newer: [JSON.stringify({ ...header, format: 2, made_by: "9.0.0" }), ...lines.slice(1)].join("\n"),
    text: "no backup\n",
    empty: "",
    bytes: "\xff\xfe",
  };
  for (const [name, text] of Object.entries(spoiled)) {
    const bytes = name === "bytes" ? Uint8Array.of(0xff, 0xfe, 10) : new TextEncoder().encode(text);
    await Deno.writeFile(p.at(`${name}.ndjson`), bytes);
  }
  {
    await using other = await open({ path: p.at("other.sqlite3") });
    await other.tokens.create(newToken());
  }
  const put = (name: string, into = "none.sqlite3", more: Partial<StoreFile> = {}) => () =>
    restoreStore(p.store(into, more), p.at(`${name}.ndjson`));
  const part = /is only a part of a backup: its last line is missing; take another one$/;
  const another = /is damaged or was changed: its hash is another one; take another backup$/;
  const cases: [work: () => Promise<unknown>, says: RegExp][] = [
    [put("half"), part],
    [put("unended"), part],
    [put("short line"), part],
    [put("shorter"), another],
    [put("changed"), another],
    [put("added"), part],
    [put("twice"), another],
    [
      put("newer"),
      /newer\.ndjson" is a backup of format 2, made by version 9\.0\.0, and this is .* \(format 1\)/,
    ],
    [put("text"), /text\.ndjson" is no backup of a store; name a file that store backup made$/],
    [put("empty"), /empty\.ndjson" is empty; name a backup of a store$/],
    [put("bytes"), /bytes\.ndjson" cannot be read as a backup/],
    [put("missing"), /missing\.ndjson" does not exist; name a backup$/],
    [
      put("whole", "none.sqlite3", { keys: [OTHER] }),
      /^ENCRYPTION_KEYS: none of them opens ".*whole\.ndjson", which is sealed under key "[0-9a-f]{12}"/,
    ],
    [
      put("whole", "other.sqlite3"),
      /other\.sqlite3" is the store of another gateway than the copy/,
    ],
    [() => restoreStore(p.store("", { path: ":memory:" }), p.at("whole.ndjson")), /":memory:" keeps nothing/],
    [() => backUpStore(p.store("store.sqlite3"), p.at("whole.ndjson")), /whole\.ndjson" is there already/],
    [() => backUpStore(p.store("none.sqlite3"), p.at("n.ndjson")), /there is no store at ".*none\.sqlite3"/],
    [
      () => backUpStore({ path: ":memory:", now: 0 }, p.at("n.ndjson")),
      /":memory:" is kept by the gateway alone/,
    ],
    [
      () => backUpStore({ path: "https://kv.example/", now: 0 }, p.at("n.db")),
      /is no file; name a backup that ends/,
    ],
  ];
  const before = await filesOf(p.dir);
  for (const [work, says] of cases) await refused(work, says);
  assert.deepEqual(await filesOf(p.dir), before);
});

Deno.test("a backup of a newer store is refused by the format that its mark names", async () => {
  await using p = await place();
  const kv = await Deno.openKv(p.at("store.sqlite3"));
  await kv.set(["store"], {
    ...(await kv.get<object>(["store"])).value,
    lowest: { format: STORE_FORMAT + 1, version: "9.0.0" },
  });
  kv.close();
  await refused(
    () => backUpStore(p.store("store.sqlite3"), p.at("newer.ndjson")),
    /was written by a newer version \(format 6\); version 9\.0\.0 or later opens it/,
  );
});

Deno.test("a backup made while calls are recorded and tokens made is of one moment: its audit is whole and ends together", async () => {
  await using p = await place();
  const path = p.at("busy.sqlite3");
  await using store = await open({ path });
  let isDone = false;
  let nth = 0;
  const early = Array.from({ length: 200 }, () => row(`early-${nth++}`));
  await Promise.all(early.map((one) => store.audit.append(one)));
  const writing = (async () => {
    while (!isDone) {
      const id = `call-${nth++}`;
      await store.audit.append(row(id, { status: "started" }));
      await store.audit.append(row(id));
      if (nth % 50 === 0) await store.tokens.create(newToken());
    }
  })();
  const { unsettled, faults, audit } = await backUp({ path, to: p.at("busy.ndjson"), now: Date.now });
  const copied = await backUpStore(p.store("busy.sqlite3"), p.at("copy.sqlite3"));
  isDone = true;
  await writing;
  assert.deepEqual(unsettled, []);
  assert.deepEqual([faults, audit.faults, copied.faults, copied.audit.faults], [[], [], [], []]);
  await restoreStore(p.store("then.sqlite3"), p.at("busy.ndjson"));
  await using then = await open({ path: p.at("then.sqlite3") });
  const verdict = await then.audit.verify();
  assert.deepEqual(verdict.faults, []);
  assert.ok(verdict.rows >= early.length);
  const tokens = await then.tokens.list();
  assert.ok(tokens.length <= (await store.tokens.list()).length);
  const { rows } = await then.audit.list({ site_id: "acme" }, { limit: 500 });
  assert.ok(rows.every(({ status }) => status === "ok" || status === "started"));
});

/** What is read of an audit, laid into memory and verified. */
async function read(kv: Deno.Kv, meanwhile: (entry: Laid) => Promise<unknown>) {
  await using then = await bench();
  const entries: Laid[] = [];
  const db = new Database(kv, Date.now, CLOCK.elapsed);
  const { isQuiet, verdict } = await new AuditReading(db).run(async (entry) => {
    entries.push(entry);
    await meanwhile(entry);
  });
  for (const { key, value } of entries) await then.kv.set(key, value);
  const { faults } = await then.audit.verify();
  const marks = entries.flatMap(({ key }) => key[1] === "open" ? [String(key[2])] : []);
  return {
    faults,
    found: verdict.faults,
    marks,
    isQuiet,
    rows: (await then.audit.list({}, { limit: 500 })).rows.map(({ id }) => id),
  };
}

Deno.test("rows that end or begin while the audit is read leave no mark that its entries do not bear out", async () => {
  await using at = await bench();
  at.clock.ms = Date.now();
  const { audit } = at;
  const begin = (id: string) => audit.append(row(id, { status: "started" }));
  await begin("ends meanwhile");
  await begin("stays");
  await audit.append(row("over"));
  let isFirst = true;
  const found = await read(at.kv, async ({ key }) => {
    if (!isFirst || key[1] !== "segment") return;
    isFirst = false;
    await audit.append(row("ends meanwhile"));
    await begin("begins meanwhile");
  });
  assert.deepEqual(found.faults, []);
  assert.deepEqual(found.marks.toSorted(), ["ends meanwhile", "stays"], "as the segments before have it");
  assert.deepEqual(found.rows.toSorted(), ["ends meanwhile", "over", "stays"]);
  assert.ok(found.isQuiet);
});

Deno.test("an audit whose tail is dropped while it is read is worth reading again", async () => {
  await using at = await bench();
  at.clock.ms = Date.now();
  for (let nth = 0; nth < 20; nth++) await at.audit.append(row(`${nth}`));
  let isFirst = true;
  const found = await read(at.kv, async ({ key }) => {
    if (!isFirst || key[1] !== "segment") return;
    isFirst = false;
    await at.audit.retain(new Date(Date.now() + 60_000));
  });
  assert.equal(found.isQuiet, false);
});

Deno.test("a changed tail of the audit is not made whole by a backup", async () => {
  await using at = await bench();
  at.clock.ms = Date.now();
  for (let nth = 0; nth < 5; nth++) await at.audit.append(row(`${nth}`));
  assert.ok((await at.audit.verify()).ok, "its head is set");
  const segments = await Array.fromAsync(at.kv.list<Uint8Array>({ prefix: ["audit", "segment"] }));
  const last = segments.at(-1)!;
  await at.kv.set(
    last.key,
    new TextEncoder().encode(new TextDecoder().decode(last.value).replace("Hello", "Hallo")),
  );
  const found = await read(at.kv, () => Promise.resolve());
  assert.equal(found.faults.length, 1);
  assert.match(found.faults[0]!, /was changed: its proof is not the gateway's$/);
  assert.match(
    found.found.join("\n"),
    /was changed: the writer's head names another hash$/,
    "the backup, without keys",
  );
});

Deno.test("a backup laid into a place that is no file goes on where it was cut off, and is no store before", async () => {
  const kv = await Deno.openKv(":memory:");
  const mark = { id: "id", format: 2, lowest: { format: 2, version: "0.2.0" }, check: { key: "k" } } as never;
  const what = { kv, name: '"there"', mark, from: "hash", command: "the command", now: Date.now };
  const first = await Intake.begin(what);
  await first.put({ key: ["tokens", "a"], value: 1, ends_at: null }, 2);
  await first.flush();
  await refused(
    () => Intake.begin({ ...what, from: "another" }),
    /"there" holds a part of another store; name an empty/,
  );
  const second = await Intake.begin(what);
  assert.equal(second.at, 2);
  await second.put({ key: ["tokens", "b"], value: 2, ends_at: Date.now() - 1 }, 3);
  await second.put({ key: ["sessions", "c"], value: 3, ends_at: Date.now() + 60_000 }, 4);
  await second.flush();
  await second.finish();
  const keys = (await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key.join("/"));
  assert.deepEqual(keys, ["sessions/c", "store", "tokens/a"]);
  assert.deepEqual((await kv.get(["store"])).value, mark);
  kv.close();
});

Deno.test("what is restored can be copied on, and is still the same store", async () => {
  await using p = await place();
  await restoreStore(p.store("new.sqlite3"), p.at("whole.ndjson"));
  const { audit } = await copyStoreTo({
    from: { path: p.at("new.sqlite3"), named: "<from>" },
    to: { path: p.at("on.sqlite3"), named: "<to>" },
    keys: [KEY],
    now: Date.now,
    known: p.at("known"),
  });
  assert.ok(audit.ok);
  assert.deepEqual(await entriesOf(p.at("on.sqlite3")), await entriesOf(p.at("new.sqlite3")));
  const before = await entriesOf(p.at("store.sqlite3"));
  assert.deepEqual(butMark(await entriesOf(p.at("on.sqlite3"))), butMark(before));
});

Deno.test("a backup with what no store would keep is refused by its line, and nothing is changed", async () => {
  await using p = await place();
  const [header, mark, ...rest] = p.whole.trimEnd().split("\n");
  const entries = rest.slice(0, -1);
  const write = async (lines: readonly string[]) => {
    const text = [header, ...lines].map((line) => `${line}\n`).join("");
    const end = { entries: lines.length, sha256: createHash("sha256").update(text).digest("hex") };
    await Deno.writeTextFile(p.at("made.ndjson"), `${text}${JSON.stringify(end)}\n`);
  };
  const put = () => restoreStore(p.store("none.sqlite3"), p.at("made.ndjson"));
  const long = "x".repeat(70_000);
  const cases: [line: string, why: RegExp][] = [
    ["[[],1]", /its key is none/],
    ['["sites",1]', /its key is none/],
    ["[[null],1]", /its key is none/],
    ['[[{"a":1}],1]', /its key is none/],
    [`[["sites","${"k".repeat(3000)}"],1]`, /its key is too long/],
    [`[["sites","a"],"${long}"]`, /its value is too long/],
    [`[["sites","a"],{"$":["bytes","${btoa(long)}"]}]`, /its value is too long/],
    [`[["sites","a"],[${"1.5,".repeat(16_000)}1]]`, /its value is too long/],
    ['[["sites","a"],1,"tomorrow"]', /its time is none/],
    ["null", /it is no list/],
    ['[["sites","a"],{"$":["u64","-1"]}]', /must be/],
    [`[["sites","a"],${"[".repeat(200_000)}${"]".repeat(200_000)}]`, /call stack/],
  ];
  for (const [line, why] of cases) {
    await write([mark!, ...entries, line]);
    const at = `made\\.ndjson", line ${entries.length + 3}, is no entry of a backup .*`;
    await refused(put, new RegExp(at + why.source));
  }
  for (const first of ['[["store"],5]', '[["store"],null]', '[["sites","a"],{}]']) {
    await write([first, ...entries]);
    await refused(put, /made\.ndjson", line 2, is not the mark of a store; take another backup$/);
  }
  await write([mark!, ...entries]);
  assert.ok((await put()).audit.ok);
});
