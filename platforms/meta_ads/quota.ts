/** How much Meta lets an app and its ad accounts ask, as its answers tell it (docs/upstreams/meta.md, "Limits"). */

/** What a request counts as at Meta. */
export type Family = "ads_insights" | "ads_management";

/** Used up to this percentage, the rest is left to others who use the account. */
const FULL_PERCENT = 90;
const MINUTE_MS = 60_000;
/** Where an answer does not say how long: Meta counts over an hour that moves on, so a part of it is free again then. */
const PAUSE_MS = 5 * MINUTE_MS;
/** No wait is longer; a clock that was set back would hold everybody up for good. */
const WAIT_MS_MAX = 24 * 60 * MINUTE_MS;
/** Scopes that are remembered. */
const SCOPES_MAX = 5000;

/** Until when a scope is not asked, by its name. */
const paused = new Map<string, number>();

type Values = Readonly<Record<string, unknown>>;

/** The quota of one ad account (or of none), at one address of Meta. */
export class Quota {
  constructor(private readonly base: string, private readonly account: string | null) {}

  /** How many milliseconds from now nothing of that family may be asked; 0 where it may. */
  wait(family: Family, now: number): number {
    const untils = this.#scopes(family).map((scope) => paused.get(scope) ?? 0);
    const left = Math.max(0, ...untils) - now;
    return left > 0 && left <= WAIT_MS_MAX ? left : 0;
  }

  /** Notes what an answer's headers say. What they lack or spell otherwise is passed over. */
  heard(headers: Headers, family: Family, now: number): void {
    const [app, own] = this.#scopes(family);
    const business = Object.entries(valuesOf(headers.get("x-business-use-case-usage")));
    for (const [id, entries] of business) {
      if (id !== this.account || !Array.isArray(entries)) continue;
      for (const entry of entries.map(recordOf).filter(({ type }) => type === undefined || type === family)) {
        const minutes = numberOf(entry["estimated_time_to_regain_access"]);
        const used = Math.max(
          ...["call_count", "total_cputime", "total_time"].map((name) => numberOf(entry[name])),
        );
        this.#pause(own!, used, minutes * MINUTE_MS, now);
      }
    }
    const insights = valuesOf(headers.get("x-fb-ads-insights-throttle"));
    if (family === "ads_insights") this.#pause(own!, numberOf(insights["acc_id_util_pct"]), 0, now);
    const account = valuesOf(headers.get("x-ad-account-usage"));
    const percent = numberOf(account["acc_id_util_pct"]);
    // This header tells when the count begins anew with every answer, however little of it is used.
    const reset = percent < FULL_PERCENT ? 0 : numberOf(account["reset_time_duration"]) * 1000;
    this.#pause(own!, percent, reset, now);
    const general = valuesOf(headers.get("x-app-usage"));
    const used = ["call_count", "total_cputime", "total_time"].map((name) => numberOf(general[name]));
    this.#pause(app!, Math.max(numberOf(insights["app_id_util_pct"]), ...used), 0, now);
  }

  /** Notes that Meta refused for being asked too much; answers how long nothing is asked now. */
  refused(family: Family, now: number): number {
    const known = this.wait(family, now);
    if (known > 0) return known;
    remember(this.#scopes(family)[1]!, now + PAUSE_MS);
    return PAUSE_MS;
  }

  /** The app's scope, and the account's own. */
  #scopes(family: Family): string[] {
    return [[this.base], [this.base, this.account, family]].map((parts) => JSON.stringify(parts));
  }

  #pause(scope: string, percent: number, ms: number, now: number): void {
    if (percent < FULL_PERCENT && ms === 0) return;
    remember(scope, now + Math.min(ms > 0 ? ms : PAUSE_MS, WAIT_MS_MAX));
  }
}

function remember(scope: string, until: number): void {
  paused.delete(scope); // the one noted last stands last
  paused.set(scope, until);
  if (paused.size > SCOPES_MAX) paused.delete(paused.keys().next().value!);
}

function valuesOf(text: string | null): Values {
  try {
    return recordOf(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}

const recordOf = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value as Values : {};

function numberOf(value: unknown): number {
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : 0;
  return Number.isFinite(number) && number > 0 ? number : 0;
}
