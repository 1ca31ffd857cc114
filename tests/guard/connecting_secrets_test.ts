/** No token, code, verifier, state, cookie, link or client secret stands anywhere but where it must be. */
import assert from "node:assert/strict";
import { FactCaches } from "../../guard/fact_caches.ts";
import { makeConnectorContext } from "../../guard/connector_context.ts";
import google from "../../platforms/google/connector.ts";
import { createHttp } from "../../platforms/_http/http.ts";
import { scratchFolder } from "../../sandbox/core/scratch.ts";
import { CONNECTORS } from "../connectors.ts";
import { BASE, Browser, type World, world } from "./connecting_kit.ts";

const HOUR_MS = 3_600_000;
/** What of a request or an answer is secret, by its name. */
const SECRET = /^(state|code|code_verifier|client_secret|refresh_token|access_token|id_token|token)$/;

/** Every secret that passed between the gateway and the stand-in so far. */
function secretsOf(w: World): Set<string> {
  const found = new Set<string>();
  const add = (pairs: Iterable<readonly [string, unknown]>) => {
    for (const [name, value] of pairs) if (SECRET.test(name) && typeof value === "string") found.add(value);
  };
  for (const { query, body, answer } of w.accounts.requests) {
    add(Object.entries(query));
    add(typeof body === "string" ? new URLSearchParams(body) : Object.entries(body ?? {}));
    if (typeof answer?.body === "object" && answer.body !== null) add(Object.entries(answer.body));
  }
  return found;
}

/** The sentence with which a call on Ann's site is refused. */
async function refusal(w: World): Promise<string> {
  const now = () => w.gw.clock.now;
  const ports = {
    connectors: CONNECTORS,
    store: w.gw.store,
    http: createHttp({ allowPrivate: ["127.0.0.1"], now }),
    upstream: {
      ...Object.fromEntries(CONNECTORS.settings.map((one) => [one.name, one.default])),
      ...w.accounts.env,
    },
    cache: new FactCaches(now),
    now,
  };
  const site = await w.gw.store.sites.get("acme");
  const call = { site, caller: null, deadline: now() + 30_000 };
  const work = makeConnectorContext(ports, call, google).account!.token();
  return await work.then(() => "", (thrown: Error) => `${thrown.message} ${String(thrown.cause)}`);
}

Deno.test("secrets of a connection are in no page, log, row, admin answer, message or store", async () => {
  const folder = await scratchFolder("test-");
  const said: string[] = [];
  const secrets = new Set<string>();
  {
    await using w = await world({ settings: { kvPath: `${folder}/kv.db` } });
    const browser = new Browser(w.gw);
    const connect = async (choice = {}) => {
      const link = await w.link(w.ann);
      secrets.add(link.split("/").at(-1)!);
      const back = await browser.answer(await browser.begin(link), choice);
      secrets.add(new URL(back).searchParams.get("code") ?? new URL(back).searchParams.get("state")!);
      said.push((await browser.open(back)).text, (await browser.open(back)).text);
      // The page of a link leads on by the link itself, in the browser that has it.
      said.push((await browser.open(link)).text.replaceAll(link.slice(BASE.length), ""));
    };
    // A vendor that repeats what it was sent in its refusals.
    const repeats = () => {
      const asked = w.accounts.requests.at(-1)!;
      const body = new URLSearchParams(asked.body as Record<string, string>);
      return { error: "invalid_request", error_description: `cannot read ${body}` };
    };
    await connect({ answer: "deny" });
    await connect({ tick: [] });
    w.accounts.inject({
      kind: "answer",
      status: 400,
      get body() {
        return repeats();
      },
    }, { path: "/token" });
    await connect();
    await connect({ tick: ["analytics.readonly"] });
    await w.gw.store.sites.create({
      id: "acme",
      name: "Acme",
      platform: "cms",
      base_url: "https://acme.example",
      account_user_id: w.ann.id,
    });
    w.gw.clock.now += HOUR_MS;
    w.accounts.inject({
      kind: "answer",
      status: 400,
      get body() {
        return repeats();
      },
    }, { path: "/token" });
    said.push(await refusal(w));
    w.gw.clock.now += HOUR_MS;
    assert.equal(await refusal(w), "", "a refresh goes well in between");
    said.push(JSON.stringify((await w.admin("GET", "connections")).result));
    w.accounts.withdraw("ann@agency.example");
    w.gw.clock.now += HOUR_MS;
    said.push(await refusal(w), JSON.stringify((await w.admin("GET", "connections")).result));
    await connect();
    w.accounts.inject({
      kind: "answer",
      status: 400,
      get body() {
        return repeats();
      },
    }, { path: "/revoke" });
    const end = { user: w.ann.id, kind: "google" };
    said.push(JSON.stringify((await w.admin("POST", "connections/disconnect", end)).result));
    await connect();
    said.push(JSON.stringify(w.gw.logged), JSON.stringify(await w.gw.audit()));
    const { result: { connections } } = await w.admin("GET", "connections");
    assert.equal(connections.length, 1, "one connection is stored when the store is looked through");
    for (const secret of secretsOf(w)) secrets.add(secret);
    for (const line of browser.given) secrets.add(/=([^;]+)/.exec(line)![1]!);
  }
  for await (const { name } of Deno.readDir(folder)) {
    said.push(new TextDecoder("latin1").decode(await Deno.readFile(`${folder}/${name}`)));
  }
  await Deno.remove(folder, { recursive: true });
  const all = said.join("\n");
  assert.ok(all.includes("10001") && all.includes("connect_states"), "the store was looked through");
  assert.ok(
    all.includes("did not renew the access") && all.includes("connection.disconnect"),
    "what was said was looked through",
  );
  assert.ok(secrets.size > 25, `${secrets.size} secrets`);
  for (const secret of secrets) {
    for (const form of [secret, encodeURIComponent(secret)]) {
      const at = all.indexOf(form);
      assert.equal(at, -1, `…${all.slice(Math.max(0, at - 80), at + 20)}…`);
    }
  }
});
