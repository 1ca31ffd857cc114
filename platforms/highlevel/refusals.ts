/** What the CRM's refusals mean, in a sentence with the next step (docs/upstreams/highlevel.md, "Refusals"). */
import { quotedLine } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerpt } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";
import { isOfScope, isUnsupported } from "./refused_what.ts";
import type { Route } from "./routes.ts";

/** A status given for an answer of 200 that cannot be used. */
const UNREADABLE = 502;

/** What the CRM says of a refusal: its message, a list of them joined, or the text as it is. */
function said(answer: Incoming): string {
  const body = answer.json();
  const message = typeof body === "object" && body !== null && "message" in body ? body.message : undefined;
  if (Array.isArray(message)) return message.map(String).join("; ");
  return typeof message === "string" ? message : answer.text();
}

/** Whether the location's requests of the day are used up. */
export function dayIsOver({ headers }: Pick<Incoming, "headers">): boolean {
  const left = headers.get("x-ratelimit-daily-remaining");
  return left !== null && Number(left) <= 0;
}

/** E_UPSTREAM for a refusal; `token` is taken out of what it quotes. */
export function refused(answer: Incoming, { permission }: Route, token: string): GatewayError {
  const { status } = answer;
  const words = excerpt(said(answer), [token]);
  const message = `The CRM answered ${status}; ${nextStep(answer, words, permission)}`;
  return new GatewayError("E_UPSTREAM", message, {
    upstream: status,
    ...words === "" ? {} : { excerpt: words },
    ...askedWait(answer),
  });
}

function nextStep(answer: Incoming, words: string, permission: string): string {
  const { status } = answer;
  if (status === 429) {
    return dayIsOver(answer)
      ? "the location's requests of this day are used up, so try again tomorrow"
      : `the location is asked too often, so try again ${whenAgain(answer, "in a minute")}`;
  }
  if (isUnsupported(words)) return "the CRM does not open this to integration tokens";
  if (isOfScope(status, words)) {
    return `the integration token lacks the permission "${permission}"; add it to the private integration in the CRM`;
  }
  if ([400, 403, 404].includes(status) && /location/i.test(words)) {
    return "check the site's crm_location_id: the location may be deleted, or the token may be of another one";
  }
  if (status === 401 || status === 403) {
    return `check that the site's integration token is valid and has the permission "${permission}"`;
  }
  return status >= 500 || status === 408 ? `try again ${whenAgain(answer, "later")}` : "check the arguments";
}

/** E_UPSTREAM for an answer that cannot be read. */
export function unreadable(what: string): GatewayError {
  return new GatewayError("E_UPSTREAM", `The CRM answered what cannot be read: ${what}; try again later`, {
    upstream: UNREADABLE,
  });
}

/** E_UPSTREAM for an answer with data of another location; says nothing of it. */
export function foreign(): GatewayError {
  return new GatewayError(
    "E_UPSTREAM",
    "The CRM answered with data of another location, of which nothing is shown; check the site's crm_location_id and " +
      "integration token",
    { upstream: UNREADABLE },
  );
}

/** How many a refusal names. */
const NAMED_MAX = 10;

/** Those there are, by their ids and names, for whoever named one that there is not. */
export function thoseThereAre(
  rows: readonly { readonly id: string; readonly name: string | null }[],
): string {
  const named = rows.slice(0, NAMED_MAX).map(({ id, name }) =>
    name === null ? quotedLine(id) : `${quotedLine(id)} (${quotedLine(name)})`
  );
  const more = rows.length - named.length;
  return `there are ${named.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}
