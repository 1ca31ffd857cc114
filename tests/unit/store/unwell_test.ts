/** A store that still answers although its file is damaged, gone or another: its ping says so. */
import assert from "node:assert/strict";
import { Database } from "../../../store/database.ts";
import { folder, interfere, newToken, open, row } from "./kit.ts";

Deno.test("a store whose file was found damaged stays unwell, whatever a probe of another place would say", async () => {
  for (const place of ["read", "commit"] as const) {
    let bad = false;
    const malformed = () => Promise.reject(new TypeError("database disk image is malformed"));
    const atomic = { set: () => atomic, commit: () => bad ? malformed() : Promise.resolve({ ok: true }) };
    const kv = {
      get: () => bad ? malformed() : Promise.resolve({ value: null }),
      atomic: () => atomic,
      close() {},
    };
    const clock = { elapsed: () => 0, every: () => () => {} };
    const db = new Database(kv as unknown as Deno.Kv, Date.now, () => 0, clock);
    await db.probe();
    bad = true;
    await assert.rejects(place === "read" ? db.kv.get(["tokens"]) : db.commit(db.kv.atomic()), /malformed/);
    bad = false;
    await assert.rejects(db.probe(), {
      code: "E_INTERNAL",
      message:
        /^The file of the store is damaged \(.*malformed\); stop the gateway, see what .*store check\), and put back a copy/,
    });
  }
});

