/** Where webhooks may be sent: public addresses over https, judged each time; slow, long and leading-on answers cost nothing. */
import assert from "node:assert/strict";
import { LIMITS } from "../../core/model.ts";
import { operator } from "../people/kit.ts";
import { scenes } from "../scenes.ts";
import { happens, hooked, PUBLIC, run, sentTo, states, telling } from "../webhooks_kit.ts";

const test = scenes(() => telling());

/** Addresses that are refused when they are given. */
const REFUSED: readonly (readonly [url: string, says: RegExp])[] = [
  ["http://hooks.example/x", /is not https/],
  ["https://127.0.0.1/x", /is private/],
  ["https://10.1.2.3/", /is private/],
  ["https://169.254.169.254/latest/meta-data", /is private/],
  ["https://[::1]/", /is private/],
  ["https://[::ffff:10.0.0.1]/", /is private/],
  ["https://localhost/x", /is private/],
  ["https://0x7f.1/", /is private/],
  ["https://user:pass@hooks.example/", /holds a user name/],
  ["ftp://hooks.example/", /is not of the web/],
  ["file:///etc/passwd", /is not of the web/],
  ["hooks.example", /expected an address/],
  ["", /expected an address/],
  [`https://hooks.example/${"x".repeat(2048)}`, /at most 2048 characters/],
];

test("an address that is private, plain or none is refused when it is given, and nothing is sent", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  for (const [url, says] of REFUSED) {
    for (
      const { status, error } of [
        await operator(gw, "POST", "webhooks", { name: "x", url, project_id: null }),
        await operator(gw, "PATCH", `webhooks/${webhook.id}`, { url }),
      ]
    ) {
      assert.equal(status, 400, url);
      assert.match(error!.message, /^url: /, url);
      assert.match(error!.message, says, url);
      assert.doesNotMatch(error!.message, /pass@|x{100}/);
    }
  }
  assert.equal(receivers.all.length, 0);
});

Deno.test("a name is judged each time that it is sent to: one that resolves to a private address by then is sent nothing", async () => {
  const answers: string[][] = [[PUBLIC], ["10.0.0.1"], [PUBLIC, "127.0.0.1"], ["::1"], []];
  let asked = 0;
  await using at = await telling({ http: { lookup: () => Promise.resolve(answers[asked++]!) } });
  const { gw, receivers } = at;
  const { webhook } = await hooked(gw);
  const told: string[] = [];
  for (const _ of answers) {
    const { result } = await operator(gw, "POST", `webhooks/${webhook.id}/test`, {});
    told.push(result.last.error ?? "arrived");
  }
  assert.equal(asked, answers.length);
  assert.equal(receivers.all.length, 1);
  assert.equal(told[0], "arrived");
  for (const one of told.slice(1, 4)) assert.match(one, /resolves to a private address/);
  assert.match(told[4]!, /resolves to no address/);
});

test("redirects are not followed, and what is answered at length is not read", async ({ gw, receivers }) => {
  const { webhook } = await hooked(gw);
  for (const status of [301, 302, 303, 307, 308]) {
    receivers.answer = () => new Response(null, { status, headers: { location: "https://other.example/" } });
    const { result } = await operator(gw, "POST", `webhooks/${webhook.id}/test`, {});
    assert.match(result.last.error, new RegExp(`answered ${status}, a redirect, which is not followed`));
    assert.equal(result.last.status, status);
  }
  assert.ok(receivers.all.every(({ url }) => url === "https://hooks.example/in"));
  let pulled = 0;
  const endless = () =>
    new ReadableStream({
      pull(controller) {
        pulled += 64 * 1024;
        if (pulled > 50 * 1024 * 1024) controller.close();
        else controller.enqueue(new Uint8Array(64 * 1024));
      },
    });
  receivers.answer = () => new Response(endless());
  const { result } = await operator(gw, "POST", `webhooks/${webhook.id}/test`, {});
  assert.equal(result.state, "delivered");
  assert.ok(pulled < 1024 * 1024, `${pulled} bytes were read of 50 MiB`);
});

Deno.test("a receiver that does not answer is waited for 15 seconds, and keeps no other waiting", async () => {
  const alarms: { ms: number; ring: () => void }[] = [];
  await using at = await telling({
    http: { alarm: (ms, ring) => (alarms.push({ ms, ring }), () => {}) },
  });
  const { gw, receivers } = at;
  const [slow, fine] = [await hooked(gw), await hooked(gw, { url: "https://fine.example/" })];
  const hangs = Promise.withResolvers<void>();
  receivers.answer = ({ url }) => {
    if (url.includes("fine")) return new Response("ok");
    hangs.resolve();
    return new Promise<Response>(() => {});
  };
  await happens(gw, []);
  await happens(gw, []);
  const running = run(gw);
  await hangs.promise;
  while ((await states(gw, fine.webhook.id)).includes("waiting")) await Promise.resolve();
  const alarm = alarms.find(({ ms }) => ms === LIMITS.WEBHOOK_DEADLINE_MS);
  for (const one of alarms) one.ring();
  assert.ok(alarm, "the way out was given 15 seconds");
  await running;
  const { deliveries } = await sentTo(gw, slow.webhook.id);
  assert.match(deliveries.at(-1)!.last!.error!, /^hooks\.example gave no answer within 15 s/);
  assert.equal(deliveries[0]!.attempts, 0, "the next waits for the next round");
});
