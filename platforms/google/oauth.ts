/** What can be asked for of a Google account, and the consent page (./tokens.ts has the rest of OAuth). */
import { GatewayError } from "../../core/errors.ts";
import type { ConsentRequest, Right } from "../_connector/connection.ts";
import type { ConnectorContext } from "../_connector/context.ts";

/** The settings, by their names. */
export interface GoogleSettings extends Readonly<Record<string, string | null>> {
  readonly ACCOUNT_AUTH_URL: string;
  readonly ACCOUNT_TOKEN_URL: string;
  readonly ACCOUNT_REVOKE_URL: string;
}
/** What of a context OAuth needs. */
export type OAuthContext = Pick<ConnectorContext<GoogleSettings>, "settings" | "send" | "now">;

/** What can be asked for, by the service it is for. */
export const RIGHTS = {
  analytics: {
    scope: "https://www.googleapis.com/auth/analytics.readonly",
    meaning: "read reports of Google Analytics",
  },
  search: {
    scope: "https://www.googleapis.com/auth/webmasters.readonly",
    meaning: "read search figures of Search Console",
  },
  sheets: {
    scope: "https://www.googleapis.com/auth/spreadsheets.readonly",
    meaning: "read spreadsheets; which ones, each site's settings name",
  },
  ads: {
    scope: "https://www.googleapis.com/auth/adwords",
    meaning: "read reports of Google Ads (Google has no narrower right; the gateway only reads)",
  },
  storage: {
    scope: "https://www.googleapis.com/auth/drive.file",
    meaning: "keep files in folders of Google Drive that the gateway makes itself, and see no others",
  },
} as const satisfies Record<string, Right>;

/** Asked for with every connection: which account it is. */
const IDENTITY = ["openid", "email"];

/** Throws E_MISSING_SECRET. */
export function assertClient(settings: Readonly<Record<string, string | null>>): void {
  const missing = ["ACCOUNT_CLIENT_ID", "ACCOUNT_CLIENT_SECRET"].filter((name) => !settings[name]);
  if (missing.length === 0) return;
  throw new GatewayError(
    "E_MISSING_SECRET",
    `Google accounts need ${missing.join(" and ")}, which the gateway's operator has not set`,
  );
}

/** Whether a request is one of the three that OAuth sends. */
export function isOAuth(url: string, { ACCOUNT_TOKEN_URL, ACCOUNT_REVOKE_URL }: GoogleSettings): boolean {
  return url === ACCOUNT_TOKEN_URL || url === ACCOUNT_REVOKE_URL;
}

/** The consent page: lasting access, always asked anew, together with what was granted before. */
export function authorize({ settings }: OAuthContext, request: ConsentRequest): string {
  assertClient(settings);
  const url = new URL(settings.ACCOUNT_AUTH_URL);
  const asked = {
    client_id: settings.ACCOUNT_CLIENT_ID!,
    redirect_uri: request.redirect_uri,
    response_type: "code",
    scope: [...IDENTITY, ...request.scopes].join(" "),
    state: request.state,
    access_type: "offline",
    prompt: "consent",
    include_granted_scopes: "true",
    code_challenge: request.code_challenge,
    code_challenge_method: "S256",
    ...(request.login_hint === null ? {} : { login_hint: request.login_hint }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url.href;
}
