/** Which tool servers there can be, where each stands, and what may be sent to it. */
import type { Site } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { neverCalled } from "../../rules/proxied/names.ts";
import type { Configured, PolicyContext } from "../_connector/connector.ts";
import { HELD_METHOD, HOLD_HEADER } from "../_content/holds.ts";
import type { Outgoing } from "../_http/request.ts";
import { kindAmong, namingOf } from "./arguments.ts";
import type { ProxySource, ServerRef } from "./types.ts";

/** The settings, by their names. */
export interface ToolServerSettings extends Readonly<Record<string, string | null>> {
  readonly CRM_MCP_URL: string;
}

/** The servers that plugins bring to a content platform (docs/upstreams/tool_servers.md, "Servers of a WordPress"). */
const CMS_SERVERS = ["emcp-tools-server", "elementor-mcp-server", "mcp-adapter-default-server"] as const;
/** The one of the CRM. */
export const CRM_SERVER: ServerRef = { source: "crm", server: "hosted" };
/** Whose credential signs what is sent to a server. */
export const LENDERS: Readonly<Record<ProxySource, string>> = { cms: "wordpress", crm: "highlevel" };
/** The header that names the location on the CRM's server. */
export const LOCATION_HEADER = "locationId";

const METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "notifications/initialized",
  "tools/list",
  "tools/call",
]);
const HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "content-type",
  "mcp-session-id",
  "mcp-protocol-version",
]);

/** The servers that the site's kind and credentials make possible. */
export function possibleServers(site: Site): readonly ServerRef[] {
  const cms = site.platform === "cms" && site.base_url !== null && site.credentials.includes("cms");
  const crm = site.crm_location_id !== null && site.credentials.includes("crm");
  return [
    ...(cms ? CMS_SERVERS.map((server) => ({ source: "cms" as const, server })) : []),
    ...(crm ? [CRM_SERVER] : []),
  ];
}

/** Where a server can stand, the usual place first; none where there is no such server of the site. */
export function placesOf(
  { source, server }: ServerRef,
  { site, settings }: Configured<ToolServerSettings>,
): readonly string[] {
  if (source === "crm") return server === CRM_SERVER.server ? [settings.CRM_MCP_URL] : [];
  const base = site?.base_url ?? null;
  if (base === null || !CMS_SERVERS.some((one) => one === server)) return [];
  return [`${base}/wp-json/mcp/${server}`, `${base}/?rest_route=/mcp/${server}`]; // the second with plain permalinks
}

/** Where requests may go: each lender allows its own part of it only. */
export const originsOf = ({ site, settings }: Configured<ToolServerSettings>): readonly string[] => [
  settings.CRM_MCP_URL,
  ...(site?.platform === "cms" && site.base_url !== null ? [site.base_url] : []),
];

/**
 * Why this request may not be sent; null where it may: a request of the protocol for tools, to a known server, signed with
 * the credential that belongs there, to the CRM in the name of the site's own location. A tool whose name is
 * never run is refused here too, after everything that should have refused it before.
 */
export function refusalOf(out: Outgoing, ctx: PolicyContext<ToolServerSettings>): string | null {
  if (out.method !== "POST") return "a tool server is asked with POST only";
  const source = sourceAt(out.url, ctx);
  if (source === null) return "it is no known tool server of the site";
  if (ctx.lender !== LENDERS[source]) return "it is not signed with the credential of that server";
  const { method, params } = isFields(out.json) ? out.json : {};
  if (typeof method !== "string") return "it is not about the tools of a server";
  const isHeld = Object.keys(out.headers ?? {}).some((name) => name.toLowerCase() === HOLD_HEADER);
  const isCall = method === "tools/call" || (method === HELD_METHOD && isHeld);
  if (!isCall && !METHODS.has(method)) return "it is not about the tools of a server";
  const forbidden = isCall ? forbiddenCall(params) : null;
  if (forbidden !== null) return forbidden;
  if (out.effect === "write" && !isCall) return "only a call of a tool can be a write";
  const hold = source === "cms" && isCall ? [HOLD_HEADER] : [];
  const location = source === "crm" ? ctx.site?.crm_location_id ?? null : null;
  const named = Object.entries(out.headers ?? {}).filter(([name]) =>
    !HEADERS.has(name.toLowerCase()) && !hold.includes(name.toLowerCase())
  );
  const other = named.find(([name]) => source !== "crm" || name !== LOCATION_HEADER);
  if (other !== undefined) return `its header "${other[0]}" is none that a tool server needs`;
  if (source === "cms") return null;
  if (location === null) return "the site names no location";
  if (named.length === 0) return "it names no location";
  const foreign = named[0]![1] !== location || namesAnother(params, location);
  return foreign ? "it names another location" : null;
}

function forbiddenCall(params: unknown): string | null {
  const { name, arguments: args } = isFields(params) ? params : {};
  if (typeof name !== "string") return "it names no tool";
  const never = neverCalled(name, args);
  return never === null ? null : `it would run a tool whose name says "${never.word}"`;
}

function sourceAt(url: string, ctx: Configured<ToolServerSettings>): ProxySource | null {
  if (url === ctx.settings.CRM_MCP_URL) return "crm";
  if (ctx.site?.platform !== "cms") return null;
  const places = CMS_SERVERS.flatMap((server) => placesOf({ source: "cms", server }, ctx));
  return places.includes(url) ? "cms" : null;
}

/** Whether it says anywhere that it is about another location. */
function namesAnother(value: unknown, own: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  const hasKind = kindAmong(() => Object.keys(value));
  return Object.entries(value).some(([name, one]) =>
    namingOf(name, hasKind) === "one" ? one !== own : namesAnother(one, own)
  );
}
