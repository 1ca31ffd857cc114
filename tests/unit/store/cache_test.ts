/** How stale a look-up may be, and what must never be cached. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { ConfigVersion, ListCache, RecordCache } from "../../../store/cache.ts";
import { Database } from "../../../store/database.ts";
import { Sealer } from "../../../store/seal.ts";
import { Sites } from "../../../store/sites.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { Clock, folder, KEY, newToken, open } from "./kit.ts";

/** A cache over a KV whose reads of one key, and of several, are counted. */
async function counted() {
  const clock = new Clock();
  const kv = await Deno.openKv(":memory:");
  let reads = 0;
  let several = 0;
  const counting = new Proxy(kv, {
    get(target, name) {
      if (name === "get") reads++;
      if (name === "getMany") several++;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
  const db = new Database(counting, clock.now, clock.now);
  const version = new ConfigVersion(db);
  return {
    clock,
    db,
    version,
    reads: () => reads,
    several: () => several,
    [Symbol.dispose]: () => db.close(),
  };
}

Deno.test("a cached record is given without a look for as long as CACHE_CHECK_MS, and no longer", async () => {
  using at = await counted();
  let loads = 0;
  const cache = new RecordCache(at.version, (id) => Promise.resolve({ id, load: ++loads }));
  await cache.get("a");
  at.clock.ms += LIMITS.CACHE_CHECK_MS - 1;
  assert.deepEqual(cache.get("a"), { id: "a", load: 1 });
  assert.equal(at.reads(), 1);
  at.clock.ms += 1;
  const later = cache.get("a");
  assert.ok(later instanceof Promise);
  assert.deepEqual(await later, { id: "a", load: 1 });
  assert.equal(at.reads(), 2);
});

Deno.test("look-ups at the same time share one read of the version", async () => {
  using at = await counted();
  const cache = new RecordCache(at.version, (id) => Promise.resolve({ id }));
  await Promise.all(["a", "b", "c"].map((id) => cache.get(id)));
  assert.equal(at.reads(), 1);
});

Deno.test("another store's change empties the caches at the next look at the version", async () => {
  using at = await counted();
  let value = 1;
  const cache = new RecordCache(at.version, () => Promise.resolve({ value }));
  await cache.get("a");
  value = 2;
  assert.equal(await new ConfigVersion(at.db).commit(at.db.kv.atomic()), true);
  assert.deepEqual(cache.get("a"), { value: 1 });
  at.clock.ms += LIMITS.CACHE_CHECK_MS;
  assert.deepEqual(await cache.get("a"), { value: 2 });
});

Deno.test("a load that began before a change does not fill the cache after it", async () => {
  using at = await counted();
  let value = "old";
  const began = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const read = async () => {
    const seen = { value };
    began.resolve();
    await gate.promise;
    return seen;
  };
  const record = new RecordCache(at.version, read);
  const list = new ListCache(at.version, async () => [await read()]);
  const slow = Promise.all([record.get("a"), list.get()]);
  await began.promise;
  value = "new";
  await at.version.commit(at.db.kv.atomic());
  gate.resolve();
  await slow;
  assert.deepEqual(await record.get("a"), { value: "new" });
  assert.deepEqual(await list.get(), [{ value: "new" }]);
});

Deno.test("what is not there is not cached", async () => {
  using at = await counted();
  let there = false;
  const cache = new RecordCache(at.version, (id) => Promise.resolve(there ? { id } : null));
  assert.equal(await cache.get("a"), null);
  there = true;
  assert.deepEqual(await cache.get("a"), { id: "a" });
});

Deno.test("of more records than may be cached the one that was read first is dropped", async () => {
  using at = await counted();
  const read: string[] = [];
  const cache = new RecordCache(at.version, (id) => Promise.resolve((read.push(id), { id })), 2);
  for (const id of ["a", "b", "c", "b", "c", "a"]) await cache.get(id);
  assert.deepEqual(read, ["a", "b", "c", "a"]);
});

Deno.test("a revoke through one store holds in another on the same file once its cache is checked", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  const clock = new Clock();
  await using one = await open({ path });
  await using two = await open({ path, elapsed: clock.now });
  const { token, text } = await one.tokens.create(newToken());
  assert.equal((await two.tokens.find(text))?.revoked_at, null);
  await one.tokens.revoke(token.id);
  clock.ms += LIMITS.CACHE_CHECK_MS;
  assert.notEqual((await two.tokens.find(text))?.revoked_at, null);
});

Deno.test("a site's credentials are read once while no configuration changes, its own and another store's change are seen", async () => {
  using at = await counted();
  const sealer = await Sealer.open([KEY]);
  const sites = new Sites(at.db, at.version, sealer, SITE_SHAPE);
  const named = (username: string) => ({ username, application_password: "pass word" });
  await sites.create({
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://acme.example",
    credentials: { cms: named("first") },
  });
  const found = async () => (await sites.secret("acme", "cms", "https://acme.example"))?.username;
  for (let nth = 0; nth < 50; nth++) assert.equal(await found(), "first");
  assert.equal(at.several(), 1);
  await sites.update("acme", { credentials: { cms: named("second") } });
  assert.equal(await found(), "second");
  const elsewhere = new Sites(at.db, new ConfigVersion(at.db), sealer, SITE_SHAPE);
  await elsewhere.update("acme", {
    base_url: "https://acme.example/blog",
    credentials: { cms: named("third") },
  });
  at.clock.ms += LIMITS.CACHE_CHECK_MS;
  assert.equal((await sites.secret("acme", "cms", "https://acme.example/blog"))?.username, "third");
  await assert.rejects(found(), /was given another base_url while the call was under way/);
});

Deno.test("a counter of changes that is damaged is begun anew, before a change would be half kept", async () => {
  for (const damaged of ["x", 7, {}, null]) {
    let kv: Deno.Kv | undefined;
    const clock = new Clock();
    await using store = await open({ around: (real) => kv = real, elapsed: clock.now });
    const site = { id: "acme", name: "Acme", platform: "cms", base_url: "https://acme.test" } as const;
    await kv!.set(["config", "version"], damaged);
    clock.ms += LIMITS.CACHE_CHECK_MS;
    assert.deepEqual(await store.sites.list(), []);
    assert.ok(await store.sites.create({ ...site, credentials: {} }), JSON.stringify(damaged));
    assert.equal((await store.sites.get("acme"))?.name, "Acme");
    await store.sites.update("acme", { name: "Renamed" });
    clock.ms += LIMITS.CACHE_CHECK_MS;
    assert.equal((await store.sites.get("acme"))?.name, "Renamed");
    assert.ok((await kv!.get(["config", "version"])).value instanceof Deno.KvU64);
  }
});
