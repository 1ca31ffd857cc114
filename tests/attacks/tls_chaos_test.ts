/** Every way a connection over TLS fails, against everything that asks the outside: all is told, and other calls go on. */
import assert from "node:assert/strict";
import { schedule } from "../../gateway/clocks.ts";
import { GatewayError } from "../../core/errors.ts";
import { ClientDocuments } from "../../identity/oauth/client_documents.ts";
import { OAuthFault } from "../../identity/oauth/fault.ts";
import { isInvalidGrant } from "../../core/invalid_grant.ts";
import type { Connector } from "../../platforms/_connector/connector.ts";
import type { ConnectorContext } from "../../platforms/_connector/context.ts";
import type { Outgoing } from "../../platforms/_http/request.ts";
import { CONNECTION_FAULTS, type ConnectionFault } from "../../sandbox/core/tls.ts";
import { chaos, type ChaosWorld, type Fault, FINE } from "../chaos_kit.ts";
import { CONNECTORS } from "../connectors.ts";
import { registeredBy } from "../cron_kit.ts";
import { WEB_HOST } from "../linked_sites.ts";
import { unheard } from "../unheard.ts";

/** Faults after which a request may have arrived; before that nothing of it was sent. */
const LATE: ReadonlySet<ConnectionFault> = new Set([
  "reset after the handshake",
  "reset in the answer",
  "closed after the handshake",
  "silent after the handshake",
]);

const FAULTS: readonly Fault[] = [
  { name: "a name that is not found", lookup: "fails", left: "not sent", says: "its name is not found" },
  { name: "a resolver that is silent", lookup: "is silent", left: "not sent" },
  { name: "a resolver that fails once nobody waits", lookup: "fails late", left: "not sent" },
  { name: "refused", addresses: ["dead"], left: "not sent", says: "it refuses the connection" },
  { name: "refused at both addresses", addresses: ["dead", "dead"], left: "not sent" },
  ...CONNECTION_FAULTS.map((connection): Fault => ({
    name: connection,
    connection,
    left: LATE.has(connection) ? "sent" : "not sent",
    ...(connection === "no TLS" ? { says: "it speaks no TLS at that port" } : {}),
  })),
  {
    name: "a certificate for another name",
    certificate: "another name",
    left: "not sent",
    says: "is for another name",
  },
  {
    name: "an expired certificate",
    certificate: "expired",
    left: "not sent",
    says: "its certificate has expired",
  },
  { name: "an unknown authority", certificate: "unknown authority", left: "not sent", says: "not trusted" },
  { name: "two addresses, the first refuses", addresses: ["dead", "alive"], left: "answered" },
  { name: "two addresses, the first is silent", addresses: ["silent", "alive"], left: "answered" },
  { name: "two addresses, the second refuses", addresses: ["alive", "dead"], left: "answered" },
];

/** Where the access token of a connected account, which is over in every world, is renewed. */
const TOKEN_HOST = "oauth2.googleapis.com";

/** So many calls go on beside each fault, so many at a time; those beyond them, while the fault lasts, at this pace. */
const CALLS_MIN = 50;
const AT_ONCE = 5;
const PACE_MS = 20;

/** Jobs of the gateway's clocks that end badly leave one of these in the log; what a site's upstream does must not. */
const FAILED_JOBS = /^(?!tool_catalog_failed$).*_failed$|^internal$|^uncaught$/;

for (const fault of FAULTS) {
  Deno.test(`${fault.name}: every connector, job and look-up is told, and ${CALLS_MIN} other calls go on`, async () => {
    using listening = unheard();
    await using world = await chaos(fault);
    const others = otherCalls(world);
    try {
      for (const connector of CONNECTORS.all) await connectorAsks(world, connector, fault);
      for (const connector of CONNECTORS.all) await accountAsks(world, connector);
      await tools(world);
      await documents(world);
      await jobs(world);
    } finally {
      await others.end();
    }
    await listening.assertNothing();
  });
}

/** Begins calls to the site that is well; `end` waits until enough have gone well. */
function otherCalls({ gw }: ChaosWorld): { end(): Promise<void> } {
  let [isOver, well] = [false, 0];
  const work = async () => {
    while (!isOver || well < CALLS_MIN) {
      const ending = await gw.end("list_drafts", { site_id: FINE });
      assert.ok("value" in ending, `a call to another site failed: ${JSON.stringify(ending)}`);
      well++;
      if (well > CALLS_MIN) await new Promise((done) => setTimeout(done, PACE_MS));
    }
  };
  const all = Promise.all(Array.from({ length: AT_ONCE }, work));
  all.catch(() => {}); // told at the end
  return {
    async end() {
      isOver = true;
      await all;
    },
  };
}

