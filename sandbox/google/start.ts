/** A stand-in for Google's services: reports, searches, sheets, ads and files of accounts, every request held to the contract. */
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import { answerTo, type GoogleState } from "./api.ts";
import { FOLDER, placed } from "./drive.ts";
import { Refusal, Strict } from "./refusal.ts";
import { seeded } from "./seed.ts";
import type { DriveFile, Holder } from "./world.ts";

export { SEEDED } from "./seed.ts";
export { FOLDER } from "./drive.ts";
export type { DriveFile, Holder, SheetCell, World } from "./world.ts";

/** The account that the seeded world belongs to. */
export const ACCOUNT = "agency@client.example";
const EVERY_SCOPE = [
  "analytics.readonly",
  "webmasters.readonly",
  "spreadsheets.readonly",
  "adwords",
  "drive.file",
]
  .map((name) => `https://www.googleapis.com/auth/${name}`);

/** The faults every stand-in knows, and refusals in Google's words. */
export type GoogleFault =
  | CommonFault
  | {
    readonly kind: "refused";
    readonly status: number;
    readonly word?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly details?: readonly object[];
    readonly retry_after?: number;
    /** As a stream of Google Ads wraps it. */
    readonly wrapped?: boolean;
  };

/** How the stand-in is set up. */
export interface GoogleOptions extends StandInOptions {
  /** Who holds an access token, where another stand-in gives them out. Default: those of `grant`. */
  readonly holderOf?: (access_token: string) => Holder | null;
  /** Whom the seeded world belongs to. Default ACCOUNT. */
  readonly account?: string;
}

/** A running stand-in. */
export interface GoogleStandIn extends Service<RecordedRequest, GoogleFault> {
  readonly state: GoogleState;
  /** The settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Requests that no client may send, a sentence each. */
  readonly violations: readonly string[];
  /** Makes an access token valid, for an hour or that many seconds. */
  grant(access_token: string, holder?: Partial<Holder>, seconds?: number): void;
  /** Ends one. */
  withdraw(access_token: string): void;
  /** A folder that the app made, with its id. */
  folder(more?: Partial<DriveFile>): DriveFile;
  /** A file in a folder, as the app would have made it. */
  file(folder: string, name: string, more?: Partial<DriveFile> & { readonly text?: string }): DriveFile;
}

function replace(fault: GoogleFault): Response | undefined {
  if (fault.kind !== "refused") return undefined;
  const { status, word = "", message = "Refused", wrapped = false, reason, details, retry_after } = fault;
  return new Refusal(status, word, message, { reason, details, retry_after }).answer(wrapped);
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startGoogle(options: GoogleOptions = {}): GoogleStandIn {
  const account = options.account ?? ACCOUNT;
  const tokens = new Map<string, { holder: Holder; ends_at: number }>();
  const strict = new Strict();
  const own = (token: string) => {
    const known = tokens.get(token);
    return known !== undefined && known.ends_at > service.clock.now() ? known.holder : null;
  };
  const service = startService<RecordedRequest, GoogleFault>(options, {
    handle: (call) => answerTo(state, call),
    replace,
    busy: ({ status = 429, retry_after }) =>
      new Refusal(status, "RESOURCE_EXHAUSTED", "Quota exceeded.", {
        ...typeof retry_after === "number" ? { retry_after } : {},
      }).answer(),
    isWrite: ({ method, path }) => method === "POST" && /\/drive\/v3\/files$/.test(path),
  });
  const state: GoogleState = {
    world: seeded(account, service.clock.now()),
    strict,
    holderOf: options.holderOf ?? own,
    now: service.clock.now,
    batch: 50,
    accountsPerPage: 200,
    developerToken: true,
  };
  const base = service.base_url;
  return Object.assign(service, {
    state,
    env: {
      ANALYTICS_ADMIN_API_BASE: `${base}/analyticsadmin/v1beta`,
      ANALYTICS_API_BASE: `${base}/analytics/v1beta`,
      SEARCH_API_BASE: `${base}/search/v3`,
      SHEETS_API_BASE: `${base}/sheets/v4`,
      ADS_API_BASE: `${base}/ads/v26`,
      STORAGE_API_BASE: `${base}/drive/v3`,
      STORAGE_UPLOAD_BASE: `${base}/upload/drive/v3`,
    },
    violations: strict.violations,
    grant(token: string, holder: Partial<Holder> = {}, seconds = 3600) {
      const ends_at = service.clock.now() + seconds * 1000;
      tokens.set(token, { holder: { account, scopes: EVERY_SCOPE, ...holder }, ends_at });
    },
    withdraw: (token: string) => void tokens.delete(token),
    folder: (more: Partial<DriveFile> = {}) =>
      placed(state.world, { owner: account, name: "Client", mimeType: FOLDER, ...more }, service.clock.now()),
    file: (
      folder: string,
      name: string,
      { text, ...more }: Partial<DriveFile> & { readonly text?: string } = {},
    ) =>
      placed(state.world, {
        owner: account,
        name,
        parents: [folder],
        ...text === undefined ? {} : { content: new TextEncoder().encode(text) },
        ...more,
      }, service.clock.now()),
  });
}
