/** Sites' own tools while nothing changes, and after a change of one site. */
import assert from "node:assert/strict";
import { readRegistry } from "../../../gateway/wire.ts";
import { listedTools, pinsDigest } from "../../../guard/proxied/listed_tools.ts";
import { ProxiedView } from "../../../guard/proxied/view.ts";
import type { Site } from "../../../core/model.ts";
import type { Store } from "../../../store/store.ts";
import { listed } from "../../fake_tool_servers.ts";
import { open } from "../store/kit.ts";

const { proxies } = await readRegistry();
const SITES = ["acme", "bolt", "cove"];
const SERVER = "emcp-tools-server";
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

/** Has the server of a site list tools of those names and texts. */
async function put(store: Store, site_id: string, texts: Readonly<Record<string, string>>) {
  const key = { site_id, source: "cms", server: SERVER };
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
}

Deno.test("while nothing changes the entries are the same map, and a change of any site makes another", async () => {
  await using store = await open();
  const view = viewOf(store);
  const texts = Object.fromEntries(NAMES.map((name) => [name, "text"]));
  for (const id of SITES) await put(store, id, texts);
  const sites = SITES.map(siteOf);
  await view.load(sites);
  const before = view.current;
  assert.deepEqual(before.get("builder-mcp-list-pages")!.offer!.sites, SITES);
  await view.load(sites);
  assert.equal(view.current, before, "nothing has changed");
  await put(store, "bolt", { ...texts, "emcp-tools-list-pages": "another text" });
  await view.load(sites);
  assert.notEqual(view.current, before);
  await view.load([]);
  assert.equal(view.current.size, 0);
});
