/** Which stores a version opens, under which keys, and what it says where a store was and is no more. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import { KnownStores } from "../../../store/known_stores.ts";
import { STORE_FORMAT, type StoreMark } from "../../../store/mark.ts";
import type { StoreOptions } from "../../../store/kv.ts";
import { Sealer } from "../../../store/seal.ts";
import { folder, KEY, newToken, open, proveAnew, sealSome } from "./kit.ts";

const OTHER = new Uint8Array(32).fill(8);
const THIRD = new Uint8Array(32).fill(9);

/** The refusal of a store, one sentence. */
async function refusal(options: Partial<StoreOptions>): Promise<string> {
  try {
    await (await open(options)).close();
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error));
    assert.ok(!error.message.includes("\n"));
    return error.message;
  }
  throw new Error("the store was opened");
}

/** Everything in a file, to see that a refusal changed nothing. */
async function contents(path: string): Promise<unknown[]> {
  const kv = await Deno.openKv(path);
  const all = await Array.fromAsync(kv.list({ prefix: [] }));
  kv.close();
  return all;
}

async function edited(path: string, change: (mark: StoreMark) => object): Promise<void> {
  const kv = await Deno.openKv(path);
  const { value } = await kv.get<StoreMark>(["store"]);
  assert.ok(value);
  await kv.set(["store"], { ...value, ...change(value) });
  kv.close();
}

