/** What the vendor's refusals mean, in a sentence with the next step. */
import { GatewayError } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerpt } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** E_UPSTREAM for an answer about a site that is a refusal; `token` is taken out of what it quotes. */
export function refused(answer: Incoming, token: string, site: string, now: number): GatewayError {
  const { status } = answer;
  const words = excerpt(answer.text(), [token]) || "no text";
  const wait = status === 429 ? { retryAfter: Math.ceil(untilReset(now) / 1000) } : askedWait(answer);
  return new GatewayError("E_UPSTREAM", `Clarity answered ${status}: ${words}; ${nextStep(answer, site)}`, {
    upstream: status,
    ...wait,
  });
}

/** Milliseconds until the day is over by UTC, and the project's requests count anew. */
export const untilReset = (now: number): number => DAY_MS - now % DAY_MS;

function nextStep(answer: Incoming, site: string): string {
  const { status } = answer;
  if (status === 401 || status === 403) {
    return "the token was rejected: make a new export token in the project under Settings, Data Export, and set it " +
      `with deno task admin site update ${site} --behavior-token-stdin`;
  }
  if (status === 429) {
    return "the project's exports of this day are used up, by others too; ask again after 00:00 UTC";
  }
  return status >= 500 ? `try again ${whenAgain(answer, "later")}` : "check the arguments";
}
