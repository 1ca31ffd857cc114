/** What of the services a site may reach: its own property, address, customer, folder and sheets, and the requests that tools need. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import type { PolicyContext } from "../_connector/connector.ts";
import type { Outgoing } from "../_http/request.ts";
import type { ServiceSettings } from "./services.ts";

/** The type of folders, and how those of Google's own documents begin. */
export const NATIVE = "application/vnd.google-apps.";
export const FOLDER_TYPE = `${NATIVE}folder`;
/** What marks the folder that the gateway made for a site; only the gateway sees it. */
export const FOLDER_MARK = "site_operations_site";

/** A property as it is compared: its number. */
export const propertyNumber = (id: string): string => id.replace(/^properties\//, "");
/** A customer as it is compared: ten digits. */
export const customerNumber = (id: string): string => id.replaceAll("-", "");

/** The number of the site's property. Throws E_ANALYTICS_NOT_LINKED. */
export function propertyOf(site: Site | undefined): string {
  if (site?.analytics_property_id) return propertyNumber(site.analytics_property_id);
  throw new GatewayError("E_ANALYTICS_NOT_LINKED", "The site has no analytics property");
}

/** The address of the site's search property. Throws E_SEARCH_NOT_LINKED. */
export function searchSiteOf(site: Site | undefined): string {
  if (site?.search_site_url) return site.search_site_url;
  throw new GatewayError("E_SEARCH_NOT_LINKED", "The site has no search property");
}

/** The number of the site's customer. Throws E_ADS_NOT_LINKED. */
export function customerOf(site: Site | undefined): string {
  if (site?.ads_customer_id) return customerNumber(site.ads_customer_id);
  throw new GatewayError("E_ADS_NOT_LINKED", "The site has no ads customer");
}

/** The site's folder. Throws E_STORAGE_NOT_LINKED. */
export function folderOf(site: Site | undefined): string {
  if (site?.storage_folder_id) return site.storage_folder_id;
  throw new GatewayError("E_STORAGE_NOT_LINKED", "The site has no storage folder");
}

/** Refuses a spreadsheet that the site may not read: E_SCOPE_DENIED. */
export function assertReadable(site: Site | undefined, spreadsheet: string): void {
  const ids = site?.spreadsheet_ids ?? [];
  if (ids.includes("*") || ids.includes(spreadsheet)) return;
  const why = ids.length === 0 ? "none is named" : "that one is not among them";
  throw new GatewayError(
    "E_SCOPE_DENIED",
    `spreadsheet_id: site "${site?.id}" may read only the spreadsheets in its spreadsheet_ids, and ${why}; its operator ` +
      `can add it with deno task admin site update ${site?.id} --spreadsheet-ids <id,id>`,
    { audit: "denied" },
  );
}

/** A text within the quotes of a query of Google Drive. */
export const quoted = (text: string) => `'${text.replace(/[\\']/g, "\\$&")}'`;
/** How every query for files of the site's folder begins. */
export const within = (folder: string) => `${quoted(folder)} in parents and trashed = false`;
/** The query for the folder that was made for a site. */
export const marked = (site_id: string) =>
  `appProperties has { key=${quoted(FOLDER_MARK)} and value=${quoted(site_id)} } and trashed = false`;

type Rule = (out: Outgoing, rest: string, ctx: PolicyContext<ServiceSettings>) => boolean;
const isRead = (out: Outgoing, method: Outgoing["method"]) => out.effect === "read" && out.method === method;
const read =
  (method: Outgoing["method"], matches: (rest: string, site: Site | undefined) => boolean): Rule =>
  (out, rest, { site }) => isRead(out, method) && matches(rest, site);

function isAds(out: Outgoing, rest: string, { site }: PolicyContext<ServiceSettings>): boolean {
  const manager = site?.ads_login_customer_id?.replaceAll("-", "");
  return isRead(out, "POST") && rest === `customers/${customerOf(site)}/googleAds:searchStream` &&
    out.headers?.["login-customer-id"] === manager;
}

/** What may follow the folder in a query: nothing, or one name. */
const NAMED = /^( and name = '([^'\\]|\\.)*')?$/;

function isStorageRead(out: Outgoing, rest: string, { site }: PolicyContext<ServiceSettings>): boolean {
  const { searchParams } = new URL(out.url);
  if (out.method === "POST") return rest === "files" && out.effect === "write" && isNewFolder(out, site);
  if (!isRead(out, "GET")) return false;
  if (rest !== "files") return /^files\/[A-Za-z0-9_-]+(\/export)?$/.test(rest);
  const query = searchParams.get("q") ?? "";
  const folder = site?.storage_folder_id;
  return query === marked(site?.id ?? "") ||
    Boolean(folder) && query.startsWith(within(folder!)) && NAMED.test(query.slice(within(folder!).length));
}

