/** The tools of the sites in tests of proxied tools, and what each may touch. */
import { GatewayError } from "../../core/errors.ts";
import type { ProxyClass, ServerRef, SiteOffer } from "../../platforms/tool_servers/types.ts";
import { readProxies } from "../../registry/proxies.ts";
import { cmsTools } from "../../sandbox/tool_servers/cms_catalogue.ts";
import { CONNECTORS } from "../connectors.ts";

export const SERVER: ServerRef = { source: "cms", server: "emcp-tools-server" };
export const HOSTED: ServerRef = { source: "crm", server: "hosted" };
const READ: ProxyClass = { writes: false, effect: "read" };
const PAGE: ProxyClass = { writes: true, effect: "page", page: "post_id" };

/** The tools of a WordPress, by the name that its server has for them. */
export const CMS_TOOLS: Readonly<Record<string, ProxyClass>> = {
  "emcp-tools-get-page-structure": READ,
  "emcp-tools-get-element-settings": READ,
  "emcp-tools-list-pages": READ,
  "emcp-tools-add-free-widget": PAGE,
  "emcp-tools-update-element": PAGE,
  "emcp-tools-remove-element": PAGE,
  "emcp-tools-batch-update": PAGE,
  "emcp-tools-update-page-settings": PAGE,
  "emcp-tools-create-page": { writes: true, effect: "new" },
  "emcp-tools-build-page": { writes: true, effect: "new" },
  "emcp-tools-update-global-colors": { writes: true, effect: "site" },
  "mcp-adapter-get-ability-info": READ,
  "mcp-adapter-execute-ability": { writes: true, effect: "site" },
  "emcp-tools-call-tool": READ,
};

/** The tools of the CRM, with the arguments that their own schemas have. */
export const CRM_TOOLS: Readonly<Record<string, readonly [ProxyClass, readonly string[]]>> = {
  "contacts_get-contact": [READ, ["path_contactId", "query_locationId"]],
  "locations_get-location": [READ, ["path_locationId"]],
  "payments_list-transactions": [READ, ["query_altId", "query_altType", "query_limit"]],
  "contacts_add-tags": [{ writes: true, effect: "record" }, ["path_contactId", "body_tags"]],
  "contacts_remove-tags": [{ writes: true, effect: "record" }, ["path_contactId", "body_tags"]],
  "opportunities_update-opportunity": [{ writes: true, effect: "record" }, [
    "path_id",
    "body_id",
    "body_status",
  ]],
  "blogs_create-blog-post": [
    { writes: true, effect: "record" },
    ["body_title", "body_locationId", "body_status", "body_publishedAt"],
  ],
  "social-media-posting_create-post": [
    { writes: true, effect: "record" },
    ["path_locationId", "body_type", "body_status", "body_scheduleDate"],
  ],
};

const SOURCES = await readProxies([new URL("../../", import.meta.url)], CONNECTORS);

/**
 * A tool that sites offer, whichever site, with what is known of its name: with arguments of those names, whose values may
 * be anything, or with those that the real one lists.
 */
export function offerOf(
  upstream_name: string,
  name: string,
  own: ProxyClass,
  ref: ServerRef,
  names: readonly string[],
): Omit<SiteOffer, "site_id"> {
  const listed = cmsTools().find((one) => one.name === upstream_name)?.inputSchema;
  const properties = Object.fromEntries(names.map((one) => [one, {}]));
  const input_schema = names.length === 0 && listed !== undefined ? listed : { type: "object", properties };
  const source = SOURCES.find((one) => one.source === ref.source)!;
  const [shown_by, describes] = [source.shownBy(name), source.describes(name)];
  const description = "What the site's own tool does.";
  const known = source.known.get(name);
  const { values = {}, states = [] } = known ?? {};
  const moment = source.moment(name);
  return {
    ...own,
    ref,
    upstream_name,
    input_schema,
    known: known !== undefined,
    typing: { values, states, ...(moment === undefined ? {} : { moment }) },
    served: { name, ability: source.abilityName(upstream_name), description, input_schema },
    ...(shown_by === undefined ? {} : { shown_by }),
    ...(describes === undefined ? {} : { describes }),
  };
}

/** A failure on the way, of which nobody knows what became of the change. */
export const brokenOff = () =>
  new GatewayError("E_UPSTREAM", "The tool server broke off", { upstream: 502, outcome: "unknown" });
