/** Misbehaviour on order: what the repository host can be told to do wrong, for which requests and how often. */
import type { Fate } from "../core/server.ts";
import { json, Refusal, refused } from "./answer.ts";
import type { FileContent } from "./bare.ts";

/** One way to go wrong. With `applied` the request is carried out first, and only its answer is lost. */
export type RepoTrouble =
  /** No answer until the client gives up. */
  | { readonly kind: "hang"; readonly applied?: boolean }
  /** The connection ends without an answer. */
  | { readonly kind: "reset"; readonly applied?: boolean }
  /** The first half of the true answer, then the end of the connection; with `length: "true"` no error of HTTP. */
  | { readonly kind: "half"; readonly length?: "promised" | "true" }
  /** An HTML page of a gateway that got no answer in time. Default status 502. */
  | { readonly kind: "bad_gateway"; readonly status?: 500 | 502 | 503 | 504; readonly applied?: boolean }
  /** A success whose body is something else: by default not even JSON. */
  | { readonly kind: "garbage"; readonly body?: string; readonly status?: number; readonly applied?: boolean }
  /** 401, as for a token that has expired or has not yet reached every server. */
  | { readonly kind: "unauthorized" }
  /** 403 as for a permission the installation has not. */
  | { readonly kind: "forbidden" }
  /** The hourly limit is used up: remaining 0, and a reset in that many seconds (default 60). */
  | { readonly kind: "limited"; readonly status?: 403 | 429; readonly reset_in?: number }
  /** Too many requests at once: `Retry-After` in seconds, or none at all. */
  | { readonly kind: "busy"; readonly status?: 403 | 429; readonly retry_after?: number }
  /** A redirect. Default status 302. */
  | { readonly kind: "redirect"; readonly to: string; readonly status?: 301 | 302 | 307 | 308 }
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

/** The answer that stands in for the true one; undefined where a trouble leaves an answer as it is or changes it. */
export function instead(trouble: RepoTrouble, now: number): Response | Fate | undefined {
  switch (trouble.kind) {
    case "hang":
    case "reset":
      return trouble.kind;
    case "bad_gateway":
      return new Response(PAGE, {
        status: trouble.status ?? 502,
        headers: { "content-type": "text/html; charset=utf-8" },
      });
    case "garbage":
      return new Response(trouble.body ?? "<<<not json", {
        status: trouble.status ?? 200,
        headers: { "content-type": "application/json; charset=utf-8" },
      });
    case "unauthorized":
      return refused(new Refusal(401, "Bad credentials"));
    case "forbidden":
      return refused(new Refusal(403, "Resource not accessible by integration"));
    case "limited": {
      const answer = refused(new Refusal(trouble.status ?? 403, "API rate limit exceeded for installation."));
      answer.headers.set("x-ratelimit-limit", "5000");
      answer.headers.set("x-ratelimit-remaining", "0");
      answer.headers.set("x-ratelimit-used", "5000");
      answer.headers.set("x-ratelimit-reset", String(Math.ceil(now / 1000) + (trouble.reset_in ?? 60)));
      return answer;
    }
    case "busy": {
      const words =
        "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.";
      const answer = refused(new Refusal(trouble.status ?? 403, words));
      if (trouble.retry_after !== undefined) answer.headers.set("retry-after", String(trouble.retry_after));
      return answer;
    }
    case "redirect":
      return new Response(null, { status: trouble.status ?? 302, headers: { location: trouble.to } });
    default:
      return undefined;
  }
}

/** Whether the request is carried out before its answer goes wrong. */
export function isApplied(trouble: RepoTrouble): boolean {
  return "applied" in trouble && trouble.applied === true;
}

/** A tree's listing cut short, as above the API's limits. */
export async function truncated(answer: Response, keep: number | undefined): Promise<Response> {
  if (!answer.ok) return answer;
  const body = await answer.json() as { tree?: unknown[] };
  if (!Array.isArray(body.tree)) return json(body, answer.status);
  const rows = body.tree.slice(0, keep ?? Math.floor(body.tree.length / 2));
  return json({ ...body, tree: rows, truncated: true }, answer.status);
}
