/** Webhooks: signed as the specification has it, sent once, again for a day, and turned off where nothing arrives. */
import assert from "node:assert/strict";
import { signAll } from "../../store/registered_kind.ts";
import { RecordKeys } from "../../store/seal.ts";
import { Buffer } from "node:buffer";
import { createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "../../core/model.ts";
import { type Happening, telling as tellingOf } from "../../guard/webhooks/tell.ts";
import type { Kit } from "../kit.ts";
import { gateway, site } from "../kit.ts";
import { instead } from "../instead.ts";
import { openMemory } from "../memory_kv.ts";
import { operator } from "../people/kit.ts";
import { scenes } from "../scenes.ts";
import {
  happening,
  happens,
  hooked,
  PUBLIC,
  Receivers,
  run,
  sentTo,
  states,
  telling,
  verified,
} from "../webhooks_kit.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const test = scenes(() => telling());

test("what is sent is verified by the specification's own library, and by nothing of it that was changed", async ({ gw, receivers }) => {
  const { webhook, secret } = await hooked(gw);
  await happens(gw, []);
  await run(gw);
  const { last } = receivers;
  assert.deepEqual(verified(secret, last), last.json);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.match(last.headers["webhook-id"]!, /^msg_\w{26}$/);
  assert.equal(last.headers["webhook-timestamp"], String(Math.floor(gw.clock.now / 1000)));
  assert.equal(last.headers["content-type"], "application/json");
  const { data, timestamp, ...rest } = last.json;
  assert.deepEqual(rest, { type: "set.ended" });
  assert.equal(timestamp, new Date(gw.clock.now).toISOString());
  assert.deepEqual(data, {
    summary: "It happened on ",
    n: 1,
    url: "https://gateway.example/admin",
    sites: [],
  });
  const other = { ...last.headers, "webhook-id": "msg_other" };
  assert.throws(() => verified(secret, { ...last, headers: other }));
  assert.throws(() => verified(secret, { ...last, body: `${last.body} ` }));
  assert.throws(() => verified("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", last));
  assert.deepEqual(await states(gw, webhook.id), ["delivered"]);
  assert.equal(receivers.all.length, 1, "and it is sent once");
  await run(gw);
  assert.equal(receivers.all.length, 1);
});

test("the code of the guide for n8n takes what is sent, and nothing else", async ({ gw, receivers }) => {
  const { secret } = await hooked(gw);
  await happens(gw, []);
  await run(gw);
  const guide = await Deno.readTextFile(new URL("../../docs/WEBHOOKS.md", import.meta.url));
  const code = /```js n8n\n([\s\S]*?)```/.exec(guide)?.[1];
  assert.ok(code, "docs/WEBHOOKS.md has the code");
  const { last } = receivers;
  const verify = async (body: string, headers: Readonly<Record<string, string>>) => {
    const item = { json: { headers }, binary: { data: {} } };
    const helpers = { getBinaryDataBuffer: () => Promise.resolve(new TextEncoder().encode(body)) };
    const make = Object.getPrototypeOf(async () => {}).constructor;
    const required = (name: string) => (assert.equal(name, "crypto"), { createHmac, timingSafeEqual });
    const run = make("require", "$input", "Buffer", code.replace("whsec_…", secret));
    return await run.call({ helpers }, required, { first: () => item }, Buffer);
  };
  const [{ json }] = await verify(last.body, last.headers);
  assert.deepEqual(json, { id: last.headers["webhook-id"], ...last.json });
  for (
    const [body, headers] of [
      [`${last.body} `, {}],
      [last.body, { "webhook-id": "msg_x" }],
      [last.body, { "webhook-timestamp": "1" }],
      [last.body, { "webhook-signature": "v1,AAAA" }],
      [last.body, { "webhook-signature": "" }],
    ] as const
  ) {
    await assert.rejects(verify(body, { ...last.headers, ...headers }), /webhook/i);
  }
});

test("a secret that was rotated signs beside the new one for a day, and no longer", async ({ gw, receivers }) => {
  const { webhook, secret } = await hooked(gw);
  const { result } = await operator(gw, "POST", `webhooks/${webhook.id}/rotate`, {});
  assert.notEqual(result.secret, secret);
  await happens(gw, []);
  await run(gw);
  verified(secret, receivers.last);
  verified(result.secret, receivers.last);
  assert.equal(receivers.last.headers["webhook-signature"]!.split(" ").length, 2);
  gw.clock.now += DAY;
  await happens(gw, []);
  await run(gw);
  assert.equal(receivers.last.headers["webhook-signature"]!.split(" ").length, 1);
  const content = (body: string) =>
    `${receivers.last.headers["webhook-id"]}.${receivers.last.headers["webhook-timestamp"]}.${body}`;
  const key = Uint8Array.fromBase64(result.secret.slice(6));
  const own = createHmac("sha256", key).update(content(receivers.last.body)).digest("base64");
  assert.equal(receivers.last.headers["webhook-signature"], `v1,${own}`);
});

test("what does not arrive is sent again with growing pauses for a day, under one id, and then given up and said", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw, { url: "https://hooks.example/secret-path" });
  receivers.answer = () => new Response("no", { status: 500 });
  await happens(gw, []);
  const begun = gw.clock.now;
  const at: number[] = [];
  for (let rounds = 0; rounds < 20; rounds++) {
    const before = receivers.all.length;
    await run(gw);
    if (receivers.all.length > before) at.push(gw.clock.now - begun);
    const { deliveries: [one] } = await sentTo(gw, webhook.id);
    if (one!.next_at === null) break;
    assert.equal(one!.last?.error, "its receiver answered 500");
    gw.clock.now = Date.parse(one!.next_at) - 1;
    await run(gw);
    assert.equal(receivers.all.length, at.length, "not before its time");
    gw.clock.now = Date.parse(one!.next_at);
  }
  const pauses = at.slice(1).map((ms, n) => ms - at[n]!);
  const wanted = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 6 * HOUR];
  assert.equal(pauses.length, wanted.length);
  for (const [n, pause] of pauses.entries()) {
    assert.ok(pause >= wanted[n]! && pause <= wanted[n]! * 1.1, `pause ${n}: ${pause}`);
  }
  assert.equal(new Set(receivers.all.map(({ headers }) => headers["webhook-id"])).size, 1);
  assert.equal(new Set(receivers.all.map(({ body }) => body)).size, 1);
  const stamps = receivers.all.map(({ headers }) => Number(headers["webhook-timestamp"]));
  assert.equal(stamps.at(-1), Math.floor(gw.clock.now / 1000), "each attempt has its own time");
  const { webhook: off, deliveries } = await sentTo(gw, webhook.id);
  assert.equal(deliveries[0]!.state, "given_up");
  assert.equal(off.on, false);
  assert.match(
    off.off!.why,
    /^nothing has arrived for a day, since .*; the last attempt: its receiver answered 500$/,
  );
  const [row] = await gw.audit();
  assert.deepEqual([row!.tool, row!.token_name, row!.door], ["webhook.off", "gateway", "admin"]);
  const { result: health } = await operator(gw, "GET", "health");
  assert.equal(health.ok, false);
  assert.deepEqual(health.webhooks.map(({ id }: { id: string }) => id), [webhook.id]);
  const all = JSON.stringify([await gw.audit(), health, off, deliveries, gw.logged]);
  assert.doesNotMatch(all, /secret-path|whsec_/, "the address can be a secret, and is said nowhere");
  // Turned on again it is told, and what arrives clears what was wrong.
  receivers.answer = () => new Response(null, { status: 204 });
  await operator(gw, "PATCH", `webhooks/${webhook.id}`, { on: true });
  await happens(gw, []);
  await run(gw);
  assert.equal((await sentTo(gw, webhook.id)).webhook.failing_since, null);
  assert.equal((await operator(gw, "GET", "health")).result.ok, true);
});

