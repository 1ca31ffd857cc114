/** The JSON body of a request, of which no text is made where it holds a file. */

/** The bytes of a file as a member of a JSON body: base64, first written when the body is sent. */
export class InBase64 {
  constructor(readonly bytes: Uint8Array) {}

  toJSON(): string {
    return this.bytes.toBase64();
  }
}

/** JSON as JSON.stringify writes it; in bytes where one of its members is a file. */
export function jsonBody(json: unknown): string | Uint8Array<ArrayBuffer> {
  const holdsFile = typeof json === "object" && json !== null &&
    Object.values(json).some((one) => one instanceof InBase64);
  return holdsFile ? withFiles(json as Readonly<Record<string, unknown>>) : JSON.stringify(json);
}

const ENCODER = new TextEncoder();
/** The 64 signs of base64 (RFC 4648, 4). */
const SIGNS = ENCODER.encode("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const SIX_BITS = 0x3f;

function withFiles(json: Readonly<Record<string, unknown>>): Uint8Array<ArrayBuffer> {
  const parts: (Uint8Array | InBase64)[] = [];
  let text = "{";
  for (const [name, value] of Object.entries(json)) {
    const written = value instanceof InBase64 ? '"' : JSON.stringify(value);
    if (written === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${written}`;
    if (!(value instanceof InBase64)) continue;
    parts.push(ENCODER.encode(text), value);
    text = '"';
  }
  parts.push(ENCODER.encode(`${text}}`));
  const sizeOf = (part: Uint8Array | InBase64) =>
    part instanceof InBase64 ? 4 * Math.ceil(part.bytes.byteLength / 3) : part.byteLength;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + sizeOf(part), 0));
  let at = 0;
  for (const part of parts) {
    if (part instanceof InBase64) writeBase64(part.bytes, whole, at);
    else whole.set(part, at);
    at += sizeOf(part);
  }
  return whole;
}

/** Writes bytes as base64 from there on. */
function writeBase64(bytes: Uint8Array, into: Uint8Array, at: number): void {
  const end = bytes.length - bytes.length % 3;
  for (let from = 0; from < end; from += 3) {
    const three = bytes[from]! << 16 | bytes[from + 1]! << 8 | bytes[from + 2]!;
    into[at++] = SIGNS[three >> 18]!;
    into[at++] = SIGNS[three >> 12 & SIX_BITS]!;
    into[at++] = SIGNS[three >> 6 & SIX_BITS]!;
    into[at++] = SIGNS[three & SIX_BITS]!;
  }
  ENCODER.encodeInto(bytes.subarray(end).toBase64(), into.subarray(at));
}
