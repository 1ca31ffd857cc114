/** Connected accounts when an answer is lost or late: no newer token is lost, no newer record overwritten. */
import assert from "node:assert/strict";
import { InvalidGrant } from "../../../core/invalid_grant.ts";
import type { Refresh, RefreshAnswer } from "../../../store/store.ts";
import {
  assertOk,
  GRANTED,
  heldRefresh,
  HOUR,
  instance,
  LEASE_MS,
  never,
  sharedKv,
  simulated,
  USER,
} from "./accounts_kit.ts";
import { Upstream } from "./token_server.ts";
import { VirtualTime } from "./virtual_time.ts";

/** One instance has asked, the upstream has answered, the answer is on its way and the lease has run out. */
async function late(rotation: "strict" | "family" | "grace") {
  const at = await simulated(rotation);
  await at.connect();
  at.time.ms += HOUR;
  const held = heldRefresh(at.upstream);
  const slow = at.token({ wait_ms: 2 * LEASE_MS, refresh: held.refresh });
  await at.time.advance(LEASE_MS);
  assert.equal((await slow).state, "unavailable");
  return { ...at, held };
}

Deno.test("a refresh of another instance is waited for, and its token used", async () => {
  const at = await simulated();
  await at.connect();
  at.time.ms += HOUR;
  const held = heldRefresh(at.upstream);
  const [one, two] = [at.token({ refresh: held.refresh }), at.other({ refresh: never })];
  await at.time.advance(5000);
  held.release();
  assertOk(await at.time.until(two));
  assert.deepEqual(await one, await two);
});

Deno.test("a call whose time ends while the lease is being taken leaves a refresh that is carried out", async () => {
  const time = new VirtualTime();
  const upstream = new Upstream("strict", time.now);
  const slow = instance(await sharedKv(), time, () => time.delay(50));
  await time.until(slow.connect(USER, "mail", { ...GRANTED, ...upstream.grant() }));
  time.ms += HOUR;
  const refresh: Refresh = (token) => Promise.try(() => upstream.refresh(token));
  // Each use of the store takes 100 ms: the record is read twice, and the time ends before the lease is taken.
  const call = slow.token(USER, "mail", { refresh, wait_ms: 250 });
  assert.equal((await time.until(call)).state, "unavailable");
  await time.advance(1000);
  assert.equal(upstream.asked, 1);
  assertOk(await time.until(slow.token(USER, "mail", { refresh: never, wait_ms: 250 })));
});

Deno.test("a failure of another instance's refresh ends the wait of all at once", async () => {
  const at = await simulated();
  await at.connect();
  at.time.ms += HOUR;
  const held = heldRefresh(at.upstream);
  const [one, two] = [at.token({ refresh: held.refresh }), at.other({ refresh: never })];
  await at.time.advance(5000);
  held.fail(new Error("503"));
  assert.deepEqual([(await at.time.until(two)).state, (await one).state], ["unavailable", "unavailable"]);
  assert.ok(at.time.ms - HOUR < Date.parse((await at.one.get(USER, "mail"))!.created_at) + 6000);
});

Deno.test("a lost answer of an upstream with a grace is made good by asking again", async () => {
  const at = await late("grace");
  assertOk(await at.other());
});

Deno.test("a lost answer of an upstream without a grace ends the connection with a sentence that says so", async () => {
  const at = await late("strict");
  const answer = await at.other();
  assert.ok(answer.state === "reconnect");
  assert.equal(answer.reason, "answer_lost");
  assert.match(
    answer.message,
    /must be connected again: its refresh token was refused after an earlier refresh that/,
  );
});

Deno.test("a broken connection leaves the old token, which the next call tries", async () => {
  const at = await simulated("grace");
  await at.connect();
  at.time.ms += HOUR;
  const broken: Refresh = (token) =>
    Promise.resolve(at.upstream.refresh(token)).then(() => Promise.reject(new Error("reset")));
  assert.equal((await at.token({ refresh: broken })).state, "unavailable");
  at.time.ms += 1000;
  assertOk(await at.other());
});

Deno.test("a late answer is the one that counts when nobody else got one, also after the connection was given up", async () => {
  for (const meanwhile of ["nothing", "given up"]) {
    const at = await late("strict");
    if (meanwhile === "given up") assert.equal((await at.other()).state, "reconnect");
    at.held.release();
    await at.time.advance(0);
    const token = await at.other({ refresh: never });
    assertOk(token);
    assert.equal(token.access_token, at.held.answer?.access_token);
    at.time.ms += HOUR;
    assertOk(await at.other());
  }
});

Deno.test("a late answer whose grant the upstream ended ends the connection at its next use, not in a loop", async () => {
  const at = await late("family");
  assert.equal((await at.other()).state, "reconnect");
  at.held.release();
  await at.time.advance(0);
  const token = await at.other({ refresh: never });
  assertOk(token);
  assert.equal(at.upstream.accepts(token.access_token), false);
  assert.equal((await at.other({ refused: token })).state, "reconnect");
  assert.equal((await at.other({ refresh: never })).state, "reconnect");
});

