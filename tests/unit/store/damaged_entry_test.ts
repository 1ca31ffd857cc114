/** An entry of a file whose value cannot be read is named by its key: at start, in what calls are refused with, and by a check. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { checkStore } from "../../../store/check.ts";
import { openPlace } from "../../../store/engines.ts";
import { keyBytes } from "../../../store/key_bytes.ts";
import { backUpStore } from "../../../store/maintenance.ts";
import { toPortable } from "../../../store/portable.ts";
import { layNewest } from "../../fixtures/stores/stores.ts";
import { damageValue, filesOf, refused } from "./files_kit.ts";
import { folder, KEY, open, proveAnew } from "./kit.ts";

const WHAT_TO_DO = String
  .raw`; see what else is \(deno task admin store check\), and put back a copy \(deno task admin store restore\)$`;

/** A file with the entries of the fixtures, and others that are as it was with an entry damaged. */
async function place() {
  const dir = await folder();
  const path = `${dir.path}/store.sqlite3`;
  await layNewest(path);
  const kv = await openPlace(path);
  const keys = (await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key);
  kv.close();
  let nth = 0;
  return {
    dir: dir.path,
    /** The first key that begins so. */
    key: (...begin: string[]) => keys.find((key) => begin.every((part, at) => key[at] === part))!,
    async damaged(key: Deno.KvKey) {
      const file = `${dir.path}/damaged-${nth++}.sqlite3`;
      await Deno.copyFile(path, file);
      damageValue(file, key);
      return file;
    },
    check: (file: string) => checkStore({ path: file, keys: [KEY], now: Date.now }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const escaped = (text: string) => text.replaceAll(/[[\]().]/g, "\\$&");

Deno.test("a check names each entry that cannot be read by its key, reads all others, and changes no file", async () => {
  await using p = await place();
  for (
    const begin of [["sites"], ["tokens"], ["users"], ["projects"], ["credentials"], ["accounts"], [
      "consents",
    ]]
  ) {
    const key = p.key(...begin);
    const file = await p.damaged(key);
    const before = await filesOf(p.dir);
    const found = await p.check(file);
    assert.deepEqual(found.faults, [`${toPortable(key)} cannot be read: it was damaged or changed`]);
    assert.deepEqual([found.ok, found.audit!.ok], [false, true]);
    assert.deepEqual(await filesOf(p.dir), before);
  }
  const mark = await p.check(await p.damaged(["store"]));
  assert.deepEqual(mark.faults, [
    '["store"], the mark of the store, cannot be read: it was damaged or changed',
  ]);
});

Deno.test("what is damaged of the audit is named by its key, and what is missing with it, and the rest is verified", async () => {
  await using p = await place();
  for (const kind of ["bundle", "part"]) {
    const key = p.key("audit", kind);
    const { audit } = await p.check(await p.damaged(key));
    const [named, missing, ...more] = audit!.faults;
    assert.equal(
      named,
      kind === "bundle"
        ? `The bundle ${toPortable(key)} cannot be read: it was damaged or changed`
        : `The part ${toPortable(key)} cannot be read: it was damaged or changed`,
    );
    assert.match(missing!, /^Missing: segments 1 to \d+ of writer \w{26}, at the end$/);
    assert.deepEqual(more, []);
    assert.match(audit!.place!, /^the file ".*damaged-\d\.sqlite3"$/);
  }
  const head = p.key("audit", "head");
  const { audit } = await p.check(await p.damaged(head));
  assert.equal(
    audit!.faults[0],
    `The head of writer ${String(head[2])} cannot be read: it was damaged or changed`,
  );
  assert.ok(audit!.rows > 0);
});

Deno.test("a store that is open names the entry that it cannot read, in one sentence, and answers for all others", async () => {
  await using p = await place();
  const read = async (
    key: Deno.KvKey,
    work: (store: Awaited<ReturnType<typeof open>>) => Promise<unknown>,
  ) => {
    await using store = await open({ path: await p.damaged(key) });
    await refused(
      () => work(store),
      new RegExp(`^The entry ${escaped(toPortable(key))} of the store is damaged${WHAT_TO_DO}`),
    );
    await store.ping();
    await store.projects.list();
  };
  const [site, token, user] = [p.key("sites"), p.key("tokens"), p.key("users")];
  await read(site, async ({ sites }) => await sites.get(String(site[1])));
  await read(site, async ({ sites }) => await sites.list());
  {
    await using store = await open({ path: await p.damaged(site) });
    const cause = await Promise.try(() => store.sites.list()).then(() => null, ({ cause }) => String(cause));
    assert.match(cause!, /^Error: \["sites","acme"\]: Unable to deserialize/, "which is what the log has");
  }
  await read(token, async ({ tokens }) => await tokens.list());
  await read(user, async ({ users }) => await users.get(String(user[1])));
  const [bundle] = [p.key("audit", "bundle")];
  await read(bundle, async ({ audit }) => await audit.list({}, { limit: 10 }));
  await using store = await open({ path: await p.damaged(bundle) });
  const { faults } = await store.audit.verify();
  assert.equal(faults[0], `The bundle ${toPortable(bundle)} cannot be read: it was damaged or changed`);
});

Deno.test("a record that can be read and is none of its key is refused like one that is damaged", async () => {
  await using p = await place();
  const file = await p.damaged(p.key("consents"));
  const kv = await openPlace(file);
  for (const value of ["text", 5, null, { id: "other" }, []]) {
    await kv.set(["sites", "acme"], value);
    await kv.set(["users", "ann"], value);
    await proveAnew(file);
    await using store = await open({ path: file });
    await refused(
      async () => await store.sites.get("acme"),
      /^The entry \["sites","acme"\] of the store is damaged/,
    );
    await refused(
      async () => await store.sites.list(),
      /^The entry \["sites","acme"\] of the store is damaged/,
    );
    await refused(
      async () => await store.users.list(),
      /^The entry \["users","ann"\] of the store is damaged/,
    );
  }
  kv.close();
});

Deno.test("a store whose mark is damaged is not opened, and the sentence names the place and what to do", async () => {
  await using p = await place();
  const file = await p.damaged(["store"]);
  const says = new RegExp(
    `^KV_PATH: ".*" is not opened. The mark of the store, its entry \\["store"\\], is damaged, so nobody can tell what may open it${WHAT_TO_DO}`,
  );
  await refused(() => open({ path: file }), says);
  const kv = await openPlace(file);
  for (
    const value of ["text", null, {}, { id: "x", format: 3 }, { id: "x", format: 3, lowest: {}, check: {} }]
  ) {
    await kv.set(["store"], value);
    await refused(() => open({ path: file }), says);
    const { faults } = await p.check(file);
    assert.equal(faults[0], '["store"], the mark of the store, cannot be read: it was damaged or changed');
  }
  kv.close();
});

Deno.test("what is listed around a damaged entry is all the rest, in both directions and from any place", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.sqlite3`;
  const kv = await openPlace(path);
  for (let nth = 0; nth < 30; nth++) await kv.set(["a", nth], `value ${nth}`);
  damageValue(path, ["a", 17]);
  const until = async (selector: Deno.KvListSelector, options: Deno.KvListOptions) => {
    const found: unknown[] = [];
    try {
      for await (const { key } of kv.list(selector, options)) found.push(key[1]);
    } catch (error) {
      assert.match(String(error), /The entry \["a",17\] of the store is damaged/);
      found.push("damaged");
    }
    return found.join();
  };
  const numbers = (from: number, to: number) =>
    Array.from({ length: Math.abs(to - from) }, (_, nth) => from < to ? from + nth : from - nth).join();
  for (const batchSize of [1, 5, 100]) {
    assert.equal(await until({ prefix: ["a"] }, { batchSize }), `${numbers(0, 17)},damaged`);
    assert.equal(await until({ prefix: ["a"] }, { batchSize, reverse: true }), `${numbers(29, 17)},damaged`);
    assert.equal(await until({ prefix: ["a"], start: ["a", 16] }, { batchSize }), "16,damaged");
    assert.equal(await until({ prefix: ["a"] }, { batchSize, limit: 17 }), numbers(0, 17));
    assert.equal(await until({ start: ["a", 18], end: ["b"] }, { batchSize }), numbers(18, 30));
  }
  await assert.rejects(kv.getMany([["a", 1], ["a", 17]]), /The entry \["a",17\] of the store is damaged/);
  kv.close();
});

Deno.test("a value that would end KV with the whole process is found before the store is opened, and left out of a backup", async () => {
  await using p = await place();
  const file = await p.damaged(p.key("consents"));
  const key = ["sites", "acme"];
  {
    using database = new DatabaseSync(file);
    database.prepare("UPDATE kv SET v_encoding = 2 WHERE k = ?").run(keyBytes(key));
  }
  const says =
    /is damaged \(the entry \["sites","acme"\] is stored as a counter, and has \d+ bytes\); see what of it can be read/;
  await refused(() => open({ path: file }), says);
  const { faults } = await p.check(file);
  assert.match(faults[0]!, /^The file ".*" is damaged \(the entry \["sites","acme"\] is stored as a counter/);
  assert.ok(faults.includes('["sites","acme"] cannot be read: it was damaged or changed'));
  const made = await backUpStore({ path: file, now: 0 }, `${p.dir}/backup.ndjson`);
  assert.ok(made.faults.includes('["sites","acme"] cannot be read: it was damaged or changed'));
});
