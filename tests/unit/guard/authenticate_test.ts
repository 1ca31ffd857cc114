/** A caller is found once a call, and judged anew as soon as anything that it depends on may have changed. */
import assert from "node:assert/strict";
import { type Grant, LIMITS, OAUTH_PREFIX } from "../../../core/model.ts";
import {
  type AuthenticatePorts,
  authenticator,
  callerOfGrant,
} from "../../../guard/pipeline/authenticate.ts";
import type { Store } from "../../../store/store.ts";
import { Clock, folder, newToken, open } from "../store/kit.ts";
import { caller, refusal } from "./_callers.ts";
import { until } from "../../e2e/running.ts";

const sent = (text: string) =>
  new Request("https://x.test", { headers: { authorization: `Bearer ${text}` } });

/** The way in over a store, and how often it has looked a token up. */
function over(store: Store, more: Partial<AuthenticatePorts> = {}) {
  let looks = 0;
  const authenticate = authenticator({
    tokens: {
      find: (text) => (looks++, store.tokens.find(text)),
      used: (id) => store.tokens.used(id),
    },
    users: store.users,
    now: Date.now,
    masterToken: "master",
    grants: store.oauthGrants,
    tokenOf: () => assert.fail("no token of OAuth was sent"),
    callersVersion: () => store.callersVersion(),
    ...more,
  });
  return { authenticate, looks: () => looks };
}

Deno.test("who was found before the body came is not looked up again while nothing was changed", async () => {
  await using store = await open();
  const { text } = await store.tokens.create(newToken());
  const { authenticate, looks } = over(store);
  await authenticate(sent(text));
  const first = await authenticate(sent(text));
  const before = looks();
  assert.equal(authenticate(sent(text), first), first);
  assert.equal(looks(), before);
  await store.projects.create({ id: "one", name: "One" });
  assert.equal(authenticate(sent(text), first), first, "what no caller depends on counts for nothing");
});

Deno.test("a token that is revoked, and an owner who is narrowed or removed, is judged anew", async () => {
  await using store = await open();
  const { authenticate } = over(store);
  const user = await store.users.create({
    email: "ann@x.test",
    role: "member",
    allowed_sites: ["*"],
    max_risk: 4,
  });
  const { text } = await store.tokens.create(newToken({ owner_user_id: user!.id }));
  const other = await store.tokens.create(newToken());
  const [theirs, ofNobody] = [await authenticate(sent(text)), await authenticate(sent(other.text))];
  await store.users.update(user!.id, { max_risk: 1, allowed_sites: ["acme"] });
  const narrowed = await authenticate(sent(text), theirs);
  assert.deepEqual([narrowed.maxRisk, narrowed.owner?.allowed_sites], [1, ["acme"]]);
  await store.users.remove(user!.id);
  await refusal(() => authenticate(sent(text), narrowed), "E_AUTH");
  await store.tokens.revoke(other.token.id);
  await refusal(() => authenticate(sent(other.text), ofNobody), "E_AUTH");
});

Deno.test("a token that another instance revokes while a body is read does not act once that may be known", async () => {
  await using dir = await folder();
  const path = `${dir.path}/kv.db`;
  const clock = new Clock();
  await using here = await open({ path, elapsed: clock.now });
  await using there = await open({ path });
  const { token, text } = await here.tokens.create(newToken());
  const { authenticate } = over(here);
  await authenticate(sent(text));
  const first = await authenticate(sent(text));
  await there.tokens.revoke(token.id);
  clock.ms += LIMITS.CACHE_CHECK_MS;
  await refusal(() => authenticate(sent(text), first), "E_AUTH");
});

Deno.test("an access token is judged by the clock once more, for its time may be over", async () => {
  await using store = await open();
  await store.tokens.list();
  const { token } = caller({ id: "grant" });
  const judged: unknown[] = [];
  const { authenticate } = over(store, {
    grants: { access: () => null },
    tokenOf: (access) => (judged.push(access), token),
  });
  const request = sent(`${OAUTH_PREFIX.access}${"x".repeat(40)}`);
  await authenticate(request, await authenticate(request));
  assert.equal(judged.length, 2);
});

Deno.test("a token is refused from its end on, also one that was found before; each use is written once in a while", async () => {
  const clock = new Clock();
  await using store = await open({ now: clock.now });
  const expires_at = new Date(clock.ms + 2 * LIMITS.TOKEN_USE_MS).toISOString();
  const { token, text } = await store.tokens.create(newToken({ expires_at }));
  const { authenticate } = over(store, { now: clock.now });
  await authenticate(sent(text));
  const first = await authenticate(sent(text));
  const used = async () => (await store.tokens.uses([token.id])).get(token.id);
  await until(async () => await used() !== undefined, 5000);
  assert.equal(await used(), new Date(clock.ms).toISOString());
  clock.ms += LIMITS.TOKEN_USE_MS;
  await authenticate(sent(text));
  await until(async () => await used() === new Date(clock.ms).toISOString(), 5000);
  clock.ms += LIMITS.TOKEN_USE_MS;
  const said = await refusal(() => authenticate(sent(text), first), "E_AUTH");
  assert.equal(
    String(said).includes(`The token expired at ${expires_at}; ask for a new one`),
    true,
    String(said),
  );
  const ports = { ...store, grants: store.oauthGrants, tokenOfGrant: () => assert.fail("it is no grant") };
  await refusal(async () => await callerOfGrant({ ...ports, now: clock.now })(token.id), "E_AUTH");
});

Deno.test("a client's grant stands for its caller until its time is over, and not from then on", async () => {
  const { token } = caller();
  const ports = (expires_at: number) => ({
    tokens: { get: () => Promise.resolve(null) },
    users: { get: () => assert.fail("it has no owner") },
    grants: { get: () => Promise.resolve({ expires_at } as Grant) },
    personSessions: { list: () => assert.fail("it ends with no session") },
    sessions: { stands: () => assert.fail("it ends with no session") },
    tokenOfGrant: (grant: Grant | null) => (assert.ok(grant), token),
    now: () => 1000,
  });
  assert.equal((await callerOfGrant(ports(1001))("g")).token, token);
  const over = await refusal(() => callerOfGrant(ports(1000))("g"), "E_AUTH");
  assert.match(over.message, /time of the connection is over/);
});
