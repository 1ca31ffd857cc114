/** Connected accounts: who is given which token, when it is refreshed, and what is said when there is none. */
import assert from "node:assert/strict";
import { GatewayError } from "../../../core/errors.ts";
import type { Refresh } from "../../../store/store.ts";
import { assertOk, GRANTED, heldRefresh, HOUR, never, states, world } from "./accounts_kit.ts";
import { Upstream } from "./token_server.ts";

Deno.test("a connection is shown without its tokens, and its fresh token is handed out without asking", async () => {
  await using at = await world();
  const made = await at.connect();
  assert.deepEqual(made, await at.store.accounts.get(at.user, "mail"));
  assert.deepEqual([made.state, made.generation, made.scopes], ["ok", 1, ["a", "b"]]);
  assert.equal(made.expires_at, new Date(at.time.ms + HOUR).toISOString());
  assert.ok(!/refresh-|access-/.test(JSON.stringify(await at.store.accounts.list())));
  const token = await at.token({ refresh: never });
  assertOk(token);
  assert.ok(at.upstream.accepts(token.access_token));
});

Deno.test("of many calls at once one refreshes, and all get the new token", async () => {
  await using at = await world();
  await at.connect();
  for (let expiry = 1; expiry <= 3; expiry++) {
    at.time.ms += HOUR;
    const tokens = await Promise.all(Array.from({ length: 40 }, () => at.token()));
    tokens.forEach(assertOk);
    assert.equal(new Set(tokens.map((token) => token.state === "ok" && token.access_token)).size, 1);
    assert.equal(at.upstream.asked, expiry);
  }
  const connection = await at.store.accounts.get(at.user, "mail");
  assert.deepEqual([connection?.generation, connection?.state], [4, "ok"]);
  assert.equal(connection?.refreshed_at, new Date(at.time.ms).toISOString());
});

Deno.test("a refused token is refreshed once, whoever says so and however late", async () => {
  await using at = await world();
  await at.connect();
  const first = await at.token();
  assertOk(first);
  const again = await Promise.all(Array.from({ length: 20 }, () => at.token({ refused: first })));
  assert.deepEqual([states(again), at.upstream.asked], [["ok"], 1]);
  const late = await at.token({ refused: first, refresh: never });
  assert.deepEqual(late, again[0]);
});

Deno.test("an upstream that refuses each new token is not asked for one at every call", async () => {
  await using at = await world();
  await at.connect();
  const first = await at.token();
  assertOk(first);
  const second = await at.token({ refused: first });
  assertOk(second);
  for (let call = 0; call < 5; call++) {
    assert.equal((await at.token({ refused: second })).state, "unavailable");
  }
  assert.equal(at.upstream.asked, 1);
  at.time.ms += 10_000;
  assertOk(await at.token({ refused: second }));
});

Deno.test("invalid_grant refuses every waiter at once, and nobody asks again until it is connected anew", async () => {
  await using at = await world();
  await at.connect();
  at.time.ms += HOUR;
  at.upstream.revoke();
  const answers = await Promise.all(Array.from({ length: 20 }, () => at.token()));
  assert.deepEqual([states(answers), at.upstream.asked], [["reconnect"], 1]);
  assert.deepEqual(await at.token({ refresh: never }), answers[0]);
  const shown = await at.store.accounts.get(at.user, "mail");
  assert.deepEqual([shown?.state, shown?.reconnect?.reason], ["reconnect", "refused"]);
  assert.match(
    shown?.reconnect?.message ?? "",
    /^Connection "mail" of user ".*" must be connected again: the other/,
  );
  const anew = await at.connect();
  assert.equal(anew.generation, 3);
  assertOk(await at.token({ refresh: never }));
});

Deno.test("an OAuth client's own error that says invalid_grant counts, wrapped once too", async () => {
  const own = Object.assign(new Error("server responded with an error"), { error: "invalid_grant" });
  for (const error of [own, new GatewayError("E_UPSTREAM", "Refused", { cause: own })]) {
    await using at = await world();
    await at.connect();
    at.time.ms += HOUR;
    assert.equal((await at.token({ refresh: () => Promise.reject(error) })).state, "reconnect");
  }
});

Deno.test("a failure that may pass is shared, and followed by a pause that grows, not by a herd", async () => {
  await using at = await world();
  await at.connect();
  at.time.ms += HOUR;
  let asked = 0;
  const failure = new GatewayError("E_UPSTREAM", "The upstream answered 503");
  const failing: Refresh = () => {
    asked++;
    return Promise.reject(failure);
  };
  for (const pause of [1000, 2000, 4000, 8000]) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => at.token({ refresh: failing })));
    assert.deepEqual(states(answers), ["unavailable"]);
    assert.ok(
      answers.every((one) => one.state === "unavailable" && one.retry_after_ms === pause),
      `${pause}`,
    );
    assert.ok(answers.some((one) => one.state === "unavailable" && one.cause === failure));
    at.time.ms += pause - 1;
    assert.equal((await at.token({ refresh: never })).state, "unavailable");
    at.time.ms += 1;
  }
  assert.equal(asked, 4);
  assert.equal((await at.store.accounts.get(at.user, "mail"))?.state, "ok");
  assertOk(await at.token());
});

