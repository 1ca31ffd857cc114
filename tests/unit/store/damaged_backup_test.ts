/** A store that is damaged is backed up all the same, and whoever makes or puts back a copy of it is told what is wrong. */
import assert from "node:assert/strict";
import { decodePart, encodePart } from "../../../store/audit/bundle.ts";
import { copyStoreTo } from "../../../store/copying.ts";
import { openPlace } from "../../../store/engines.ts";
import { backUpStore, restoreStore, type StoreFile } from "../../../store/maintenance.ts";
import { toPortable } from "../../../store/portable.ts";
import { layNewest } from "../../fixtures/stores/stores.ts";
import { butMark, damageValue, entriesOf, filesOf, refused, runOnStore } from "./files_kit.ts";
import { folder, KEY, open, START } from "./kit.ts";

async function place() {
  const dir = await folder();
  const at = (name: string) => `${dir.path}/${name}`;
  const facts = await layNewest(at("store.sqlite3"));
  const kv = await openPlace(at("store.sqlite3"));
  const keys = (await Array.fromAsync(kv.list({ prefix: [] }))).map(({ key }) => key);
  kv.close();
  const store = (name: string): StoreFile => ({
    path: at(name),
    keys: [KEY],
    now: START,
    known: at("known"),
  });
  return {
    at,
    store,
    facts,
    dir: dir.path,
    key: (...begin: string[]) => keys.find((key) => begin.every((part, nth) => key[nth] === part))!,
    copy: (from: string, to: string) =>
      copyStoreTo({
        from: { path: at(from), named: "<from>" },
        to: { path: at(to), named: "<to>" },
        ...{ keys: [KEY], now: Date.now, known: at("known") },
      }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

type Place = Awaited<ReturnType<typeof place>>;

/** Changes a row within a bundle, as somebody would who wants another history. */
async function changeRow(path: string): Promise<void> {
  const kv = await openPlace(path);
  const [part] = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["audit", "part"] }));
  const { dropped, segments } = decodePart(part!.value)!;
  const changed = segments.map((one, nth) => {
    if (nth !== 1) return one;
    const text = new TextDecoder().decode(one.bytes);
    return { ...one, bytes: new TextEncoder().encode(text.replace('"acme"', '"evil"')) };
  });
  await kv.set(part!.key, encodePart({ dropped, segments: changed }));
  kv.close();
}

/** What the registers say beside it, to who has the keys. */
const OF_REGISTERS = /^The record .* is not as the gateway wrote it|were removed, and not by the gateway$/;

const unreadable = (key: Deno.KvKey) => `${toPortable(key)} cannot be read: it was damaged or changed`;

/** What is damaged, and what is said of it: faults, and the first of the audit. */
const DAMAGE: Readonly<
  Record<string, (p: Place) => Promise<readonly [faults: string[], audit: RegExp | null]>>
