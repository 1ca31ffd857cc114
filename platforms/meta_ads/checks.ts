/** The checks of diagnose_site on social ads: the connection, how long it still holds, and the ad account. */
import { counted } from "../../core/one_line.ts";
import { LIMITS } from "../../core/model.ts";
import { type Check, fail, pass, probe, unknown, withDeadline } from "../_connector/checks.ts";
import type { ConnectorContext, Diagnosis } from "../_connector/connector.ts";
import { assertAccount, assertBound } from "./links.ts";
import type { MetaSettings } from "./routes.ts";

const DAY_MS = 86_400_000;
const [CONNECTION, ACCOUNT] = ["social_ads_connection", "social_ads_account"] as const;

/** Of sites of every kind, where anything of social ads is set; asks Meta once. */
export const socialAdsChecks: Diagnosis<ConnectorContext<MetaSettings>> = {
  names: [CONNECTION, ACCOUNT],
  async run(ctx, limitMs) {
    if (!ctx.site?.social_ads_user_id && !ctx.site?.social_ad_account_id) return [];
    const bound = await probe(() => Promise.resolve(assertBound(ctx)));
    const skipped = (why: string) =>
      unknown(ACCOUNT, `Not asked: ${why}`, `Repair ${CONNECTION} first, then diagnose again`);
    if (bound.error) {
      const next = "Bind a user whose Meta account may read the ads";
      return [fail(CONNECTION, bound.error.message, next), skipped("no Meta account is bound")];
    }
    const token = await probe(() => ctx.account!.token());
    if (token.error) {
      return [
        fail(CONNECTION, token.error.message, "Connect again"),
        skipped("the connection does not work"),
      ];
    }
    const connection = connectionCheck(ctx, token.found.expires_at ?? null);
    const named = await probe(() => Promise.resolve(assertAccount(ctx)));
    if (named.error) return [connection, fail(ACCOUNT, named.error.message, "Set social_ad_account_id")];
    const [{ MetaAds }, { VERSION_WARNING }] = await Promise.all([
      import("./client.ts"),
      import("./graph.ts"),
    ]);
    const asked = await probe(() => new MetaAds(withDeadline(ctx, ctx.now() + limitMs)).account());
    if (!asked.error) {
      const { name, account_status_label: status } = asked.found;
      const met = pass(ACCOUNT, `Meta shows the ad account "${name}" (${status})`);
      const warning = ctx.cache.get<string>(VERSION_WARNING);
      const next_step = "Set a newer version in SOCIAL_ADS_API_BASE and SOCIAL_ADS_DIALOG_URL";
      return [
        connection,
        warning === undefined ? met : { ...met, detail: `${met.detail}, and warns: ${warning}`, next_step },
      ];
    }
    const { error } = asked;
    if (error.code === "E_SOCIAL_ADS_TOKEN_EXPIRED") {
      return [fail(CONNECTION, error.message, "Connect again"), skipped("the connection does not work")];
    }
    const own = error.code === "E_SOCIAL_ADS_AUTH" || error.code === "E_SOCIAL_ADS_NOT_LINKED";
    return [
      connection,
      own
        ? fail(ACCOUNT, error.message, "Repair it as it says, then diagnose again")
        : unknown(ACCOUNT, error.message, "Diagnose again"),
    ];
  },
};

function connectionCheck(
  { site, now: clock }: ConnectorContext<MetaSettings>,
  expires_at: string | null,
): Check {
  const now = clock();
  if (expires_at === null) return pass(CONNECTION, "The Meta account is connected, without an end");
  const days = Math.floor((Date.parse(expires_at) - now) / DAY_MS);
  const until = `until ${expires_at.slice(0, 10)} (${counted(days, "day")})`;
  return Date.parse(expires_at) - now >= LIMITS.CONNECTION_ENDS_SOON_MS
    ? pass(CONNECTION, `The Meta account is connected ${until}`)
    : fail(
      CONNECTION,
      `The Meta account is connected ${until}, and Meta renews no connection`,
      `Connect again before it ends: deno task admin connection start --user ${site?.social_ads_user_id} --kind meta_ads`,
    );
}
