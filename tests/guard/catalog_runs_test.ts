/** Runs over the tool servers of many sites: a host that is down is asked once, and sites that are due at once one by one. */
import assert from "node:assert/strict";
import { GatewayError } from "../../core/errors.ts";
import { CatalogHosts, hostOf } from "../../guard/proxied/hosts.ts";
import { Jobs } from "../../guard/jobs.ts";
import { CatalogRefresh } from "../../guard/proxied/refresh.ts";
import { holds } from "../../platforms/_content/holds.ts";
import { FactCaches } from "../../guard/fact_caches.ts";
import { brokenOff, failure } from "../../platforms/_http/failures.ts";
import { readProxies } from "../../registry/proxies.ts";
import { CONNECTORS } from "../connectors.ts";
import { down, FakeToolServers } from "../fake_tool_servers.ts";
import { gateway, site } from "../kit.ts";
import { admin, BUILDER, HEADING, open, PAGES, shown } from "./proxied_kit.ts";

const SERVERS = ["elementor-mcp-server", BUILDER, "mcp-adapter-default-server"];

Deno.test("a host that is down is asked once in a run, and all of its servers wait longer each time", async () => {
  await using at = await open({ acme: [HEADING], bolt: [PAGES] });
  const minutes = async (count: number) => {
    at.fake.lists.length = 0;
    at.gw.clock.now += count * 60_000;
    await at.gw.gateway.toolCatalogs.run();
    return [...at.fake.lists];
  };
  for (const server of SERVERS) at.fake.put("acme", server, down());
  const asked = await minutes(60);
  assert.deepEqual(asked.filter((one) => one.startsWith("acme")), [`acme ${SERVERS[0]}`]);
  assert.equal(asked.filter((one) => one.startsWith("bolt")).length, 3, "another host is asked as ever");
  const kept = async () =>
    (await at.gw.store.toolCatalogs.list()).filter(({ site_id }) => site_id === "acme");
  const failures = (await kept()).map(({ failure }) => failure);
  assert.equal(failures.filter((one) => one === "The tool server answered 503").length, 1);
  assert.equal(
    failures.filter((one) =>
      one?.includes("(found at another server of its site; this server was not asked)")
    ).length,
    2,
  );
  assert.equal((await shown(at.gw)).size, 2, "what was listed last is kept");
  assert.deepEqual(await minutes(3), []);
  assert.deepEqual(await minutes(2), [`acme ${SERVERS[1]}`]);
  assert.deepEqual(await minutes(5), [], "after a second failure it is left alone for longer");
  assert.deepEqual(await minutes(5), [`acme ${SERVERS[2]}`]);
  assert.deepEqual((await kept()).map((one) => one.failures), [3, 3, 3]);
  for (const server of SERVERS) at.fake.put("acme", server, server === BUILDER ? [HEADING] : null);
  assert.deepEqual((await minutes(20)).filter((one) => one.startsWith("acme")).length, 3);
  assert.deepEqual((await kept()).map((one) => [one.failures, one.failure]), Array(3).fill([0, null]));
});

Deno.test("a server that fails on a host that answers says nothing of the others there", async () => {
  await using at = await open({ acme: [HEADING] });
  at.fake.put("acme", BUILDER, down());
  at.fake.lists.length = 0;
  at.gw.clock.now += 3_600_000;
  await at.gw.gateway.toolCatalogs.run();
  assert.deepEqual(at.fake.lists, SERVERS.map((server) => `acme ${server}`));
});

/** What a server answers that is asked too often, or asks to be left alone for so long. */
const later = (upstream: number, retryAfter?: number) =>
  new GatewayError("E_UPSTREAM", `The tool server answered ${upstream}`, { upstream, retryAfter });

Deno.test("a site that is asked too often is asked for none of its other servers, also where its host answers", async () => {
  await using at = await open({ acme: [HEADING] });
  for (const server of [BUILDER, SERVERS[2]!]) at.fake.put("acme", server, later(429));
  at.fake.lists.length = 0;
  at.gw.clock.now += 3_600_000;
  await at.gw.gateway.toolCatalogs.run();
  assert.deepEqual(at.fake.lists, [`acme ${SERVERS[0]}`, `acme ${BUILDER}`]);
});

Deno.test("of a site that does not serve one server is asked, also where its host has answered others", async () => {
  const hosts = new CatalogHosts();
  const ask = (id: string, answer: () => Promise<string>) => hosts.ask("https://shared.example", id, answer);
  assert.equal(await ask("bolt", () => Promise.resolve("listed")), "listed");
  for (const status of [503, 504, 520, 521, 522, 523, 524, 429]) {
    const id = `acme-${status}`;
    await assert.rejects(ask(id, () => Promise.reject(later(status))), /answered \d+$/);
    await assert.rejects(ask(id, () => Promise.resolve("listed")), /; this server was not asked\)$/);
  }
  assert.equal(await ask("bolt", () => Promise.resolve("listed")), "listed");
});

