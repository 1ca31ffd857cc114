/** Sites' own tools after changes here and there: what is kept from before is what would be made from nothing. */
import assert from "node:assert/strict";
import { readRegistry } from "../../../gateway/wire.ts";
import { listedTools, pinsDigest } from "../../../guard/proxied/listed_tools.ts";
import { ProxiedView } from "../../../guard/proxied/view.ts";
import type { Site } from "../../../core/model.ts";
import type { ToolEntry } from "../../../registry/entry.ts";
import type { Store, ToolDecision } from "../../../store/store.ts";
import { listed } from "../../fake_tool_servers.ts";
import { open } from "../store/kit.ts";

const { proxies } = await readRegistry();
const SITES = ["acme", "bolt", "cove"];
const SERVERS = ["elementor-mcp-server", "emcp-tools-server"];
const NAMES = [
  "emcp-tools-add-heading",
  "emcp-tools-list-pages",
  "elementor-mcp-add-heading",
  "emcp-tools-delete-page",
  "shop-find",
];

let tries = 0;

const siteOf = (id: string) =>
  ({ id, platform: "cms", base_url: `https://${id}.example`, credentials: ["cms"] }) as unknown as Site;

function viewOf(store: Store): ProxiedView {
  const ports = {
    store,
    proxies,
    builtIn: new Set<string>(),
    gone() {},
    log() {},
    elapsed: () => performance.now(),
  };
  return new ProxiedView({ ...ports, behaviour: () => Promise.resolve(() => ({ run: () => null })) });
}

/** Has a server of a site list tools of those names and texts. */
async function put(store: Store, site_id: string, server: string, texts: Readonly<Record<string, string>>) {
  const key = { site_id, source: "cms", server };
  const own = Object.entries(texts).map(([name, description]) => listed(name, { description }));
  const turn = () => Promise.resolve();
  const { tools, digest } = await listedTools(own, () => true, turn);
  const pins = Object.fromEntries(tools.map(({ name, hash }) => [name, hash]));
  const at = `${++tries}`;
  const put = await store.toolCatalogs.put(await store.toolCatalogs.get(key), {
    ...key,
    bound_to: `https://${site_id}.example`,
    credentials_version: 1,
    exists: true,
    fetched_at: at,
    tried_at: at,
    failure: null,
    listed: own.length,
    digest,
    pins_digest: pinsDigest(pins),
  }, { tools, pins });
  assert.ok(put);
  return tools;
}

const decision = (site_id: string, server: string, name: string, hash: string): ToolDecision => ({
  ...{ site_id, source: "cms", server, name, hash },
  bound_to: `https://${site_id}.example`,
  verdict: "approved",
  ...{ writes: false, effect: "read", page: null, by: "master token", at: "2026-03-01T12:00:00.000Z" },
});

/** All that can be seen of a tool. */
const seen = (tools: ReadonlyMap<string, ToolEntry>) =>
  [...tools].map(([name, { definition, offer }]) => {
    const { shown, has, ...more } = offer!;
    return [name, definition, more, more.sites.map((id) => [shown?.([id]), has("post_id", id)])];
  });

/** Numbers that look random, the same for a seed. */
function dice(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

Deno.test("after any change what was kept is as if all was made anew", async () => {
  for (let seed = 1; seed <= 6; seed++) {
    const roll = dice(seed);
    await using store = await open();
    const view = viewOf(store);
    let sites = SITES.map(siteOf);
    for (let step = 0; step < 12; step++) {
      const [id, server] = [SITES[roll(3)]!, SERVERS[roll(2)]!];
      const texts = NAMES.filter(() => roll(3) > 0).map((name) => [name, `text ${roll(2)}`]);
      const tools = await put(store, id, server, Object.fromEntries(texts));
      const found = tools.find(({ name }) => name === "shop-find");
      if (found) await store.toolCatalogs.decide([decision(id, server, found.name, found.hash)]);
      if (roll(4) === 0) sites = SITES.filter(() => roll(4) > 0).map(siteOf);
      await view.load(sites);
      const anew = viewOf(store);
      await anew.load(sites);
      assert.deepEqual(seen(view.current), seen(anew.current), `seed ${seed}, step ${step}`);
      assert.deepEqual(view.judged, anew.judged, `seed ${seed}, step ${step}`);
    }
  }
});

Deno.test("while nothing changes the entries are the same map, and a change of any site makes another", async () => {
  await using store = await open();
  const view = viewOf(store);
  const texts = Object.fromEntries(NAMES.map((name) => [name, "text"]));
  for (const id of SITES) await put(store, id, SERVERS[1]!, texts);
  const sites = SITES.map(siteOf);
  await view.load(sites);
  const before = view.current;
  assert.deepEqual(before.get("builder-mcp-list-pages")!.offer!.sites, SITES);
  await view.load(sites);
  assert.equal(view.current, before, "nothing has changed");
  await put(store, "bolt", SERVERS[1]!, { ...texts, "emcp-tools-list-pages": "another text" });
  await view.load(sites);
  assert.notEqual(view.current, before);
  await view.load([]);
  assert.equal(view.current.size, 0);
});
