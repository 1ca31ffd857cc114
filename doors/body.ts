/** Reads the body of a request as JSON, within a number of bytes and as UTF-8 only. */

/** A body as it was read. */
export type Body =
  | { readonly value: unknown; readonly bytes: number }
  | { readonly fault: "too large" | "cut short" | "not UTF-8" | "not JSON" };

const DECODER = new TextDecoder("utf-8", { fatal: true });

/** The parsed body. One whose declared length is over the cap is not read; one without a length is counted. */
export async function readJson(request: Request, cap: number): Promise<Body> {
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > cap) return { fault: "too large" };
  let bytes: Uint8Array | null;
  try {
    bytes = Number.isNaN(declared) ? await readCounted(request, cap) : await request.bytes();
  } catch {
    return { fault: "cut short" };
  }
  if (bytes === null || bytes.byteLength > cap) return { fault: "too large" };
  let text: string;
  try {
    text = DECODER.decode(bytes);
  } catch {
    return { fault: "not UTF-8" };
  }
  try {
    return { value: JSON.parse(text), bytes: bytes.byteLength };
  } catch {
    return { fault: "not JSON" };
  }
}

async function readCounted(request: Request, cap: number): Promise<Uint8Array | null> {
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > cap) return null;
    chunks.push(chunk);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}
