/** When sites' own tools are made anew: where a site or what is known of its tools has changed, and at no other time. */
import assert from "node:assert/strict";
import { ProxiedTools } from "../../../guard/proxied/source.ts";
import type { Site } from "../../../core/model.ts";
import { readProxies } from "../../../registry/proxies.ts";
import { CONNECTORS } from "../../connectors.ts";
import { unheard } from "../../unheard.ts";

const SITE = { id: "acme", platform: "cms", project_id: null, base_url: "https://acme.example" } as Site;

Deno.test("sites that are read again and are the same, as after a new token, have no tools made anew", async () => {
  const store = { sites: [SITE], version: 1, loads: 0 };
  const tools = new ProxiedTools(
    {
      elapsed: () => performance.now(),
      store: {
        sites: { list: () => structuredClone(store.sites) },
        toolCatalogs: {
          version: () => store.version,
          list: () => {
            store.loads++;
            return Promise.resolve([]);
          },
        },
      },
    } as unknown as ConstructorParameters<typeof ProxiedTools>[0],
  );
  for (let nth = 0; nth < 3; nth++) await tools.fresh();
  assert.equal(store.loads, 1);
  store.sites = [{ ...store.sites[0]!, base_url: "https://new.example" } as Site];
  for (let nth = 0; nth < 3; nth++) await tools.fresh();
  assert.equal(store.loads, 2);
  store.version++;
  for (let nth = 0; nth < 3; nth++) await tools.fresh();
  assert.equal(store.loads, 3);
});

Deno.test("a store that fails is the failure of who asked, whichever of its answers fails later", async () => {
  const later = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error("disk")), 5));
  const store = {
    sites: { list: () => Promise.reject(new Error("disk")) },
    toolCatalogs: { version: later },
  };
  const ports = { elapsed: () => performance.now(), store } as unknown;
  const tools = new ProxiedTools(ports as ConstructorParameters<typeof ProxiedTools>[0]);
  using listening = unheard();
  await assert.rejects(async () => await tools.fresh(), /disk/);
  await later().catch(() => {});
  await listening.assertNothing();
});

Deno.test("a store that changes under every load and then fails: nothing is asked of it that nobody waits for", async () => {
  using listening = unheard();
  let version = 0;
  const failsAfter = 3;
  const store = {
    sites: { list: () => [SITE] },
    toolCatalogs: {
      version: () => ++version > failsAfter ? Promise.reject(new Error("disk")) : Promise.resolve(version),
      list: () => Promise.resolve([]),
    },
  };
  const ports = { elapsed: () => performance.now(), store } as unknown;
  const tools = new ProxiedTools(ports as ConstructorParameters<typeof ProxiedTools>[0]);
  await tools.fresh();
  await listening.assertNothing();
});

Deno.test("what could not be read of a site is read again after a while, though nothing was changed", async () => {
  const sources = await readProxies([new URL("../../../", import.meta.url)], CONNECTORS);
  const at = "2026-11-21T12:00:00.000Z";
  const catalog = {
    site_id: "acme",
    source: "cms",
    server: "emcp-tools-server",
    bound_to: SITE.base_url,
    tried_at: at,
    fetched_at: at,
    digest: "one",
    pins_digest: "",
    content: { id: "one", parts: 1 },
  };
  const site = { ...SITE, credentials: ["cms"] };
  let [now, reads] = [0, 0];
  const logged: unknown[] = [];
  const tools = new ProxiedTools(
    {
      elapsed: () => now,
      log: (event: unknown) => void logged.push(event),
      proxies: () => Promise.resolve(sources),
      builtIn: new Set(),
      behaviour: () => Promise.resolve(() => ({ run: () => null })),
      store: {
        sites: { list: () => [site] },
        toolCatalogs: {
          version: () => 1,
          list: () => Promise.resolve([catalog]),
          decisions: () => Promise.resolve([]),
          pins: () => Promise.resolve({}),
          tools: () => reads++ === 0 ? Promise.reject(new TypeError("disk I/O error")) : Promise.resolve([]),
        },
      },
    } as unknown as ConstructorParameters<typeof ProxiedTools>[0],
  );
  for (now of [0, 1000, 59_000]) await tools.fresh();
  assert.deepEqual([reads, logged.length], [1, 1]);
  for (now of [61_000, 62_000, 130_000]) await tools.fresh();
  assert.equal(reads, 2);
});
