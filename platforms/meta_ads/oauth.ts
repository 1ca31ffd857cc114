/** What can be asked for of a Meta account, and the consent page (./tokens.ts has the rest of OAuth). */
import { GatewayError } from "../../core/errors.ts";
import type { ConsentRequest, Right } from "../_connector/connection.ts";
import type { ConnectorContext } from "../_connector/context.ts";
import type { MetaSettings } from "./routes.ts";

/** What of a context OAuth needs. */
export type OAuthContext = Pick<ConnectorContext<MetaSettings>, "settings" | "send" | "now">;

/** What can be asked for. */
export const RIGHTS = {
  ads: { scope: "ads_read", meaning: "read ad accounts, their campaigns and what their ads did" },
} as const satisfies Record<string, Right>;
/** Where a person removes the app. */
export const MANAGE_URL = "https://www.facebook.com/settings/?tab=business_tools";

/** Throws E_MISSING_SECRET. */
export function assertApp(settings: Readonly<Record<string, string | null>>): void {
  const missing = ["SOCIAL_ADS_APP_ID", "SOCIAL_ADS_APP_SECRET"].filter((name) => !settings[name]);
  if (missing.length === 0) return;
  throw new GatewayError(
    "E_MISSING_SECRET",
    `Meta accounts need ${missing.join(" and ")}, which the gateway's operator has not set`,
  );
}

/** The consent page; what was refused before is asked again. */
export function authorize(
  { settings }: OAuthContext,
  { redirect_uri, state, scopes }: ConsentRequest,
): string {
  assertApp(settings);
  const url = new URL(settings.SOCIAL_ADS_DIALOG_URL);
  const asked = {
    client_id: settings.SOCIAL_ADS_APP_ID!,
    redirect_uri,
    state,
    response_type: "code",
    scope: scopes.join(","),
    auth_type: "rerequest",
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url.href;
}