> = {
  "a site that cannot be read": (p) => {
    damageValue(p.at("store.sqlite3"), p.key("sites"));
    return Promise.resolve([[unreadable(p.key("sites"))], null]);
  },
  "a row of the audit that was changed": async (p) => {
    await changeRow(p.at("store.sqlite3"));
    return [
      [],
      /^Segment 2 \(\w{26}\) of writer \w{26} was changed: (segment 3 \(\w{26}\) names another hash|its proof is not the gateway's)$/,
    ];
  },
  "a bundle of the audit that cannot be read": (p) => {
    const key = p.key("audit", "bundle");
    damageValue(p.at("store.sqlite3"), key);
    return Promise.resolve([[unreadable(key)], /^The bundle \["audit","bundle","\w{26}"\] cannot be read/]);
  },
  "a segment of the audit that is missing": async (p) => {
    const kv = await openPlace(p.at("store.sqlite3"));
    const [part] = await Array.fromAsync(kv.list<Uint8Array>({ prefix: ["audit", "part"] }));
    const { dropped, segments } = decodePart(part!.value)!;
    await kv.set(part!.key, encodePart({ dropped, segments: segments.toSpliced(1, 1) }));
    kv.close();
    return [[], /^Missing: segment 2 of writer \w{26}, before segment 3 /];
  },
  "a record of another key": async (p) => {
    const kv = await openPlace(p.at("store.sqlite3"));
    await kv.set(["projects", "p"], { id: "q" });
    kv.close();
    return [['["projects","p"] does not hold what it should: it was damaged or changed'], null];
  },
};

for (const [what, damage] of Object.entries(DAMAGE)) {
  for (const form of ["copy.sqlite3", "copy.ndjson"]) {
    Deno.test(`a backup as ${form.slice(5)} is made of a store with ${what}, and it and putting it back say so`, async () => {
      await using p = await place();
      const [faults, audit] = await damage(p);
      const found = [
        await backUpStore(p.store("store.sqlite3"), p.at(form)),
        await restoreStore(p.store("then.sqlite3"), p.at(form)),
      ];
      for (const one of found) {
        assert.deepEqual(one.faults.filter((fault) => !OF_REGISTERS.test(fault)), faults);
        assert.equal(one.audit.ok, audit === null);
        if (audit === null) continue;
        const isGone = one === found[1] && form.endsWith(".ndjson") && faults.length > 0; // what is left out is missing then
        assert.match(one.audit.faults[0]!, isGone ? /^Missing: segments 1 to / : audit);
      }
      assert.deepEqual("unsettled" in found[0]! ? found[0].unsettled : [], []);
      await using store = await open({ path: p.at("then.sqlite3") });
      assert.ok(await store.tokens.find(p.facts.all), "what is left works");
    });
  }
}

Deno.test("a portable backup is without the entries that cannot be read, and has all others", async () => {
  await using p = await place();
  const before = await entriesOf(p.at("store.sqlite3"));
  const gone = [p.key("sites"), p.key("users"), p.key("audit", "head"), p.key("audit", "late")];
  for (const key of gone) damageValue(p.at("store.sqlite3"), key);
  const { entries, faults } = await backUpStore(p.store("store.sqlite3"), p.at("copy.ndjson"));
  assert.equal(entries, before.length - gone.length);
  assert.deepEqual(faults.toSorted(), gone.map(unreadable).toSorted());
  const restored = await restoreStore(p.store("then.sqlite3"), p.at("copy.ndjson"));
  for (const fault of faults) assert.ok(restored.faults.includes(fault), fault);
  const begins = gone.map((key) => `[${toPortable(key)},`);
  assert.deepEqual(
    butMark(await entriesOf(p.at("then.sqlite3"))),
    butMark(before).filter((text) => !begins.some((begin) => text.startsWith(begin))),
  );
});

Deno.test("a store whose mark is damaged is copied as a file alone, and a copy of it is not put back, but others are", async () => {
  await using p = await place();
  await backUpStore(p.store("store.sqlite3"), p.at("before.sqlite3"));
  damageValue(p.at("store.sqlite3"), ["store"]);
  const says =
    /^The mark of ".*", its entry \["store"\], is damaged, so nobody can tell what may open it; use a copy from before that/;
  const { faults } = await backUpStore(p.store("store.sqlite3"), p.at("copy.sqlite3"));
  assert.deepEqual(faults, ['["store"], the mark of the store, cannot be read: it was damaged or changed']);
  const before = await filesOf(p.dir);
  await refused(() => backUpStore(p.store("store.sqlite3"), p.at("copy.ndjson")), says);
  await refused(() => p.copy("store.sqlite3", "moved.sqlite3"), says);
  await refused(() => restoreStore(p.store("store.sqlite3"), p.at("copy.sqlite3")), says);
  assert.deepEqual(await filesOf(p.dir), before);
  const { aside, audit } = await restoreStore(p.store("store.sqlite3"), p.at("before.sqlite3"));
  assert.ok(aside !== null && audit.ok);
});

Deno.test("a store with entries that cannot be read is not copied to another place, which stays empty; damaged records are", async () => {
  await using p = await place();
  const kv = await openPlace(p.at("store.sqlite3"));
  await kv.set(["projects", "p"], { id: "q" });
  kv.close();
  const { faults } = await p.copy("store.sqlite3", "first.sqlite3");
  assert.deepEqual(faults, [
    '["projects","p"] does not hold what it should: it was damaged or changed',
    'The record ["projects","p"] is not as the gateway wrote it: it was changed, or an older one was put back',
  ]);
  damageValue(p.at("store.sqlite3"), p.key("sites"));
  const before = await filesOf(p.dir);
  await refused(
    () => p.copy("store.sqlite3", "moved.sqlite3"),
    /store\.sqlite3" holds entries that cannot be read: \["sites","acme"\]; put back a copy .*, or move what is left of it: /,
  );
  assert.deepEqual(await filesOf(p.dir), before);
});

Deno.test("the command that makes a backup ends with 1 where the store is damaged, and names what and the command that helps", async () => {
  await using p = await place();
  const run = (...args: string[]) => runOnStore({ KV_PATH: p.at("store.sqlite3") }, ...args);
  const whole = await run("store", "backup", p.at("whole.ndjson"));
  assert.equal(whole.code, 0);
  assert.match(
    whole.said,
    /store\.sqlite3\.\nThe audit: Whole: 8 rows in 8 segments of 1 writer\.\nThe proofs were not looked at: .*\n$/,
  );
  damageValue(p.at("store.sqlite3"), p.key("sites"));
  await changeRow(p.at("store.sqlite3"));
  for (const name of ["copy.ndjson", "copy.sqlite3"]) {
    const { code, said } = await run("store", "backup", p.at(name));
    assert.equal(code, 1);
    assert.match(
      said,
      /^.* is a (copy|backup of \d+ entries) of .*\.\nThe store is damaged; the backup was made all the same:\n {2}\["sites","acme"\] cannot be read: it was damaged or changed\nThe audit: Broken: .* in the file ".*"\.\n {2}Segment 2 .*\nThe proofs were not looked at: .*\nSee what else is damaged with: deno task admin store check\n$/,
    );
  }
  const { code, said } = await run("store", "backup", p.at("json.ndjson"), "--json");
  assert.deepEqual([code, JSON.parse(said).ok, JSON.parse(said).faults.length], [1, false, 1]);
});