/** A closed store of one site in a folder of its own. */
async function used(keys: readonly Uint8Array[] = [KEY]) {
  const dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const known = `${dir.path}/known`;
  const store = await open({ path, keys, known });
  const credentials = { cms: { username: "u", application_password: "aaaa bbbb" } };
  await store.sites.create({
    id: "acme",
    name: "A",
    platform: "cms",
    base_url: "https://a.example",
    credentials,
  });
  await store.close();
  return { path, known, dir: dir.path, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

Deno.test("a store that a newer version wrote is refused in one sentence where it says so, and not changed", async () => {
  await using at = await used();
  const lowest = { format: STORE_FORMAT + 1, version: "9.1.0" };
  await edited(at.path, () => ({ format: STORE_FORMAT + 3, lowest }));
  const before = await contents(at.path);
  const said = await refusal({ path: at.path });
  assert.match(
    said,
    /^KV_PATH: ".*" was written by a newer version \(format \d+\); version 9\.1\.0 or later opens it/,
  );
  assert.deepEqual(await contents(at.path), before);
});

Deno.test("a store of a newer format that this version may open is opened, and stays of that format", async () => {
  await using at = await used();
  await edited(at.path, () => ({ format: STORE_FORMAT + 1 }));
  await using store = await open({ path: at.path, keys: [OTHER, KEY] });
  assert.equal((await store.sites.list()).length, 1);
  await store.close();
  const mark = (await contents(at.path)).map((entry) => entry as Deno.KvEntry<StoreMark>)
    .find(({ key }) => key[0] === "store")!.value;
  assert.deepEqual([mark.format, mark.lowest.format], [STORE_FORMAT + 1, STORE_FORMAT]);
});

Deno.test("a store too old to be brought forward is refused in one sentence", async () => {
  await using at = await used();
  await edited(at.path, () => ({ format: 0 }));
  assert.match(
    await refusal({ path: at.path }),
    /^KV_PATH: ".*" has format 0, .* start a version in between first/,
  );
});

Deno.test("keys that do not open a store are refused naming ENCRYPTION_KEYS, and the store is not changed", async () => {
  await using at = await used();
  const before = await contents(at.path);
  for (const keys of [[OTHER], [OTHER, THIRD]]) {
    assert.match(
      await refusal({ path: at.path, keys }),
      /^ENCRYPTION_KEYS: none of them opens ".*", which is sealed under key "[0-9a-f]{12}"; load the file/,
    );
  }
  assert.deepEqual(await contents(at.path), before);
});

Deno.test("a store without a mark is opened by keys that open something in it, and by any where nothing is sealed", async () => {
  await using at = await used();
  const kv = await Deno.openKv(at.path);
  await kv.delete(["store"]);
  // As a version before 0.5.0 sealed it, which knew no places.
  const key = ["credentials", "acme", "cms"];
  await kv.set(key, await (await Sealer.open([KEY])).seal("{}", key));
  kv.close();
  assert.match(await refusal({ path: at.path, keys: [OTHER] }), /^ENCRYPTION_KEYS: none of them opens/);
  await (await open({ path: at.path, keys: [OTHER, KEY] })).close();
  await using dir = await folder();
  const path = `${dir.path}/unsealed`;
  const bare = await Deno.openKv(path);
  await bare.set(["projects", "p"], { id: "p", name: "P", created_at: "" });
  bare.close();
  await (await open({ path, keys: [THIRD] })).close();
});

Deno.test("after a start with a new key in front the new key opens the store alone, and the old one alone does not", async () => {
  await using at = await used();
  await (await open({ path: at.path, keys: [OTHER, KEY] })).close();
  assert.match(await refusal({ path: at.path, keys: [KEY] }), /^ENCRYPTION_KEYS: /);
  assert.match(
    await refusal({ path: at.path, keys: [OTHER] }),
    /^ENCRYPTION_KEYS: the tokens of the store are proven under key "[0-9a-f]{12}", which ENCRYPTION_KEYS lacks; add it/,
  );
  await proveAnew(at.path, [OTHER]);
  await using store = await open({ path: at.path, keys: [OTHER] });
  const [found, ...more] = await store.missingKeys();
  assert.deepEqual([found?.kind, found?.of, found?.name, more], ["credential", "acme", "cms", []]);
  const missing = {
    code: "E_MISSING_SECRET",
    message: /was sealed with key .*, which ENCRYPTION_KEYS lacks/,
  };
  await assert.rejects(async () => await store.sites.secret("acme", "cms"), missing);
});

Deno.test("what is sealed under a missing key is named, whatever it is, and nothing else is", async () => {
  await using at = await used();
  {
    await using store = await open({ path: at.path });
    await sealSome(store);
    assert.deepEqual(await store.missingKeys(), []);
  }
  await (await open({ path: at.path, keys: [OTHER, KEY] })).close();
  await proveAnew(at.path, [OTHER]);
  await using store = await open({ path: at.path, keys: [OTHER] });
  const kinds = (await store.missingKeys()).map(({ kind }) => kind);
  assert.deepEqual(kinds.sort(), ["account", "credential", "passphrase", "webhook"]);
  const credentials = { cms: { username: "u", application_password: "cccc dddd" } };
  await store.sites.update("acme", { credentials });
  assert.deepEqual((await store.missingKeys()).map(({ kind }) => kind).sort(), [
    "account",
    "passphrase",
    "webhook",
  ]);
  const [hook] = await store.webhooks.list();
  await assert.rejects(store.webhooks.open(hook!.id), { code: "E_MISSING_SECRET" });
  await store.webhooks.remove(hook!.id);
  assert.deepEqual((await store.missingKeys()).map(({ kind }) => kind).sort(), ["account", "passphrase"]);
});

Deno.test("a mark that was changed is refused", async () => {
  await using at = await used();
  await edited(at.path, () => ({ id: "another" }));
  assert.match(await refusal({ path: at.path }), /^KV_PATH: the mark of ".*" was changed; put back a copy$/);
});

Deno.test("a file that is missing, empty or holds nothing is refused where it held a store, and made where it did not", async () => {
  await using at = await used();
  const lost: [what: RegExp, lose: () => Promise<unknown>][] = [
    [/ does not exist, and it held the store of this gateway; .*store init\)$/, () => Deno.remove(at.path)],
    [/ is empty, and it held the store/, () => Deno.writeFile(at.path, new Uint8Array())],
    [/ holds nothing, and it held the store/, async () => {
      await Deno.remove(at.path);
      (await Deno.openKv(at.path)).close();
    }],
  ];
  for (const [what, lose] of lost) {
    await lose();
    assert.match(await refusal({ path: at.path, known: at.known }), what);
  }
  await Deno.remove(at.path);
  const logged: Record<string, unknown>[] = [];
  const log = (event: Record<string, unknown>) => void logged.push(event);
  await (await open({ path: at.path, known: `${at.dir}/nothing`, log })).close();
  assert.deepEqual(logged, [{ event: "store_made", path: at.path }]);
  assert.equal(Deno.statSync(at.path).mode! & 0o077, 0, "the file is its owner's alone");
});

Deno.test("a slip in the name of the file is refused where the store is in the same folder", async () => {
  await using at = await used();
  const path = `${at.dir}/gatway.sqlite3`;
  assert.match(
    await refusal({ path, known: at.known }),
    /^KV_PATH: ".*gatway\.sqlite3" does not exist, but the store "gateway\.sqlite3" is in the same folder/,
  );
  assert.throws(() => Deno.statSync(path), Deno.errors.NotFound, "nothing was made");
});

Deno.test("a file that is missing beside its -wal is refused, known or not", async () => {
  await using dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  await Deno.writeTextFile(`${path}-wal`, "what was written last");
  assert.match(
    await refusal({ path }),
    /does not exist, but "gateway\.sqlite3-wal" beside it holds what was written/,
  );
});

Deno.test("the files that were opened last are remembered, a hundred of them", async () => {
  await using dir = await folder();
  const known = new KnownStores(`${dir.path}/known`);
  await known.add("/first");
  await Deno.utime(
    [...Deno.readDirSync(`${dir.path}/known`)].map(({ name }) => `${dir.path}/known/${name}`)[0]!,
    1,
    1,
  );
  for (let at = 0; at < 100; at++) await known.add(`/store-${at}`);
  assert.deepEqual([await known.has("/first"), await known.has("/store-0")], [false, true]);
});

Deno.test("a store in memory has held nothing, and tokens of one are made as ever", async () => {
  await using dir = await folder();
  await using store = await open({ known: `${dir.path}/known` });
  await store.tokens.create(newToken());
  assert.throws(() => Deno.statSync(`${dir.path}/known`), Deno.errors.NotFound);
});