Deno.test("a late answer does not replace a newer one, and is tried before the connection is given up", async () => {
  const at = await late("grace");
  const newer = await at.other();
  assertOk(newer);
  at.held.release();
  await at.time.advance(0);
  assert.deepEqual(await at.other({ refresh: never }), newer);
  at.time.ms += HOUR;
  const sent: string[] = [];
  const onlyLate: Refresh = (token) => {
    sent.push(token);
    if (token !== at.held.answer?.refresh_token) return Promise.reject(new InvalidGrant());
    return Promise.resolve({ access_token: "of the late one", expires_in: 3600 });
  };
  const token = await at.other({ refresh: onlyLate });
  assertOk(token);
  assert.equal(token.access_token, "of the late one");
  assert.equal(sent.length, 2, "the record's own first");
  at.time.ms += HOUR;
  const dead: Refresh = (sent_token) => (sent.push(sent_token), Promise.reject(new InvalidGrant()));
  assert.equal((await at.other({ refresh: dead })).state, "reconnect");
  assert.equal(sent.length, 3, "what was tried and replaced is not tried again");
});

Deno.test("a late refusal does not end a connection that another is refreshing by then", async () => {
  const at = await late("grace");
  const second = heldRefresh(at.upstream);
  const waiting = at.other({ refresh: second.refresh });
  await at.time.advance(0);
  at.held.fail(new InvalidGrant());
  await at.time.advance(0);
  assert.equal((await at.one.get(USER, "mail"))?.state, "ok");
  second.release();
  assertOk(await waiting);
});

Deno.test("an answer is kept although the store fails for a moment, and once although it fails afterwards", async () => {
  for (const when of ["before", "after"] as const) {
    const at = await simulated("strict", { failing: when });
    await at.connect();
    at.time.ms += HOUR;
    at.failNext(2, 1);
    assertOk(await at.time.until(at.token()));
    assert.equal((await at.one.get(USER, "mail"))?.generation, 2);
    assertOk(await at.other({ refresh: never }));
  }
});

Deno.test("a late answer does not bring back what was disconnected or made again", async () => {
  for (const act of ["disconnect", "connect"]) {
    const at = await late("strict");
    if (act === "disconnect") await at.one.disconnect(USER, "mail", 0);
    else await at.connect();
    at.held.release();
    await at.time.advance(0);
    const token = await at.other({ refresh: never });
    assert.equal(token.state, act === "disconnect" ? "missing" : "ok");
    if (token.state === "ok") assert.ok(at.upstream.accepts(token.access_token));
  }
});

Deno.test("an answer that cannot be kept leaves at least its refresh token for the next try", async () => {
  const at = await simulated("strict");
  await at.connect();
  at.time.ms += HOUR;
  const odd: Refresh = (token) =>
    Promise.resolve({ ...at.upstream.refresh(token), access_token: "x".repeat(9000) });
  const answer = await at.token({ refresh: odd });
  assert.ok(answer.state === "unavailable" && answer.cause instanceof Error);
  assert.match(
    answer.cause.message,
    /cannot be kept: access_token: must not be empty and may have 8192 bytes$/,
  );
  assert.ok(!/xxxx|refresh-|access-/.test(Deno.inspect(answer, { depth: 9 })), "and shows no token");
  at.time.ms += 1000;
  assertOk(await at.token());
});

Deno.test("an answer that is none is a failure like any other", async () => {
  for (
    const none of [null, {}, "text", { access_token: 5, expires_in: 3600 }, {
      access_token: "a",
      expires_in: "3600",
    }]
  ) {
    const at = await simulated("strict");
    await at.connect();
    at.time.ms += HOUR;
    const answer = await at.token({ refresh: () => Promise.resolve(none as unknown as RefreshAnswer) });
    assert.equal(answer.state, "unavailable", JSON.stringify(none));
    at.time.ms += 1000;
    assertOk(await at.token());
  }
});

Deno.test("disconnecting waits for a refresh under way, answers the newest tokens, and answers them once", async () => {
  const at = await simulated();
  await at.connect();
  at.time.ms += HOUR;
  const held = heldRefresh(at.upstream);
  const slow = at.token({ refresh: held.refresh });
  await at.time.advance(0);
  const leaving = at.one.disconnect(USER, "mail");
  await at.time.advance(2000);
  held.release();
  assertOk(await slow);
  const left = await at.time.until(leaving);
  assert.equal(left?.refresh_token, held.answer?.refresh_token);
  assert.equal(left?.connection.account, "ann@x.example");
  assert.equal(await at.one.disconnect(USER, "mail"), null);
  assert.equal((await at.token({ refresh: never })).state, "missing");
});

Deno.test("a clock that steps ahead costs a refresh, one that steps back blocks nobody", async () => {
  const YEARS = 2 * 365 * 24 * HOUR;
  const at = await simulated("grace");
  await at.connect();
  at.time.ms += YEARS;
  assertOk(await at.token());
  const held = heldRefresh(at.upstream);
  const ahead = await at.token();
  assertOk(ahead);
  void at.token({ refused: ahead, refresh: held.refresh });
  await at.time.advance(0);
  assert.notEqual(held.answer, undefined, "a lease stands, two years ahead");
  at.time.ms -= YEARS;
  assertOk(await at.other());
  assertOk(await at.other({ refresh: never }));
});
