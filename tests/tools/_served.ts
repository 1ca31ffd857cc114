/** Gateways at stand-ins of real tool servers: a WordPress with its builder's tools, and the CRM's hosted ones. */
import { addHostedTools, type HostedTools } from "../../sandbox/tool_servers/hosted.ts";
import {
  addToolServers,
  type SiteToolServers,
  type ToolServersOptions,
} from "../../sandbox/tool_servers/start.ts";
import { type CrmStandIn, startCrm } from "../../sandbox/highlevel/start.ts";
import { startWordPressStandIn, type WordPressStandIn } from "../../sandbox/wordpress_standin/start.ts";
import { sitesOf } from "../cms_kit.ts";
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";

export type Args = Record<string, unknown>;

/** A gateway whose sites' tools were listed, and what stands behind them. */
export interface Served extends AsyncDisposable {
  readonly gw: Kit;
  readonly cms: WordPressStandIn;
  readonly tools: SiteToolServers;
  readonly crm: CrmStandIn;
  readonly hosted: HostedTools;
  /** Every tool that was run on either, by whatever way, that did not only read. */
  writes(): { readonly tool: string; readonly args: Args }[];
}

const READS =
  /^(emcp-tools|elementor-mcp|mcp-adapter|core)-(detect|find|get|list|search|discover|export-page)/;
const HOSTED_WRITES = /_(create|update|upsert|edit|add|remove|send)-/;

/** Sites "acme" (may not publish), "open" (may), "closed" (a CRM that may not be written), "crm" (may). */
export async function served(options: ToolServersOptions = {}, kit: KitOptions = {}): Promise<Served> {
  const cms = await startWordPressStandIn();
  const tools = addToolServers(cms, options);
  const crm = startCrm();
  const hosted = addHostedTools(crm);
  const location = (id: string, more = {}) =>
    site(id, "crm", {
      crm_location_id: crm.location_id,
      credentials: { crm: { integration_token: crm.token } },
      ...more,
    });
  const gw = await gateway({
    fetch: "network",
    allowPrivate: ["127.0.0.1"],
    realClock: true,
    ...kit,
    sites: [
      ...sitesOf(cms).filter(({ id }) => ["acme", "open"].includes(id)),
      location("closed"),
      location("crm", { flags: { allow_crm_write: true } }),
    ],
    settings: { ...kit.settings, upstream: { CRM_API_BASE: crm.base_url, CRM_MCP_URL: hosted.url } },
  });
  await gw.gateway.toolCatalogs.run();
  const by = ({ tool }: { tool: string }) => !READS.test(tool);
  return {
    gw,
    cms,
    tools,
    crm,
    hosted,
    writes: () => [
      ...tools.ran.filter(by),
      ...hosted.ran.filter(({ tool }) => HOSTED_WRITES.test(tool)).map(({ tool, args }) => ({
        tool,
        args: { ...args },
      })),
    ],
    async [Symbol.asyncDispose]() {
      await gw[Symbol.asyncDispose]();
      await Promise.all([cms.stop(), crm.stop()]);
    },
  };
}

/** The arguments of a blog post at the CRM. */
export const blogPost = (more: Args = {}): Args => ({
  site_id: "crm",
  blogId: "blog-0",
  title: "Braces for adults",
  imageUrl: "https://example.test/a.jpg",
  description: "Short",
  rawHTML: "<p>Long</p>",
  status: "DRAFT",
  imageAltText: "A smile",
  categories: ["category-0"],
  author: "author-0",
  urlSlug: `braces-${crypto.randomUUID()}`,
  publishedAt: "2999-01-01T10:00:00Z",
  ...more,
});
