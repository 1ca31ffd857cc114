/** Webhooks on a bad night: slow receivers, days without a gateway, clocks that jump, records that were damaged. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { openMemory } from "../memory_kv.ts";
import { operator } from "../people/kit.ts";
import { scenes } from "../scenes.ts";
import { instead } from "../instead.ts";
import { happens, hooked, Receivers, run, sentTo, states, telling } from "../webhooks_kit.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const test = scenes(() => telling());
const to = (receivers: Receivers, name: string) =>
  receivers.all.filter(({ url }) => url.includes(name)).length;

test("a receiver that does not answer keeps no other webhook waiting", async ({ gw, receivers }) => {
  const held = Promise.withResolvers<void>();
  receivers.answer = async ({ url }) => {
    if (url.includes("slow")) await held.promise;
    return new Response("ok");
  };
  const slow = await hooked(gw, { url: "https://slow.example/in" });
  await happens(gw, []);
  const first = run(gw);
  const quick = await hooked(gw, { url: "https://quick.example/in" });
  for (let n = 1; n <= 3; n++) {
    await happens(gw, []);
    void run(gw);
    await settled(() => to(receivers, "quick") === n);
  }
  assert.equal(to(receivers, "slow"), 1, "and it is asked one thing at a time");
  held.resolve();
  await first;
  await run(gw);
  for (const { webhook: { id }, sent } of [{ ...slow, sent: 4 }, { ...quick, sent: 3 }]) {
    assert.deepEqual(await states(gw, id), Array.from({ length: sent }, () => "delivered"));
  }
  assert.deepEqual([to(receivers, "slow"), to(receivers, "quick")], [4, 3], "each once");
});

/** Lets what is under way go on until that holds. */
async function settled(holds: () => boolean): Promise<void> {
  for (let turns = 0; turns < 2000; turns++) {
    if (holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert.fail("it did not come to that");
}

test("a receiver that takes its time is sent one delivery a round, so that the clock goes on for the others", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => {
    gw.clock.now += 14 * SECOND;
    return new Response("ok");
  };
  for (let n = 0; n < 3; n++) await happens(gw, []);
  for (let n = 1; n <= 3; n++) {
    await run(gw);
    assert.equal(receivers.all.length, n);
  }
  assert.deepEqual(await states(gw, webhook.id), ["delivered", "delivered", "delivered"]);
});

test("what waited while the gateway was down for days is sent once it is back", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  const kept = await gw.store.webhooks.queue(webhook.id, { type: "set.ended", sites: [], body: "{}" });
  const lasts = kept.map(({ expireIn }) => expireIn);
  assert.deepEqual(
    lasts,
    [LIMITS.WEBHOOK_KEPT_MS, LIMITS.WEBHOOK_KEPT_MS],
    "that it waits, as long as what waits",
  );
  receivers.answer = () => new Response(null, { status: 503 });
  await happens(gw, []);
  await run(gw);
  gw.clock.now += 4 * DAY;
  const { deliveries: [waiting] } = await sentTo(gw, webhook.id);
  assert.deepEqual([waiting!.state, waiting!.next_at !== null], ["waiting", true]);
  receivers.answer = () => new Response("ok");
  await run(gw);
  assert.deepEqual(await states(gw, webhook.id), ["delivered"]);
});

test("a webhook is not turned off for the time in which the gateway was down, or its clock jumped", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => new Response(null, { status: 503 });
  await happens(gw, []);
  await run(gw);
  gw.clock.now += 3 * DAY;
  await run(gw);
  const late = await sentTo(gw, webhook.id);
  assert.deepEqual([late.deliveries[0]!.attempts, late.webhook.on], [2, true]);
  for (let rounds = 0; rounds < 8 && (await sentTo(gw, webhook.id)).webhook.on; rounds++) {
    gw.clock.now = Date.parse((await sentTo(gw, webhook.id)).deliveries[0]!.next_at!);
    await run(gw);
  }
  const off = await sentTo(gw, webhook.id);
  assert.deepEqual([off.deliveries[0]!.attempts, off.webhook.on], [8, false], "once it was tried for a day");
});

test("what was put off by a clock that was days ahead is sent once the clock is right", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => new Response(null, { status: 503 });
  gw.clock.now += 8 * DAY;
  await happens(gw, []);
  await run(gw);
  gw.clock.now -= 8 * DAY;
  receivers.answer = () => new Response("ok");
  await run(gw);
  assert.deepEqual(await states(gw, webhook.id), ["delivered"]);
});

Deno.test("a delivery that was damaged in the store is given up with a word, and keeps nothing behind it waiting", async () => {
  const kv = await openMemory(":memory:");
  const storage = { open: () => Promise.resolve(instead(kv, { close() {} })) };
  await using at = await telling({ storage });
  const { gw, receivers } = at;
  const { webhook } = await hooked(gw);
  await happens(gw, []);
  for await (
    const { key, value } of kv.list<{ sealed: { data: Uint8Array } }>({
      prefix: ["webhook_deliveries"],
    })
  ) {
    const data = value.sealed.data.with(0, value.sealed.data[0]! ^ 1);
    await kv.set(key, { ...value, sealed: { ...value.sealed, data } });
  }
  await happens(gw, []);
  await run(gw);
  const { deliveries: [second, first] } = await sentTo(gw, webhook.id);
  assert.deepEqual([first!.state, second!.state, receivers.all.length], ["given_up", "delivered", 1]);
  assert.match(first!.last!.error!, /was damaged in the store/);
  assert.equal((await operator(gw, "GET", "health")).result.ok, true);
});
