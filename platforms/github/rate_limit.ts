/** When the repository host was too busy, and how long it asks to wait (docs/upstreams/github.md, "Rate limits"). */
import type { Incoming } from "../_http/request.ts";

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
export function busyInWords(
  refused: Pick<Incoming, "status" | "headers"> & { readonly said: string },
  now: number,
): number | null {
  const limited = refused.status === 403 && /\brate limit\b/i.test(refused.said);
  return busyFor(refused, now) ?? (limited ? UNTOLD_MS : null);
}
