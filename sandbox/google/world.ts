/** What the accounts of the stand-in hold: properties, searches, spreadsheets, customers, files. */

/** Whoever a token was given to, and for what. */
export interface Holder {
  /** The account's name, an e-mail address. */
  readonly account: string;
  readonly scopes: readonly string[];
}

/** What happened on a site on one day, from one channel, country and device, on one page. */
export interface Visit {
  readonly date: string;
  readonly channel: string;
  readonly country: string;
  readonly device: string;
  readonly page: string;
  readonly sessions: number;
  readonly users: number;
  readonly newUsers: number;
  readonly views: number;
  readonly engaged: number;
  readonly seconds: number;
  readonly events: number;
  readonly keyEvents: number;
  readonly revenue: number;
}

/** One search on one day. */
export interface Search {
  readonly date: string;
  readonly query: string;
  readonly page: string;
  readonly country: string;
  readonly device: string;
  readonly type: string;
  readonly clicks: number;
  readonly impressions: number;
  readonly position: number;
  /** Made by so few people that Google does not name it. */
  readonly unnamed?: true;
}

/** A cell: what is shown, what is stored, what was entered; or all three at once. */
export type SheetCell = string | number | boolean | null | {
  readonly shown: string;
  readonly stored: string | number | boolean;
  readonly entered: string | number | boolean;
};

/** A file or folder in the Drive of an account. */
export interface DriveFile {
  readonly id: string;
  readonly owner: string;
  name: string;
  mimeType: string;
  parents: string[];
  /** Whether this app made it, or was given it by a person; no other is visible to it. */
  visible: boolean;
  trashed: boolean;
  createdTime: string;
  modifiedTime: string;
  appProperties?: Record<string, string>;
  /** Null of Google's own documents. */
  content: Uint8Array<ArrayBuffer> | null;
  /** What Google's own documents are exported as, by type. */
  exports?: Record<string, string>;
}

interface Shared {
  /** The accounts that may read it. */
  readonly readers: Set<string>;
}
export interface Property extends Shared {
  readonly visits: Visit[];
  readonly currency: string;
  readonly timeZone: string;
  /** As the Admin API shows it: its name, the account it is in, its type. */
  readonly name?: string;
  readonly parent?: string;
  readonly parentName?: string;
  readonly type?: string;
  /** Metrics of money that the account's role may not see: Google answers nought for them, and names them. */
  restricted?: readonly string[];
  /** What a report's metadata says beside these; of one by dimensions, and of one without. */
  metadata?: { readonly whole: object; readonly parts: object };
}
export interface SearchSite extends Shared {
  readonly searches: Search[];
  /** What the account may do there; siteOwner where it is left out. */
  readonly level?: string;
}
export interface Spreadsheet extends Shared {
  readonly sheets: Record<string, SheetCell[][]>;
}
export interface Customer extends Shared {
  /** The manager account that access runs through; null where it is direct. */
  readonly manager: string | null;
  /** Rows by resource, nested as Google answers them. */
  readonly rows: Record<string, Record<string, unknown>[]>;
}

/** Everything. */
export interface World {
  readonly properties: Map<string, Property>;
  readonly searchSites: Map<string, SearchSite>;
  readonly spreadsheets: Map<string, Spreadsheet>;
  readonly customers: Map<string, Customer>;
  readonly files: Map<string, DriveFile>;
  /** What Search Console calls the first day that is not whole: its reference and its answers write it in two ways. */
  incompleteDateName: "first_incomplete_date" | "firstIncompleteDate";
}

/** A world with nothing in it. */
export const emptyWorld = (): World => ({
  properties: new Map(),
  searchSites: new Map(),
  spreadsheets: new Map(),
  customers: new Map(),
  files: new Map(),
  incompleteDateName: "first_incomplete_date",
});