test("one that fails now and then stays on; what arrives ends the day", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  for (let days = 0; days < 3; days++) {
    receivers.answer = () => new Response(null, { status: 503 });
    await happens(gw, []);
    await run(gw);
    gw.clock.now += 20 * HOUR;
    receivers.answer = () => new Response("");
    await run(gw);
    gw.clock.now += 10 * HOUR;
  }
  assert.deepEqual(await states(gw, webhook.id), ["delivered", "delivered", "delivered"]);
  assert.equal((await sentTo(gw, webhook.id)).webhook.on, true);
});

test("410 turns a webhook off at once, and what waits for it is given up", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => new Response(null, { status: 410 });
  await happens(gw, []);
  await happens(gw, []);
  await run(gw);
  assert.equal(receivers.all.length, 1);
  const { webhook: off } = await sentTo(gw, webhook.id);
  assert.match(off.off!.why, /answered 410/);
  assert.equal(await happens(gw, []), 0, "it is told of nothing more");
  await run(gw);
  assert.deepEqual(await states(gw, webhook.id), ["given_up", "given_up"]);
  assert.equal(receivers.all.length, 1);
});

test("a pause that the receiver asks for is kept where it is longer", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => new Response(null, { status: 429, headers: { "retry-after": "600" } });
  await happens(gw, []);
  await run(gw);
  const { deliveries: [one] } = await sentTo(gw, webhook.id);
  assert.equal(Date.parse(one!.next_at!) - gw.clock.now, 10 * MINUTE);
  gw.clock.now = Math.ceil(Date.parse(one!.next_at!) / SECOND) * SECOND;
  const date = new Date(gw.clock.now + HOUR).toUTCString();
  receivers.answer = () => new Response(null, { status: 503, headers: { "retry-after": date } });
  await run(gw);
  const { deliveries: [later] } = await sentTo(gw, webhook.id);
  assert.equal(Date.parse(later!.next_at!) - gw.clock.now, HOUR);
});

