/** What Meta's errors mean, in a sentence with the next step (docs/upstreams/meta.md, "Errors"). */
import { counted } from "../../core/one_line.ts";
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { retryAfter } from "../_http/answer.ts";
import { excerpt } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";
import type { Wait } from "./quota.ts";

const ERROR = z.object({
  error: z.object({
    message: z.string().catch(""),
    code: z.number().catch(0),
    error_subcode: z.number().optional().catch(undefined),
    is_transient: z.boolean().optional().catch(undefined),
    error_user_msg: z.string().optional().catch(undefined),
  }),
});

/** An answer that is no success. */
export interface Refused {
  readonly kind:
    | "expired"
    | "auth"
    | "proof"
    | "missing"
    | "input"
    | "too_much"
    | "throttled"
    | "transient"
    | "version"
    | "other";
  readonly status: number;
  readonly code: number;
  /** Meta's words, without secrets. */
  readonly words: string;
  /** How long its headers ask to wait, in milliseconds; null where they do not say. */
  readonly wait_ms: number | null;
}

/** A status given for an answer that cannot be used. */
const UNREADABLE = 502;
const THROTTLED: ReadonlySet<number> = new Set([4, 17, 32, 341, 613]);
/** Too many rows, or more than Meta can count in the time it gives a report. */
const TOO_MUCH_DATA: ReadonlySet<number | undefined> = new Set([1487534, 1504018, 1504038]);
/** Breakdowns, or figures of the advertiser's own, that there is nothing for; with the number of a passing failure. */
const UNFIT: ReadonlySet<number | undefined> = new Set([1504041, 1504042]);
/** Reports are not allowed; with the number of a bad parameter. */
const NO_REPORTS = 3191001;
/** An object that is not there, or that the account may not see. */
const NOT_VISIBLE = 33;
/** Bad parameters: in general, of a query, a day too long ago, a cursor. */
const BAD_INPUT: ReadonlySet<number> = new Set([100, 2500, 3018, 2642]);

/** What kind of refusal an answer is; null for a success. `secrets` are taken out of what it says. */
export function refusedOf(answer: Incoming, secrets: readonly string[], now: number): Refused | null {
  const { status } = answer;
  const json = answer.json();
  const error = ERROR.safeParse(json).data?.error;
  if (error === undefined && status >= 200 && status < 300 && typeof json === "object" && json !== null) {
    return null;
  }
  const text = error === undefined
    ? answer.text()
    : [error.message, error.error_user_msg].filter(Boolean).join(" ");
  const hidden = secrets.filter((one) => one !== "").flatMap((one) => [one, encodeURIComponent(one)]);
  const wait_ms = retryAfter(answer.headers, now);
  const said = { status, code: error?.code ?? 0, words: excerpt(text, hidden), wait_ms };
  if (error === undefined) {
    if (status === 429) return { ...said, kind: "throttled" };
    const page = status >= 200 && status < 300;
    return {
      ...said,
      words: page ? "no JSON" : said.words,
      kind: page || status >= 500 ? "transient" : "other",
    };
  }
  return { ...said, kind: kindOf(error, status) };
}

function kindOf(
  { code, error_subcode: subcode, is_transient, message }: z.output<typeof ERROR>["error"],
  status: number,
) {
  if (code === 190 || code === 102) return "expired";
  if (code === 2635) return "version";
  if (TOO_MUCH_DATA.has(subcode) || (code === 1 && /reduce the amount of data/i.test(message))) {
    return "too_much";
  }
  if (THROTTLED.has(code) || (code >= 80000 && code <= 80014) || status === 429) return "throttled";
  if (/appsecret_proof/i.test(message) || code === 101 || code === 104) return "proof";
  if (code === 10 || code === 3 || code === 368 || (code >= 200 && code <= 299)) return "auth";
  if (subcode === NO_REPORTS) return "auth";
  if (code === 100 && subcode === NOT_VISIBLE) return "missing";
  if (BAD_INPUT.has(code) || UNFIT.has(subcode)) return "input";
  if (code === 1 || code === 2 || is_transient === true || status >= 500) return "transient";
  return status === 401 || status === 403 ? "auth" : "other";
}

