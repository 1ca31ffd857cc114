/** How stale a look-up may be, and what must never be cached. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { CACHED_KINDS, ListCache, RecordCache, Versions } from "../../../store/cache.ts";
import { Database } from "../../../store/database.ts";
import { Sealer } from "../../../store/seal.ts";
import { Sites } from "../../../store/sites.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { instead } from "../../instead.ts";
import { Clock, folder, KEY, newToken, open } from "./kit.ts";

/** Versions over a KV where the reads of them, and of several other keys, are counted. */
async function counted() {
  const clock = new Clock();
  const kv = await Deno.openKv(":memory:");
  let reads = 0;
  let several = 0;
  const counting = instead(kv, {
    getMany<T extends readonly unknown[]>(keys: readonly [...{ [K in keyof T]: Deno.KvKey }]) {
      if (keys[0]?.[0] === "versions") reads++;
      else several++;
      return kv.getMany<T>(keys);
    },
  });
  const db = new Database(counting, clock.now, clock.now);
  const version = new Versions(db).of("sites");
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
  assert.equal(await new Versions(at.db).of("sites").commit(at.db.kv.atomic()), true);
  assert.deepEqual(cache.get("a"), { value: 1 });
  at.clock.ms += LIMITS.CACHE_CHECK_MS;
  assert.deepEqual(await cache.get("a"), { value: 2 });
});

Deno.test("the versions of all kinds are read together, in one read that KV takes", async () => {
  using at = await counted();
  const versions = new Versions(at.db);
  assert.ok(CACHED_KINDS.length <= 10);
  await Promise.all(CACHED_KINDS.map((kind) => versions.of(kind).refresh()));
  assert.equal(at.reads(), 1);
});

Deno.test("a change of one kind of record, here or elsewhere, leaves what is cached of another", async () => {
  using at = await counted();
  const own = new Versions(at.db);
  const other = new Versions(at.db);
  const caches = CACHED_KINDS.map((kind) => {
    let loads = 0;
    return new RecordCache(own.of(kind), () => Promise.resolve({ kind, loads: ++loads }));
  });
  const seen = async () => (await Promise.all(caches.map((one) => one.get("a")))).map((one) => one?.loads);
  for (const by of [own, other]) {
    for (const [changed, kind] of CACHED_KINDS.entries()) {
      const before = await seen();
      await by.of(kind).commit(at.db.kv.atomic());
      at.clock.ms += LIMITS.CACHE_CHECK_MS;
      assert.deepEqual(await seen(), before.map((loads, nth) => nth === changed ? loads! + 1 : loads));
    }
  }
});

Deno.test("an own change empties the cache once, not again at the next look at the version", async () => {
  using at = await counted();
  let loads = 0;
  const cache = new RecordCache(at.version, () => Promise.resolve({ loads: ++loads }));
  await cache.get("a");
  await at.version.commit(at.db.kv.atomic());
  assert.equal((await cache.get("a"))?.loads, 2);
  at.clock.ms += LIMITS.CACHE_CHECK_MS;
  assert.equal((await cache.get("a"))?.loads, 2);
});

Deno.test("an own change does not hide what another store changed before it", async () => {
  using at = await counted();
  let value = 1;
  const cache = new RecordCache(at.version, () => Promise.resolve({ value }));
  await cache.get("a");
  value = 2;
  await new Versions(at.db).of("sites").commit(at.db.kv.atomic());
  await at.version.commit(at.db.kv.atomic());
  assert.deepEqual(await cache.get("a"), { value: 2 });
});

Deno.test("sites are listed without a read of one after a token, a user and a project were made", async () => {
  const listed: Deno.KvKey[] = [];
  const got: Deno.KvKey[] = [];
  const clock = new Clock();
  await using store = await open({
    elapsed: clock.now,
    around: (kv) =>
      instead(kv, {
        list<T>(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
          if ("prefix" in selector) listed.push(selector.prefix);
          return kv.list<T>(selector, options);
        },
        get<T>(key: Deno.KvKey) {
          got.push(key);
          return kv.get<T>(key);
        },
      }),
  });
  for (const id of ["acme", "bolt", "cove"]) {
    await store.sites.create({
      id,
      name: id,
      platform: "cms",
      base_url: `https://${id}.test`,
      credentials: {},
    });
  }
  assert.equal((await store.sites.list()).length, 3);
  assert.equal((await store.sites.get("acme"))?.name, "acme");
  const { token } = await store.tokens.create(newToken());
  await store.users.create({ email: "ann@x.test", role: "member", allowed_sites: ["*"], max_risk: 1 });
  await store.projects.create({ id: "one", name: "One" });
  await store.tokens.revoke(token.id);
  listed.length = got.length = 0;
  for (let look = 0; look < 3; look++) {
    clock.ms += LIMITS.CACHE_CHECK_MS;
    assert.equal((await store.sites.list()).length, 3);
    assert.equal((await store.sites.get("acme"))?.name, "acme");
  }
  assert.deepEqual([listed, got], [[], []]);
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
  const elsewhere = new Sites(at.db, new Versions(at.db).of("sites"), sealer, SITE_SHAPE);
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
    await kv!.set(["versions", "sites"], damaged);
    clock.ms += LIMITS.CACHE_CHECK_MS;
    assert.deepEqual(await store.sites.list(), []);
    assert.ok(await store.sites.create({ ...site, credentials: {} }), JSON.stringify(damaged));
    assert.equal((await store.sites.get("acme"))?.name, "Acme");
    await store.sites.update("acme", { name: "Renamed" });
    clock.ms += LIMITS.CACHE_CHECK_MS;
    assert.equal((await store.sites.get("acme"))?.name, "Renamed");
    assert.ok((await kv!.get(["versions", "sites"])).value instanceof Deno.KvU64);
  }
});
