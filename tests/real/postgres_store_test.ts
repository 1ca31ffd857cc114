/** A store in PostgreSQL: lines that are cut, databases that are gone, slow, full or not writable, and who may open one. */
import assert from "node:assert/strict";
import { openPostgres } from "../../store/postgres/kv.ts";
import { Unanswered } from "../../store/store_timeout.ts";
import { acceptKeys, compactStore, initStore, restoreStore } from "../../store/maintenance.ts";
import { folder, KEY, newToken, open } from "../unit/store/kit.ts";
import { assertAlike } from "../unit/store/kv_asks.ts";
import { onPostgres, Postgres, Wire } from "./_postgres.ts";
import { opened, refused, skew, until } from "./_postgres_kit.ts";

const server = onPostgres();

/** A KV by a line that can be cut; it has written once, so that its statements are known. */
async function onWire() {
  const address = await server().database();
  const name = new URL(address).pathname.slice(1);
  const wire = new Wire(server().port);
  const kv = await openPostgres(server().address(name, wire.port, "?pool=1"));
  await kv.set(["before"], 1);
  const stored = (key: string) =>
    server().sql(`select count(*) from gateway_kv where key = '\\x02${hex(key)}00'`, name);
  return {
    kv,
    wire,
    name,
    stored,
    async [Symbol.asyncDispose]() {
      await kv.close();
      wire[Symbol.dispose]();
    },
  };
}

const hex = (text: string) => new TextEncoder().encode(text).toHex();

Deno.test("a change whose answer is lost is found, and answered as made", async () => {
  await using at = await onWire();
  at.wire.silence();
  const made = at.kv.set(["silent"], 1);
  await until(async () => await at.stored("silent") === "1");
  at.wire.cut();
  const { ok, versionstamp } = await made;
  assert.ok(ok);
  assert.equal((await at.kv.get(["silent"])).versionstamp, versionstamp);
});

Deno.test("a change that never arrived is not there, and is said to be unknown once it can be known", async () => {
  await using at = await onWire();
  at.wire.deafen();
  const made = at.kv.atomic().check({ key: ["deaf"], versionstamp: null }).set(["deaf"], 1).commit();
  at.wire.cut();
  await assert.rejects(made, (error: Error) => !(error instanceof Unanswered));
  assert.equal(await at.stored("deaf"), "0");
  assert.ok((await at.kv.set(["deaf"], 2)).ok, "the line is another one by now");
});

Deno.test("what was sent while nothing answers is known once something does", async () => {
  await using at = await onWire();
  await server().freeze("SIGSTOP");
  const made = at.kv.set(["frozen"], 1);
  const read = at.kv.get(["before"]);
  await server().freeze("SIGCONT");
  assert.ok((await made).ok);
  assert.equal((await read).value, 1);
});

Deno.test("without a server reads and changes are refused in seconds, and both work once it is back", async () => {
  await using own = await Postgres.start();
  const kv = await openPostgres(await own.database());
  await kv.set(["kept"], 1);
  for (const signal of ["SIGQUIT", "SIGKILL"] as const) {
    await own.down(signal);
    await Promise.all([
      assert.rejects(kv.get(["kept"]), Unanswered),
      assert.rejects(kv.set(["lost"], 1), Unanswered),
    ]);
    await own.up();
    assert.equal((await kv.get(["kept"])).value, 1);
    assert.equal((await kv.get(["lost"])).versionstamp, null, "what was refused was not sent");
    assert.ok((await kv.set(["kept"], 1)).ok);
  }
  await kv.close();
});

Deno.test("a server that is killed under 32 writers keeps each change that was answered, and each whole", async () => {
  await using own = await Postgres.start();
  const address = await own.database();
  const kv = await openPostgres(address);
  for (let round = 0; round < 3; round++) {
    const answered: string[] = [];
    const unknown: string[] = [];
    let isOver = false;
    const writers = Array.from({ length: 32 }, async (_, writer) => {
      for (let at = 0; !isOver; at++) {
        const id = `${round}.${writer}.${at}`;
        const change = kv.atomic().check({ key: ["one", id], versionstamp: null }).set(["one", id], id).set([
          "two",
          id,
        ], id);
        await change.commit().then(({ ok }) => ok && answered.push(id), () => unknown.push(id));
      }
    });
    await until(() => Promise.resolve(answered.length > 300));
    await own.down("SIGKILL");
    isOver = true;
    await own.up();
    await Promise.all(writers);
    const ids = async (side: string) =>
      (await Array.fromAsync(kv.list({ prefix: [side] }))).map(({ value }) => String(value));
    const [one, two] = [await ids("one"), new Set(await ids("two"))];
    assert.deepEqual(new Set(one), two, "no change is half there");
    for (const id of answered) assert.ok(two.has(id), `${id} was answered as kept`);
    const known = new Set([...answered, ...unknown]);
    for (const id of one.filter((id) => id.startsWith(`${round}.`))) {
      assert.ok(known.has(id), `${id} was refused`);
    }
  }
  await kv.close();
});

