/** A store that is copied to another place is the same there, or it is no store: cut off, changed meanwhile, refused. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { type Copying, copyStoreTo } from "../../../store/copying.ts";
import { isAddress, isFile, nameOf } from "../../../store/engines.ts";
import { isDatabase } from "../../../core/env_values.ts";
import { keyBytes } from "../../../store/key_bytes.ts";
import { readLaying, readMark } from "../../../store/mark.ts";
import { toPortable } from "../../../store/portable.ts";
import { layNewest } from "../../fixtures/stores/stores.ts";
import { entriesOf, filesOf, refused, runOnStore } from "./files_kit.ts";
import { folder, KEY, newToken, open, START } from "./kit.ts";

const OTHER = new Uint8Array(32).fill(8);
const LONG_MS = 400 * 24 * 60 * 60_000;

/** How a copy differs from one of that store; places are named as on the command line. */
type Changed = Partial<Omit<Copying, "from" | "to">> & { readonly from?: string; readonly to?: string };

/** A folder with the store of the fixtures, and 2,500 entries more that go after 400 days. */
async function place() {
  const dir = await folder();
  const at = (name: string) => `${dir.path}/${name}.sqlite3`;
  const facts = await layNewest(at("from"));
  const kv = await Deno.openKv(at("from"));
  for (let nth = 0; nth < 25; nth++) {
    const atomic = kv.atomic();
    for (let one = 0; one < 100; one++) {
      atomic.set(["managed_files", `repo-${nth}`, String(one)], [nth, one], { expireIn: LONG_MS });
    }
    await atomic.commit();
  }
  await kv.set(["tokens", "odd"], {
    bytes: new Uint8Array([1]),
    big: 5n,
    none: undefined,
    map: new Map([[1, 2]]),
  });
  kv.close();
  const copy = (name: string, { from = at("from"), to = at(name), ...more }: Changed = {}) =>
    copyStoreTo({
      from: { path: from, named: "<from>" },
      to: { path: to, named: "<to>" },
      keys: [KEY],
      now: Date.now,
      known: `${dir.path}/known`,
      ...more,
    });
  return { at, copy, facts, dir: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

function endsOf(path: string): Map<string, number> {
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = database.prepare("SELECT hex(k) AS k, expiration_ms AS at FROM kv").all();
  return new Map(rows.map(({ k, at }) => [String(k), Number(at)]));
}

Deno.test("a copied store has every entry, counter and remaining life of the first, opens as it and verifies", async () => {
  await using p = await place();
  const { entries, compared, audit } = await p.copy("to");
  assert.ok(audit.ok && audit.rows > 0);
  assert.deepEqual(await entriesOf(p.at("to")), await entriesOf(p.at("from")));
  assert.equal(entries, (await entriesOf(p.at("from"))).length, "the mark is counted too");
  assert.ok(compared.some(({ kind, entries }) => kind === "managed_files" && entries === 2500));
  const [was, is] = [endsOf(p.at("from")), endsOf(p.at("to"))];
  assert.deepEqual([...is.keys()].sort(), [...was.keys()].sort());
  for (const [key, at] of was) {
    assert.ok(Math.abs(is.get(key)! - at) < 5000, `${key}: ${is.get(key)} is ${at}`);
  }
  assert.equal(Deno.statSync(p.at("to")).mode! & 0o077, 0);
  const kv = await Deno.openKv(p.at("to"));
  assert.equal(await readLaying(kv), null);
  await kv.delete(["tokens", "odd"]);
  kv.close();
  await using store = await open({ path: p.at("to"), known: `${p.dir}/known` });
  assert.ok(await store.tokens.find(p.facts.all));
  await store.tokens.create(newToken());
});

Deno.test("a copy that is cut off is no store, says how it is finished, and goes on where it was", async () => {
  await using p = await place();
  const told: number[] = [];
  const cut = (what: string, entries: number) => {
    if (what === "copied" && entries === 2000) throw new Error("cut");
  };
  await assert.rejects(p.copy("to", { told: cut }), /^Error: cut$/);
  await refused(
    () => open({ path: p.at("to") }),
    /^KV_PATH: ".*to\.sqlite3" holds a part of a store only, .* cut off after \d+ entries; finish it with deno task admin store copy ".*from\.sqlite3" ".*to\.sqlite3"$/,
  );
  {
    const kv = await Deno.openKv(p.at("to"));
    const { value } = await readMark(kv);
    assert.equal(
      value?.lowest.format,
      Number.MAX_SAFE_INTEGER,
      "versions that know of no copies refuse it too",
    );
    kv.close();
  }
  await p.copy("to", { told: (what, entries) => void (what === "copied" && told.push(entries)) });
  assert.deepEqual(told.filter((entries) => entries < 2000), [], "what was there already was not read again");
  assert.deepEqual(await entriesOf(p.at("to")), await entriesOf(p.at("from")));
});

Deno.test("a store that is written while it is copied is not taken for copied, and the next copy begins anew", async () => {
  await using p = await place();
  const key = keyBytes(["accounts", "new"]);
  /** At once, for a copy waits for nobody. */
  const write = (statement: string) => {
    using from = new DatabaseSync(p.at("from"));
    from.prepare(statement).run(key);
  };
  let isChanged = false;
  const told = (what: string) => {
    if (what !== "copied" || isChanged) return;
    write("INSERT INTO kv SELECT ?, v, v_encoding, version, seq, expiration_ms FROM kv LIMIT 1");
    isChanged = true;
  };
  await refused(
    () => p.copy("to", { told }),
    /is not what ".*from\.sqlite3" holds \(first at \["accounts","new"\]\): one of the two was written meanwhile/,
  );
  await refused(() => open({ path: p.at("to") }), /holds a part of a store only/);
  write("DELETE FROM kv WHERE k = ?");
  await p.copy("to");
  assert.deepEqual(await entriesOf(p.at("to")), await entriesOf(p.at("from")));
});

Deno.test("what has gone at either place since it was copied is no difference, and what has gone before is not copied", async () => {
  await using p = await place();
  {
    const kv = await Deno.openKv(p.at("from"));
    await kv.set(["consents", "gone"], { expires_at: 1 }, { expireIn: 1 });
    await kv.set(["consents", "going"], { expires_at: START }, { expireIn: 60_000 });
    kv.close();
  }
  using from = new DatabaseSync(p.at("from"));
  from.prepare("UPDATE kv SET expiration_ms = 1000 WHERE k = ?").run(keyBytes(["consents", "gone"]));
  from.close();
  await p.copy("to");
  const missing = (await entriesOf(p.at("from"))).filter((text) => text.includes('"gone"'));
  assert.ok(!(await entriesOf(p.at("to"))).some((text) => missing.includes(text)));
  assert.ok((await entriesOf(p.at("to"))).some((text) => text.includes('"going"')));
});

Deno.test("what may not be copied is refused, and every file stays as it was", async () => {
  await using p = await place();
  await (await open({ path: p.at("other") })).close();
  await Deno.writeTextFile(p.at("text"), "no database ".repeat(50));
  const used = await Deno.openKv(p.at("other"));
  const cases: [work: () => Promise<unknown>, says: RegExp][] = [
    [() => p.copy("from"), /is the store itself; name another place/],
    [() => p.copy("other"), /^<to>: ".*other\.sqlite3" is in use; stop every gateway on it, then copy it/],
    [() => p.copy("to", { from: p.at("other") }), /^<from>: ".*other\.sqlite3" is in use/],
    [() => p.copy("to", { from: p.at("none") }), /none\.sqlite3" does not exist or is empty; name the store/],
    [() => p.copy("to", { from: p.at("text") }), /text\.sqlite3" is no store, or is damaged/],
    [() => p.copy("to", { from: ":memory:" }), /":memory:" holds nothing that could be copied/],
    [() => p.copy("to", { to: ":memory:" }), /":memory:" keeps nothing; name a place that does/],
    [() => p.copy("to", { keys: [OTHER] }), /^ENCRYPTION_KEYS: none of them opens ".*from\.sqlite3"/],
  ];
  await Deno.writeTextFile(p.at("to"), "");
  const before = await filesOf(p.dir);
  for (const [work, says] of cases) await refused(work, says);
  assert.deepEqual(await filesOf(p.dir), before);
  used.close();
  await refused(() => p.copy("other"), /other\.sqlite3" holds something; name an empty place/);
  await p.copy("to");
  await refused(() => p.copy("to"), /to\.sqlite3" holds that store already; name an empty place/);
});

Deno.test("what is wrong with either place of a copy names the variable or argument that the place came from", async () => {
  await using p = await place();
  const wrong = "postgres://gw:word@127.0.0.1/gateway?pool=0";
  const said = async (variables: Record<string, string>, ...args: string[]) => {
    const { code, said } = await runOnStore(variables, "store", "copy", ...args);
    assert.equal(code, 1);
    return said;
  };
  const about = (name: string) => new RegExp(`^${name}: the address of the database has pool=0`);
  assert.match(await said({ KV_PATH: wrong }, p.at("from"), "KV_PATH"), about("KV_PATH"));
  assert.match(await said({ DATABASE_URL: wrong }, p.at("from"), "DATABASE_URL"), about("DATABASE_URL"));
  assert.match(await said({}, p.at("from"), wrong), about("<to>"));
  assert.match(await said({ KV_PATH: wrong }, "KV_PATH", p.at("other")), about("KV_PATH"));
  assert.match(await said({}, wrong, p.at("other")), about("<from>"));
});

Deno.test("nothing that is stored names a versionstamp, for a copy has others", async () => {
  await using p = await place();
  const kv = await Deno.openKv(p.at("from"));
  const entries = await Array.fromAsync(kv.list({ prefix: [] }));
  kv.close();
  const stamps = new Set(entries.map(({ versionstamp }) => versionstamp));
  const texts = entries.map(({ key, value }) => {
    const text = value instanceof Uint8Array ? new TextDecoder().decode(value) : toPortable(value);
    return `${toPortable(key)} ${text}`;
  });
  for (const stamp of stamps) assert.ok(!texts.some((text) => text.includes(stamp)), stamp);
  assert.ok(!texts.some((text) => text.includes("versionstamp")));
});

Deno.test("a place is a file, an address or memory by how it is written, and no message has a password", () => {
  const cases: [path: string | undefined, kind: "file" | "server" | "database" | "memory", name: string][] = [
    ["data/gateway.sqlite3", "file", '"data/gateway.sqlite3"'],
    ["postgres.sqlite3", "file", '"postgres.sqlite3"'],
    [":memory:", "memory", '":memory:"'],
    [undefined, "memory", "the host's KV"],
    ["https://kv.example/", "server", '"https://kv.example/"'],
    ["https://user:secret@kv.example/", "server", '"https://kv.example/"'],
    [
      "postgres://user:secret@db.example/store?password=other",
      "database",
      "postgres://user@db.example/store",
    ],
    ["postgresql://user:p%40ss@db.example:5433/store", "database", "postgres://user@db.example:5433/store"],
    ["postgres://user:se cret@[", "database", "the PostgreSQL database"],
  ];
  for (const [path, kind, name] of cases) {
    assert.equal(isFile(path), kind === "file", name);
    assert.equal(isAddress(path), kind === "server", name);
    assert.equal(isDatabase(path), kind === "database", name);
    assert.equal(nameOf(path), name);
  }
});