Deno.test("a file that is removed or replaced under a store that is open is told by its ping", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const aside = `${dir.path}/aside`;
  const store = await open({ path });
  await store.ping();
  await Deno.rename(path, aside);
  await assert.rejects(store.ping(), { code: "E_INTERNAL", message: /gateway\.sqlite3" was removed while / });
  await Deno.writeTextFile(path, "");
  await assert.rejects(store.ping(), {
    code: "E_INTERNAL",
    message: /" was replaced while .* put back a copy/,
  });
  await Deno.rename(aside, path);
  await store.ping();
  await store.close();
});

Deno.test("while one of its files is removed or replaced nothing is kept, reads go on, and all is well once it is back", async () => {
  for (const name of ["gateway.sqlite3", "gateway.sqlite3-wal", "gateway.sqlite3-shm"]) {
    await using dir = await folder();
    await using store = await open({ path: `${dir.path}/gateway.sqlite3` });
    await store.tokens.create(newToken({ name: "first" }));
    const [path, aside] = [`${dir.path}/${name}`, `${dir.path}/aside`];
    await Deno.rename(path, aside);
    const refused = async (how: RegExp) => {
      await assert.rejects(store.tokens.create(newToken()), how, name);
      await assert.rejects(store.audit.append(row("1")), {
        code: "E_INTERNAL",
        message: "The audit log cannot be written at the moment",
      });
      assert.deepEqual((await store.tokens.list()).map(({ name }) => name), ["first"]);
      await assert.rejects(store.ping(), how);
    };
    await refused(
      /" was removed while the gateway has it open, so nothing is kept from now on and calls are refused/,
    );
    await Deno.writeTextFile(path, "");
    await refused(/" was replaced while the gateway has it open/);
    await Deno.rename(aside, path);
    await store.tokens.create(newToken());
    await store.ping();
    assert.equal((await store.tokens.list()).length, 2);
  }
});

Deno.test("a file that goes, comes back or is replaced is told at once also in a folder that nobody has changed for long", async () => {
  const HOUR = 3_600_000;
  for (const name of ["gateway.sqlite3", "gateway.sqlite3-wal", "gateway.sqlite3-shm"]) {
    await using dir = await folder();
    await Deno.mkdir(`${dir.path}/at`);
    await using store = await open({ path: `${dir.path}/at/gateway.sqlite3` });
    const [path, aside] = [`${dir.path}/at/${name}`, `${dir.path}/aside`];
    const settle = async (hours: number) => {
      await Deno.utime(
        `${dir.path}/at`,
        new Date(Date.now() - hours * HOUR),
        new Date(Date.now() - hours * HOUR),
      );
      for (let n = 0; n < 3; n++) await store.audit.append(row(String(n)));
    };
    await settle(1);
    await Deno.rename(path, aside);
    await assert.rejects(store.audit.append(row("gone")), { code: "E_INTERNAL" }, name);
    await Deno.rename(aside, path);
    await settle(2);
    await Deno.copyFile(path, aside);
    await Deno.link(path, `${dir.path}/kept`);
    await Deno.rename(aside, path);
    await assert.rejects(store.audit.append(row("replaced")), { code: "E_INTERNAL" }, name);
    await Deno.rename(`${dir.path}/kept`, path);
    await settle(3);
    await Deno.rename(`${dir.path}/at`, `${dir.path}/elsewhere`);
    await assert.rejects(store.audit.append(row("moved")), { code: "E_INTERNAL" }, name);
    await Deno.rename(`${dir.path}/elsewhere`, `${dir.path}/at`);
    await store.audit.append(row("back"));
  }
});

Deno.test("a link to the file of a store that leads elsewhere is told at once", async () => {
  await using dir = await folder();
  for (const name of ["there", "here"]) await Deno.mkdir(`${dir.path}/${name}`);
  const link = `${dir.path}/here/gateway.sqlite3`;
  await Deno.writeTextFile(`${dir.path}/there/store`, "");
  await Deno.symlink(`${dir.path}/there/store`, link);
  await using store = await open({ path: link });
  const old = new Date(Date.now() - 3_600_000);
  for (const name of ["there", "here"]) await Deno.utime(`${dir.path}/${name}`, old, old);
  for (let n = 0; n < 3; n++) await store.audit.append(row(String(n)));
  await Deno.rename(`${dir.path}/there/store`, `${dir.path}/there/aside`);
  await assert.rejects(store.audit.append(row("gone")), { code: "E_INTERNAL" });
  await Deno.rename(`${dir.path}/there/aside`, `${dir.path}/there/store`);
  await store.audit.append(row("back"));
});

Deno.test("a disk that is full is told by a ping in words, and so is what else fails", async () => {
  let full = false;
  const fails = () => Promise.reject(new TypeError("database or disk is full"));
  await using store = await open({ around: (kv) => interfere(kv, (real) => full ? fails() : real()) });
  full = true;
  await assert.rejects(store.tokens.create(newToken()), /disk is full/);
  await assert.rejects(store.ping(), {
    code: "E_INTERNAL",
    message:
      /^The store fails \("database or disk is full"\), so calls are refused; .* by themselves once it keeps/,
  });
  full = false;
  await store.ping();
});

/** Lets nothing else of this process happen meanwhile, and takes no processor time. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

Deno.test("a process that stood still for seconds does not call its store silent", async () => {
  await using dir = await folder();
  await using store = await open({ path: `${dir.path}/gateway.sqlite3` });
  await store.ping();
  for (let nth = 0; nth < 3; nth++) {
    const pinged = store.ping();
    standStill(2200); // as a large answer that is parsed, or a machine that has no time for it
    await pinged;
  }
});

Deno.test("a store that can be read and takes no change is away once, and back with its first change", async () => {
  let [reads, changes, elapsed] = [true, true, 0];
  const answer = (isWell: boolean, value: unknown) =>
    isWell ? Promise.resolve(value) : Promise.reject(new Error("cannot be done in a read-only transaction"));
  const atomic = { set: () => atomic, commit: () => answer(changes, { ok: true }) };
  const kv = { get: () => answer(reads, { value: null }), atomic: () => atomic, close() {} };
  const clock = { elapsed: () => 0, every: () => () => {} };
  const logged: unknown[] = [];
  const db = new Database(
    kv as unknown as Deno.Kv,
    ...[Date.now, () => elapsed, clock, { log: (event: unknown) => void logged.push(event) }] as const,
  );
  const read = () => db.kv.get(["a"]).catch(() => {});
  const change = () => db.commit(db.kv.atomic()).catch(() => {});
  const all = async () => {
    for (let nth = 0; nth < 3; nth++) for (const work of [read, change]) await work();
  };
  await all();
  changes = false;
  await all();
  [elapsed, changes] = [5, true];
  await all();
  assert.deepEqual(logged.splice(0), [
    { event: "store_away", cause: "cannot be done in a read-only transaction" },
    { event: "store_back", away_ms: 5 },
  ]);
  reads = false;
  await read();
  reads = true;
  await read();
  assert.deepEqual(logged.map((event) => (event as { event: string }).event), ["store_away", "store_back"]);
});
