/** How much Meta lets an app and its ad accounts ask, as its answers tell it (docs/upstreams/meta.md, "Limits"). */
import { isFields } from "../../core/values.ts";
import { retryAfter } from "../_http/answer.ts";

/** What a request counts as at Meta. */
export type Family = "ads_insights" | "ads_management";

/** Used up to this percentage, the rest is left to others who use the account. */
const FULL_PERCENT = 90;
const MINUTE_MS = 60_000;
/** Where an answer does not say how long: Meta counts over an hour that moves on, so a part of it is free again then. */
const PAUSE_MS = 5 * MINUTE_MS;
/** No wait is longer; a clock that was set back would hold everybody up for good. */
const WAIT_MS_MAX = 24 * 60 * MINUTE_MS;
/** The number of the error that is about the app, whichever account was asked about. */
const OF_APP = 4;
/** Scopes that are remembered. */
const SCOPES_MAX = 5000;

/** Until when a scope is not asked, by its name. */
const paused = new Map<string, number>();

type Values = Readonly<Record<string, unknown>>;

/** How long nothing may be asked, and whether the app as a whole is held up. */
export interface Wait {
  readonly ms: number;
  readonly of_app: boolean;
}

/** What a refusal for being asked too much says of when to ask again. */
export interface Limited {
  readonly headers: Headers;
  /** Meta's number of the error. */
  readonly code: number;
}

/** The quota of one ad account, or of a connection where none is asked about, at one address of Meta. */
export class Quota {
  /** `own` is the ad account's number, or the connection's id. */
  constructor(private readonly base: string, private readonly own: string) {}

  /** How long from now nothing of that family may be asked; 0 where it may. */
  wait(family: Family, now: number): Wait {
    const left = (scope: string) => {
      const ms = (paused.get(scope) ?? 0) - now;
      return ms > 0 && ms <= WAIT_MS_MAX ? ms : 0;
    };
    const app = Math.max(left(this.#scope()), left(this.#scope(family)));
    const ms = Math.max(app, left(this.#scope(this.own, family)));
    return { ms, of_app: ms > 0 && app === ms };
  }

  /** Notes what an answer's headers say, of other accounts and families too. What they lack or spell otherwise is passed over. */
  heard(headers: Headers, family: Family, now: number): void {
    for (const { id, type = family, used, regain_ms } of businessUsage(headers)) {
      this.#pause(this.#scope(id, type), used, regain_ms, now);
    }
    const own = this.#scope(this.own, family);
    const insights = valuesOf(headers.get("x-fb-ads-insights-throttle"));
    if (family === "ads_insights") this.#pause(own, numberOf(insights["acc_id_util_pct"]), 0, now);
    this.#pause(this.#scope("ads_insights"), numberOf(insights["app_id_util_pct"]), 0, now);
    const account = valuesOf(headers.get("x-ad-account-usage"));
    const percent = numberOf(account["acc_id_util_pct"]);
    // This header tells when the count begins anew with every answer, however little of it is used.
    const reset = percent < FULL_PERCENT ? 0 : numberOf(account["reset_time_duration"]) * 1000;
    this.#pause(own, percent, reset, now);
    this.#pause(this.#scope(), usedOf(valuesOf(headers.get("x-app-usage"))), 0, now);
  }

  /** Notes that Meta refused for being asked too much; answers how long nothing is asked now. */
  refused({ headers, code }: Limited, family: Family, now: number): Wait {
    const asked = retryAfter(headers, now) ?? 0;
    if (code === OF_APP) this.#pause(this.#scope(family), FULL_PERCENT, asked, now);
    else {
      // The id is the account's, or that of the business that the token belongs to.
      const regain = Math.max(asked, ...businessUsage(headers).map(({ regain_ms }) => regain_ms));
      const isKnown = this.wait(family, now).ms > 0;
      if (regain > 0 || !isKnown) this.#pause(this.#scope(this.own, family), FULL_PERCENT, regain, now);
    }
    return this.wait(family, now);
  }

  /** The app's, that of the app for a family, or an account's for a family. */
  #scope(...parts: string[]): string {
    return JSON.stringify([this.base, ...parts]);
  }

  #pause(scope: string, percent: number, ms: number, now: number): void {
    if (percent < FULL_PERCENT && ms === 0) return;
    const until = now + Math.min(ms > 0 ? ms : PAUSE_MS, WAIT_MS_MAX);
    const standing = paused.get(scope) ?? 0;
    if (standing >= until && standing <= now + WAIT_MS_MAX) return; // the longest of what several headers say
    remember(scope, until);
  }
}

/** What is said of each account, or business, and kind of request. */
function businessUsage(headers: Headers) {
  const all = Object.entries(valuesOf(headers.get("x-business-use-case-usage")));
  return all.flatMap(([id, entries]) =>
    (Array.isArray(entries) ? entries : []).map(recordOf).map((entry) => ({
      id: id.replace(/^act_/, ""),
      type: typeof entry["type"] === "string" ? entry["type"] : undefined,
      used: usedOf(entry),
      regain_ms: numberOf(entry["estimated_time_to_regain_access"]) * MINUTE_MS,
    }))
  );
}

/** The percentage of what is used up most. */
const usedOf = (values: Values): number =>
  Math.max(...["call_count", "total_cputime", "total_time"].map((name) => numberOf(values[name])));

function remember(scope: string, until: number): void {
  paused.delete(scope); // the scope noted last comes last
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

const recordOf = (value: unknown): Values => isFields(value) ? value as Values : {};

function numberOf(value: unknown): number {
  const number = typeof value === "number" || typeof value === "string" ? Number(value) : 0;
  return Number.isFinite(number) && number > 0 ? number : 0;
}
