/** What a failure of Duda's is turned into: one sentence with its status and the next step; what it said stands beside. */
import { GatewayError, type GatewayErrorOptions } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { leavesDoubt } from "../_http/failures.ts";
import { excerptOf } from "../_content/excerpt.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { ERROR } from "./records.ts";

/** An answer of Duda that is no success. E_UPSTREAM; a thing that is not there has the status 404, as everywhere. */
export class DudaError extends GatewayError {
  constructor(
    message: string,
    upstream: number,
    readonly reason: string,
    known: Pick<GatewayErrorOptions, "outcome" | "inDoubt" | "retryAfter" | "excerpt"> = {},
  ) {
    super("E_UPSTREAM", message, { upstream, ...known });
  }

  /** Whether what was asked for is not there. */
  get missing(): boolean {
    return this.upstream === 404;
  }
}

/** The error of an answer that is no success, or of one that is a success in its status alone. */
export function refusal(out: Outgoing, answer: Incoming, secrets: readonly string[]): DudaError {
  const { status } = answer;
  const { error_code: code = "", message = "" } = ERROR.safeParse(answer.json()).data ?? {};
  const sent = leavesDoubt(out, answer) || (out.effect === "write" && status < 400);
  const missing = status === 404 || (status === 400 && code === "ResourceNotExist");
  const upstream = missing ? 404 : status < 400 ? 502 : status;
  const way = sent ? "look at the site" : wayOut(answer, code, missing);
  const known = sent ? { outcome: "unknown", inDoubt: true } as const : askedWait(answer);
  const said = excerptOf([code, message || answer.text()].filter((one) => one !== "").join(": "), secrets);
  return new DudaError(`sitebuilder ${status}: ${way}`, upstream, code, { ...known, ...said });
}

/** The error of an answer that lacks what is relied on; a write may have been carried out. */
export function unreadable(out: Outgoing, { status }: Incoming, what: string): DudaError {
  const write = out.effect === "write";
  return new DudaError(
    `sitebuilder ${status}: ${what}${write ? "" : "; try again later"}`,
    502,
    "",
    write ? { outcome: "unknown", inDoubt: true } : {},
  );
}

function wayOut(answer: Incoming, code: string, missing: boolean): string {
  const { status } = answer;
  if (missing) return "check the ids (list_content has those of posts and pages) and the site's site_alias";
  if (status === 401) {
    return "the gateway is not signed in (authenticated: false): its operator checks SITEBUILDER_API_USER and " +
      "SITEBUILDER_API_PASSWORD";
  }
  if (status === 403) return "the gateway's account may not do that on this site";
  if (status === 429) return `the platform is asked too often: try again ${whenAgain(answer, "in a minute")}`;
  if (code === "ResourceAlreadyExist" || status === 409) return "choose another title or slug";
  return status >= 500
    ? `the platform failed: try again ${whenAgain(answer, "later")}`
    : "change what was sent";
}
