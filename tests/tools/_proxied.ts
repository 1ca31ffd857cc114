/** Sites whose own tools are called through the gateway: tool servers in memory that record, and a WordPress beside them. */
import { proxiedTool } from "../../platforms/_proxied_calls/proxied_tool.ts";
import type {
  ProxiedTool,
  ProxyClass,
  ServerRef,
  SiteOffer,
  ToolServers,
  UpstreamResult,
} from "../../platforms/tool_servers/types.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { offered, type ToolSource } from "../../registry/source.ts";
import {
  type Post,
  startWordPressStandIn,
  type WordPressStandIn,
} from "../../sandbox/wordpress_standin/start.ts";
import { addPost } from "../../sandbox/wordpress_standin/state.ts";
import { sitesOf } from "../cms_kit.ts";
import { type McpResult, mcpResult } from "../endings.ts";
export type { McpResult } from "../endings.ts";
import { CMS_TOOLS, CRM_TOOLS, HOSTED, offerOf, SERVER } from "./_proxied_tools.ts";
import { gateway, type Kit, type KitOptions, NOW, site } from "../kit.ts";

export { brokenOff } from "./_proxied_tools.ts";

export type Args = Record<string, unknown>;

/** A call as it reached a server. */
export interface Reached {
  readonly server: string;
  readonly name: string;
  readonly args: Args;
  readonly writes: boolean;
}

const BUILT = { _elementor_edit_mode: "builder" };
type Answer = (args: Args) => UpstreamResult | Promise<UpstreamResult>;

/** A result with that as its one text. */
export const says = (value: unknown, more: Partial<UpstreamResult> = {}): UpstreamResult => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  isError: false,
  ...more,
});
/** A failure in the tool's own words. */
export const fails = (text: string): UpstreamResult => says(text, { isError: true });

/** The tool servers of every site, which keep pages of elements. What they are asked is recorded. */
class MemoryServers implements ToolServers {
  readonly reached: Reached[] = [];
  /** The ids of a page's elements. */
  readonly pages = new Map<number, readonly string[]>();
  /** What a tool answers instead. */
  readonly answers = new Map<string, Answer>();
  #made = 0;

  held = () => Promise.reject(new Error("no site of these tests holds anything"));
  possible = () => [];
  list = () => Promise.resolve([]);

  async call(
    ref: ServerRef,
    name: string,
    args: Args,
    { writes }: { writes: boolean },
  ): Promise<UpstreamResult> {
    this.reached.push({ server: ref.server, name, args, writes });
    const answer = this.answers.get(name);
    return await (answer ? answer(args) : this.own(name, args));
  }

  /** What reached a server to change something. */
  get writes(): Reached[] {
    return this.reached.filter((one) => one.writes);
  }

  /** What the tool does of itself: an element is added, and nothing else is done. */
  own(name: string, args: Args): UpstreamResult {
    if (name !== "emcp-tools-add-free-widget") return says({ name, args });
    const [page, element_id] = [Number(args.post_id), `e${++this.#made}`];
    this.pages.set(page, [...this.pages.get(page) ?? [], element_id]);
    return says({ success: true, element_id });
  }
}

/** A source whose tools run as the gateway runs those of sites. */
class ProxiedSource implements ToolSource {
  readonly name = "proxied";
  readonly #offers = new Map<string, SiteOffer[]>();
  /** What was held back, in its order. */
  readonly held: { name: string; what: string }[] = [];
  #tools: ReadonlyMap<string, ToolEntry> = new Map();

  constructor(readonly servers: MemoryServers) {}

  /** Offers a tool on sites, and says by which name it is called. */
  offer(
    upstream_name: string,
    sites: readonly string[],
    own: ProxyClass,
    ref = SERVER,
    names: readonly string[] = [],
  ): void {
    const name = upstream_name.replace(/^emcp-tools-/, "builder-mcp-");
    const whole = offerOf(upstream_name, name, own, ref, names);
    const offers = sites.map((site_id): SiteOffer => ({ ...whole, site_id }));
    for (const one of offers) this.#offers.set(one.site_id, [...this.#offers.get(one.site_id) ?? [], one]);
    const tool: ProxiedTool = {
      name,
      source: ref.source,
      offers: new Map(offers.map((one) => [one.site_id, one])),
    };
    const ports = {
      servers: () => Promise.resolve(this.servers),
      offersOf: (id: string) => this.#offers.get(id) ?? [],
      hold: (_: unknown, one: SiteOffer, what: string) =>
        Promise.resolve(this.held.push({ name: one.served.name, what }) > 0),
      pair: () => Promise.reject(new Error("no site of these tests is paired")),
      alarm: () => {},
    };
    const entry = offered({
      name,
      group: "proxied",
      description: "What the site's own tool does.",
      input_schema: { type: "object", properties: {} },
      writes: own.writes,
      sites,
      platforms: ["cms", "crm"],
      ...proxiedTool(tool, ports),
    });
    this.#tools = new Map([...this.#tools, [name, entry]]);
  }

  current(): ReadonlyMap<string, ToolEntry> {
    return this.#tools;
  }
}

/** A gateway, its WordPress, and the servers behind the proxied tools. */
export interface World extends AsyncDisposable {
  readonly gw: Kit;
  readonly cms: WordPressStandIn;
  readonly servers: MemoryServers;
  readonly source: ProxiedSource;
  /** A page in that state. */
  page(status: string, more?: Partial<Post>): number;
  /** The whole result of a call over MCP. */
  mcp(name: string, args: Args): Promise<McpResult>;
}

/** Adds an element to a page of "acme". */
export const ADD = "builder-mcp-add-free-widget";
/** What it takes. */
export const add = (post_id: unknown, more: Args = {}): Args => ({
  site_id: "acme",
  post_id,
  parent_id: "root",
  widget_type: "heading",
  settings: { title: "Hello" },
  ...more,
});

/** Sites "acme" (may not publish), "open" (may), "client" (a CRM that may not be written), "crm" (may). */
export async function world(options: KitOptions = {}): Promise<World> {
  let now = () => NOW;
  const cms = await startWordPressStandIn({ now: () => now() });
  const servers = new MemoryServers();
  const source = new ProxiedSource(servers);
  const crm = (id: string, more = {}) =>
    site(id, "crm", {
      crm_location_id: "loc1",
      credentials: { crm: { integration_token: "pit-1" } },
      ...more,
    });
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    sources: [source],
    ...options,
    sites: [...sitesOf(cms), crm("closed"), crm("crm", { flags: { allow_crm_write: true } })],
    tokens: { two: { max_risk: 2 }, low: { max_risk: 1 }, ...options.tokens },
  });
  now = () => gw.clock.now;
  for (const [name, own] of Object.entries(CMS_TOOLS)) source.offer(name, ["acme", "open"], own);
  for (const [name, [own, names]] of Object.entries(CRM_TOOLS)) {
    source.offer(name, ["closed", "crm"], own, HOSTED, names);
  }
  return {
    gw,
    cms,
    servers,
    source,
    page(status, more = {}) {
      const own = { type: "page", author: 1, title: "Page", status, meta: BUILT, ...more };
      return addPost(cms.state, { ...own, meta: { ...own.meta } } as never).id;
    },
    mcp: (name, args) => mcpResult(gw, name, args),
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await cms.stop();
    },
  };
}
