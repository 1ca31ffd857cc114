/** The routes that are asked, with the version and the permission each needs, and where it names the location. */
import { isLocationKind } from "../../rules/crm_location.ts";
import type { Outgoing } from "../_http/request.ts";

/** One route of the vendor's. */
export interface Route {
  readonly method: "GET" | "POST";
  /** With `{id}` in the place of an id. */
  readonly path: string;
  readonly version: string;
  /** The permission that the integration token needs. */
  readonly permission: string;
  /** The name under which the request says its location; null where the path, or nothing, does. */
  readonly location: string | null;
}

/** Two families have kept an older version. */
const OLDER = "2021-04-15";
const USUAL = "2021-07-28";

function get(
  path: string,
  permission: string,
  location: string | null = "locationId",
  version = USUAL,
): Route {
  return { method: "GET", path, version, permission, location };
}

/** By the name the client calls it. */
export const ROUTES = {
  submissions: get("/forms/submissions", "forms.readonly"),
  funnels: get("/funnels/funnel/list", "funnels/funnel.readonly"),
  funnel_pages: get("/funnels/page", "funnels/page.readonly"),
  workflows: get("/workflows/", "workflows.readonly"),
  executions: get("/workflows/{id}/executions", "workflows.readonly"),
  campaigns: get("/campaigns/", "campaigns.readonly"),
  pipelines: get("/opportunities/pipelines", "opportunities.readonly"),
  opportunities: get("/opportunities/search", "opportunities.readonly", "location_id"),
  opportunity_search: {
    method: "POST",
    path: "/opportunities/search",
    version: USUAL,
    permission: "opportunities.readonly",
    location: "locationId",
  },
  calendars: get("/calendars/", "calendars.readonly", "locationId", OLDER),
  appointments: get("/calendars/events", "calendars/events.readonly", "locationId", OLDER),
  conversations: get("/conversations/search", "conversations.readonly", "locationId", OLDER),
  messages: get("/conversations/{id}/messages", "conversations/message.readonly", null, OLDER),
  exported: get("/conversations/messages/export", "conversations/message.readonly", "locationId", OLDER),
  contacts: {
    method: "POST",
    path: "/contacts/search",
    version: USUAL,
    permission: "contacts.readonly",
    location: "locationId",
  },
  location: get("/locations/{id}", "locations.readonly", null),
  tags: get("/locations/{id}/tags", "locations/tags.readonly", null),
  custom_fields: get("/locations/{id}/customFields", "locations/customFields.readonly", null),
  invoices: get("/invoices/", "invoices.readonly", "altId"),
  payments: get("/payments/transactions", "payments/transactions.readonly", "altId"),
} as const satisfies Record<string, Route>;
export type RouteName = keyof typeof ROUTES;

/** The vendor's own tool server. */
export const TOOL_SERVER_URL = "https://services.leadconnectorhq.com/mcp/";

/** Names that mean a location in the requests of these routes. */
const LOCATION_NAMES: ReadonlySet<string> = new Set(["locationId", "location_id", "altId"]);

const PATTERNS = Object.values<Route>(ROUTES).map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace("{id}", "([A-Za-z0-9_-]+)")}$`),
}));

/** Why this request may not be sent for that location; null where it may: a read of a known route, of no other location. */
export function refusalOf(out: Outgoing, base: string, own: string | null | undefined): string | null {
  if (out.effect !== "read") return "the CRM is only read";
  if (!own) return "the site names no location";
  const prefix = new URL(base).pathname.replace(/\/$/, "");
  const { pathname, searchParams } = new URL(out.url);
  const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : "";
  const found = PATTERNS.find(({ route, pattern }) => route.method === out.method && pattern.test(path));
  if (!found) return "it is no route that is read";
  const body = typeof out.json === "object" && out.json !== null ? Object.entries(out.json) : [];
  const named = [...searchParams, ...body].filter(([name]) => LOCATION_NAMES.has(name));
  const [, id] = found.pattern.exec(path)!;
  if (path.startsWith("/locations/")) named.push(["path", id]);
  const needs = found.route.location;
  if (needs === "altId" && !isLocationKind(searchParams.get("altType"))) return "it names no location";
  if (needs !== null && !named.some(([name]) => name === needs)) return "it names no location";
  return named.every(([, value]) => value === own) ? null : "it names another location";
}