Deno.test("a statement that takes longer than the time limit is taken back, and the next one works", async () => {
  await using at = await opened(server());
  const kv = await openPostgres(at.address, { statement_ms: 300 });
  const lock = server().sql(
    "begin; lock table gateway_kv in access exclusive mode; select pg_sleep(1); commit",
    at.name,
  );
  await until(async () =>
    await server().sql(
      "select count(*) from pg_locks where mode = 'AccessExclusiveLock' and granted and relation = 'gateway_kv'::regclass",
      at.name,
    ) === "1"
  );
  await assert.rejects(kv.set(["slow"], 1), { code: "57014" });
  await lock;
  assert.equal((await at.kv.get(["slow"])).versionstamp, null);
  assert.ok((await kv.set(["slow"], 2)).ok);
  await kv.close();
});

Deno.test("more at a time than the pool has waits its turn, and one that is refused a connection is told why", async () => {
  await using at = await opened(server(), (address) => `${address}?pool=1`);
  const all = await Promise.all(Array.from({ length: 500 }, (_, n) => at.kv.set(["turn", n], n)));
  assert.ok(all.every(({ ok }) => ok));
  await using small = await Postgres.start({
    settings: ["max_connections=5", "superuser_reserved_connections=1"],
  });
  const address = await small.database();
  await small.sql("create role client login password 'other'; alter role client connection limit 1");
  await small.sql("grant all on schema public to client", new URL(address).pathname.slice(1));
  const mine = address.replace(/owner:[^@]*@/, "client:other@");
  const first = await openPostgres(`${mine}?pool=1`);
  assert.match(
    await refused(`${mine}?pool=1`),
    /^KV_PATH: postgres:\/\/client@.* takes no more connections; raise its max/,
  );
  assert.ok((await first.set(["mine"], 1)).ok);
  await first.close();
});

Deno.test("a change tells other instances at once, and a lost channel is taken up again", async () => {
  await using at = await opened(server());
  const other = await openPostgres(at.address);
  let [told, wanted] = [0, Promise.withResolvers<void>()];
  other.onTold(() => {
    told++;
    wanted.resolve();
  });
  await wanted.promise; // it listens
  wanted = Promise.withResolvers();
  at.kv.tell();
  await wanted.promise;
  wanted = Promise.withResolvers();
  await server().sql("select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%'");
  await wanted.promise; // it listens again, and looks at what it may have missed
  assert.ok(told >= 3);
  await other.close();
});

Deno.test("a token that is revoked at one instance is refused at another once it is told, whatever its clock says", async () => {
  const path = await server().database();
  const clock = { elapsed: () => 0 }; // nothing is ever old enough to be looked at again
  await using one = await open({ path, ...clock });
  await using other = await open({ path, ...clock });
  const { token, text } = await one.tokens.create(newToken());
  await until(async () => (await other.tokens.find(text))?.id === token.id);
  await one.tokens.revoke(token.id);
  await until(async () => (await other.tokens.find(text))?.revoked_at !== null);
});

Deno.test("a database that held a store and is empty is no first start, and one that is emptied is noticed", async () => {
  const path = await server().database();
  const name = new URL(path).pathname.slice(1);
  await using dir = await folder();
  const known = `${dir.path}/known`;
  const log: Record<string, unknown>[] = [];
  await using running = await open({ path, known, elapsed: () => 0, log: (event) => log.push(event) });
  assert.deepEqual(log.map(({ event }) => event), ["store_made"]);
  assert.ok(!JSON.stringify(log).includes("s3cr3t"));
  const { text } = await running.tokens.create(newToken());
  await server().sql("drop table gateway_kv, gateway_kv_layout", name);
  await assert.rejects(
    open({ path, known }),
    / holds nothing, and it held the store of this gateway; put a backup back into it \(deno task admin store restore\), or name the right database, or begin with an empty store \(deno task admin store init\)$/,
  );
  // Somebody who does not know it makes another store of it, and tells.
  await using other = await open({ path });
  await until(async () =>
    await other.tokens.create(newToken()).then(() => running.tokens.find(text)).then(
      () => false,
      (error) => error.message.includes("was emptied or replaced by another while the gateway had it open"),
    )
  );
  await assert.rejects(running.ping(), /was emptied or replaced by another/);
  const store = { path, keys: [KEY], now: 0, known };
  await assert.rejects(initStore(store), / holds a store already; name another database, or empty it first$/);
  await server().sql("drop table gateway_kv, gateway_kv_layout", name);
  assert.equal(await initStore(store), null);
});