Deno.test("a webhook of a project is told of its sites alone, once; what is of no project goes to those of every site", async () => {
  await using at = await telling({
    sites: [
      site("one", "cms", { name: "One <b>", project_id: "north" }),
      site("two", "cms", { project_id: "north" }),
      site("three", "cms", { project_id: "south" }),
      site("four", "cms"),
    ],
  });
  const { gw, receivers } = at;
  for (const id of ["north", "south"]) await operator(gw, "POST", "projects", { id, name: id });
  const hooks = {
    north: await hooked(gw, { name: "north", project_id: "north" }),
    south: await hooked(gw, { name: "south", project_id: "south" }),
    all: await hooked(gw, { name: "all" }),
    other: await hooked(gw, { name: "other", events: ["tool.held"] }),
  };
  const named = async (sites: readonly string[], type?: Happening["type"]) => {
    receivers.all.length = 0;
    await happens(gw, sites, type);
    await run(gw);
    const by = new Map(receivers.all.map((one) => [one.headers["webhook-id"], one.json.data.sites]));
    const told: Record<string, string[]> = {};
    for (const [name, { webhook }] of Object.entries(hooks)) {
      for (const { id } of (await sentTo(gw, webhook.id)).deliveries) {
        const own = by.get(id) as { id: string }[] | undefined;
        if (own) (told[name] ??= []).push(own.map(({ id }) => id).join(" "));
      }
    }
    return told;
  };
  const across = ["one", "three", "two", "one"];
  assert.deepEqual(await named(across), { north: ["one two"], south: ["three"], all: ["one three two"] });
  assert.deepEqual(await named(["four"]), { all: ["four"] });
  assert.deepEqual(await named([]), { all: [""] });
  assert.deepEqual(await named(["four", "three"]), { south: ["three"], all: ["four three"] });
  assert.deepEqual(await named(["one"], "tool.held"), { north: ["one"], all: ["one"], other: ["one"] });
  assert.deepEqual(receivers.last.json.data.sites, [{ id: "one", name: "One <b>" }]);
});

test("Slack and Teams are sent what theirs take, and no title is a mark or a link of theirs", async ({ gw, receivers }) => {
  const name = "<!channel> [x](https://evil.example) & <https://evil.example|y>";
  const slack = await hooked(gw, { name, format: "slack", url: "https://hooks.slack.com/services/T/B/x" });
  const teams = await hooked(gw, { name, format: "teams", url: "https://x.example/workflows/y?sig=z" });
  await operator(gw, "POST", `webhooks/${slack.webhook.id}/test`, {});
  assert.equal(receivers.last.url, "https://hooks.slack.com/services/T/B/x");
  const { text, blocks } = receivers.last.json;
  assert.match(
    text,
    /&lt;!channel&gt; \[x\]\(https:\/\/evil\.example\) &amp; &lt;https:\/\/evil\.example\|y&gt;/,
  );
  assert.equal(blocks[0].text.type, "plain_text");
  assert.equal(blocks[1].text.text, "<http://127.0.0.1:8000/admin/webhooks|Open it>");
  verified(slack.secret, receivers.last);
  await operator(gw, "POST", `webhooks/${teams.webhook.id}/test`, {});
  assert.equal(receivers.last.url, "https://x.example/workflows/y?sig=z");
  const { type, attachments: [{ contentType, content }] } = receivers.last.json;
  assert.deepEqual([type, contentType], ["message", "application/vnd.microsoft.card.adaptive"]);
  assert.deepEqual(content.body.map((one: { type: string }) => one.type), ["RichTextBlock"]);
  assert.equal(content.body[0].inlines[0].text, `A test of the webhook "${name}": nothing has happened`);
  assert.deepEqual(content.actions, [{
    type: "Action.OpenUrl",
    title: "Open it",
    url: "http://127.0.0.1:8000/admin/webhooks",
  }]);
});

test("too many that wait are left out with a word; of those that ended the last 50 are kept", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => new Response(null, { status: 500 });
  for (let n = 0; n < LIMITS.WEBHOOK_WAITING_MAX; n++) assert.equal(await happens(gw, []), 2);
  assert.equal(await happens(gw, []), 0);
  const { webhook: full, deliveries } = await sentTo(gw, webhook.id);
  assert.equal(deliveries.length, LIMITS.WEBHOOK_WAITING_MAX);
  assert.equal(full.left_out_at, new Date(gw.clock.now).toISOString());
  receivers.answer = () => new Response("ok");
  gw.clock.now += 30 * SECOND;
  await run(gw);
  assert.equal((await sentTo(gw, webhook.id)).deliveries.length, LIMITS.WEBHOOK_DELIVERIES_KEPT);
  const order = receivers.all.map(({ headers }) => headers["webhook-id"]!);
  assert.deepEqual(order, order.toSorted(), "in the order in which they arose");
});

