/** Reads an answer's body, never more of it than asked for, and when it asks to be asked again. */
import { eachChunkWithin, joined, readWithin } from "../../core/bytes.ts";
import { LIMITS } from "../../core/model.ts";
import { failure } from "./failures.ts";
import type { Answer, Incoming, Outgoing } from "./request.ts";

const DECODER = new TextDecoder();

/** Reads an answer from that address whole. Throws E_UPSTREAM when it is larger than the request allows. */
export async function incoming(response: Answer, url: string, out: Outgoing): Promise<Incoming> {
  const max = out.max_bytes ?? LIMITS.UPSTREAM_BYTES;
  const begun = out.cut_off ? await beginningOf(response, max) : null;
  const bytes = begun?.bytes ?? await bytesOf(response, out, max);
  if (bytes === null) {
    throw failure(out, `answered with more than ${max} bytes, or in too many pieces; ask for less`, true);
  }
  return {
    status: response.status,
    url,
    headers: response.headers,
    bytes,
    ...(begun?.cut ? { cut: true } : {}),
    text: () => DECODER.decode(bytes),
    json: () => {
      try {
        return JSON.parse(DECODER.decode(bytes));
      } catch {
        return undefined;
      }
    },
  };
}

/** What an answer begins with, and whether there is more of it. */
async function beginningOf({ body }: Answer, max: number) {
  const chunks: Uint8Array[] = [];
  let left = max;
  const isWhole = await eachChunkWithin(body, Infinity, (chunk) => {
    chunks.push(chunk.slice(0, left));
    return (left -= chunk.byteLength) < 0;
  });
  return { bytes: joined(chunks), cut: !isWhole || left < 0 };
}

async function bytesOf(response: Answer, { reducer }: Outgoing, max: number) {
  const { status, headers } = response;
  const less = status >= 200 && status <= 299 ? reducer?.(headers) ?? null : null;
  if (less === null) return await readWithin(response.body, max);
  return await eachChunkWithin(response.body, max, (chunk) => less.add(chunk)) ? less.kept() : null;
}

/** `Retry-After` in milliseconds from now, given as seconds or as a date (RFC 9110, 10.2.3); null when neither. */
export function retryAfter(headers: Headers, now: number): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Statuses that say: not now. */
const NOT_NOW: ReadonlySet<number> = new Set([429, 503]);

/**
 * How many seconds an answer that refuses for now asks to wait, as an error carries them; nothing where it does not say.
 * A date is read by the clock of whoever answered.
 */
export function askedWait(
  { status, headers }: Pick<Incoming, "status" | "headers">,
): { retryAfter?: number } {
  const ms = NOT_NOW.has(status) ? retryAfter(headers, Date.parse(headers.get("date") ?? "")) : null;
  return ms ? { retryAfter: Math.min(Math.ceil(ms / 1000), LIMITS.RETRY_AFTER_SECONDS) } : {};
}

/** When to try again, behind those two words: what the answer says, or the words given. */
export function whenAgain(answer: Pick<Incoming, "status" | "headers">, otherwise: string): string {
  const { retryAfter: seconds } = askedWait(answer);
  if (seconds === undefined) return otherwise;
  if (seconds >= LIMITS.RETRY_AFTER_SECONDS) return "in a day or later";
  return seconds < 120 ? `in ${seconds} s` : `in ${Math.ceil(seconds / 60)} minutes`;
}
