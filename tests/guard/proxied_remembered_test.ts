/** What is remembered of sites' tools from one load to the next: the same as if everything were worked out anew. */
import assert from "node:assert/strict";
import { ProxiedView } from "../../guard/proxied/view.ts";
import type { UpstreamTool } from "../../platforms/tool_servers/types.ts";
import { readProxies } from "../../registry/proxies.ts";
import type { ToolReport } from "../../registry/proxied_reports.ts";
import { CONNECTORS } from "../connectors.ts";
import { listed } from "../fake_tool_servers.ts";
import { type Kit, site } from "../kit.ts";
import { admin, BUILDER, HEADING, open, PAGES } from "./proxied_kit.ts";

const STEPS = 120;
const SITES = ["acme", "bolt", "coda"];
const SERVERS = [BUILDER, "elementor-mcp-server"];
const UNKNOWN = "emcp-tools-list-media-files";
const TOOLS: readonly UpstreamTool[] = [
  HEADING,
  { ...HEADING, title: "Changed" },
  listed("elementor-mcp-add-heading"),
  PAGES,
  listed(UNKNOWN, { hints: { read_only: true } }),
  listed(UNKNOWN, { description: "Changed", hints: { read_only: true } }),
  listed("emcp-tools-delete-page"),
];

/** Numbers from 0 to 1, the same for the same seed. */
function chances(seed: number): () => number {
  return () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
}

/** All that callers and operators can see of it. */
async function seen(view: ProxiedView, { store }: Kit) {
  await view.load(await store.sites.list());
  const tools = [...view.current].map(([name, { offer, definition, manifest }]) => [
    name,
    definition,
    manifest.tier,
    { sites: offer!.sites, writesAt: offer!.writesAt, hidden: offer!.hidden },
    offer!.sites.map((id) => offer!.shown?.([id])),
  ]);
  const judged = view.judged.map(({ name, listed: { hash }, state, reason, class: chosen, catalog }) =>
    [name, hash, state, reason, chosen, catalog.site_id, catalog.server] as const
  );
  return { tools, judged };
}

Deno.test("after any changes at sites and by operators, what is remembered is what would be worked out anew", async () => {
  await using at = await open(Object.fromEntries(SITES.map((id) => [id, [HEADING, PAGES]])));
  const { gw, fake } = at;
  const chance = chances(7);
  const one = <T>(all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;
  const proxies = await readProxies([new URL("../../", import.meta.url)], CONNECTORS);
  const view = () =>
    new ProxiedView({
      store: gw.store,
      proxies: () => Promise.resolve(proxies),
      builtIn: new Set(),
      behaviour: () => Promise.resolve(() => ({ run: () => null })),
      gone: () => {},
      elapsed: () => performance.now(),
      log: () => {},
    });
  const remembering = view();
  const refreshed = async () => {
    gw.clock.now += 3_600_000;
    await gw.gateway.toolCatalogs.run();
  };
  const steps: readonly (() => Promise<unknown>)[] = [
    async () => {
      fake.put(one(SITES), one(SERVERS), TOOLS.filter(() => chance() < 0.4));
      await refreshed();
    },
    async () => {
      for (const id of SITES) fake.put(id, BUILDER, [...TOOLS.slice(0, 1), TOOLS[4]!]);
      await refreshed();
    },
    async () => {
      const { result: { tools } } = await admin<{ tools: ToolReport[] }>(gw, "");
      const open = tools.filter(({ state }) => state === "held");
      if (open.length === 0) return;
      const { name, hash, sites } = one(open);
      const more = proxies.some(({ known }) => known.has(name)) ? {} : { class: "read" };
      await admin(gw, "/approve", { name, hash, sites: [one(sites)], ...more });
    },
    async () => {
      const { result: { tools } } = await admin<{ tools: ToolReport[] }>(gw, "");
      if (tools.length === 0) return;
      const { name, sites } = one(tools);
      await admin(gw, "/withdraw", { name, sites: [one(sites)] });
    },
    async () => {
      const id = one(SITES);
      const credentials = { cms: { username: "admin", application_password: "bbbb" } };
      const base_url = one([site(id, "cms").base_url!, "https://elsewhere.example"]);
      await gw.store.sites.update(id, { base_url, credentials });
      if (chance() < 0.7) await refreshed();
    },
  ];
  let approved = 0;
  for (let step = 0; step < STEPS; step++) {
    await one(steps)();
    const kept = await seen(remembering, gw);
    assert.deepEqual(kept, await seen(view(), gw), `step ${step}`);
    const decisions = await gw.store.toolCatalogs.decisions();
    for (const [name, hash, state, , , site_id, server] of kept.judged) {
      if (state !== "approved") continue;
      approved++;
      const bound_to = (await gw.store.sites.get(site_id))!.base_url;
      const own = decisions.find((of) =>
        of.verdict === "approved" && of.hash === hash && of.site_id === site_id && of.server === server &&
        of.bound_to === bound_to
      );
      assert.ok(own, `step ${step}: ${name} of ${site_id} was approved nowhere else`);
    }
  }
  assert.ok(approved > STEPS / 4, `${approved} were approved`);
});