/** Which argument Meta's words are about; the first that fits. */
const ABOUT: readonly [words: RegExp, argument: string][] = [
  [/action_breakdown/i, "action_breakdowns"],
  [/breakdown/i, "breakdowns"],
  [/attribution/i, "action_attribution_windows"],
  [/time_range|start date|end date|\bsince\b|\buntil\b/i, "time_range"],
  [/time_increment/i, "time_increment"],
  [/cursor|\bafter\b/i, "after"],
  [/\bsort/i, "sort"],
  [/effective_status/i, "effective_status"],
  [/campaign\.id|campaign_id/i, "campaign_id"],
  [/adset\.id|adset_id/i, "adset_id"],
  [/\bfields?\b|\bmetrics?\b/i, "fields"],
];

/** What a question was about, for its refusal. */
export interface Asked {
  /** The ad account as people know it, such as act_123; null where none was named. */
  readonly account: string | null;
  /** The caller's own arguments that it holds. */
  readonly given: readonly string[];
}

/** The error of a refusal that stands, but for those of the token and of the quota. */
export function refusal(
  { kind, code, status, words, wait_ms }: Refused,
  { account, given }: Asked,
): GatewayError {
  const upstream = { upstream: status, ...saidOf(words) };
  const number = code === 0 ? status : `error ${code}`;
  const said = `Meta answered ${number}`;
  const what = account === null ? "this" : `ad account ${account}`;
  switch (kind) {
    case "auth":
    case "missing":
      return new GatewayError(
        "E_SOCIAL_ADS_AUTH",
        `Meta does not let the connected account read ${what} (${number}); give its person access to the ` +
          "ad account in Meta's business settings, check the site's social_ad_account_id, or connect again and allow " +
          "ads_read",
        upstream,
      );
    case "proof":
      return new GatewayError(
        "E_SOCIAL_ADS_AUTH",
        `${said}; check SOCIAL_ADS_APP_ID and SOCIAL_ADS_APP_SECRET, which the gateway's operator sets`,
        upstream,
      );
    case "input": {
      const argument = ABOUT.find(([about, name]) => about.test(words) && given.includes(name))?.[1];
      return argument === undefined
        ? new GatewayError("E_UPSTREAM", `${said}; change what was asked for`, upstream)
        : new GatewayError("E_BAD_INPUT", `${argument}: Meta refused it; change it`, upstream);
    }
    case "too_much":
      return new GatewayError(
        "E_UPSTREAM",
        `${said}; ask for a shorter time, fewer fields, fewer breakdowns or a smaller limit`,
        upstream,
      );
    case "version":
      return new GatewayError(
        "E_UPSTREAM",
        `${said}; the version in SOCIAL_ADS_API_BASE is over, so the gateway's operator sets a newer one`,
        upstream,
      );
    case "other":
      return new GatewayError(
        "E_UPSTREAM",
        `${said}; asked again it would be refused again, so the gateway's operator looks into it`,
        upstream,
      );
    default:
      return !wait_ms
        ? new GatewayError("E_UPSTREAM", `${said}; try again later`, upstream)
        : new GatewayError("E_UPSTREAM", `${said}; try again in ${minutesOf(wait_ms)}`, {
          ...upstream,
          retryAfter: Math.ceil(wait_ms / 1000),
        });
  }
}

const saidOf = (words = "") => words === "" ? {} : { excerpt: words };

/** E_UPSTREAM for a quota that is used up. */
export function throttled(account: string | null, { ms, of_app }: Wait, words?: string): GatewayError {
  const whose = of_app
    ? "the gateway's app"
    : account === null
    ? "the connected account"
    : `ad account ${account}`;
  return new GatewayError(
    "E_UPSTREAM",
    `Meta's limit of requests for ${whose} is used up; try again in ${minutesOf(ms)}`,
    { upstream: 429, retryAfter: Math.ceil(ms / 1000), ...saidOf(words) },
  );
}

function minutesOf(ms: number): string {
  const minutes = Math.max(1, Math.ceil(ms / 60_000));
  return counted(minutes, "minute");
}

/** E_UPSTREAM for an answer that cannot be read. */
export function unreadable(what: string): GatewayError {
  return new GatewayError("E_UPSTREAM", `Meta answered what cannot be read: ${what}; try again later`, {
    upstream: UNREADABLE,
  });
}

/** E_UPSTREAM for an answer with data of another ad account; says nothing of it. */
export function foreign(account: string): GatewayError {
  return new GatewayError(
    "E_UPSTREAM",
    `Meta answered with data of another ad account than ${account}, of which nothing is shown; check the site's ` +
      "social_ad_account_id",
    { upstream: UNREADABLE },
  );
}
