/** Connected accounts as they are kept: sealed, bound to their record, of bounded size, and damaged. */
import assert from "node:assert/strict";
import type { NoToken } from "../../../store/store.ts";
import { addUser, assertOk, GRANTED, HOUR, never, WAIT_MS, world } from "./accounts_kit.ts";
import { folder, KEY, proveAnew } from "./kit.ts";

const NEXT_KEY = new Uint8Array(32).fill(9);

/** All that a store's file holds, as text. */
async function dump(path: string): Promise<string> {
  const kv = await Deno.openKv(path);
  let text = "";
  for await (const { key, value } of kv.list({ prefix: [] })) {
    text += Deno.inspect([key, value], { depth: 9, strAbbreviateSize: 100_000, iterableLimit: 100_000 });
  }
  kv.close();
  const bytes = await Deno.readFile(path);
  return text + new TextDecoder("latin1").decode(bytes);
}

Deno.test("no token stands in the store in the clear", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using at = await world({ path });
  await at.connect();
  at.time.ms += HOUR;
  assertOk(await at.token());
  const held = await dump(path);
  assert.ok(held.includes("ann@x.example"));
  assert.ok(!/refresh-\d|access-\d|rrrrrr|aaaaaa/.test(held));
});

Deno.test("a connection sealed under an old key opens, is sealed anew by its next refresh, and says so when no key opens it", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  const grant = { ...GRANTED, access_token: "one", refresh_token: "first", expires_in: 3600 };
  const open = async (keys: Uint8Array[]) => await world({ path, keys });
  {
    await using at = await open([KEY]);
    for (const kind of ["mail", "ads"]) await at.store.accounts.connect(at.user, kind, grant);
  }
  {
    await using at = await open([NEXT_KEY, KEY]);
    assertOk(await at.token({ refresh: never }));
    at.time.ms += HOUR;
    assertOk(await at.token({ refresh: () => Promise.resolve({ access_token: "two", expires_in: 7200 }) }));
  }
  await proveAnew(path, [NEXT_KEY]);
  await using at = await open([NEXT_KEY]);
  at.time.ms += HOUR;
  const token = await at.token({ refresh: never });
  assertOk(token);
  assert.equal(token.access_token, "two");
  assertUnreadable(await at.token({ refresh: never }, "ads"));
  const [ads, mail] = await at.store.accounts.list();
  assert.deepEqual([ads?.reconnect?.reason, ads?.account, mail?.state], [
    "unreadable",
    "ann@x.example",
    "ok",
  ]);
  const left = await at.store.accounts.disconnect(at.user, "ads");
  assert.deepEqual([left?.refresh_token, left?.access_token], [null, null]);
});

function assertUnreadable(answer: { state: string } | NoToken): void {
  assert.ok(answer.state === "reconnect" && "reason" in answer, JSON.stringify(answer));
  assert.equal(answer.reason, "unreadable");
  assert.match(
    answer.message,
    /^Connection ".*" of user ".*" must be connected again: what is stored of it cannot/,
  );
}

Deno.test("a damaged record is one refusal in plain words, and connecting again mends it", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using at = await world({ path });
  const kv = await Deno.openKv(path);
  try {
    const key = ["accounts", at.user, "mail"];
    await at.connect();
    const { value } = await kv.get<Record<string, unknown>>(key);
    assert.ok(value);
    const damages: unknown[] = [
      // Records of versions before have no account_id.
      ...Object.keys(value).map((field) => ({ ...value, [field]: field === "account_id" ? 1 : undefined })),
      { ...value, sealed: { ...value["sealed"] as object, data: new Uint8Array(40) } },
      { ...value, access: { obtained_at: 1e300, expires_at: 0 } },
      { ...value, id: "another" },
      "text",
      17,
    ];
    for (const damaged of damages) {
      await kv.set(key, damaged);
      assertUnreadable(await at.token({ refresh: never }));
      const [listed] = await at.store.accounts.list();
      assert.deepEqual([listed?.state, listed?.kind], ["reconnect", "mail"]);
      assert.deepEqual(listed, await at.store.accounts.get(at.user, "mail"));
    }
    assert.equal((await at.store.accounts.disconnect(at.user, "mail", 0))?.refresh_token, null);
    await kv.set(key, "text");
    assert.equal((await at.connect()).state, "ok");
    assertOk(await at.token({ refresh: never }));
  } finally {
    kv.close();
  }
});

