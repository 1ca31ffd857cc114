/** Reads the body of a request: within a number of bytes, as UTF-8 only, as JSON, as an object. */
import { Buffer, isUtf8 } from "node:buffer";
import { GatewayError } from "./errors.ts";
import { LIMITS } from "./model.ts";
import { inTime, PATIENCE, Pieces, type Taking, TooSlow } from "./body_pieces.ts";
import { joined, readFleeting, release } from "./bytes.ts";
import { type Excess, type JsonExtent, jsonExtent, OPEN_LIST, OPEN_OBJECT } from "./json_extent.ts";
import { parseLarge } from "./large_json.ts";
import type { Awaitable } from "./async.ts";
import { isFields } from "./values.ts";

/** A body that could not be read, and why. */
export interface BodyFault {
  readonly fault:
    | "too large"
    | "in too many pieces"
    | "too slow"
    | "cut short"
    | "not UTF-8"
    | "not JSON"
    | Excess;
}

/** A body of that size is read in one go. */
const AT_ONCE_BYTES = 64 * 1024;
/** A small body mostly comes with its headers, and is there within two turns of promises: then it needs no timer. */
const TURNS_AT_ONCE = 4;

/** Requests of whose body nobody waits for the rest any more. */
const GIVEN_UP = new WeakSet<Request>();

/** Whether the rest of a request's body did not come in time: its connection is good for nothing else. */
export const isGivenUp = (request: Request): boolean => GIVEN_UP.has(request);

const BUDGET = { nodes: LIMITS.JSON_NODES, depth: LIMITS.NESTING_LEVELS };

const EMPTY = new TextEncoder().encode("{}");
/** It leaves a mark where there is one: what is counted and what is parsed are the same bytes. */
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** What some writers put before a text in UTF-8 (RFC 3629, 6); a reader of JSON may pass over it (RFC 8259, 8.1). */
const [MARK_0, MARK_1, MARK_2] = [0xef, 0xbb, 0xbf] as const;
/** A body from here on is parsed in parts, and its memory given back. */
const LARGE_BYTES = 1024 * 1024;

/** The bytes of a body. One whose declared length is over the cap is not read; one without a length is counted. */
async function readBytes(
  request: Request,
  cap: number,
  taking: Taking,
): Promise<Uint8Array<ArrayBuffer> | BodyFault> {
  const declared = Number(request.headers.get("content-length") ?? NaN);
  if (declared > cap) return { fault: "too large" };
  let bytes: Uint8Array<ArrayBuffer> | null;
  const pieces = !(declared <= AT_ONCE_BYTES) && request.body !== null
    ? new Pieces(request.body, taking)
    : null;
  try {
    if (pieces) bytes = await readFleeting(pieces, cap, declared || cap);
    else {
      const coming = request.bytes();
      let isHere = false;
      const here = () => void (isHere = true);
      coming.then(here, here);
      for (let turn = 0; turn < TURNS_AT_ONCE && !isHere; turn++) await null;
      bytes = await (isHere ? coming : inTime(coming, (taking.patience ?? PATIENCE).SILENT_MS));
      taking.add?.(bytes.byteLength);
    }
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    if (!(thrown instanceof TooSlow)) return { fault: "cut short" };
    GIVEN_UP.add(request);
    return { fault: "too slow" };
  }
  if (pieces?.areTooMany) return { fault: "in too many pieces" };
  return bytes === null || bytes.byteLength > cap ? { fault: "too large" } : bytes;
}

/** So short a text is looked at byte by byte: asking the runtime, or counting what it holds, costs more. */
const SHORT_BYTES = 256;
const ASCII_MAX = 0x7f;

function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! > ASCII_MAX) return false;
  return true;
}

/** Whether a text holds so few brackets that it cannot be too deep or too wide, whichever of them its strings hold. */
function isSlight(bytes: Uint8Array): boolean {
  if (bytes.length > SHORT_BYTES) return false;
  let opened = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === OPEN_LIST || bytes[at] === OPEN_OBJECT) opened++;
  }
  return opened <= BUDGET.depth;
}

const NOTHING_TOO_MUCH: JsonExtent = { excess: null, inner: null };

/** The text of bytes; null where they are no UTF-8. */
function textOf(bytes: Uint8Array): string | null {
  if (bytes.length <= SHORT_BYTES && isAscii(bytes)) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  }
  try {
    return DECODER.decode(bytes);
  } catch {
    return null;
  }
}

