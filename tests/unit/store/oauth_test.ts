/** OAuth's records: registrations stay few, codes and refresh tokens are worth something once, ends hold everywhere. */
import assert from "node:assert/strict";
import { type Granted, OAUTH_LIMITS } from "../../../core/model.ts";
import type { CodeOrder, Redeemed, Store } from "../../../store/store.ts";
import { Versions } from "../../../store/cache.ts";
import { Database } from "../../../store/database.ts";
import { OAuthGrants } from "../../../store/oauth_grants.ts";
import { Sealer } from "../../../store/seal.ts";
import { openMemory } from "../../memory_kv.ts";
import { Clock, folder, GRANTED, interfere, KEY, open } from "./kit.ts";

const DAY_MS = 24 * 60 * 60_000;
const CLIENT = { name: "Helper", redirect_uris: ["https://client.example/callback"] };

const granted = (clock: Clock, more: Partial<Granted> = {}): Granted => ({
  ...GRANTED,
  expires_at: clock.ms + 30 * DAY_MS,
  ...more,
});
const order = (clock: Clock, more: Partial<Granted> = {}): CodeOrder => ({
  granted: granted(clock, more),
  redirect_uri: CLIENT.redirect_uris[0]!,
  challenge: "challenge",
  resource: null,
});
const any = () => null;

async function tokensOf(store: Store, clock: Clock, more: Partial<Granted> = {}) {
  const redeemed = await store.oauthGrants.redeem(await store.oauthGrants.issueCode(order(clock, more)), any);
  assert.equal(redeemed.outcome, "redeemed");
  return (redeemed as Extract<Redeemed, { outcome: "redeemed" }>).tokens;
}

Deno.test("10,000 registrations leave 1,000, the newest, and those that were let in", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now, open: openMemory });
  const first = await store.oauthClients.register(CLIENT);
  assert.ok(first);
  await store.oauthClients.keep(first.id, clock.ms + 60 * DAY_MS);
  const ids: string[] = [];
  let refused = 0;
  // Faster than a minute lets them in.
  for (let count = 0; count < 10_000; count++) {
    clock.ms += 950;
    const client = await store.oauthClients.register(CLIENT);
    if (client) ids.push(client.id);
    else refused++;
  }
  assert.ok(refused > 0 && ids.length > 9000, `${refused} were refused`);
  const standing = await Promise.all(ids.map((id) => store.oauthClients.get(id)));
  assert.equal(standing.filter((one) => one !== null).length, OAUTH_LIMITS.UNUSED_CLIENTS);
  assert.ok(standing.slice(-OAUTH_LIMITS.UNUSED_CLIENTS).every((one) => one !== null));
  assert.deepEqual(await store.oauthClients.get(first.id), { id: first.id, ...CLIENT });
});

Deno.test("a minute takes 60 registrations, at two instances together", async () => {
  await using at = await folder();
  const clock = new Clock();
  const path = `${at.path}/kv.db`;
  await using one = await open({ path, now: clock.now });
  await using other = await open({ path, now: clock.now });
  const made = [];
  for (let count = 0; count < OAUTH_LIMITS.REGISTRATIONS_PER_MINUTE + 5; count++) {
    made.push(await (count % 2 ? one : other).oauthClients.register(CLIENT));
  }
  assert.equal(made.filter((client) => client !== null).length, OAUTH_LIMITS.REGISTRATIONS_PER_MINUTE);
  clock.ms += 60_000;
  assert.ok(await one.oauthClients.register(CLIENT));
});

Deno.test("a client that nobody lets in is forgotten after a day, one that was stays", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const [idle, used] = [await store.oauthClients.register(CLIENT), await store.oauthClients.register(CLIENT)];
  assert.ok(idle && used);
  await store.oauthClients.keep(used.id, clock.ms + 2 * DAY_MS);
  clock.ms += DAY_MS;
  assert.equal(await store.oauthClients.get(idle.id), null);
  assert.ok(await store.oauthClients.get(used.id));
  clock.ms += DAY_MS;
  assert.equal(await store.oauthClients.get(used.id), null);
});

Deno.test("a code is redeemed once, by its judge's leave, within its minute", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const code = await store.oauthGrants.issueCode(order(clock));
  const refusing = store.oauthGrants.redeem(code, () => {
    throw new Error("not yours");
  });
  await assert.rejects(refusing, /not yours/);
  const redeemed = await Promise.all([1, 2, 3].map(() => store.oauthGrants.redeem(code, any)));
  assert.deepEqual(redeemed.map(({ outcome }) => outcome).sort(), ["redeemed", "used", "used"]);
  const late = await store.oauthGrants.issueCode(order(clock));
  clock.ms += OAUTH_LIMITS.CODE_MS;
  assert.equal((await store.oauthGrants.redeem(late, any)).outcome, "unknown");
  assert.equal((await store.oauthGrants.redeem(code, any)).outcome, "used");
});

