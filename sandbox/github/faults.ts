/** What GitHub does wrong in its own way, and the words it refuses with when it is too busy or has failed. */
import { html, retryAfter } from "../core/answers.ts";
import type { CommonFault, FaultWords } from "../core/faults.ts";
import { json, Refusal, refused } from "./answer.ts";
import type { FileContent } from "./bare.ts";
import { exhausted, HOURLY } from "./rate.ts";

/** The faults every stand-in knows, and those of GitHub's own. */
export type GitHubFault =
  | CommonFault
  /** 401, as for a token that has expired or has not yet reached every server. */
  | { readonly kind: "unauthorized" }
  /** 403 as for a permission the installation has not. */
  | { readonly kind: "forbidden" }
  /** The hourly limit is used up: remaining 0, and a reset in that many seconds (default 60). */
  | { readonly kind: "limited"; readonly status?: 403 | 429; readonly reset_in?: number }
  /** A tree's listing is cut after that many rows (default: half of them) and says so. */
  | { readonly kind: "truncated"; readonly keep?: number }
  /**
   * Somebody commits those files (default: one of no importance) to a branch (default: the default branch), just before
   * the request is looked at, or with `when: "within"` between its look at the branch and its moving it. The contents
   * routes then answer 409: `refs/heads/main expected to be at <sha>`, or in the words that are also seen, `is at <sha>
   * but expected <sha>`.
   */
  | {
    readonly kind: "moved";
    readonly branch?: string;
    readonly files?: Readonly<Record<string, FileContent>>;
    readonly when?: "before" | "within";
    readonly words?: "expected to be at" | "is at";
  };

const PAGE = "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head>" +
  "<body><p>We couldn't respond to your request in time.</p></body></html>\n";
const SECONDARY = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";

/** The page of a server that got no answer in time, and the refusal of too many requests at once (403 or 429). */
export const WORDS: FaultWords = {
  page: (status = 502) => html(PAGE, status),
  busy: ({ status = 403, retry_after }) => {
    const answer = refused(new Refusal(status, SECONDARY));
    for (const [name, value] of Object.entries(retryAfter(retry_after))) answer.headers.set(name, value);
    return answer;
  },
};

/** The answer that stands in for the true one; undefined for a fault that changes the true one. */
export function replacement(fault: GitHubFault, now: number): Response | undefined {
  switch (fault.kind) {
    case "unauthorized":
      return refused(new Refusal(401, "Bad credentials"));
    case "forbidden":
      return refused(new Refusal(403, "Resource not accessible by integration"));
    case "limited":
      return exhausted(HOURLY, Math.ceil(now / 1000) + (fault.reset_in ?? 60), fault.status);
    default:
      return undefined;
  }
}

/** A tree's listing cut short, as above the API's limits. */
export async function truncated(answer: Response, keep: number | undefined): Promise<Response> {
  if (!answer.ok) return answer;
  const body = await answer.json() as { tree?: unknown[] };
  if (!Array.isArray(body.tree)) return json(body, answer.status);
  const rows = body.tree.slice(0, keep ?? Math.floor(body.tree.length / 2));
  return json({ ...body, tree: rows, truncated: true }, answer.status);
}