/** A text without the byte order mark before it, which is no part of it. */
const withoutMark = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> =>
  bytes[0] === MARK_0 && bytes[1] === MARK_1 && bytes[2] === MARK_2 ? bytes.subarray(3) : bytes;

/** The body as text. */
export async function readText(
  request: Request,
  cap: number,
  taking: Taking = {},
): Promise<{ text: string; bytes: number } | BodyFault> {
  const bytes = await readBytes(request, cap, taking);
  if ("fault" in bytes) return bytes;
  const text = textOf(withoutMark(bytes));
  return text === null ? { fault: "not UTF-8" } : { text, bytes: bytes.byteLength };
}

/** A body that was parsed. */
export interface ParsedBody {
  readonly value: unknown;
  readonly bytes: number;
  /** What the object that was to be counted by itself has too much of: it was left out, and {} is in its place. */
  readonly excess: Excess | null;
}

/** The body parsed as JSON, where it is no wider and deeper than it may be; the object at `apart` is counted by itself. */
export async function readJson(
  request: Request,
  cap: number,
  taking: Taking = {},
  apart: readonly string[] = [],
): Promise<ParsedBody | BodyFault> {
  const all = await readBytes(request, cap, taking);
  if ("fault" in all) return all;
  const size = all.byteLength;
  const bytes = withoutMark(all); // before it is counted, for no JSON has it
  const waits = taking.turn?.();
  if (waits) await waits;
  const counted = isSlight(bytes) ? NOTHING_TOO_MUCH : jsonExtent(bytes, BUDGET, apart);
  const { excess, inner } = counted instanceof Promise ? await counted : counted;
  const parsed = parse(inner?.excess ? without(bytes, inner) : bytes, excess);
  const read = parsed instanceof Promise ? await parsed : parsed;
  if (size >= LARGE_BYTES) release(all);
  return "fault" in read ? read : { ...read, bytes: size, excess: inner?.excess ?? null };
}

/** The value of a text that is not too much. */
function parse(
  bytes: Uint8Array,
  excess: Excess | null,
): Awaitable<Pick<ParsedBody, "value"> | BodyFault> {
  if (bytes.length >= LARGE_BYTES) return parseInParts(bytes, excess);
  const text = textOf(bytes);
  if (text === null) return { fault: "not UTF-8" };
  if (excess !== null) return { fault: excess };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: "not JSON" };
  }
}

async function parseInParts(
  bytes: Uint8Array,
  excess: Excess | null,
): Promise<Pick<ParsedBody, "value"> | BodyFault> {
  if (!isUtf8(bytes)) return { fault: "not UTF-8" };
  if (excess !== null) return { fault: excess };
  try {
    return { value: await parseLarge(bytes) };
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return { fault: "not JSON" };
    throw thrown;
  }
}

const without = (bytes: Uint8Array, { from, to }: { from: number; to: number }) =>
  joined([bytes.subarray(0, from), EMPTY, bytes.subarray(to)]);

/** The JSON object in a body that was read within that cap. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON. */
export function objectIn(
  body: ParsedBody | BodyFault,
  cap: number,
): { args: Record<string, unknown>; bytes: number } {
  if ("fault" in body) throw bodyError(body, cap);
  const { value, bytes } = body;
  if (isFields(value)) return { args: value, bytes };
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
  if (fault === "in too many pieces") {
    const message = "The body comes in too many small pieces; send it in larger ones";
    return new GatewayError("E_PAYLOAD_TOO_LARGE", message);
  }
  if (fault === "too slow") {
    const seconds = PATIENCE.SILENT_MS / 1000;
    const message =
      `The body did not arrive: nothing or too little of it came for ${seconds} s; send it again`;
    return new GatewayError("E_BAD_JSON", message);
  }
  if (fault === "nodes" || fault === "depth") return excessError(fault, "The body");
  return new GatewayError(
    "E_BAD_JSON",
    `The body is ${fault}; send a JSON object in UTF-8, {} when it is empty`,
  );
}

/** The refusal of what is wider or deeper than it may be; `what` begins the sentence. */
export function excessError(excess: Excess, what: string): GatewayError {
  const most = excess === "nodes"
    ? `more than ${LIMITS.JSON_NODES} values, the most that one call may have; send fewer`
    : `lists and objects nested deeper than ${LIMITS.NESTING_LEVELS} levels; send flatter ones`;
  return new GatewayError("E_BAD_JSON", `${what} holds ${most}`);
}
