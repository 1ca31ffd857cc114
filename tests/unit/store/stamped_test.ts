/** Who can write the store and has none of its keys opens no session, redeems no code and uses no token with it. */
import assert from "node:assert/strict";
import { acceptRecords } from "../../../store/accept.ts";
import { checkStore } from "../../../store/check.ts";
import { sha256 } from "../../../store/database.ts";
import { openPlace } from "../../../store/engines.ts";
import { resealStore, statusOf } from "../../../store/keys.ts";
import type { StoreMark } from "../../../store/mark.ts";
import { Sealer } from "../../../store/seal.ts";
import { STAMPED } from "../../../store/stamped_kv.ts";
import type { CodeOrder, Store } from "../../../store/store.ts";
import { SITE_SHAPE } from "../../connectors.ts";
import { folder, GRANTED, KEY, open } from "./kit.ts";

const NEXT = new Uint8Array(32).fill(9);
const OWN = "text-of-the-attackers-own";
const NOTHING_WRITTEN =
  /^The record \["\w+","[^"]+"(,"[^"]+")?\] is not as the gateway wrote it: it was changed, or an older one was put back$/;
const { addressBound } = SITE_SHAPE;

const order = (): CodeOrder => ({
  granted: {
    ...GRANTED,
    expires_at: Date.now() + 30 * 24 * 60 * 60_000,
  },
  redirect_uri: "https://client.example/callback",
  challenge: "challenge",
  resource: null,
});