Deno.test("a server is left alone for as long as it asks to be, up to a day, on the clock and not by an operator", async () => {
  const HOUR = 3_600_000;
  for (const [asked, hours] of [[3 * 3600, 3], [90 * 24 * 3600, 24]] as const) {
    await using at = await open({ acme: [HEADING] });
    const lists = async (ms: number) => {
      at.fake.lists.length = 0;
      at.gw.clock.now += ms;
      await at.gw.gateway.toolCatalogs.run();
      return at.fake.lists.length;
    };
    for (const server of SERVERS) at.fake.put("acme", server, later(503, asked));
    assert.equal(await lists(HOUR), 1);
    assert.equal(await lists(HOUR), 0, "not after an hour, as others are");
    assert.equal(await lists((hours - 1) * HOUR - 1), 0);
    assert.equal(await lists(1), 1);
    await admin(at.gw, "/refresh", { site_id: "acme" });
    assert.equal(at.fake.lists.length, 2);
    for (const server of SERVERS) at.fake.put("acme", server, server === BUILDER ? [HEADING] : null);
    assert.equal(await lists(hours * HOUR), 3);
    assert.equal(await lists(HOUR), 3, "a success ends it");
  }
});

Deno.test("a server that hangs and is asked first keeps its site's others from being listed once, and not for ever", async () => {
  await using at = await open({ acme: [HEADING] });
  at.fake.put("acme", SERVERS[0]!, down());
  at.gw.clock.now += 3_600_000;
  await at.gw.gateway.toolCatalogs.run();
  at.fake.lists.length = 0;
  at.gw.clock.now += 300_000;
  await at.gw.gateway.toolCatalogs.run();
  assert.deepEqual(at.fake.lists, [1, 2, 0].map((n) => `acme ${SERVERS[n]}`));
  const kept = await at.gw.store.toolCatalogs.list();
  assert.deepEqual(SERVERS.map((server) => kept.find((one) => one.server === server)!.failures), [2, 0, 0]);
});

Deno.test("a site that is updated keeps no other site of its host from being listed, and two that do not serve are the host", async () => {
  const sites = ["acme", "bolt", "cora", "dove"];
  const server = SERVERS[0]!;
  const serving = async (unavailable: readonly string[], ends: (id: string) => unknown = () => down()) => {
    const hosts = new CatalogHosts();
    const asked: string[] = [];
    const ask = (id: string) =>
      hosts.ask("https://shared.example", id, () => {
        asked.push(id);
        return unavailable.includes(id) ? Promise.reject(ends(id)) : Promise.resolve(server);
      });
    const all = await Promise.allSettled(sites.flatMap((id) => [ask(id), ask(id)]));
    const said = all.map((one) => one.status === "fulfilled" ? "listed" : (one.reason as Error).message);
    return { asked: asked.join(" "), said: [...new Set(said)] };
  };
  const unavailable = "The tool server answered 503";
  assert.deepEqual(await serving(["acme"]), {
    asked: "acme bolt bolt cora cora dove dove",
    said: [
      unavailable,
      `${unavailable} (found at another server of its site; this server was not asked)`,
      "listed",
    ],
  });
  assert.deepEqual(await serving(sites), {
    asked: "acme bolt",
    said: [
      unavailable,
      `${unavailable} (found at another server of its site; this server was not asked)`,
      `${unavailable} (found at another server of its host; this server was not asked)`,
    ],
  });
  const out = { method: "POST", url: "https://shared.example/", effect: "read" } as const;
  const trip = {
    out,
    signal: new AbortController().signal,
    limitMs: 1000,
    left: false,
    isStopped: () => false,
  };
  const gone = await serving(sites, () => brokenOff(trip, null));
  assert.equal(gone.asked, "acme", "where nothing answers at all, nobody else waits for it");
});

