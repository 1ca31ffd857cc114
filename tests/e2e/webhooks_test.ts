/** Webhooks of real processes: over TLS, whatever the receiver does, and after a kill at any moment between event and delivery. */
import assert from "node:assert/strict";
import type { WebhookDelivery } from "../../core/model.ts";
import { type ConnectionFault, startTls, type TlsServer } from "../../sandbox/core/tls.ts";
import { startWordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { newAuthority } from "../authority.ts";
import { scenes } from "../scenes.ts";
import { Receivers, receiving, verified } from "../webhooks_kit.ts";
import { inFolder, type Running, start, until } from "./running.ts";

const MIB = 2 ** 20;
const SOON_MS = 20_000;
/** Past the lease of a process that was killed, and past when its writes are judged. */
const LATER_MS = 125_000;

interface Made {
  readonly webhook: { readonly id: string };
  readonly secret: string;
}

const hook = async (gateway: Running, url: string) =>
  await gateway.admin<Made>("POST", "/webhooks", { name: "Ours", url, project_id: null });

/** What receivers answer over TLS, and what is said of it. */
const ANSWERS: readonly (readonly [name: string, answer: () => Response, says: RegExp | null])[] = [
  ["fine", () => new Response("ok"), null],
  ["no content", () => new Response(null, { status: 204 }), null],
  ["50 MiB", () => new Response(new Uint8Array(50 * MIB)), null],
  ["500", () => new Response("<b>no</b>", { status: 500 }), /^its receiver answered 500$/],
  [
    "redirect",
    () => Response.redirect("https://127.0.0.1:1/", 307),
    /answered 307, a redirect, which is not followed/,
  ],
];
const FAULTS: readonly ConnectionFault[] = ["reset in the handshake", "reset in the answer", "no TLS"];

Deno.test("over TLS what arrives is genuine, and whatever else a receiver does is said in words", async () => {
  await using cleanup = new AsyncDisposableStack();
  const authority = await newAuthority();
  const identity = await authority.issue(["127.0.0.1"]);
  const receivers = new Receivers();
  const cases: [name: string, server: TlsServer, says: RegExp | null][] = [];
  for (const [name, answered, says] of ANSWERS) {
    const answer = async (request: Request) => (await receivers.fetch(request), answered());
    cases.push([name, await startTls({ identity, answer }), says]);
  }
  const answer = () => new Response("ok");
  const strangers = [
    ["wrong name", await authority.issue(["other.example"]), /its certificate is for another name/],
    ["expired", await authority.issue(["127.0.0.1"], new Date(0)), /its certificate has expired/],
    ["untrusted", await (await newAuthority()).issue(["127.0.0.1"]), /an authority that is not trusted/],
  ] as const;
  for (const [name, own, says] of strangers) {
    cases.push([name, await startTls({ identity: own, answer }), says]);
  }
  for (const fault of FAULTS) {
    cases.push([
      fault,
      await startTls({ identity, answer, fault }),
      /broke the connection off|not be reached|no TLS/,
    ]);
  }
  for (const [, server] of cases) cleanup.use(server);
  await inFolder(async (folder) => {
    await Deno.writeTextFile(`${folder}/authority.pem`, authority.pem);
    await using gateway = start(folder, { DENO_CERT: `${folder}/authority.pem` });
    for (const [name, { port }, says] of cases) {
      const { webhook: { id }, secret } = await hook(gateway, `https://127.0.0.1:${port}/in`);
      const { last, state } = await gateway.admin<WebhookDelivery>("POST", `/webhooks/${id}/test`, {});
      if (says === null) assert.deepEqual([state, last!.error], ["delivered", null], name);
      else assert.match(last!.error ?? "arrived", says, name);
      if (name === "fine") assert.deepEqual(verified(secret, receivers.last), receivers.last.json);
    }
    const private_ = { name: "x", url: "https://10.0.0.1/", project_id: null };
    const refused = await gateway.ask(
      "POST",
      "/admin/api/webhooks",
      "master-token-of-the-tests-0123456789abcdef",
      private_,
    );
    assert.equal(refused.error?.code, "E_BAD_INPUT");
  });
});

const gatewayAt = (folder: string, env: Record<string, string>) =>
  start(folder, env, {
    run: ["-A", "--no-check", "--unstable-kv", "--unstable-cron", "tests/e2e/stopping_gateway.ts"],
  });

const test = scenes(() => startWordPressStandIn());

/** A gateway with a site and a webhook; answers a token. */
async function setUp(
  folder: string,
  site: { base_url: string; credentials: object },
  url: string,
): Promise<string> {
  await using gateway = gatewayAt(folder, {});
  await gateway.admin("POST", "/sites", { id: "acme", name: "Acme", platform: "cms", ...site });
  await hook(gateway, url);
  const { token } = await gateway.token();
  gateway.kill("SIGTERM");
  await gateway.ended;
  return token;
}

test("killed between a write and its delivery, or in the middle of one: it arrives once the gateway is up again, under one id", async (cms) => {
  await using there = receiving();
  const { username, application_password } = cms.users.admin;
  const site = { base_url: cms.base_url, credentials: { cms: { username, application_password } } };
  const draft = { site_id: "acme", title: "x", content_html: "<p>x</p>", confirm: true };
  const ids = () => there.receivers.all.map(({ headers }) => headers["webhook-id"]!);
  await inFolder(async (folder) => {
    const token = await setUp(folder, site, there.url);
    // The outcome is kept, with the delivery; the process ends before it sends.
    for (const point of ["kept", "written"]) {
      const before = ids().length;
      cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
      {
        await using gateway = gatewayAt(folder, { STOP_AT: point });
        await assert.rejects(gateway.call(token, "create_draft", draft), TypeError);
        assert.equal((await gateway.ended).signal, "SIGKILL");
      }
      assert.equal(ids().length, before, `${point}: nothing was sent`);
      await using gateway = point === "kept"
        ? start(folder)
        : gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
      await gateway.address();
      await until(() => Promise.resolve(ids().length > before), SOON_MS);
      assert.equal(there.receivers.last.json.type, "write.unknown", point);
      gateway.kill("SIGTERM");
      await gateway.ended;
    }
    // It was sent, and nobody noted that.
    const before = ids().length;
    cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
    {
      await using gateway = gatewayAt(folder, { AHEAD_MS: String(LATER_MS) });
      there.receivers.answer = () => (gateway.kill("SIGKILL"), new Response("ok"));
      await gateway.call(token, "create_draft", { ...draft, title: "y" }).catch(() => {});
      assert.equal((await gateway.ended).signal, "SIGKILL");
    }
    there.receivers.answer = () => new Response("ok");
    await using gateway = gatewayAt(folder, { AHEAD_MS: String(2 * LATER_MS) });
    await gateway.address();
    const { webhooks: [one] } = await gateway.admin<{ webhooks: { id: string }[] }>("GET", "/webhooks");
    await gateway.call(token, "create_draft", { ...draft, title: "z" }); // nothing that is told
    const { deliveries } = await gateway.admin<{ deliveries: WebhookDelivery[] }>(
      "GET",
      `/webhooks/${one!.id}/deliveries`,
    );
    assert.equal(deliveries[0]!.state, "waiting");
    cms.inject({ kind: "answer", status: 500, body: {} }, { method: "POST" });
    await gateway.call(token, "create_draft", { ...draft, title: "w" }); // wakes it
    await until(() => Promise.resolve(new Set(ids()).size === 4 && ids().length >= before + 3), 2 * SOON_MS);
    const [sent, ...others] = ids().slice(before);
    assert.ok(others.includes(sent!), "what was sent again has one id");
    assert.equal(new Set(ids()).size, 4);
  });
});