Deno.test("sealed tokens open for no other user, kind or connection", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using at = await world({ path });
  const bob = await addUser(at.store, "bob@x.example");
  await at.connect();
  const kv = await Deno.openKv(path);
  const { value: first } = await kv.get<{ sealed: unknown }>(["accounts", at.user, "mail"]);
  await at.connect();
  const { value: second } = await kv.get<object>(["accounts", at.user, "mail"]);
  await kv.set(["accounts", bob, "mail"], second);
  await kv.set(["accounts", at.user, "ads"], second);
  await kv.set(["accounts", at.user, "mail"], { ...second, sealed: first?.sealed });
  kv.close();
  const request = { refresh: never, wait_ms: WAIT_MS };
  for (const [user, kind] of [[bob, "mail"], [at.user, "ads"], [at.user, "mail"]] as const) {
    assertUnreadable(await at.store.accounts.token(user, kind, request));
  }
});

Deno.test("what would not fit is refused by its field, and the largest connection fits", async () => {
  await using at = await world();
  const grant = { ...GRANTED, access_token: "a", refresh_token: "r", expires_in: 3600 };
  const bad = (field: string) => ({ code: "E_BAD_INPUT", message: new RegExp(`^${field}: `) });
  const connect = (more: object) => at.store.accounts.connect(at.user, "mail", { ...grant, ...more });
  for (const field of ["access_token", "refresh_token"]) {
    await assert.rejects(connect({ [field]: "x".repeat(8191) }), bad(field));
    await assert.rejects(connect({ [field]: "ä".repeat(4096) }), bad(field));
    await assert.rejects(connect({ [field]: "" }), bad(field));
  }
  await assert.rejects(connect({ account: "x".repeat(321) }), bad("account"));
  await assert.rejects(connect({ scopes: ["x".repeat(8192)] }), bad("scopes"));
  await assert.rejects(connect({ expires_in: -1 }), bad("expires_in"));
  await assert.rejects(connect({ expires_in: NaN }), bad("expires_in"));
  await assert.rejects(connect({ refresh_expires_in: 1e12 }), bad("refresh_expires_in"));
  await assert.rejects(at.store.accounts.connect(at.user, "", grant), bad("kind"));
  await assert.rejects(at.store.accounts.connect("x".repeat(300), "mail", grant), bad("user_id"));
  const most = {
    access_token: "x".repeat(8190),
    refresh_token: "x".repeat(8190),
    scopes: ["x".repeat(8000)],
  };
  await connect({ ...most, account: "ä".repeat(320) });
  at.time.ms += HOUR;
  assertOk(await at.token({ refresh: () => Promise.resolve({ ...most, expires_in: null }) }));
});

Deno.test("only a user there is can be connected, and a user's connections go together", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  await using at = await world({ path });
  await assert.rejects(
    at.store.accounts.connect("nobody", "mail", { ...GRANTED, access_token: "a", expires_in: 1 }),
    {
      code: "E_BAD_INPUT",
      message: 'user_id: there is no user "nobody"',
    },
  );
  assert.equal(await at.store.accounts.get(at.user, "mail"), null);
  const missing = await at.token({ refresh: never });
  assert.deepEqual(missing, { state: "missing", message: `User "${at.user}" has no connection "mail"` });
  const bob = await addUser(at.store, "bob@x.example");
  for (const user of [at.user, bob]) {
    for (const kind of ["mail", "ads"]) {
      const tokens = {
        access_token: `access of ${kind}`,
        refresh_token: `refresh of ${kind}`,
        expires_in: 3600,
      };
      await at.store.accounts.connect(user, kind, { ...GRANTED, ...tokens });
    }
  }
  const kv = await Deno.openKv(path);
  await kv.delete(["users", at.user]);
  kv.close();
  await proveAnew(path);
  assert.equal((await at.token({ refresh: never })).state, "missing", "a user who is gone acts no more");
  const gone = await at.store.accounts.disconnectAll(at.user);
  assert.deepEqual(gone.map((one) => one.refresh_token), ["refresh of ads", "refresh of mail"]);
  assert.deepEqual((await at.store.accounts.list()).map((one) => one.user_id), [bob, bob]);
});