Deno.test("the store holds no text of a code or token", async () => {
  await using at = await folder();
  const clock = new Clock();
  const path = `${at.path}/kv.db`;
  const texts: string[] = [];
  {
    await using store = await open({ path, now: clock.now });
    texts.push(await store.oauthGrants.issueCode(order(clock)));
    const { access_token, refresh_token } = await tokensOf(store, clock);
    const refreshed = await store.oauthGrants.refresh(refresh_token, () => {});
    assert.ok("tokens" in refreshed);
    texts.push(access_token, refresh_token, refreshed.tokens.access_token, refreshed.tokens.refresh_token);
  }
  for await (const { name } of Deno.readDir(at.path)) {
    const kept = new TextDecoder("latin1").decode(await Deno.readFile(`${at.path}/${name}`));
    for (const text of texts) assert.ok(!kept.includes(text.slice(4)), `${name} holds ${text.slice(0, 4)}`);
  }
});

Deno.test("the token before the current one gets the same answer for a minute, and is a used one then", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const { refresh_token: first } = await tokensOf(store, clock);
  const second = await store.oauthGrants.refresh(first, () => {});
  assert.equal(second.outcome, "refreshed");
  clock.ms += OAUTH_LIMITS.REPEAT_MS - 1;
  const again = await store.oauthGrants.refresh(first, () => {});
  assert.equal(again.outcome, "repeated");
  assert.ok("tokens" in second && "tokens" in again);
  assert.deepEqual(again.tokens, second.tokens);
  clock.ms += 1;
  assert.equal((await store.oauthGrants.refresh(first, () => {})).outcome, "used");
});

Deno.test("once the successor was used, the token before it is a used one at once", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const { refresh_token: first } = await tokensOf(store, clock);
  const second = await store.oauthGrants.refresh(first, () => {});
  assert.ok("tokens" in second);
  assert.equal((await store.oauthGrants.refresh(second.tokens.refresh_token, () => {})).outcome, "refreshed");
  assert.equal((await store.oauthGrants.refresh(first, () => {})).outcome, "used");
});

Deno.test("a refresh token that nobody uses for 30 days, and one whose grant is over, are worth nothing", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const long = await tokensOf(store, clock, { expires_at: clock.ms + 90 * DAY_MS });
  const short = await tokensOf(store, clock, { expires_at: clock.ms + 30 * 60_000 });
  assert.equal(short.expires_at, clock.ms + 30 * 60_000);
  clock.ms += 30 * 60_000;
  assert.equal((await store.oauthGrants.refresh(short.refresh_token, () => {})).outcome, "ended");
  clock.ms += OAUTH_LIMITS.REFRESH_IDLE_MS;
  assert.equal((await store.oauthGrants.refresh(long.refresh_token, () => {})).outcome, "ended");
});

Deno.test("an end holds for cached access tokens: at once where it was ended, within 500 ms elsewhere", async () => {
  await using at = await folder();
  const clock = new Clock();
  const options = { path: `${at.path}/kv.db`, now: clock.now, elapsed: clock.now };
  await using one = await open(options);
  await using other = await open(options);
  const { access_token, grant } = await tokensOf(one, clock);
  for (const store of [one, other]) {
    assert.equal((await store.oauthGrants.access(access_token))?.grant.ended_at, null);
  }
  assert.ok(!(other.oauthGrants.access(access_token) instanceof Promise), "it is cached");
  assert.ok(await one.oauthGrants.end(grant.id, "of a test"));
  assert.equal(await one.oauthGrants.end(grant.id, "of a test"), null);
  assert.ok((await one.oauthGrants.access(access_token))?.grant.ended_at);
  clock.ms += 500;
  assert.equal((await other.oauthGrants.access(access_token))?.grant.ended_why, "of a test");
  assert.deepEqual(await other.oauthGrants.list("ann"), []);
});

Deno.test("two refreshes that a store holds up for minutes give one answer", async () => {
  const held: (() => void)[] = [];
  let holds = false;
  const clock = new Clock();
  const kv = interfere(await Deno.openKv(":memory:"), async (real) => {
    if (holds) await new Promise<void>((resolve) => void held.push(resolve));
    return await real();
  });
  const db = new Database(kv, clock.now, () => 0);
  try {
    const grants = new OAuthGrants(db, new Versions(db).of("oauth"), await Sealer.open([KEY]));
    const redeemed = await grants.redeem(await grants.issueCode(order(clock)), any);
    const { refresh_token } = (redeemed as Extract<Redeemed, { outcome: "redeemed" }>).tokens;
    const refresh = () => grants.refresh(refresh_token, () => {});
    const stands = async (count: number) => {
      while (held.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    holds = true;
    const first = refresh();
    await stands(1);
    clock.ms += 5 * OAUTH_LIMITS.REPEAT_MS;
    const second = refresh();
    await stands(2);
    holds = false;
    held[0]!();
    const one = await first;
    held[1]!();
    const two = await second;
    assert.deepEqual([one.outcome, two.outcome], ["refreshed", "repeated"]);
    assert.deepEqual({ ...two, outcome: "refreshed" }, { ...one, isFirst: false });
  } finally {
    db.close();
  }
});
