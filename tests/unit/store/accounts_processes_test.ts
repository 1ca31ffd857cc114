/** Connected accounts of two processes on one file, against a token endpoint on loopback. */
import assert from "node:assert/strict";
import type { Store } from "../../../store/store.ts";
import { addUser, assertOk, GRANTED, HOUR, LEASE_MS, WAIT_MS } from "./accounts_kit.ts";
import { Child, folder, open } from "./kit.ts";
import { refreshAt, type Rotation, TokenServer, Upstream } from "./token_server.ts";

/** A file with one connection, its upstream, and a clock that all processes on it are told to step. */
async function connected(rotation: Rotation) {
  const dir = await folder();
  const path = `${dir.path}/kv.db`;
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const server = await TokenServer.open(new Upstream(rotation, now));
  const store: Store & AsyncDisposable = await open({ path, now });
  const user = await addUser(store, "ann@x.example");
  await store.accounts.connect(user, "mail", { ...GRANTED, ...server.upstream.grant() });
  return {
    clock,
    server,
    store,
    user,
    child: () => new Child("accounts.ts", path, user, server.address),
    token: () => store.accounts.token(user, "mail", { refresh: refreshAt(server.address), wait_ms: WAIT_MS }),
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("two processes with twenty calls each refresh once per expiry, under every kind of rotation", async () => {
  for (const rotation of ["none", "strict", "family", "grace"] as const) {
    await using at = await connected(rotation);
    await using one = at.child();
    await using two = at.child();
    assert.deepEqual([await one.line(), await two.line()], ["ready", "ready"]);
    for (let expiry = 1; expiry <= 5; expiry++) {
      at.clock.ahead += HOUR;
      await Promise.all([one.say(String(HOUR)), two.say(String(HOUR))]);
      const [first, second] = await Promise.all([one.line(), two.line()]);
      assert.equal(first, second, "both use one token");
      const [token, ...more] = JSON.parse(first);
      assert.ok(at.server.upstream.accepts(token), first);
      assert.deepEqual(more, []);
      assert.equal(at.server.upstream.asked, expiry, rotation);
    }
  }
});

Deno.test("two processes get one refusal of one request when the grant is gone", async () => {
  await using at = await connected("strict");
  await using one = at.child();
  await using two = at.child();
  assert.deepEqual([await one.line(), await two.line()], ["ready", "ready"]);
  at.server.upstream.revoke();
  await Promise.all([one.say(String(HOUR)), two.say(String(HOUR))]);
  assert.deepEqual([await one.line(), await two.line()], ['["reconnect"]', '["reconnect"]']);
  assert.equal(at.server.upstream.asked, 1);
});

for (const [rotation, outcome] of [["none", "ok"], ["grace", "ok"], ["strict", "answer_lost"]] as const) {
  Deno.test(`a process killed in mid-refresh leaves a connection another goes on with (rotation ${rotation}: ${outcome})`, async () => {
    await using at = await connected(rotation);
    const child = at.child();
    try {
      assert.equal(await child.line(), "ready");
      at.server.faults.push("held");
      at.clock.ahead += HOUR;
      await child.say(String(HOUR));
      await at.server.holding;
      const waiting = at.token();
      child.kill();
      await child.end();
      at.clock.ahead += LEASE_MS;
      const answer = await waiting;
      if (outcome === "ok") {
        assertOk(answer);
        assert.ok(at.server.upstream.accepts(answer.access_token));
      } else {
        assert.equal(answer.state === "reconnect" && answer.reason, outcome);
      }
      assert.equal(at.server.upstream.asked, 2);
    } finally {
      await child.end();
    }
  });
}

Deno.test("an answer broken off on its way leaves the connection as it was, and the old token is tried again", async () => {
  for (const rotation of ["grace", "strict"] as const) {
    await using at = await connected(rotation);
    at.clock.ahead += HOUR;
    at.server.faults.push("lost");
    const lost = await at.token();
    assert.equal(lost.state, "unavailable");
    assert.equal((await at.store.accounts.get(at.user, "mail"))?.state, "ok");
    at.clock.ahead += 1000;
    const answer = await at.token();
    if (rotation === "grace") assertOk(answer);
    else assert.equal(answer.state === "reconnect" && answer.reason, "answer_lost");
  }
});

Deno.test("an upstream that fails is asked once for forty calls of two processes, and recovers", async () => {
  await using at = await connected("strict");
  await using one = at.child();
  await using two = at.child();
  assert.deepEqual([await one.line(), await two.line()], ["ready", "ready"]);
  at.server.faults.push("failing");
  at.clock.ahead += HOUR;
  await Promise.all([one.say(String(HOUR)), two.say(String(HOUR))]);
  assert.deepEqual([await one.line(), await two.line()], ['["unavailable"]', '["unavailable"]']);
  assert.equal(at.server.faults.length, 0);
  assert.equal(at.server.upstream.asked, 0);
  await Promise.all([one.say("60000"), two.say("60000")]);
  assert.equal(await one.line(), await two.line());
  assert.equal(at.server.upstream.asked, 1);
});

Deno.test("a store that closes waits for the answer of a refresh it has begun", async () => {
  await using at = await connected("strict");
  at.clock.ahead += HOUR;
  at.server.faults.push("held");
  const call = at.token();
  await at.server.holding;
  const closed = at.store.close();
  at.server.release();
  await closed;
  await call.catch(() => {}); // the store may be closed before the call looks at the new token
  await using child = at.child();
  assert.equal(await child.line(), "ready");
  await child.say(String(HOUR));
  const [token] = JSON.parse(await child.line());
  assert.ok(at.server.upstream.accepts(token), token);
  assert.equal(at.server.upstream.asked, 1);
});