/** A read and a write to each origin of a connector, past what its policy says of them. */
async function connectorAsks(world: ChaosWorld, connector: Connector, fault: Fault): Promise<void> {
  if (!connector.origins) return; // it is described only, and sends nothing
  const places = world.originsOf(connector);
  assert.ok(places.length > 0, `${connector.name} names no origin for the sites of tests/linked_sites.ts`);
  for (const { origin, at, isPublic } of places) {
    const ctx = world.context({ ...connector, policy: () => null }, at);
    const asking = { url: `${origin}/`, public_only: isPublic };
    await asks(ctx, fault, { ...asking, method: "GET", effect: "read" });
    if (!isPublic) await asks(ctx, fault, { ...asking, method: "POST", effect: "write" });
    assert.ok(world.asked.has(new URL(origin).hostname), `${origin} was asked for`);
  }
}

/** One request: answered, or refused with a sentence that names the host and says whether it may have arrived. */
async function asks(ctx: ConnectorContext, fault: Fault, out: Outgoing): Promise<void> {
  const what = `${out.method} ${out.url}`;
  const ended = await ctx.send(out).then(({ status }) => status, (thrown: unknown) => thrown);
  if (fault.left === "answered") return assert.equal(ended, 200, `${what}: ${ended}`);
  told(ended, what);
  const { message, inDoubt } = ended as GatewayError;
  for (const part of [new URL(out.url).host, fault.says ?? ""]) {
    assert.ok(message.includes(part), `${what}: ${message}`);
  }
  const isUnknown = out.effect === "write" && fault.left === "sent";
  assert.equal(inDoubt, isUnknown, `${what}: ${message}`);
  assert.equal(message.endsWith("; the outcome is unknown: look at the site before trying again"), isUnknown);
}

/** A refusal in plain words: no fault of the code. */
function told(thrown: unknown, what: string): void {
  assert.ok(thrown instanceof GatewayError, `${what}: ${thrown}`);
  assert.equal(thrown.code, "E_UPSTREAM", `${what}: ${thrown.message}`);
}

/** What connecting an account, renewing its token and ending it ask of the vendor. */
async function accountAsks(world: ChaosWorld, connector: Connector): Promise<void> {
  const { account } = connector;
  if (!account) return;
  const ctx: ConnectorContext = world.context(connector, null);
  const { connection } = account;
  const scopes = Object.values(connection?.rights ?? {}).map(({ scope }) => scope);
  const answer = {
    parameters: new URLSearchParams({ code: "code", state: "state" }),
    state: "state",
    redirect_uri: "https://gateway.example/connect/callback",
    code_verifier: "v".repeat(43),
    scopes,
  };
  const tokens = { refresh_token: "refresh", access_token: "access" };
  const asked: Readonly<Record<string, () => Promise<unknown> | undefined>> = {
    refresh: () => account.refresh(ctx, "refresh"),
    exchange: () => connection?.exchange(ctx, answer),
    revoke: () => connection?.revoke(ctx, tokens),
  };
  for (const [name, ask] of Object.entries(asked)) {
    const [ended] = await Promise.allSettled([ask()]);
    if (ended?.status !== "rejected" || isInvalidGrant(ended.reason)) continue;
    assert.ok(ended.reason instanceof GatewayError, `${connector.name}, ${name}: ${ended.reason}`);
    assert.notEqual(ended.reason.code, "E_INTERNAL", `${connector.name}, ${name}: ${ended.reason.message}`);
  }
}

/** What agents and operators call: checks of every kind of site, and a file from the open web. */
async function tools({ gw, sites, asked }: ChaosWorld): Promise<void> {
  const media = { site_id: FINE, filename: "a.png", source_url: `https://${WEB_HOST}/a.png`, confirm: true };
  const calls = [
    ...[...sites.values()].flatMap(({ id: site_id }) =>
      ["diagnose_site", "ping_site"].map((tool) => [tool, { site_id }] as const)
    ),
    ["upload_media", media] as const,
  ];
  asked.clear();
  await Promise.all(calls.map(async ([tool, args]) => {
    const ending = await gw.end(tool, args);
    if ("code" in ending) assert.notEqual(ending.code, "E_INTERNAL", `${tool}: ${ending.message}`);
  }));
  assert.ok(asked.has(WEB_HOST), "the file was asked for");
  assert.ok(asked.has(TOKEN_HOST), "the token of an account was to be renewed");
}

async function documents({ http, gw }: ChaosWorld): Promise<void> {
  const read = new ClientDocuments({ http, store: gw.store, now: () => gw.clock.now });
  await assert.rejects(read.read(`https://${WEB_HOST}/client.json`, "user", true), OAuthFault);
}

/** Every job that a clock of the gateway calls; what lists tools and what takes snapshots does ask. */
async function jobs(world: ChaosWorld): Promise<void> {
  const { gw, asked } = world;
  const registered = registeredBy(() => schedule(gw.gateway, { wait: () => Promise.resolve() }));
  assert.ok(registered.size > 0);
  asked.clear();
  for (const [name, { work }] of registered) {
    await work();
    assert.deepEqual(gw.logged.filter(({ event }) => FAILED_JOBS.test(String(event))), [], name);
  }
  for (const connector of CONNECTORS.all) {
    if (!connector.daily && connector.name !== "tool_servers") continue;
    const hosts = world.originsOf(connector).map(({ origin }) => new URL(origin).hostname);
    assert.ok(hosts.some((host) => asked.has(host)), `${connector.name}: ${hosts} of ${[...asked]}`);
  }
}
