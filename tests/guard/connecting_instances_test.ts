/** Two instances on one store: a link, its browser, its answer and a refresh are one whichever of them is asked. */
import assert from "node:assert/strict";
import { FactCaches } from "../../guard/fact_caches.ts";
import { makeConnectorContext } from "../../guard/connector_context.ts";
import google from "../../platforms/google/connector.ts";
import { createHttp } from "../../platforms/_http/http.ts";
import { scratchFolder } from "../../sandbox/core/scratch.ts";
import { CONNECTORS } from "../connectors.ts";
import { gateway, type Kit } from "../kit.ts";
import { Browser, type World, world } from "./connecting_kit.ts";

/** A world on a file, and a second gateway on the same one. */
async function pair(): Promise<{ w: World; other: Kit } & AsyncDisposable> {
  const folder = await scratchFolder("test-");
  const settings = { kvPath: `${folder}/kv.db` };
  const w = await world({ settings });
  const other = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    settings: { ...settings, upstream: { ...w.accounts.env } },
  });
  return {
    w,
    other,
    async [Symbol.asyncDispose]() {
      await other[Symbol.asyncDispose]();
      await w[Symbol.asyncDispose]();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Asks one instance and the other by turns. */
function alternating(...kits: readonly Kit[]): Pick<Kit, "http"> {
  let turn = 0;
  return { http: (path, init) => kits[turn++ % kits.length]!.http(path, init) };
}

Deno.test("a link that one instance made is opened, answered and over at every other", async () => {
  await using at = await pair();
  const { w, other } = at;
  const link = await w.link(w.ann);
  const browser = new Browser(alternating(other, w.gw));
  assert.equal((await new Browser(other).open(link)).status, 200);
  assert.equal((await browser.open(link)).title, "This link was opened in another browser");
  const fresh = await w.link(w.ann);
  const back = await browser.answer(await browser.begin(fresh));
  const pages = await Promise.all(Array.from({ length: 6 }, () => browser.open(back)));
  assert.equal(pages.filter(({ title }) => title === "Connected").length, 1);
  assert.equal(w.accounts.requests.filter(({ path }) => path === "/token").length, 1);
  assert.equal((await browser.open(fresh)).title, "This link was used already");
  assert.equal((await other.store.accounts.list())[0]?.account, "ann@agency.example");
});

Deno.test("of two browsers that open a link at one moment, at two instances, one has it", async () => {
  await using at = await pair();
  for (let round = 0; round < 5; round++) {
    const link = await at.w.link(at.w.ann);
    const pages = await Promise.all([at.w.gw, at.other].map((kit) => new Browser(kit).open(link)));
    assert.deepEqual(pages.map(({ status }) => status).sort(), [200, 403]);
  }
});

Deno.test("an expired token is refreshed by one of two instances, and both use the new one", async () => {
  await using at = await pair();
  const { w, other } = at;
  await w.gw.store.accounts.connect(w.ann.id, "google", w.accounts.grant("ann@agency.example"));
  w.accounts.ways.rotates = true;
  const site = await w.gw.store.sites.create({
    id: "acme",
    name: "Acme",
    platform: "cms",
    base_url: "https://acme.example",
    account_user_id: w.ann.id,
  });
  const token = async (kit: Kit) => {
    const now = () => w.gw.clock.now;
    const ports = {
      connectors: CONNECTORS,
      store: kit.store,
      http: createHttp({ allowPrivate: ["127.0.0.1"], now }),
      upstream: {
        ...Object.fromEntries(CONNECTORS.settings.map((one) => [one.name, one.default])),
        ...w.accounts.env,
      },
      cache: new FactCaches(now),
      now,
    };
    const call = { site, caller: null, deadline: now() + 30_000 };
    return (await makeConnectorContext(ports, call, google).account!.token()).access_token;
  };
  for (let expiry = 1; expiry <= 3; expiry++) {
    w.gw.clock.now += 3_600_000;
    other.clock.now = w.gw.clock.now;
    const tokens = await Promise.all(Array.from({ length: 20 }, (_, turn) => token(turn % 2 ? other : w.gw)));
    assert.equal(new Set(tokens).size, 1);
    assert.equal(w.accounts.holder(tokens[0]!)?.email, "ann@agency.example");
    assert.equal(w.accounts.requests.length, expiry);
  }
});
