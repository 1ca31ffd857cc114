/** Reads the body of a request: within a number of bytes, as UTF-8 only, as JSON, as an object. */
import { GatewayError } from "../errors.ts";
import { readWithin } from "./bytes.ts";

/** A body that could not be read, and why. */
export interface BodyFault {
  readonly fault: "too large" | "cut short" | "not UTF-8" | "not JSON";
}

const DECODER = new TextDecoder("utf-8", { fatal: true });

/** The body as text. One whose declared length is over the cap is not read; one without a length is counted. */
export async function readText(
  request: Request,
  cap: number,
): Promise<{ text: string; bytes: number } | BodyFault> {
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > cap) return { fault: "too large" };
  let bytes: Uint8Array | null;
  try {
    bytes = Number.isNaN(declared) ? await readWithin(request.body, cap) : await request.bytes();
  } catch {
    return { fault: "cut short" };
  }
  if (bytes === null || bytes.byteLength > cap) return { fault: "too large" };
  try {
    return { text: DECODER.decode(bytes), bytes: bytes.byteLength };
  } catch {
    return { fault: "not UTF-8" };
  }
}

/** The body parsed as JSON. */
export async function readJson(
  request: Request,
  cap: number,
): Promise<{ value: unknown; bytes: number } | BodyFault> {
  const read = await readText(request, cap);
  if ("fault" in read) return read;
  try {
    return { value: JSON.parse(read.text), bytes: read.bytes };
  } catch {
    return { fault: "not JSON" };
  }
}

/** The body as a JSON object. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON. */
export async function readObject(
  request: Request,
  cap: number,
): Promise<{ args: Record<string, unknown>; bytes: number }> {
  const body = await readJson(request, cap);
  if ("fault" in body) throw bodyError(body, cap);
  const { value, bytes } = body;
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return { args: value as Record<string, unknown>, bytes };
  }
  throw new GatewayError("E_BAD_JSON", 'The body is JSON but not an object; send {"name": value}');
}

/** The refusal of a body that could not be read. */
export function bodyError({ fault }: BodyFault, cap: number): GatewayError {
  if (fault === "too large") {
    return new GatewayError(
      "E_PAYLOAD_TOO_LARGE",
      `The body is over ${cap / 1024} KiB, the most that is taken here; send less`,
    );
  }
  return new GatewayError(
    "E_BAD_JSON",
    `The body is ${fault}; send a JSON object in UTF-8, {} when it is empty`,
  );
}
