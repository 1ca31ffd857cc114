/** Reads an answer's body, never more of it than asked for. */
import { LIMITS } from "../model.ts";
import { failure } from "./failures.ts";
import type { Incoming, Outgoing } from "./platform.ts";

/** Reads an answer whole. Throws E_UPSTREAM when it is larger than the request allows. */
export async function incoming(response: Response, out: Outgoing): Promise<Incoming> {
  const bytes = await readCapped(response, out);
  return {
    status: response.status,
    url: response.url || out.url,
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

async function readCapped(response: Response, out: Outgoing): Promise<Uint8Array<ArrayBuffer>> {
  const max = out.max_bytes ?? LIMITS.UPSTREAM_BYTES;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    size += part.value.byteLength;
    if (size > max) {
      await reader?.cancel();
      throw failure(out, `answered with more than ${max} bytes; ask for less`, true);
    }
    chunks.push(part.value);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
