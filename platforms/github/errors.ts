/** What a failure of the repository host is turned into: one sentence with its status and the way out; its words stand beside. */
import { LIMITS } from "../../core/model.ts";
import { GatewayError, type GatewayErrorOptions } from "../../core/errors.ts";
import { excerptOf } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";

/** What an owner does for an app that may not write. */
export const CONTENTS_WAY =
  'give the app the permission "Contents: read and write" and accept it for the installation';

/** What an owner does for an app that may not propose. */
export const PULLS_WAY =
  'give the app the permission "Pull requests: read and write" and accept it for the installation';

/** The host's words where a rule keeps a branch as it is; it answers them with 403, 409 and 422 alike. */
const RULE = new RegExp(
  "\\brule violations?\\b|\\bprotected (branch|ref)\\b|\\brequired status checks?\\b|\\bapproving reviews?\\b|" +
    "\\bthrough a pull request\\b|\\bverified signatures?\\b|\\bauthorized to push\\b|\\bforce-push to this branch\\b",
  "i",
);

type RepoErrorOptions = Pick<GatewayErrorOptions, "retryAfter" | "outcome" | "inDoubt" | "excerpt">;

/** An answer that is no success. E_UPSTREAM with its status; `said` is the host's own message. */
export class RepoError extends GatewayError {
  readonly said: string;

  constructor(message: string, status: number, said: string, more: RepoErrorOptions = {}) {
    super("E_UPSTREAM", message, { upstream: status, ...more });
    this.said = said;
  }

  /** Whether the repository has no commit yet (409 "Git Repository is empty."). */
  get empty(): boolean {
    return this.upstream === 409 && /repository is empty/i.test(this.said);
  }

  /** Whether a rule of the repository forbids the write, however often it is tried. */
  get ruledOut(): boolean {
    return RULE.test(this.said);
  }

  /** Whether the host could not set a branch and does not say why: somebody was first, or a rule forbids it. */
  get unclear(): boolean {
    return isUnclear(this.upstream, this.said);
  }

  /** Whether the app's installation rests. */
  get suspended(): boolean {
    return this.upstream === 403 && /installation has been suspended/i.test(this.said);
  }

  /** Whether the host does not know the app by the key it was asked with. */
  get noApp(): boolean {
    return noApp(this.upstream, this.said);
  }
}

const noApp = (status: number | undefined, said: string) =>
  status === 401 || (status === 404 && /integration not found/i.test(said));

const isUnclear = (status: number | undefined, said: string) =>
  status === 422 && /\breference (cannot be updated|update failed)\b/i.test(said);

/** Bytes that were to be put back by their name, and that the host does not have any more. */
export const dropped = (path: string, sha: string) =>
  new GatewayError(
    "E_NOT_FOUND",
    `${
      JSON.stringify(path)
    }: the repository's host does not have what stood there any more (blob ${sha}), as after a ` +
      "history that was rewritten, so it is not set back; write the file anew from a copy of your own",
    { outcome: "none" },
  );

/**
 * The same of a tree that was refused for one of those blobs (docs/upstreams/github.md, "What an answer means"); any other
 * failure as it is.
 */
export function asDropped(
  thrown: unknown,
  blobs: readonly { readonly path: string; readonly sha: string }[],
): unknown {
  if (!(thrown instanceof RepoError) || thrown.upstream !== 422) return thrown;
  const { said } = thrown;
  const one = said.includes("is not a valid blob") ? blobs.find(({ sha }) => said.includes(sha)) : undefined;
  return one === undefined ? thrown : dropped(one.path, one.sha);
}

/** An answer as far as it is needed to say what was wrong. */
export interface Refused {
  readonly status: number;
  readonly headers: Headers;
  /** The host's own words, or the start of whatever came. */
  readonly said: string;
  /** Whether a write may have been carried out although it failed. */
  readonly unknown: boolean;
}

/** The error of an answer that is no success (docs/upstreams/github.md, "What an answer means"). */
export function refusal(
  repo: string | null,
  refused: Refused,
  secrets: readonly string[],
  now: number,
): RepoError {
  const { status, said } = refused;
  const wait = busyInWords(refused, now);
  const asked = wait === null ? undefined : Math.max(1, Math.ceil(wait / 1000));
  const seconds = asked && Math.min(asked, LIMITS.RETRY_AFTER_SECONDS);
  const inDoubt = refused.unknown && seconds === undefined;
  const message = `${ofRepo(repo)}the host answered ${status}${
    inDoubt ? "" : `; ${wayOut(refused, seconds)}`
  }`;
  return new RepoError(message, status, said, { retryAfter: seconds, inDoubt, ...excerptOf(said, secrets) });
}

const ofRepo = (repo: string | null) => (repo === null ? "Repositories: " : `Repository "${repo}": `);

function wayOut({ status, said }: Refused, seconds: number | undefined): string {
  if (seconds !== undefined) return `it limits how much is asked of it: try again in ${seconds} s`;
  if (noApp(status, said)) {
    return "it does not take the app's key: check REPO_APP_ID, REPO_APP_PRIVATE_KEY and this machine's clock";
  }
  if (status === 403 && /not accessible by integration/i.test(said)) return CONTENTS_WAY;
  if (status === 403 || RULE.test(said)) {
    return "the app or a rule of the repository forbids it: look at the repository's settings";
  }
  if (status === 404) return "check the site's repo, and that the app is installed for that repository";
  if (status === 409) return "somebody else may be writing: try again";
  if (isUnclear(status, said)) {
    return "somebody else may be writing, or a rule forbids it: try again, then look at the repository's settings";
  }
  return status >= 500 ? "the host has trouble: try again later" : "change what was sent";
}

/** A success whose body is not what the host gives. */
export function unreadable(repo: string | null, status: number, unknown: boolean): RepoError {
  const after = unknown ? "" : "; a proxy may have changed it: try again later";
  const message = `${ofRepo(repo)}the host's answer ${status} cannot be read${after}`;
  return new RepoError(message, 502, "", unknown ? { outcome: "unknown", inDoubt: true } : {});
}

/** What to wait where the host limits a caller without saying for how long. */
const UNTOLD_MS = 60_000;

/** Milliseconds to wait after that answer; null when it limits nothing. The host carries nothing out that it limits. */
export function busyFor(
  { status, headers }: Pick<Incoming, "status" | "headers">,
  now: number,
): number | null {
  if (status !== 403 && status !== 429) return null;
  const after = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(after)) return Number(after) * 1000;
  if (headers.get("x-ratelimit-remaining")?.trim() === "0") {
    const reset = Number(headers.get("x-ratelimit-reset"));
    return Number.isFinite(reset) && reset > 0 ? Math.max(0, reset * 1000 - now) : UNTOLD_MS;
  }
  return status === 429 ? UNTOLD_MS : null;
}

/** The same of a refusal in words: the host does not always say a time where too much was asked at once. */
function busyInWords(
  refused: Pick<Incoming, "status" | "headers"> & { readonly said: string },
  now: number,
): number | null {
  const limited = refused.status === 403 && /\brate limit\b/i.test(refused.said);
  return busyFor(refused, now) ?? (limited ? UNTOLD_MS : null);
}
