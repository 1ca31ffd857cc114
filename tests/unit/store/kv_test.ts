/** Opening, probing and closing a store. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { Database } from "../../../store/database.ts";
import type { StoreOptions } from "../../../store/kv.ts";
import { Child, folder, KEY, newToken, open, row } from "./kit.ts";

async function refusal(path: string, options: Partial<StoreOptions> = {}): Promise<string> {
  try {
    const store = await open({ path, ...options });
    await store.close();
  } catch (error) {
    assert.ok(error instanceof GatewayError);
    assert.ok(!error.message.includes("\n"));
    return error.message;
  }
  throw new Error("the store was opened");
}

Deno.test("a store on a file makes its folder and keeps what it holds", async () => {
  await using dir = await folder();
  const path = `${dir.path}/deep/er/gateway.db`;
  const first = await open({ path });
  const { text, token } = await first.tokens.create(newToken());
  await first.close();
  await using second = await open({ path });
  assert.deepEqual(await second.tokens.find(text), token);
  for (const made of ["deep", "deep/er"]) {
    assert.equal(Deno.statSync(`${dir.path}/${made}`).mode! & 0o777, 0o700, "nobody else's to read");
  }
});

Deno.test("a file that is no database is refused in plain words", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.db`;
  await Deno.writeTextFile(path, "this is no database ".repeat(500));
  const message = await refusal(path);
  assert.match(
    message,
    /^KV_PATH: ".*" is no database or is damaged; see what of it can be read \(deno task admin store check\), and put back/,
  );
});

Deno.test("a database damaged in the middle is refused in plain words", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.db`;
  const store = await open({ path });
  for (let i = 0; i < 20; i++) await store.projects.create({ id: `p${i}`, name: "x".repeat(5000) });
  await store.close();
  const bytes = await Deno.readFile(path);
  await Deno.writeFile(path, bytes.fill(7, 4096));
  assert.match(
    await refusal(path),
    /^KV_PATH: ".*" is damaged \(.*\); see what .*store check.*store restore\)$/,
  );
});

Deno.test("a path that cannot be written is refused in plain words", async () => {
  await using dir = await folder();
  await Deno.writeTextFile(`${dir.path}/file`, "");
  assert.match(
    await refusal(`${dir.path}/file/gateway.db`),
    /^KV_PATH: ".*" cannot be opened or written \(.*name a/,
  );
  assert.match(await refusal(dir.path), /^KV_PATH: ".*" cannot be opened or written/);
});

Deno.test("a disk that is full is named, and no other file asked for", async () => {
  await using dir = await folder();
  const full = () => Promise.reject(new TypeError("database or disk is full"));
  assert.match(
    await refusal(`${dir.path}/gateway.db`, { open: full }),
    /^KV_PATH: ".*" is on a disk that is full; make room on it and start again$/,
  );
});

Deno.test("an address where no KV server answers is refused in plain words", async () => {
  assert.match(
    await refusal("https://127.0.0.1:9/"),
    /^KV_PATH: "https:.*(DENO_KV_ACCESS_TOKEN|does not answer)/,
  );
});

Deno.test("a file locked by another process is refused within the deadline, and the process ends", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.db`;
  await (await open({ path })).close();
  await using holder = new Child("lock.ts", path);
  assert.equal(await holder.line(), "locked");
  await using opener = new Child("open.ts", path, "300");
  assert.match(await opener.line(), /^KV_PATH: ".*" is locked by another process; end that one/);
  assert.equal((await opener.end()).code, 1);
});

Deno.test("keys of a wrong length and no keys are refused naming ENCRYPTION_KEYS", async () => {
  await assert.rejects(
    open({ keys: [new Uint8Array(16)] }),
    /^GatewayError: ENCRYPTION_KEYS: each key must have 32/,
  );
  await assert.rejects(open({ keys: [] }), /^GatewayError: ENCRYPTION_KEYS: at least one/);
});

Deno.test("after close every call fails with a clear error, cached look-ups too", async () => {
  const store = await open();
  const { text } = await store.tokens.create(newToken());
  await store.tokens.find(text);
  await store.ping();
  const appended = store.audit.append(row("1"));
  await Promise.all([store.close(), store.close()]);
  await appended;
  const closed = { name: "GatewayError", code: "E_INTERNAL", message: "The store is closed" };
  await assert.rejects(async () => await store.tokens.find(text), closed);
  await assert.rejects(async () => await store.sites.list(), closed);
  await assert.rejects(store.sites.update("a", {}), closed);
  await assert.rejects(store.audit.append(row("2")), closed);
  await assert.rejects(store.audit.list({}, { limit: 1 }), closed);
  await assert.rejects(store.audit.verify(), closed);
  await assert.rejects(store.leases.hold("x", 1000, () => Promise.resolve()), closed);
  await assert.rejects(store.ping(), closed);
});

Deno.test("a store that could not be written last answers a ping only when it can be again, and is read alone otherwise", async () => {
  let full = false;
  const commits: string[] = [];
  const atomic = {
    set: () => atomic,
    commit() {
      commits.push(full ? "refused" : "made");
      return full ? Promise.reject(new TypeError("database or disk is full")) : Promise.resolve({ ok: true });
    },
  };
  const kv = { get: () => Promise.resolve({ value: null }), atomic: () => atomic, close() {} };
  const db = new Database(kv as unknown as Deno.Kv, Date.now, () => performance.now());
  await db.probe();
  assert.deepEqual(commits, []);
  full = true;
  await assert.rejects(db.commit(db.kv.atomic()), /disk is full/);
  await assert.rejects(db.probe(), /disk is full/);
  full = false;
  await db.probe();
  await db.probe();
  assert.deepEqual(commits, ["refused", "refused", "made"]);
});

Deno.test("a store that takes small changes alone does not answer a ping, for what calls write is larger", async () => {
  let room = Infinity;
  let bytes = 0;
  const atomic = {
    set: (_key: Deno.KvKey, value: unknown) => {
      bytes += value instanceof Uint8Array ? value.length : 10;
      return atomic;
    },
    commit() {
      const asked = bytes;
      bytes = 0;
      if (asked <= room) return Promise.resolve({ ok: true });
      return Promise.reject(new TypeError("database or disk is full"));
    },
  };
  const kv = { get: () => Promise.resolve({ value: null }), atomic: () => atomic, close() {} };
  const db = new Database(kv as unknown as Deno.Kv, Date.now, () => performance.now());
  const call = () => db.commit(db.kv.atomic().set(["audit"], new Uint8Array(3000)));
  const job = () => db.commit(db.kv.atomic().set(["lease"], true));
  await call();
  room = 2000;
  await assert.rejects(call(), /disk is full/);
  for (let nth = 0; nth < 3; nth++) {
    await assert.rejects(db.probe(), /disk is full/);
    await job(); // what is small is still kept, and says nothing of calls
  }
  room = Infinity;
  await db.probe();
  room = 2000;
  await db.probe(); // it is only read again
});

Deno.test("a change in one process is seen by another that had read what was there before", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.db`;
  await using store = await open({ path, keys: [KEY] });
  const { token, text } = await store.tokens.create(newToken());
  await store.sites.create({ id: "acme", name: "Acme", platform: "cms" });
  await using child = new Child("watch_token.ts", path, text);
  assert.equal(await child.line(), "cached");
  await store.sites.update("acme", { flags: { allow_publish: true } });
  assert.equal(await child.line(), "flagged");
  await store.tokens.revoke(token.id);
  assert.equal(await child.line(), "revoked");
});

Deno.test("a store and its folder are made for their owner alone, and ones that others may open are said at the start", async () => {
  await using dir = await folder();
  const path = `${dir.path}/new/gateway.sqlite3`;
  const logged: Record<string, unknown>[] = [];
  const log = (event: Record<string, unknown>) => void logged.push(event);
  await (await open({ path, log })).close();
  const mode = async (place: string) => ((await Deno.stat(place)).mode ?? 0) & 0o777;
  assert.deepEqual([await mode(path), await mode(`${dir.path}/new`), logged], [0o600, 0o700, []]);
  await Deno.chmod(path, 0o644);
  await Deno.chmod(`${dir.path}/new`, 0o777);
  await (await open({ path, log })).close();
  assert.deepEqual(logged, [
    {
      event: "store_open_to_others",
      message: `"${path}" has the mode 0644, so others on this machine may open it; chmod 600 it`,
    },
    {
      event: "store_open_to_others",
      message:
        `"${dir.path}/new" has the mode 0777, so others on this machine may put another store in its place; chmod 700 it`,
    },
  ]);
  assert.deepEqual(
    [await mode(path), await mode(`${dir.path}/new`)],
    [0o644, 0o777],
    "they are the operator's to change",
  );
});
