/** The requests that may be sent at all: reads of the site's ad account, and what connecting takes. */
import type { PolicyContext } from "../_connector/connector.ts";
import type { Outgoing } from "../_http/request.ts";

/** The settings, by their names. */
export interface MetaSettings extends Readonly<Record<string, string | null>> {
  readonly SOCIAL_ADS_API_BASE: string;
  readonly SOCIAL_ADS_DIALOG_URL: string;
  readonly SOCIAL_ADS_APP_ID: string | null;
  readonly SOCIAL_ADS_APP_SECRET: string | null;
}

/** The number of an ad account, without the act_ before it. */
export const numberOf = (account: string): string => account.replace(/^act_/, "");

/** Below an ad account; the empty one is the account itself. */
const EDGES: ReadonlySet<string> = new Set(["", "/campaigns", "/adsets", "/ads", "/insights"]);
const OF_PERSON: ReadonlySet<string> = new Set(["/me/adaccounts"]);
/** Without a site, when a person connects. */
const CONNECTING: ReadonlySet<string> = new Set(["/oauth/access_token", "/debug_token", "/me"]);

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** What an address may hold; Meta takes others, such as one that changes the method. */
const READ_WITH = names(
  "fields limit after effective_status filtering level date_preset time_range time_increment breakdowns " +
    "action_breakdowns sort action_attribution_windows appsecret_proof",
);
const CONNECTED_WITH = names(
  "client_id client_secret redirect_uri code grant_type fb_exchange_token input_token fields appsecret_proof",
);

/** Why a request may never be sent, or null. */
export function refusalOf(out: Outgoing, { site, settings }: PolicyContext<MetaSettings>): string | null {
  if (out.method !== "GET") return "Meta is only read";
  const { pathname, searchParams } = new URL(out.url);
  const prefix = new URL(settings.SOCIAL_ADS_API_BASE).pathname.replace(/\/$/, "");
  const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : "";
  const connecting = CONNECTING.has(path);
  const strange = [...searchParams.keys()].find((name) =>
    !(connecting ? CONNECTED_WITH : READ_WITH).has(name)
  );
  if (strange !== undefined) {
    return `its address holds ${JSON.stringify(strange)}, which nothing here asks with`;
  }
  if (connecting) return site === undefined ? null : "a call of a site connects nobody";
  if (out.effect !== "read") return "Meta is only read";
  if (OF_PERSON.has(path)) return null;
  const account = site?.social_ad_account_id;
  if (!account) return "the site names no ad account";
  const own = `/act_${numberOf(account)}`;
  if (!path.startsWith(own) || !EDGES.has(path.slice(own.length))) {
    return "it is no read of the site's ad account";
  }
  return null;
}

/** Whether two ids mean the same ad account, with act_ before them or without. */
export const sameAccount = (a: string, b: string): boolean => numberOf(a) === numberOf(b);
