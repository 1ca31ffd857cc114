/** Whatever a connection over TLS fails with, whoever asked is told, and no event of a socket is left unheard. */
import assert from "node:assert/strict";
import { CONNECTION_FAULTS, type ConnectionFault, startTls } from "../../../sandbox/core/tls.ts";
import { NotSent } from "../../../platforms/_http/sockets.ts";
import { newAuthority } from "../../authority.ts";
import { transport } from "./_pinned.ts";
import { unheard } from "../../unheard.ts";

const HOST = "acme.example";
const authority = await newAuthority();
const identity = await authority.issue([HOST]);
const answer = () => new Response('{"here": true}');
/** Nothing listens there, at whatever port. */
const DEAD = "127.0.0.9";

/** What a fault leaves of a request: nothing was sent, or nobody knows. */
const LEFT: Record<ConnectionFault, "not sent" | "sent"> = {
  "reset before the handshake": "not sent",
  "reset in the handshake": "not sent",
  "reset in the server's hello": "not sent",
  "reset after the handshake": "sent",
  "reset in the answer": "sent",
  "closed after the handshake": "sent",
  "silent before the handshake": "not sent",
  "silent after the handshake": "sent",
  "slow": "not sent",
  "no TLS": "not sent",
};

for (const fault of CONNECTION_FAULTS) {
  Deno.test(`${fault}: it is ${LEFT[fault]}, three times over, and nothing else is heard of it`, async () => {
    using listening = unheard();
    let giveUp = new AbortController();
    const stalled = () => giveUp.abort(new Error("given up"));
    await using server = await startTls({ identity, answer, fault, stalled });
    using way = transport({ authorities: [authority.pem] });
    for (let nth = 0; nth < 3; nth++) {
      giveUp = new AbortController();
      const asked = way.get(`https://${HOST}:${server.port}/`, ["127.0.0.1"], { signal: giveUp.signal });
      const thrown = await asked.then((answered) => answered.text()).then(() => null, (thrown) => thrown);
      assert.ok(thrown instanceof Error, `${fault} was answered`);
      assert.equal(
        thrown instanceof NotSent,
        LEFT[fault] === "not sent",
        `${thrown.name}: ${thrown.message}`,
      );
    }
    await listening.assertNothing();
  });
}

Deno.test("refused, a wrong name, an expired certificate and an unknown authority: nothing is sent, nothing unheard", async () => {
  using listening = unheard();
  const stranger = await newAuthority();
  const cases = {
    refused: { identity, address: DEAD },
    "a wrong name": { identity: await authority.issue(["other.example"]), address: "127.0.0.1" },
    expired: {
      identity: await authority.issue([HOST], new Date(Date.now() - 60_000)),
      address: "127.0.0.1",
    },
    "an unknown authority": { identity: await stranger.issue([HOST]), address: "127.0.0.1" },
  };
  for (const [name, { identity, address }] of Object.entries(cases)) {
    await using server = await startTls({ identity, answer });
    using way = transport({ authorities: [authority.pem] });
    for (let nth = 0; nth < 3; nth++) {
      await assert.rejects(way.get(`https://${HOST}:${server.port}/`, [address]), NotSent, name);
    }
    assert.equal(server.requests, 0, name);
  }
  await listening.assertNothing();
});

Deno.test("of two addresses one is dead or silent: the other one answers, and nothing is unheard", async () => {
  using listening = unheard();
  await using server = await startTls({ identity, answer });
  using silent = Deno.listen({ hostname: "127.0.0.2", port: server.port });
  for (const dead of [DEAD, silent.addr.hostname]) {
    for (const addresses of [[dead, "127.0.0.1"], ["127.0.0.1", dead], [dead, DEAD, "127.0.0.1"]]) {
      using fresh = transport({ authorities: [authority.pem] });
      const answered = await fresh.get(`https://${HOST}:${server.port}/`, addresses);
      assert.deepEqual(await answered.json(), { here: true });
    }
  }
  await listening.assertNothing();
});

Deno.test("a connection that is kept and then reset, or that says something unasked, ends nothing", async () => {
  using listening = unheard();
  await using server = await startTls({ identity, answer });
  using way = transport({ authorities: [authority.pem] });
  for (let nth = 1; nth <= 3; nth++) {
    const answered = await way.get(`https://${HOST}:${server.port}/`);
    assert.deepEqual(await answered.json(), { here: true });
    assert.equal(server.connections, nth, "the reset one is not taken again");
    await server.resetAll();
  }
  await listening.assertNothing();
});
