/** What is refused where a store is copied, put back, begun or given other keys, and that nothing is changed then. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import {
  acceptKeys,
  compactStore,
  copyStore,
  initStore,
  restoreStore,
  type StoreFile,
} from "../../../store/maintenance.ts";
import { STORE_FORMAT } from "../../../store/mark.ts";
import { lay } from "../../fixtures/stores/stores.ts";
import { filesOf, refused } from "./files_kit.ts";
import { folder, KEY, newToken, open, row, START } from "./kit.ts";

const OTHER = new Uint8Array(32).fill(8);

/** Where in a file the first page of entries begins. */
function rootOf(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  const page = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'kv'").get()?.["rootpage"];
  return (Number(page) - 1) * Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
}

/** A folder with a store, one of another gateway, a copy of the first, and copies that are spoiled. */
async function place() {
  const dir = await folder();
  const at = (name: string) => `${dir.path}/${name}.sqlite3`;
  const known = `${dir.path}/known`;
  const store = (name: string, more: Partial<StoreFile> = {}): StoreFile => ({
    path: at(name),
    keys: [KEY],
    now: START,
    known,
    ...more,
  });
  for (const name of ["store", "other"]) {
    const { path } = store(name);
    await using made = await open({ path, known: `${known}-${name}` });
    await made.tokens.create(newToken({ name }));
  }
  await copyStore(store("store"), at("copy"));
  const spoiled = async (name: string, spoil: (path: string) => Promise<unknown>) => {
    await Deno.copyFile(at("copy"), at(name));
    await spoil(at(name));
  };
  await spoiled("newer", async (path) => {
    const kv = await Deno.openKv(path);
    const { value } = await kv.get<object>(["store"]);
    await kv.set(["store"], { ...value, lowest: { format: STORE_FORMAT + 1, version: "9.0.0" } });
    kv.close();
  });
  await spoiled("damaged", async (path) => Deno.writeFile(path, (await Deno.readFile(path)).fill(7, 4096)));
  await spoiled("leaf", async (path) => {
    const bytes = await Deno.readFile(path);
    bytes[rootOf(path) + 1]! ^= 0xff; // the free places of the first page of entries
    await Deno.writeFile(path, bytes);
  });
  await spoiled("beside", (path) => Deno.writeTextFile(`${path}-wal`, "the last writes"));
  await spoiled("text", (path) => Deno.writeTextFile(path, "no database ".repeat(50)));
  await spoiled("empty", (path) => Deno.writeTextFile(path, ""));
  await spoiled("table", async (path) => {
    await Deno.remove(path);
    using database = new DatabaseSync(path);
    database.exec("CREATE TABLE a (b)");
  });
  return { at, store, dir: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

Deno.test("what is no whole copy of this store, for this version and keys, is refused, and every file stays as it was", async () => {
  await using p = await place();
  const { at, store } = p;
  const before = await filesOf(p.dir);
  const put = (copy: string, into = "store", more: Partial<StoreFile> = {}) => () =>
    restoreStore(store(into, more), at(copy));
  const cases: [work: () => Promise<unknown>, says: RegExp][] = [
    [put("none"), /none\.sqlite3" does not exist or is empty; name a copy/],
    [put("empty"), /empty\.sqlite3" does not exist or is empty; name a copy/],
    [put("store"), /is the store itself; name a copy of it/],
    [put("newer"), /^"[^"]*newer\.sqlite3" was written by a newer version/],
    [put("damaged"), /damaged\.sqlite3" (is damaged|is no store, or is damaged)/],
    [put("beside"), /has "beside\.sqlite3-wal" beside it: it is in use, or was copied while it was/],
    [put("table"), /table\.sqlite3" is no store of the gateway/],
    [put("text"), /text\.sqlite3" is no store, or is damaged/],
    [put("copy", "store", { keys: [OTHER] }), /^ENCRYPTION_KEYS: none of them opens "[^"]*copy\.sqlite3"/],
    [put("copy", "other"), /other\.sqlite3" is the store of another gateway than the copy/],
    [put("copy", "table"), /table\.sqlite3" is no store; name the file of the store/],
    [put("copy", "text"), /text\.sqlite3" is no store; name the file of the store/],
    [() => copyStore(store("store"), at("copy")), /copy\.sqlite3" is there already; name another file/],
    [
      () => copyStore(store("none"), at("new")),
      /^KV_PATH: there is no store at ".*none\.sqlite3"; name the place of a store$/,
    ],
    [() => copyStore(store("text"), at("new")), /text\.sqlite3" is no store, or is damaged/],
    [
      () => copyStore(store("damaged"), at("new")),
      /damaged\.sqlite3" (is no store, or is damaged|cannot be copied .*it is damaged)/,
    ],
    [
      () => copyStore(store("leaf"), at("new")),
      /cannot be copied to .* \(it is damaged: Tree .*; see what .*store check/,
    ],
    [() => copyStore({ path: ":memory:", now: 0 }), /^KV_PATH: ":memory:" is no file/],
    [() => copyStore({ path: "https://kv.example/", now: 0 }), /^KV_PATH: "https.*" is no file/],
    [() => initStore(store("store")), /holds something already; name another file, or move it away/],
    [() => acceptKeys(store("none")), /there is no store at/],
    [() => compactStore(store("none")), /there is no store at/],
    [() => compactStore(store("empty")), /there is no store at/],
    [() => compactStore(store("text")), /text\.sqlite3" is no store; name the file of the store/],
    [() => compactStore(store("table")), /table\.sqlite3" is no store; name the file of the store/],
    [() => compactStore(store(":memory:", { path: ":memory:" })), /^KV_PATH: ":memory:" is no file/],
  ];
  for (const [work, says] of cases) await refused(work, says);
  assert.deepEqual(await filesOf(p.dir), before);
});

const pageBytes = (path: string): unknown => {
  using database = new DatabaseSync(path, { readOnly: true });
  return database.prepare("PRAGMA page_size").get()?.["page_size"];
};

Deno.test("a store is compacted: what retention dropped is given back, and all else is there, in small pages as in a new one", async () => {
  await using p = await place();
  const path = p.at("grown");
  (await Deno.openKv(path)).close(); // as a version before began a store
  assert.equal(pageBytes(path), 4096);
  {
    await using store = await open({ path });
    await store.tokens.create(newToken({ name: "kept" }));
    for (let n = 0; n < 1000; n++) await store.audit.append(row(String(n)));
    await store.audit.retain(new Date(Date.now() + 1000));
    await store.audit.append(row("last"));
  }
  const { before, after } = await compactStore(p.store("grown"));
  assert.ok(after < before / 4, `${before} bytes became ${after}`);
  assert.equal(Deno.statSync(path).size, after);
  {
    await using store = await open({ path });
    assert.deepEqual((await store.tokens.list()).map(({ name }) => name), ["kept"]);
    assert.deepEqual((await store.audit.list({}, { limit: 9 })).rows.map(({ id }) => id), ["last"]);
    assert.deepEqual((await store.audit.verify()).faults, []);
    await refused(() => compactStore(p.store("grown")), /is in use; stop every gateway on it/);
  }
  assert.deepEqual([pageBytes(path), pageBytes(p.at("store"))], [512, 512]);
  assert.equal(Deno.statSync(path).mode! & 0o077, 0);
  assert.deepEqual(Object.keys(await filesOf(p.dir)).filter((name) => name.endsWith("compacting")), []);
});

Deno.test("a store in use is not replaced", async () => {
  await using p = await place();
  await using store = await open({ path: p.at("store") });
  await refused(() => restoreStore(p.store("store"), p.at("copy")), /is in use; stop every gateway on it/);
  assert.equal((await store.tokens.list()).length, 1);
});

Deno.test("a copy is put in the place of its store, of a damaged one, of an unused one and of none, and what was there is kept", async () => {
  await using p = await place();
  const { at, store } = p;
  await (await open({ path: at("unused") })).close();
  await Deno.copyFile(at("damaged"), at("broken"));
  for (const [index, name] of ["store", "broken", "unused", "nothing"].entries()) {
    const was = await Deno.readFile(at(name)).catch(() => null);
    const { aside } = await restoreStore(store(name, { now: START + index }), at("copy"));
    assert.equal(aside === null, was === null, name);
    if (aside !== null) {
      assert.ok(Deno.statSync(`${aside}/${name}.sqlite3`).size > 0, "what was there is kept");
    }
    assert.equal(Deno.statSync(at(name)).mode! & 0o077, 0);
    await using restored = await open({ path: at(name) });
    assert.deepEqual((await restored.tokens.list()).map((token) => token.name), ["store"]);
  }
  assert.deepEqual(Object.keys(await filesOf(p.dir)).filter((name) => name.endsWith("restoring")), []);
});

Deno.test("an empty store is begun on purpose, and what a lost one left is moved aside", async () => {
  await using p = await place();
  const { at, store } = p;
  await Deno.remove(at("store"));
  await Deno.writeTextFile(`${at("store")}-wal`, "the last writes");
  const aside = await initStore(store("store"));
  assert.equal(await Deno.readTextFile(`${aside}/store.sqlite3-wal`), "the last writes");
  assert.equal(await initStore(store("new")), null);
  await using made = await open({ path: at("new"), known: `${p.dir}/known` });
  assert.deepEqual(await made.tokens.list(), []);
});

Deno.test("keys that are accepted open a store, and what was sealed under the lost ones is named", async () => {
  await using p = await place();
  await acceptKeys(p.store("store", { keys: [OTHER] }));
  await using store = await open({ path: p.at("store"), keys: [OTHER] });
  assert.equal((await store.tokens.list()).length, 1);
});

Deno.test("a copy from before stores had a mark is put back, and one under other keys is refused", async () => {
  await using p = await place();
  const lines = await Deno.readTextFile(new URL("../../fixtures/stores/format-1.ndjson", import.meta.url));
  const { all } = await lay(lines, p.at("older"));
  await refused(
    () => restoreStore(p.store("store", { keys: [OTHER] }), p.at("older")),
    /^ENCRYPTION_KEYS: none/,
  );
  await restoreStore(p.store("store"), p.at("older"));
  await using store = await open({ path: p.at("store") });
  assert.ok(await store.tokens.find(all));
});
