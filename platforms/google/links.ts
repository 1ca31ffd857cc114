/** What a site must be linked to for each Google service, and how a call without an access token is refused. */
import { type Code, GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import type { Configured, NoAccount } from "../_connector/context.ts";

const SITE_UPDATE = "its operator can set it with deno task admin site update";

/** The command that begins a connection. */
export const connectCommand = (user_id: string) =>
  `deno task admin connection start --user ${user_id} --kind google`;

/** Throws E_ANALYTICS_ACCOUNT_NOT_LINKED where no account is bound to the site at all. */
export function assertAccount({ site }: Configured): void {
  if (site?.account_user_id || site?.storage_user_id) return;
  throw unbound(site);
}

/** A service of the account that account_user_id binds, and the field that says what of it is the site's. */
function service(field: keyof Site, code: Code, what: string, value: string) {
  return ({ site }: Configured): void => {
    if (!site?.account_user_id) throw unbound(site);
    if (site[field]) return;
    throw new GatewayError(
      code,
      `Site "${site.id}" has no ${what}: ${field} is not set; ${SITE_UPDATE} ${site.id} ` +
        `--${field.replaceAll("_", "-")} ${value}`,
    );
  };
}

/** Throws E_ANALYTICS_ACCOUNT_NOT_LINKED, E_ANALYTICS_NOT_LINKED. */
export const assertAnalytics = service(
  "analytics_property_id",
  "E_ANALYTICS_NOT_LINKED",
  "Analytics property",
  "<number>",
);
/** Throws E_ANALYTICS_ACCOUNT_NOT_LINKED, E_SEARCH_NOT_LINKED. */
export const assertSearch = service(
  "search_site_url",
  "E_SEARCH_NOT_LINKED",
  "Search Console property",
  "<property>",
);
/** Throws E_ANALYTICS_ACCOUNT_NOT_LINKED, E_ADS_NOT_LINKED. */
export const assertAds = service(
  "ads_customer_id",
  "E_ADS_NOT_LINKED",
  "Google Ads customer",
  "<ten digits>",
);

/** Throws E_STORAGE_NOT_LINKED. */
export function assertStorage({ site }: Configured): void {
  const missing = (["storage_user_id", "storage_folder_id"] as const).filter((field) => !site?.[field]);
  if (missing.length === 0) return;
  throw new GatewayError(
    "E_STORAGE_NOT_LINKED",
    `Site "${site?.id}" has no storage folder: ${missing.join(" and ")} not set; its operator ${
      site?.storage_user_id
        ? ""
        : `sets storage_user_id with deno task admin site update ${site?.id} --storage-user-id <user id>, then `
    }has the folder made with deno task admin site storage-folder ${site?.id}`,
  );
}

/** The refusal of a site that is bound to no account. */
export function unbound(site: Site | undefined): GatewayError {
  return new GatewayError(
    "E_ANALYTICS_ACCOUNT_NOT_LINKED",
    `Site "${site?.id}" is bound to no Google account: account_user_id is not set; ${SITE_UPDATE} ${site?.id} ` +
      "--account-user-id <user id>, once that user has connected one (deno task admin connection start)",
  );
}

/** The refusal of a call that has no access token. */
export function refusal({ state, message, use, user_id, cause, retry_after_ms }: NoAccount): GatewayError {
  if (state === "unavailable") {
    if (cause instanceof GatewayError && cause.code === "E_MISSING_SECRET") return cause;
    const why = cause instanceof GatewayError ? `: ${cause.message}` : "";
    return new GatewayError("E_UPSTREAM", `${message}${why}`, {
      cause,
      upstream: cause instanceof GatewayError ? cause.upstream : 503,
      retryAfter: Math.max(1, Math.ceil((retry_after_ms ?? 0) / 1000)),
    });
  }
  if (state === "unbound" && use === "storage") {
    return new GatewayError("E_STORAGE_NOT_LINKED", `${message}: storage_user_id is not set`);
  }
  const next = user_id === null
    ? "account_user_id is not set, or the token has no owner"
    : `its operator makes the link to ${state === "reconnect" ? "reconnect" : "connect"} with ` +
      connectCommand(user_id);
  return new GatewayError("E_ANALYTICS_ACCOUNT_NOT_LINKED", `${message}; ${next}`);
}