Deno.test("an upstream's own Retry-After is obeyed, five minutes at most", async () => {
  for (const [seconds, pause] of [[90, 90_000], [3600, 300_000]] as const) {
    await using at = await world();
    await at.connect();
    at.time.ms += HOUR;
    const busy = new GatewayError("E_UPSTREAM", "Busy", { retryAfter: seconds });
    const answer = await at.token({ refresh: () => Promise.reject(busy) });
    assert.equal(answer.state === "unavailable" && answer.retry_after_ms, pause);
    at.time.ms += pause;
    assertOk(await at.token());
  }
});

Deno.test("while a refresh fails, a token that still lives is used", async () => {
  await using at = await world();
  await at.connect();
  const first = await at.token();
  at.time.ms += HOUR - 30_000;
  assert.deepEqual(await at.token({ refresh: () => Promise.reject(new Error("503")) }), first);
  assert.deepEqual(await at.token({ refresh: never }), first, "nobody asks during the pause");
  at.time.ms += 25_000;
  const second = await at.token();
  assert.notDeepEqual(second, first);
  assertOk(second);
});

Deno.test("while one refreshes within the margin, the others use the token that still lives", async () => {
  await using at = await world();
  await at.connect();
  at.time.ms += HOUR - 30_000;
  const held = heldRefresh(at.upstream);
  const slow = at.token({ refresh: held.refresh });
  await held.asked;
  assertOk(await at.token({ refresh: never }));
  held.release();
  const token = await slow;
  assertOk(token);
  assert.equal(token.generation, 2);
});

Deno.test("a margin longer than half a token's life does not make every call refresh", async () => {
  await using at = await world();
  await at.connect();
  const margin_ms = 50 * 24 * HOUR;
  assertOk(await at.token({ margin_ms, refresh: never }));
  at.time.ms += HOUR / 2;
  assertOk(await at.token({ margin_ms }));
  assertOk(await at.token({ margin_ms, refresh: never }));
});

Deno.test("a call waits no longer than it said, and the refresh it left behind is kept", async () => {
  await using at = await world();
  await at.connect();
  at.time.ms += HOUR;
  const held = heldRefresh(at.upstream);
  const call = at.token({ wait_ms: 5000, refresh: held.refresh });
  await held.asked;
  await at.time.advance(5000);
  assert.equal((await call).state, "unavailable");
  const joined = at.token({ refresh: never });
  held.release();
  assertOk(await joined);
});

Deno.test("two connections of one user have nothing to do with each other", async () => {
  await using at = await world();
  await at.connect("mail");
  const other = new Upstream("none", at.time.now);
  await at.store.accounts.connect(at.user, "ads", { ...GRANTED, ...other.grant() });
  at.time.ms += HOUR;
  at.upstream.revoke();
  const refresh: Refresh = (token) => Promise.try(() => other.refresh(token));
  const [mail, ads] = await Promise.all([at.token(), at.token({ refresh }, "ads")]);
  assert.equal(mail.state, "reconnect");
  assertOk(ads);
  assert.ok(other.accepts(ads.access_token));
  assert.deepEqual((await at.store.accounts.list(at.user)).map(({ kind, state }) => [kind, state]), [
    ["ads", "ok"],
    ["mail", "reconnect"],
  ]);
});

Deno.test("without a refresh token a connection ends with its access token, and at once when that is refused", async () => {
  for (const refused of [false, true]) {
    await using at = await world();
    await at.store.accounts.connect(at.user, "mail", { ...GRANTED, access_token: "one", expires_in: 3600 });
    const token = await at.token({ refresh: never });
    assertOk(token);
    if (!refused) at.time.ms += HOUR - 30_000;
    const again = await at.token({ refresh: never, ...refused && { refused: token } });
    assert.equal(again.state, refused ? "reconnect" : "ok");
    if (!refused) at.time.ms += 30_000;
    const end = await at.token({ refresh: never });
    assert.equal(end.state === "reconnect" && end.reason, refused ? "refused" : "expired");
    assert.equal((await at.store.accounts.get(at.user, "mail"))?.state, "reconnect");
  }
});

Deno.test("a token that is exchanged for its own successor is, while it lives, and never after", async () => {
  const DAY = 24 * HOUR;
  const SIXTY_DAYS = 60 * 24 * 3600;
  const lasting = (name: string) => ({
    access_token: name,
    refresh_token: name,
    expires_in: SIXTY_DAYS,
    refresh_expires_in: SIXTY_DAYS,
  });
  await using at = await world();
  await at.store.accounts.connect(at.user, "mail", { ...GRANTED, ...lasting("first") });
  const sent: string[] = [];
  const exchange: Refresh = (token) => (sent.push(token), Promise.resolve(lasting("second")));
  at.time.ms += 50 * DAY;
  const token = await at.token({ refresh: exchange, margin_ms: 20 * DAY });
  assertOk(token);
  assert.deepEqual([token.access_token, sent], ["second", ["first"]]);
  at.time.ms += 60 * DAY;
  const end = await at.token({ refresh: never, margin_ms: 20 * DAY });
  assert.equal(end.state === "reconnect" && end.reason, "expired");
});

Deno.test("scopes that come back with a refresh replace those that stood", async () => {
  await using at = await world();
  await at.connect();
  at.time.ms += HOUR;
  const refresh: Refresh = (token) => Promise.resolve({ ...at.upstream.refresh(token), scopes: ["a"] });
  const token = await at.token({ refresh });
  assertOk(token);
  assert.deepEqual(token.scopes, ["a"]);
  assert.deepEqual((await at.store.accounts.get(at.user, "mail"))?.scopes, ["a"]);
});
