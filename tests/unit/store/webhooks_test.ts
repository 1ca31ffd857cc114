/** Webhooks as the store keeps them: nothing in the clear, a delivery with its row or not at all, moved secrets found. */
import assert from "node:assert/strict";
import { LIMITS } from "../../../core/model.ts";
import { openMemory } from "../../memory_kv.ts";
import { instead } from "../../instead.ts";
import { RecordCheck } from "../../../store/record_check.ts";
import { Sealer } from "../../../store/seal.ts";
import { Clock, KEY, open, row } from "./kit.ts";

const INPUT = {
  name: "Ours",
  project_id: null,
  url: "https://hooks.example/secret-path",
  format: "standard",
  events: ["set.ended"],
} as const;
const DELIVERY = { type: "set.ended", sites: ["acme"], body: '{"title":"A client’s name"}' } as const;

/** A store in memory with its KV. */
async function world() {
  const kv = await openMemory(":memory:");
  const clock = new Clock();
  const store = await open({ open: () => Promise.resolve(instead(kv, { close() {} })), now: clock.now });
  return { kv, clock, store, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() };
}

Deno.test("addresses, secrets and what is sent stand nowhere in the clear, and one that was moved is found by a check", async () => {
  await using at = await world();
  const { kv, store } = at;
  const { webhook, secret } = (await store.webhooks.create(INPUT))!;
  await store.webhooks.rotate(webhook.id);
  await store.webhooks.keep(webhook.id, DELIVERY);
  const decoder = new TextDecoder("latin1");
  const check = new RecordCheck(await Sealer.open([KEY]));
  const moved = new RecordCheck(await Sealer.open([KEY]));
  let kinds = 0;
  for await (const entry of kv.list({ prefix: [] })) {
    const text = JSON.stringify(
      entry.value,
      (_, one) => one instanceof Uint8Array ? decoder.decode(one) : one,
    );
    assert.doesNotMatch(String(text), /secret-path|whsec_|client/);
    assert.ok(!String(text).includes(secret.slice(6, 20)));
    await check.take(entry);
    if (!String(entry.key[0]).startsWith("webhook")) continue;
    kinds++;
    await moved.take({ ...entry, key: [...entry.key.slice(0, -1), "another"] });
  }
  assert.equal(kinds, 2);
  assert.deepEqual(check.faults(), []);
  assert.ok(moved.faults().length >= 2, moved.faults().join("\n"));
});

Deno.test("a delivery is kept with the row that it goes along with, or not at all", async () => {
  await using at = await world();
  const { kv, store, clock } = at;
  const { webhook } = (await store.webhooks.create(INPUT))!;
  const beside = await store.webhooks.queue(webhook.id, DELIVERY);
  assert.equal((await store.webhooks.due(clock.ms)).due.size, 0, "nothing is there before the row");
  await store.audit.append(row("01M8GH7CB0HT0873ZZ00000001", { tool: "t" }), beside);
  const { due } = await store.webhooks.due(clock.ms);
  const [id] = due.get(webhook.id)!;
  assert.equal((await store.webhooks.delivery(webhook.id, id!))!.body, DELIVERY.body);
  // A row in doubt that was settled by somebody else meanwhile takes nothing along.
  const doubtful = row("01M8GH7CB0HT0873ZZ00000002", { tool: "t", status: "started" });
  await store.audit.append({ ...doubtful, deadline: new Date(clock.ms).toISOString() });
  const [found] = await Array.fromAsync(store.audit.open());
  assert.ok(found);
  await store.audit.append({ ...doubtful, status: "ok", outcome: "made" });
  const late = await store.webhooks.queue(webhook.id, DELIVERY);
  assert.equal(await store.audit.settle(found, { ...doubtful, outcome: "unknown" }, late), false);
  assert.equal((await store.webhooks.deliveries(webhook.id)).length, 1);
  for await (const { key } of kv.list({ prefix: ["webhooks_waiting"] })) assert.equal(key[2], id);
});

Deno.test("a webhook that is removed takes what waits along, and the most there may be are kept", async () => {
  await using at = await world();
  const { kv, store } = at;
  const made = [];
  for (let n = 0; n < LIMITS.WEBHOOKS_MAX; n++) made.push(await store.webhooks.create(INPUT));
  assert.equal(await store.webhooks.create(INPUT), null);
  const { webhook: { id } } = made[0]!;
  await store.audit.append(
    row("01M8GH7CB0HT0873ZZ00000001", { tool: "t" }),
    await store.webhooks.queue(id, DELIVERY),
  );
  assert.equal((await store.webhooks.remove(id))?.id, id);
  assert.equal(await store.webhooks.remove(id), null);
  for (const kind of ["webhooks_waiting", "webhook_deliveries"]) {
    for await (const { key } of kv.list({ prefix: [kind] })) assert.fail(String(key));
  }
  assert.equal(
    await store.webhooks.tried(id, "msg_x", { state: "delivered", attempt: null, next_at: null }),
    null,
  );
  for (const strange of ["", "x".repeat(400)]) {
    assert.equal(await store.webhooks.get(strange), null);
    assert.equal(await store.webhooks.open(strange), null);
    assert.equal(await store.webhooks.delivery(id, strange), null);
  }
});