Deno.test("of sites at one host one that does not serve is backed off, and the others are listed", async () => {
  const at_host = (id: string) => ({ ...site(id, "cms"), base_url: `https://shared.example/${id}` });
  const fake = new FakeToolServers();
  for (const id of ["acme", "bolt", "cora"]) fake.put(id, BUILDER, [PAGES]);
  const sites = ["acme", "bolt", "cora"].map(at_host);
  await using gw = await gateway({ sites, toolServers: fake.connector() });
  await gw.gateway.toolCatalogs.run();
  for (const server of SERVERS) fake.put("acme", server, down());
  gw.clock.now += 3_600_000;
  await gw.gateway.toolCatalogs.run();
  const kept = Map.groupBy(await gw.store.toolCatalogs.list(), ({ site_id }) => site_id);
  const failing = (id: string) => kept.get(id)!.filter(({ failure }) => failure !== null).length;
  assert.deepEqual(["acme", "bolt", "cora"].map(failing), [3, 0, 0]);
  const { result } = await admin<{ servers: { site_id: string; failure: string | null }[] }>(gw, "");
  const told = result.servers.filter(({ failure }) => failure !== null);
  assert.deepEqual(told.map(({ site_id }) => site_id), ["acme"], "its operator sees which");
  const offered = (await shown(gw)).get("builder-mcp-list-pages");
  assert.deepEqual(
    offered?.inputSchema.properties.site_id?.enum,
    ["acme", "bolt", "cora"],
    "with its last list",
  );
});

Deno.test("who asks a host while another does waits for what that one finds, and only then asks", async () => {
  const hosts = new CatalogHosts();
  const first = Promise.withResolvers<string>();
  let asked = 0;
  const asking = () => (asked++, asked === 1 ? first.promise : Promise.resolve("second"));
  const all = [hosts.ask("a", "one", asking), hosts.ask("a", "one", asking), hosts.ask("b", "two", asking)];
  assert.equal(await all[2], "second");
  assert.equal(asked, 2, "the one that waits has not asked");
  first.reject(down());
  const ends = await Promise.allSettled(all);
  assert.deepEqual([asked, ...ends.map(({ status }) => status)], [2, "rejected", "rejected", "fulfilled"]);
  assert.equal(hostOf("https://acme.example/blog", "cms"), "https://acme.example");
  assert.equal(hostOf("location-1", "crm"), "crm");
});

Deno.test("what one site cannot be asked, or answers too much of, says nothing of the host that others ask", async () => {
  const out = { method: "POST", url: "https://crm.example/mcp/", effect: "read" } as const;
  const trip = { out, signal: AbortSignal.abort(), limitMs: 1000, left: true, isStopped: () => false };
  const fails: readonly [thrown: unknown, isDown: boolean][] = [
    [failure(out, "was not asked: its pace allows no more within the time of the call", false), false],
    [failure(out, "answered with more than 4194304 bytes, or in too many pieces; ask for less", true), false],
    [new GatewayError("E_UPSTREAM", "answered 401", { upstream: 401 }), false],
    [new TypeError("a bug"), false],
    [brokenOff(trip, null), true],
    [brokenOff({ ...trip, signal: new AbortController().signal, left: false }, null), true],
    [down(), true],
  ];
  for (const [thrown, isDown] of fails) {
    const hosts = new CatalogHosts();
    await assert.rejects(
      hosts.ask("crm", "one", () => Promise.reject(thrown)),
      (caught) => caught === thrown,
    );
    const second = hosts.ask("crm", "one", () => Promise.resolve("listed"));
    if (isDown) await assert.rejects(second, /; this server was not asked\)$/);
    else assert.equal(await second, "listed", String(thrown));
  }
});

Deno.test("200 sites that are due at once are asked over half a minute, a few at one time", async () => {
  const fake = new FakeToolServers();
  const sites = Array.from(
    { length: 200 },
    (_, n) => site(`s-${n}`, "cms", { base_url: `https://s-${n}.example` }),
  );
  await using gw = await gateway({ sites });
  let elapsed = 0;
  const starts = new Map<string, number>();
  const connector = fake.connector();
  const { store } = gw;
  const ports = { now: () => gw.clock.now, log: (event: object) => assert.fail(JSON.stringify(event)) };
  const refresh = new CatalogRefresh({
    ...{ store, connectors: CONNECTORS, upstream: {}, http: null as never },
    cache: new FactCaches(() => gw.clock.now),
    toolServers: {
      ...connector,
      connect: (ctx) => {
        starts.set(ctx.site!.id, elapsed);
        return connector.connect!(ctx);
      },
    },
    holds,
    proxies: () => readProxies([new URL("../../", import.meta.url)], CONNECTORS),
    elapsed: () => elapsed,
    pause: (ms) => {
      elapsed += ms;
      return Promise.resolve();
    },
    ...ports,
    jobs: new Jobs(ports),
  });
  await refresh.run();
  assert.equal(starts.size, 200);
  const bySecond = [...Map.groupBy(starts.values(), (at) => Math.floor(at / 1000)).values()].map((of) =>
    of.length
  );
  assert.ok(Math.max(...bySecond) <= 12 && bySecond.length >= 20, JSON.stringify(bySecond));
  assert.ok(elapsed <= 31_000, `${elapsed}`);
});
