/** Reads an answer's body, never more of it than asked for, and when it asks to be asked again. */
import { eachChunkWithin, readWithin } from "../lib/bytes.ts";
import { LIMITS } from "../model.ts";
import { failure } from "./failures.ts";
import type { Incoming, Outgoing } from "./request.ts";

/** Reads an answer from that address whole. Throws E_UPSTREAM when it is larger than the request allows. */
export async function incoming(response: Response, url: string, out: Outgoing): Promise<Incoming> {
  const max = out.max_bytes ?? LIMITS.UPSTREAM_BYTES;
  const bytes = await bytesOf(response, out, max);
  if (bytes === null) throw failure(out, `answered with more than ${max} bytes; ask for less`, true);
  return {
    status: response.status,
    url,
    headers: response.headers,
    bytes,
    text: () => new TextDecoder().decode(bytes),
    json: () => {
      try {
        return JSON.parse(new TextDecoder().decode(bytes));
      } catch {
        return undefined;
      }
    },
  };
}

async function bytesOf(response: Response, { reducer }: Outgoing, max: number) {
  const less = response.ok ? reducer?.(response.headers) ?? null : null;
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
