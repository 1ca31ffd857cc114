/** Which keys a store needs, and sealing all of it under the first: while gateways run, cut off and gone on. */
import assert from "node:assert/strict";
import { SITE_SHAPE } from "../../connectors.ts";
import { checkStore } from "../../../store/check.ts";
import { openPlace } from "../../../store/engines.ts";
import { resealStore, statusOf } from "../../../store/keys.ts";
import { reseal } from "../../../store/reseal.ts";
import { type Sealed, Sealer } from "../../../store/seal.ts";
import { placeFor } from "../../../store/sites.ts";
import { folder, interfere, KEY, newToken, open, proveAnew, sealSome } from "./kit.ts";

const NEXT = new Uint8Array(32).fill(9);
const CMS = { username: "u", application_password: "aaaa bbbb cccc" };
const { addressBound } = SITE_SHAPE;

/** A store with something sealed of most kinds, under KEY alone. */
async function place(sites = 3) {
  const dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const store = await open({ path });
  for (let n = 0; n < sites; n++) {
    const base_url = `https://s${n}.example`;
    const made = await store.sites.create({
      id: `s${n}`,
      name: "S",
      platform: "cms",
      base_url,
      credentials: { cms: CMS },
    });
    assert.ok(made);
  }
  const user = await sealSome(store);
  const { text } = await store.tokens.create(newToken());
  await store.close();
  const both = { path, keys: [NEXT, KEY] };
  return {
    dir: dir.path,
    path,
    both,
    text,
    user,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const totals = async (store: { path: string; keys: Uint8Array[] }) => {
  const { counts, keys } = await statusOf(store);
  const by = (key: string | undefined) =>
    counts.filter((one) => one.key === key).reduce((sum, { records }) => sum + records, 0);
  return keys.map(by);
};

Deno.test("what is sealed and proven is counted by key, sealed anew under the first, and the older key is needed no more", async () => {
  await using p = await place();
  await (await open(p.both)).close();
  const before = await statusOf(p.both);
  assert.deepEqual([before.unused, before.missing, before.without_place], [[], [], 0]);
  const sealed = before.counts.filter(({ how, key }) => how === "sealed" && key === before.keys[1]);
  assert.deepEqual(sealed.map(({ kind, records }) => [kind, records]), [
    ["accounts", 1],
    ["credentials", 3],
    ["sealing", 1],
    ["sign_ins", 1],
    ["webhooks", 1],
  ]);
  const done = await resealStore(p.both, { addressBound });
  assert.deepEqual([done.resealed, done.closed], [
    { accounts: 1, credentials: 3, sealing: 1, sign_ins: 1, webhooks: 1 },
    {},
  ]);
  assert.ok(done.proven >= 10);
  const after = await statusOf(p.both);
  assert.deepEqual([after.unused, after.counts.every(({ key }) => key === after.keys[0])], [
    [after.keys[1]],
    true,
  ]);
  assert.deepEqual((await resealStore(p.both, { addressBound })).resealed, {}, "nothing is done twice");
  await using store = await open({ path: p.path, keys: [NEXT] });
  assert.deepEqual(await store.sites.secret("s1", "cms"), CMS);
  assert.ok(await store.tokens.find(p.text));
  assert.equal((await store.accounts.get(p.user, "google"))?.state, "ok");
  const { ok, faults } = await checkStore({ path: p.path, keys: [NEXT], now: Date.now });
  assert.deepEqual([ok, faults], [true, []]);
});

Deno.test("sealing anew that is cut off at any of its commits goes on, and the store is whole at each", async () => {
  await using p = await place();
  const sealer = await Sealer.open([NEXT, KEY]);
  const given = {
    sealer,
    expiries: { of: () => null },
    placeFor: (kind: string, base_url: string | null) => placeFor(addressBound, kind, base_url),
    now: Date.now,
  };
  let cuts = 0;
  for (let left = 0;; left++) {
    const kv = await openPlace(p.path);
    let count = 0;
    const cut = interfere(kv, (real) => count++ < left ? real() : Promise.reject(new Error("killed")));
    const how = await reseal(cut, given).then(() => "done", (error: Error) => error.message);
    kv.close();
    const { faults } = await checkStore({ ...p.both, now: Date.now });
    assert.deepEqual(faults, []);
    if (how === "done") break;
    assert.equal(how, "killed");
    cuts++;
    left = 0;
    if (cuts > 60) throw new Error("it never ends");
  }
  assert.equal((await totals(p.both))[1], 0);
});

Deno.test("the mark of the store is sealed anew before anything else, so that a gateway without that key is told by it", async () => {
  await using p = await place();
  const sealer = await Sealer.open(p.both.keys);
  const kv = await openPlace(p.path);
  let count = 0;
  const cut = interfere(kv, (real) => count++ === 0 ? real() : Promise.reject(new Error("killed")));
  const given = { sealer, expiries: { of: () => null }, placeFor: () => "", now: Date.now };
  await assert.rejects(reseal(cut, given), { message: "killed" });
  kv.close();
  const { counts } = await statusOf(p.both);
  assert.deepEqual(counts.filter(({ key }) => key === sealer.first).map(({ kind }) => kind), ["store"]);
});

Deno.test("two running gateways with both keys go on while all is sealed anew, and what they write meanwhile is sealed under the first", async () => {
  await using p = await place(60);
  await using one = await open(p.both);
  await using two = await open(p.both);
  let written = 0;
  const writing = (async () => {
    for (let n = 0; n < 30; n++) {
      const store = [one, two][n % 2]!;
      await store.sites.update(`s${n}`, { name: "T", credentials: n % 3 === 0 ? { cms: CMS } : {} });
      await store.tokens.create(newToken());
      written++;
    }
  })();
  const done = await resealStore(p.both, { addressBound });
  await writing;
  assert.equal(written, 30);
  assert.deepEqual(done.closed, {});
  await resealStore(p.both, { addressBound });
  assert.equal((await totals(p.both))[1], 0);
  for (const store of [one, two]) {
    for (let n = 0; n < 60; n++) assert.deepEqual(await store.sites.secret(`s${n}`, "cms"), CMS);
  }
  assert.deepEqual((await checkStore({ path: p.path, keys: [NEXT], now: Date.now })).faults, []);
});

Deno.test("credentials of an older form get their place, and from then on one of that form is not opened", async () => {
  await using p = await place();
  const key = ["credentials", "s0", "cms"];
  const kv = await openPlace(p.path);
  const old = await (await Sealer.open([KEY])).seal(JSON.stringify(CMS), key);
  await kv.set(key, old);
  await kv.delete(["sealing", "credentials"]);
  await proveAnew(p.path);
  assert.equal((await statusOf({ path: p.path, keys: [KEY] })).without_place, 1);
  {
    await using store = await open({ path: p.path });
    assert.deepEqual(await store.sites.secret("s0", "cms"), CMS);
  }
  await resealStore({ path: p.path, keys: [KEY] }, { addressBound });
  assert.equal((await kv.get<Sealed>(key)).value!.to, "https://s0.example");
  await kv.set(key, old);
  await proveAnew(p.path);
  kv.close();
  await using store = await open({ path: p.path });
  await assert.rejects(async () => await store.sites.secret("s0", "cms"), {
    code: "E_MISSING_SECRET",
    message: /names no place that it is for, and all were sealed for theirs: an older one was put back/,
  });
});

Deno.test("keys in the wrong order, a lost one, and a record of somebody else's are said, and nothing is hidden by sealing it anew", async () => {
  await using p = await place();
  await assert.rejects(resealStore({ path: p.path, keys: [NEXT] }, { addressBound }), {
    message: /^ENCRYPTION_KEYS: none of them opens/,
  });
  await resealStore(p.both, { addressBound });
  const reversed = { path: p.path, keys: [KEY, NEXT] };
  const [first, second] = await totals(reversed);
  assert.deepEqual([first, second! > 0], [0, true]);
  const kv = await openPlace(p.path);
  await kv.set(["users", "eve"], { id: "eve", role: "admin" });
  kv.close();
  await assert.rejects(resealStore(reversed, { addressBound }), {
    message: /^The record \["users","eve"\] was not written by the gateway/,
  });
});

Deno.test("a check under keys that are not the store's says once for all kinds under which key they are proven", async () => {
  await using p = await place();
  const { faults } = await checkStore({ path: p.path, keys: [NEXT], now: Date.now });
  const named = faults.filter((one) => one.includes("are proven under key"));
  assert.equal(named.length, 1, faults.join("\n"));
  assert.match(
    named[0]!,
    /^ENCRYPTION_KEYS: the tokens, tokens_by_hash, users, .*, webhooks of the store are proven/,
  );
});