/** A folder is made only for a site that has none. */
function isNewFolder({ json }: Outgoing, site: Site | undefined): boolean {
  const { mimeType, appProperties } = json as { mimeType?: string; appProperties?: Record<string, string> };
  return site?.storage_folder_id === null && mimeType === FOLDER_TYPE &&
    appProperties?.[FOLDER_MARK] === site.id;
}

/** A file is added to the site's folder and nowhere else: the first part of the body says what it is. */
function isStorageWrite(out: Outgoing, rest: string, { site }: PolicyContext<ServiceSettings>): boolean {
  const { searchParams } = new URL(out.url);
  if (out.method !== "POST" || out.effect !== "write" || rest !== "files") return false;
  if (searchParams.get("uploadType") !== "multipart" || !(out.body instanceof Uint8Array)) return false;
  const head = new TextDecoder().decode(out.body.subarray(0, 4096));
  return head.includes(`"parents":["${folderOf(site)}"]`);
}

const RULES: readonly [setting: keyof ServiceSettings & string, rule: Rule][] = [
  ["ANALYTICS_API_BASE", read("POST", (rest, site) => rest === `properties/${propertyOf(site)}:runReport`)],
  [
    "SEARCH_API_BASE",
    read(
      "POST",
      (rest, site) => rest === `sites/${encodeURIComponent(searchSiteOf(site))}/searchAnalytics/query`,
    ),
  ],
  [
    "SHEETS_API_BASE",
    read("GET", (rest, site) => {
      const [, id] = /^spreadsheets\/([A-Za-z0-9_-]+)\/values\/[^/]+$/.exec(rest) ?? [];
      const ids = site?.spreadsheet_ids ?? [];
      return id !== undefined && (ids.includes("*") || ids.includes(id));
    }),
  ],
  ["ADS_API_BASE", isAds],
  ["STORAGE_UPLOAD_BASE", isStorageWrite],
  ["STORAGE_API_BASE", isStorageRead],
];

/** What a customer is called, and whether it is a manager account. */
export const CUSTOMER_QUERY = "SELECT customer.id, customer.descriptive_name, customer.manager, " +
  "customer.status FROM customer LIMIT 1";
/** The customers below a manager account, those below its own managers too. */
export const CLIENTS_QUERY = "SELECT customer_client.id, customer_client.descriptive_name, " +
  "customer_client.manager, customer_client.status, customer_client.level FROM customer_client " +
  `WHERE customer_client.level > 0 ORDER BY customer_client.level, customer_client.id LIMIT ${
    2 * LIMITS.LINKABLE_MAX
  }`;
const LISTED_CUSTOMER = /^customers\/\d{10}\/googleAds:searchStream$/;
const PAGED_WITH: ReadonlySet<string> = new Set(["pageSize", "pageToken"]);

const queryOf = (out: Outgoing) => [...new URL(out.url).searchParams.keys()];

function isAdsList(out: Outgoing, rest: string): boolean {
  if (out.headers?.["login-customer-id"] !== undefined || queryOf(out).length > 0) return false;
  if (isRead(out, "GET")) return rest === "customers:listAccessibleCustomers";
  const { query, ...more } = (out.json ?? {}) as Readonly<Record<string, unknown>>;
  return isRead(out, "POST") && LISTED_CUSTOMER.test(rest) && Object.keys(more).length === 0 &&
    (query === CUSTOMER_QUERY || query === CLIENTS_QUERY);
}

/** What may be sent to list what a site could be linked to, and by nothing else. */
const LISTS: typeof RULES = [
  [
    "ANALYTICS_ADMIN_API_BASE",
    (out, rest) =>
      isRead(out, "GET") && rest === "accountSummaries" && queryOf(out).every((name) => PAGED_WITH.has(name)),
  ],
  ["SEARCH_API_BASE", (out, rest) => isRead(out, "GET") && rest === "sites" && queryOf(out).length === 0],
  ["ADS_API_BASE", isAdsList],
];

/** The path of an address below another; null where it is not below it. */
function below(url: string, base: string): string | null {
  const [at, root] = [new URL(url), new URL(base)];
  const path = `${root.pathname.replace(/\/$/, "")}/`;
  return at.origin === root.origin && at.pathname.startsWith(path) ? at.pathname.slice(path.length) : null;
}

/** Why a request to one of the services may never be sent, or null. */
export function forbidden(out: Outgoing, ctx: PolicyContext<ServiceSettings>): string | null {
  for (const [setting, rule] of ctx.listing ? LISTS : RULES) {
    const rest = below(out.url, ctx.settings[setting]!);
    if (rest === null) continue;
    const needed = ctx.listing ? "lists what the site could be linked to" : "a tool needs for this site";
    return rule(out, rest, ctx) ? null : `it is no request that ${needed}`;
  }
  return "it leads to none of the account's services";
}
