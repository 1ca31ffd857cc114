/** The five services of one connected account: what each is called, which scope it needs, and what it refuses with. */
import type { Code } from "../../core/errors.ts";
import { RIGHTS } from "./oauth.ts";

/** What of the settings the services are reached by. */
export interface ServiceSettings extends Readonly<Record<string, string | null>> {
  readonly ANALYTICS_ADMIN_API_BASE: string;
  readonly ANALYTICS_API_BASE: string;
  readonly SEARCH_API_BASE: string;
  readonly SHEETS_API_BASE: string;
  readonly ADS_API_BASE: string;
  readonly ADS_DEVELOPER_TOKEN: string | null;
  readonly STORAGE_API_BASE: string;
  readonly STORAGE_UPLOAD_BASE: string;
}

/** One service. */
export interface Service {
  /** As its vendor calls it. */
  readonly name: string;
  /** The scope that a connection needs for it. */
  readonly scope: string;
  /** What a call is refused with whose connection cannot be used for it. */
  readonly unlinked: Code;
  /** The field of a site that says whose connection is used. */
  readonly user: "account_user_id" | "storage_user_id";
  /** What its own refusal of access is helped by. */
  readonly access: string;
}

const own = { unlinked: "E_ANALYTICS_ACCOUNT_NOT_LINKED", user: "account_user_id" } as const;

export const SERVICES = {
  analytics: {
    ...own,
    name: "Google Analytics",
    scope: RIGHTS.analytics.scope,
    access: "the connected account needs to be a viewer of the site's property",
  },
  search: {
    ...own,
    name: "Google Search Console",
    scope: RIGHTS.search.scope,
    access: "the connected account needs to be a user of the site's property",
  },
  sheets: {
    ...own,
    name: "Google Sheets",
    scope: RIGHTS.sheets.scope,
    access: "the spreadsheet needs to be shared with the connected account",
  },
  ads: {
    ...own,
    name: "Google Ads",
    scope: RIGHTS.ads.scope,
    unlinked: "E_ADS_NOT_LINKED",
    access: "the connected account needs access to the site's customer; where it comes by way of a manager " +
      "account, ads_login_customer_id names that one",
  },
  storage: {
    name: "Google Drive",
    scope: RIGHTS.storage.scope,
    unlinked: "E_ANALYTICS_ACCOUNT_NOT_LINKED",
    user: "storage_user_id",
    access: "the gateway sees only folders and files that it made itself",
  },
} as const satisfies Record<string, Service>;

/** The name of a service here. */
export type ServiceName = keyof typeof SERVICES;
