/** What a request wants to see and use of the tools, as its address and its headers say. */
import { clipped, GatewayError } from "../core/errors.ts";
import { type AskedList, EVERYTHING } from "../registry/asked_list.ts";

import { type Frame, FrameFault, RPC } from "./mcp_frame.ts";

/** The headers that clients of other servers send for the same; what the address says goes before them. */
const HEADERS = { groups: "x-mcp-toolsets", tools: "x-mcp-tools", readonly: "x-mcp-readonly" } as const;
const YES: readonly string[] = ["", "1", "true"];
const NO: readonly string[] = ["0", "false"];
const BESIDE = Object.values(HEADERS);

/**
 * What the request asks for: `?site=`, or a site behind `/mcp/`, `?groups=`, `?tools=`, `?readonly`, `?mode=search`,
 * `?schemas=full`, and the headers X-MCP-Toolsets, X-MCP-Tools and X-MCP-Readonly. Throws E_BAD_INPUT for a value that
 * says nothing. Costs nothing where nothing is asked.
 */
export function askedList(request: Pick<Request, "url" | "headers">): AskedList {
  const { url, headers } = request;
  const path = siteOfPath(url);
  const at = url.indexOf("?");
  const beside = BESIDE.some((name) => headers.get(name) !== null); // has() would have the runtime list all of them
  if (path === null && at < 0 && !beside) return EVERYTHING;
  const asked = new URLSearchParams(at < 0 ? "" : url.slice(at));
  const named = (name: "groups" | "tools") => names(asked.getAll(name), headers.get(HEADERS[name]));
  const sites = path === null ? asked.getAll("site") : [path, ...asked.getAll("site")];
  const mode = oneOf("mode", asked.get("mode"), ["search", "plain"]);
  return {
    sites,
    own: sites.length > 0,
    groups: named("groups"),
    tools: named("tools"),
    readonly: isYes("readonly", asked.get("readonly") ?? headers.get(HEADERS.readonly)),
    search: mode === null ? null : mode === "search",
    full: oneOf("schemas", asked.get("schemas"), ["full", "brief"]) === "full",
  };
}

/** The site behind `/mcp/`; null for none. */
function siteOfPath(url: string): string | null {
  if (!url.includes("/mcp/")) return null;
  const { pathname } = new URL(url);
  if (!pathname.startsWith("/mcp/")) return null;
  try {
    return decodeURIComponent(pathname.slice("/mcp/".length));
  } catch {
    return null;
  }
}

/** Names of lists with commas; null for no name at all. */
function names(given: readonly string[], header: string | null): readonly string[] | null {
  const lists = given.length > 0 ? given : header === null ? [] : [header];
  const all = lists.flatMap((list) => list.split(",")).map((name) => name.trim()).filter((name) =>
    name !== ""
  );
  return all.length === 0 ? null : [...new Set(all)];
}

function isYes(name: string, given: string | null): boolean {
  if (given === null) return false;
  const value = given.trim().toLowerCase();
  if (YES.includes(value)) return true;
  if (NO.includes(value)) return false;
  throw bad(name, given, [...YES.slice(1), ...NO]);
}

function oneOf<Value extends string>(
  name: string,
  given: string | null,
  values: readonly Value[],
): Value | null {
  if (given === null) return null;
  const value = values.find((one) => one === given);
  if (value === undefined) throw bad(name, given, values);
  return value;
}

function bad(name: string, given: string, values: readonly string[]): GatewayError {
  const there = values.join(" or ");
  return new GatewayError(
    "E_BAD_INPUT",
    `${name}: ${JSON.stringify(clipped(given))} says nothing here; give ${there}`,
  );
}

/** What the address and the headers leave out; a fault where they say nothing. */
export function narrowedBy(request: Request, { id }: Frame): AskedList | FrameFault {
  try {
    return askedList(request);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return new FrameFault(200, RPC.INVALID_PARAMS, `${thrown.code}: ${thrown.message}`, id);
  }
}