/** A store with a session of two people, an invitation, and a client's tokens; and who writes into its file past the gateway. */
async function place() {
  const dir = await folder();
  const path = `${dir.path}/gateway.sqlite3`;
  const known = `${dir.path}/known`;
  const store = await open({ path, known });
  const [ann, eve] = [await sessionOf(store, "ann"), await sessionOf(store, "eve")];
  const invitation = await store.invitations.create("ann", null);
  const redeemed = await store.oauthGrants.redeem(await store.oauthGrants.issueCode(order()), () => null);
  assert.ok(redeemed.outcome === "redeemed");
  await store.close();
  const past = async <T>(write: (kv: Deno.Kv) => Promise<T>): Promise<T> => {
    const kv = await openPlace(path);
    try {
      return await write(kv);
    } finally {
      kv.close();
    }
  };
  return {
    path,
    known,
    past,
    ...{ ann, eve, invitation, tokens: redeemed.tokens },
    opened: (keys = [KEY]) => open({ path, known, keys }),
    check: (keys = [KEY]) => checkStore({ path, keys, now: Date.now }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

async function sessionOf(store: Store, user_id: string) {
  const made = await store.personSessions.create({ user_id, method: "passphrase", agent: "" }, null);
  assert.ok(made);
  return made;
}

/** Everything that a person's and a client's texts open. */
async function works({ ann, invitation, tokens }: Awaited<ReturnType<typeof place>>, store: Store) {
  const access = await store.oauthGrants.access(tokens.access_token);
  return [
    (await store.personSessions.find(ann.text))?.user_id,
    (await store.invitations.find(invitation.text))?.state,
    access?.grant.id === tokens.grant.id,
    (await store.oauthGrants.refresh(tokens.refresh_token, () => {})).outcome,
  ];
}
const ALL = ["ann", "open", true, "refreshed"];

Deno.test("a session, an invitation, a code and tokens that somebody wrote for a text of his own open nothing, and are named", async () => {
  await using p = await place();
  const hash = sha256(OWN);
  const of = <T>(kv: Deno.Kv, key: Deno.KvKey) => kv.get<T>(key).then(({ value }) => value as T & object);
  await p.past(async (kv) => {
    const [session] = await Array.fromAsync(kv.list({ prefix: ["person_sessions", "ann"] }));
    const id = session!.key[2];
    const place = await of<object>(kv, ["person_sessions_by_hash", sha256(p.eve.text)]);
    await kv.set(["person_sessions_by_hash", hash], { ...place, user_id: "ann", id });
    const [invited] = await Array.fromAsync(kv.list<object>({ prefix: ["invitations"] }));
    await kv.set(["invitations", hash], invited!.value);
    await kv.set(["invitation_of", "ann"], hash);
    const access = await of<object>(kv, ["oauth_access", sha256(p.tokens.access_token)]);
    await kv.set(["oauth_access", hash], access);
    await kv.set(["oauth_codes", hash], { order: order(), expires_at: Date.now() + 30_000, grant_id: null });
    await kv.set(["oauth_refresh", hash], p.tokens.grant.id);
    const family = await of<object>(kv, ["oauth_families", p.tokens.grant.id]);
    await kv.set(["oauth_families", p.tokens.grant.id], { ...family, current: hash });
  });
  await using store = await p.opened();
  assert.deepEqual(
    [
      await store.personSessions.find(OWN),
      await store.invitations.find(OWN),
      await store.oauthGrants.access(OWN),
      (await store.oauthGrants.redeem(OWN, () => null)).outcome,
      (await store.oauthGrants.refresh(OWN, () => {})).outcome,
    ],
    [null, null, null, "unknown", "unknown"],
  );
  const { ok, faults } = await p.check();
  assert.equal(ok, false);
  assert.deepEqual(faults.filter((one) => !NOTHING_WRITTEN.test(one)), []);
  assert.equal(faults.length, 5);
});

Deno.test("a session that was made another person's opens nothing, not for whoever it was either", async () => {
  await using p = await place();
  await p.past(async (kv) => {
    for (const kind of ["person_sessions", "person_sessions_by_hash"]) {
      for await (const { key, value } of kv.list<Record<string, unknown>>({ prefix: [kind] })) {
        if (value["user_id"] === "eve") await kv.set(key, { ...value, user_id: "ann" });
      }
    }
  });
  await using store = await p.opened();
  assert.equal(await store.personSessions.find(p.eve.text), null);
  assert.deepEqual(await store.personSessions.list("eve"), []);
  assert.deepEqual(await works(p, store), ALL, "all else is as it was");
});

Deno.test("what a version before wrote is proven as it is at the first start, once, and goes on", async () => {
  await using p = await place();
  await p.past(async (kv) => {
    for (const kind of STAMPED) {
      for await (const { key, value } of kv.list<Record<string, unknown>>({ prefix: [kind] })) {
        const { proof: _, ...fields } = value;
        await kv.set(key, fields);
      }
    }
    const { value: mark } = await kv.get<StoreMark>(["store"]);
    const check = await (await Sealer.open([KEY])).seal(mark!.id, ["store", "registers"]);
    await kv.set(["store"], { ...mark, format: 5, lowest: { format: 5, version: "0.5.0" }, check });
  });
  assert.deepEqual((await p.check()).faults, [], "of such a store nothing is said");
  {
    await using store = await p.opened();
    assert.deepEqual(await works(p, store), ALL);
  }
  assert.deepEqual((await p.check()).faults, []);
  await p.past((kv) =>
    kv.set(["oauth_access", sha256(OWN)], {
      grant_id: p.tokens.grant.id,
      resource: null,
      expires_at: Infinity,
    })
  );
  await using store = await p.opened();
  assert.equal(await store.oauthGrants.access(OWN), null, "the next start proves nothing more");
});

Deno.test("sealing anew proves them under the first key, so that nobody signs in again when the old one goes", async () => {
  await using p = await place();
  const both = { path: p.path, keys: [NEXT, KEY] };
  const before = await statusOf(both);
  assert.ok(
    before.counts.some(({ kind, how, records }) =>
      kind === "person_sessions" && how === "proven" && records === 2
    ),
  );
  await resealStore(both, { addressBound });
  const { counts, keys: [first], unused } = await statusOf(both);
  assert.deepEqual([counts.filter(({ key }) => key !== first), unused.length], [[], 1]);
  await using store = await p.opened([NEXT]);
  assert.deepEqual(await works(p, store), ALL);
});

Deno.test("an operator who accepts the records of a store accepts those as well", async () => {
  await using p = await place();
  await p.past((kv) =>
    kv.set(["invitations", sha256(OWN)], {
      user_id: "ann",
      by: null,
      used: false,
      expires_at: Date.now() + 60_000,
    })
  );
  const file = { path: p.path, keys: [KEY], now: 1, known: p.known };
  assert.equal((await acceptRecords(file, false)).length, 1);
  await acceptRecords(file, true);
  assert.deepEqual((await p.check()).faults, []);
});