Deno.test("keys that are lost are given up on PostgreSQL too, and no refusal has the password", async () => {
  const path = await server().database();
  const [keys, known] = [[new Uint8Array(32).fill(9)], "data/none"];
  const store = { path, keys, now: 0, known };
  await assert.rejects(acceptKeys(store), /^GatewayError: KV_PATH: there is no store in postgres:/);
  await (await open({ path })).close();
  assert.match(
    await open({ path, keys }).then(() => "", (error) => error.message),
    /^ENCRYPTION_KEYS: none of them opens/,
  );
  await acceptKeys(store);
  await (await open({ path, keys })).close();
  for (
    const [work, says] of [
      [
        () => compactStore(store),
        / is no file: a database takes up what is free in it again by itself \(VACUUM\), /,
      ],
      [() => restoreStore(store, "copy.sqlite3"), / is no file; a store elsewhere is backed up to a file/],
    ] as const
  ) {
    const message = await work().then(() => "", (error) => error.message);
    assert.match(message, /^KV_PATH: postgres:\/\/owner@/);
    assert.match(message, says);
    assert.ok(!message.includes("s3cr3t"));
  }
});

Deno.test("an entry that is damaged is named, and an outage is in the log with its reason and its end", async () => {
  await using own = await Postgres.start();
  const path = await own.database();
  const log: Record<string, unknown>[] = [];
  await using store = await open({ path, log: (event) => log.push(event) });
  await store.projects.create({ id: "one", name: "One" });
  await own.sql(
    "update gateway_kv set value = '\\x00' where position('projects'::bytea in key) = 2",
    new URL(path).pathname.slice(1),
  );
  await assert.rejects(
    store.projects.list() as Promise<unknown>,
    /The entry \["projects","one"\] of the store is damaged/,
  );
  await own.down();
  await assert.rejects(store.tokens.get("none"), Unanswered);
  await own.up();
  await until(() => store.ping().then(() => true, () => false));
  const [away, back] = log.filter(({ event }) => String(event).startsWith("store_"));
  assert.equal(away!["event"], "store_away");
  assert.match(String(away!["cause"]), /ECONNREFUSED|terminat/);
  assert.equal(back!["event"], "store_back");
  assert.ok(Number(back!["away_ms"]) > 0);
});

Deno.test("a clock of the database that is an hour off, and time zones, change nothing of how long records live", async () => {
  for (const [hours, zone] of [[-1, "Asia/Kolkata"], [1, "America/St_Johns"]] as const) {
    await using at = await opened(server());
    await skew(server(), at.name, hours);
    await server().sql(`alter database ${at.name} set timezone = '${zone}'`);
    const kv = await openPostgres(at.address);
    assert.equal(
      await server().sql("select abs(extract(epoch from now() - pg_catalog.now())) = 3600", at.name),
      "t",
    );
    await kv.set(["short"], 1, { expireIn: 60_000 });
    await kv.set(["long"], 1, { expireIn: 60_000 });
    assert.equal((await kv.get(["short"])).value, 1);
    await kv.set(["short"], 1, { expireIn: 30 }); // how soon it is looked at again is the machine's to say
    await until(async () => (await kv.get(["short"])).versionstamp === null);
    assert.equal((await kv.get(["long"])).value, 1);
    await kv.close();
  }
});

Deno.test("a database in another collation keeps keys in their order", async () => {
  await using german = await Postgres.start({
    initdb: ["--locale-provider=icu", "--icu-locale=de-DE", "--locale=C.UTF-8"],
  });
  assert.equal(await german.sql("select 'a' < 'B'"), "t", "letters come as people order them");
  using real = await Deno.openKv(":memory:");
  const kv = await openPostgres(await german.database());
  await assertAlike(real, kv, 300);
  await kv.close();
});

Deno.test("two instances that begin on an empty database make its tables together", async () => {
  for (let round = 0; round < 5; round++) {
    const address = await server().database();
    const kvs = await Promise.all(Array.from({ length: 6 }, () => openPostgres(`${address}?pool=2`)));
    await kvs[0]!.set(["a"], 1);
    assert.equal((await kvs[5]!.get(["a"])).value, 1);
    for (const kv of kvs) await kv.close();
  }
});

Deno.test("rows that have expired are deleted in time, by whoever changes something", async () => {
  await using at = await opened(server());
  await at.kv.atomic().set(["old"], 1, { expireIn: 1 }).set(["young"], 1, { expireIn: 60_000 }).commit();
  const rows = () => server().sql("select count(*) from gateway_kv", at.name);
  assert.equal(await rows(), "2");
  await at.kv.sweep();
  await until(async () => await rows() === "1");
});
