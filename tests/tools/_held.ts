/** A gateway at a WordPress whose companion plugin holds what the site's own tools write. */
import assert from "node:assert/strict";
import { addCompanionHealth } from "../../sandbox/wordpress_standin/companion.ts";
import { addCompanionHold, type CompanionHold } from "../../sandbox/wordpress_standin/companion_hold.ts";
import {
  addToolServers,
  type SiteToolServers,
  type ToolServersOptions,
} from "../../sandbox/tool_servers/start.ts";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { sitesOf } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, MASTER, NOW } from "../kit.ts";

export type Args = Record<string, unknown>;

/** The world of these tests. */
export interface HeldWorld extends AsyncDisposable {
  readonly gw: Kit;
  readonly cms: WordPressStandIn;
  readonly hold: CompanionHold;
  readonly tools: SiteToolServers;
  /** Pairs a site as its operator does; answers the admin API's answer. */
  pair(site: string, code?: string): Promise<Args>;
  /** All that visitors or editors could see of the site, as text. */
  site(): string;
  /** The headers of held calls of tools so far, self-tests left out. */
  calls(): string[];
}

export interface HeldOptions extends ToolServersOptions {
  /** Sites to pair before the test begins. Default: "acme", which shares its key with "open". */
  readonly paired?: readonly string[];
  /** No companion plugin at all. */
  readonly bare?: true;
  readonly kit?: KitOptions;
  /** Gives the site more, before its first request. */
  readonly adds?: (cms: WordPressStandIn) => void;
}

/** Sites "acme" (may not publish), "open" (may), both by an administrator; "editor" (may) by an editor. */
export async function heldWorld(options: HeldOptions = {}): Promise<HeldWorld> {
  const { paired = ["acme"], bare, kit = {}, adds, ...more } = options;
  let now = () => NOW;
  const cms = await startWordPressStandIn({ now: () => now() });
  const hold = addCompanionHold(cms);
  const health = { version: "1.5.0", visual: true };
  if (!bare) addCompanionHealth(cms.app, cms.state.namespaces, health, undefined, hold);
  const tools = addToolServers(cms, { race_ms: 0, ...more, ...(bare ? {} : { hold }) });
  adds?.(cms);
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    ...kit,
    sites: sitesOf(cms).filter(({ id }) => ["acme", "open", "editor"].includes(id)),
    http: { sleep: () => Promise.resolve(), ...kit.http },
  });
  now = () => gw.clock.now;
  await gw.gateway.toolCatalogs.run();
  const pair = async (site: string, code?: string) => {
    const headers = { authorization: `Bearer ${MASTER}`, "content-type": "application/json" };
    const body = JSON.stringify(code === undefined ? {} : { code });
    const answer = await gw.http(`/admin/api/sites/${site}/pair`, { method: "POST", headers, body });
    return await answer.json() as Args;
  };
  for (const site of paired) assert.equal((await pair(site)).ok, true, `${site} is paired`);
  return {
    gw,
    cms,
    hold,
    tools,
    pair,
    site() {
      const { pages, options, files, templates, colors, typography } = tools.state;
      const all = [cms.posts, cms.state.terms, pages, options, files, templates].map((map) => [...map]);
      return JSON.stringify([...all, colors, typography]);
    },
    calls: () => hold.asked.filter((_, at) => !isTest(cms, hold.asked, at)),
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}

/** Whether that header was sent to the plugin's own test. */
function isTest({ requests }: WordPressStandIn, asked: readonly string[], at: number): boolean {
  const id = /id=([0-9a-f]{32})/.exec(asked[at]!)?.[1] ?? "";
  const row = requests.find(({ headers }) => headers["x-site-ops-hold"]?.includes(id));
  return row?.path === "/site-ops/v1/hold-test";
}
