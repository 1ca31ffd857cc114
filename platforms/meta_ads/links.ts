/** What a site must be linked to for its ads, and how a call without an access token is refused. */
import { GatewayError } from "../../core/errors.ts";
import type { Configured, NoAccount } from "../_connector/context.ts";

/** Throws E_SOCIAL_ADS_NOT_LINKED where no user is bound whose Meta account could be used. */
export function assertBound({ site }: Configured): void {
  if (site?.social_ads_user_id) return;
  throw new GatewayError(
    "E_SOCIAL_ADS_NOT_LINKED",
    `Site "${site?.id}" is bound to no Meta account: social_ads_user_id is not set; its operator can set it with ` +
      `deno task admin site update ${site?.id} --social-ads-user-id <user id>`,
  );
}

/** Throws E_SOCIAL_ADS_NOT_LINKED where the site names no ad account either. */
export function assertAccount(configured: Configured): void {
  assertBound(configured);
  const { site } = configured;
  if (site?.social_ad_account_id) return;
  throw new GatewayError(
    "E_SOCIAL_ADS_NOT_LINKED",
    `Site "${site?.id}" has no ad account: social_ad_account_id is not set; list_social_ad_accounts shows which there ` +
      `are, and its operator can set one with deno task admin site update ${site?.id} --social-ad-account-id <act_…>`,
  );
}

/** The refusal of a call that has no access token. */
export function refusal({ state, message, user_id }: NoAccount): GatewayError {
  if (state === "unavailable") return new GatewayError("E_UPSTREAM", message, { upstream: 503 });
  const code = state === "reconnect" ? "E_SOCIAL_ADS_TOKEN_EXPIRED" : "E_SOCIAL_ADS_NOT_LINKED";
  if (user_id === null) return new GatewayError(code, message);
  const way = `its operator makes the link to ${state === "reconnect" ? "reconnect" : "connect"} with`;
  return new GatewayError(
    code,
    `${message}; ${way} deno task admin connection start --user ${user_id} --kind meta_ads`,
  );
}