test("one is sent again on order, under the id that it had; a test is a delivery too", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  receivers.answer = () => new Response(null, { status: 404 });
  const { result: tested } = await operator(gw, "POST", `webhooks/${webhook.id}/test`, {});
  assert.deepEqual([tested.type, tested.state, tested.last.status], ["webhook.test", "given_up", 404]);
  await run(gw);
  assert.equal(receivers.all.length, 1, "a test is not tried again");
  assert.equal((await sentTo(gw, webhook.id)).webhook.failing_since, null, "and says nothing of the webhook");
  receivers.answer = () => new Response("ok");
  const path = `webhooks/${webhook.id}/deliveries`;
  const { result: again } = await operator(gw, "POST", `${path}/${tested.id}/resend`, {});
  assert.deepEqual([again.id, again.state, again.attempts], [tested.id, "delivered", 2]);
  assert.equal(new Set(receivers.all.map(({ headers }) => headers["webhook-id"])).size, 1);
  for (const id of ["msg_nothing", "x".repeat(400)]) {
    assert.equal((await operator(gw, "POST", `${path}/${id}/resend`, {})).status, 404);
  }
  const actions = (await gw.audit()).map(({ tool }) => tool);
  assert.deepEqual(actions, ["webhook.resend", "webhook.test", "webhook.create"]);
});

Deno.test("of two instances on one store one sends each delivery", async () => {
  const kv = await openMemory(":memory:");
  const open = () => Promise.resolve(instead(kv, { close() {} }));
  const receivers = new Receivers();
  const http = { lookup: () => Promise.resolve([PUBLIC]) };
  const start = Date.now();
  await using one = await gateway({ fetch: receivers.fetch, http, start, storage: { open } });
  await using two = await gateway({ fetch: receivers.fetch, http, start, storage: { open } });
  receivers.answer = async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    return new Response("ok");
  };
  const { webhook } = await hooked(one);
  for (let n = 0; n < 20; n++) await happens(one, []);
  await Promise.all([run(one), run(two), run(one), run(two)]);
  await run(two);
  const ids = receivers.all.map(({ headers }) => headers["webhook-id"]);
  assert.deepEqual([ids.length, new Set(ids).size], [20, 20]);
  assert.ok((await states(two, webhook.id)).every((state) => state === "delivered"));
});

Deno.test("what was sealed under a key that is gone is given up with a word, and keeps nothing behind it waiting", async () => {
  const kv = await openMemory(":memory:");
  const storage = { open: () => Promise.resolve(instead(kv, { close() {} })) };
  const [old, fresh] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  const under = (...encryptionKeys: Uint8Array<ArrayBuffer>[]) =>
    telling({ storage, settings: { encryptionKeys } });
  let id = "";
  {
    await using at = await under(old);
    id = (await hooked(at.gw)).webhook.id;
    await happens(at.gw, []);
  }
  {
    await using at = await under(fresh, old);
    await operator(at.gw, "POST", `webhooks/${id}/rotate`, {});
    await happens(at.gw, []);
  }
  await signAll(kv, new RecordKeys([fresh]), false); // as store accept-keys does
  await using at = await under(fresh);
  at.receivers.answer = () => new Response("ok");
  await run(at.gw);
  const { deliveries: [second, first] } = await sentTo(at.gw, id);
  assert.deepEqual([first!.state, second!.state], ["given_up", "delivered"]);
  assert.match(first!.last!.error!, /sealed under a key that ENCRYPTION_KEYS lacks/);
  assert.equal((await operator(at.gw, "GET", "health")).result.ok, true);
});

test("telling never fails what is told of, and an erased site is sent to nobody", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  const logged: unknown[] = [];
  const broken = { list: () => Promise.reject(new Error("away")) } as unknown as Kit["store"]["webhooks"];
  const { tell } = tellingOf({
    store: { ...gw.store, webhooks: broken },
    baseUrl: "",
    now: () => 0,
    titleOf: String,
    log: (event) => logged.push(event),
  });
  assert.deepEqual(await tell(happening([])), []);
  assert.deepEqual(logged, [{ event: "webhook_not_told", type: "set.ended", cause: "Error: away" }]);
  await gw.store.sites.create(site("gone", "cms"));
  await happens(gw, ["gone"]);
  await gw.store.erasures.run("site", "gone");
  await run(gw);
  assert.equal(receivers.all.length, 0);
  assert.deepEqual((await sentTo(gw, webhook.id)).deliveries, []);
});
