/** Judges a JSON-RPC frame: which protocol era it speaks, and whether it may be answered at all. */
import { clipped, QUOTED_CHARACTERS } from "../core/errors.ts";
import { isFields } from "../core/values.ts";

/** The one stateless revision that is served. */
export const MODERN_VERSION = "2026-07-28";
/** The revisions that open with `initialize`, newest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

const VERSION_KEY = "io.modelcontextprotocol/protocolVersion";
/** Where a request of 2026 declares what its client can do. */
export const CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities";
const VERSION_HEADER = "mcp-protocol-version";
/** What a client of 2025 sends back once it was given one. */
export const SESSION_HEADER = "mcp-session-id";

/** JSON-RPC codes; -32020, -32022 and -32042 are the protocol's own. */
export const RPC = {
  PARSE: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,
  INVALID_PARAMS: -32602,
  INTERNAL: -32603,
  REFUSED: -32000,
  HEADER_MISMATCH: -32020,
  UNSUPPORTED_VERSION: -32022,
  URL_ELICITATION_REQUIRED: -32042,
  RESOURCE_NOT_FOUND: -32002,
} as const;

/** What a JSON-RPC id may be here. */
export type FrameId = string | number;

/** A request that may be answered. */
export interface Frame {
  readonly id: FrameId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Speaks 2026-07-28. */
  readonly modern: boolean;
}

/** Why a frame is refused: a JSON-RPC error under an HTTP status. */
export class FrameFault {
  constructor(
    readonly status: number,
    readonly code: number,
    readonly message: string,
    readonly id: FrameId | null = null,
    readonly data?: unknown,
  ) {}
}

/** The frame in a parsed body; a fault to answer; or null for a message that wants no answer. */
export function judge(body: unknown, headers: Headers): Frame | FrameFault | null {
  const invalid = (message: string) => new FrameFault(400, RPC.INVALID_REQUEST, message);
  if (Array.isArray(body)) return invalid("Send one message for each request; batches are not taken");
  if (!isFields(body)) return invalid("Send a JSON-RPC message, which is a JSON object");
  if (body.jsonrpc !== "2.0") return invalid('Send "jsonrpc": "2.0"');
  const { id, method } = body;
  if (id !== undefined && typeof id !== "string" && !Number.isSafeInteger(id)) {
    return invalid(
      "id: send a string or a whole number within 2^53; a larger one would come back as another",
    );
  }
  if (typeof id === "string" && id.length > QUOTED_CHARACTERS) {
    return invalid(`id: send at most ${QUOTED_CHARACTERS} characters`);
  }
  if (method === undefined && ("result" in body || "error" in body)) return null;
  if (typeof method !== "string") return invalid("method: send the name of a method");
  if (id === undefined) return null;
  const { params = {} } = body;
  if (!isFields(params)) {
    return new FrameFault(400, RPC.INVALID_PARAMS, "params: send an object", id as FrameId);
  }
  return judgeEra({ id: id as FrameId, method, params, modern: false }, headers);
}

function judgeEra(frame: Frame, headers: Headers): Frame | FrameFault {
  const version = headers.get(VERSION_HEADER);
  const meta = isFields(frame.params._meta) ? frame.params._meta : undefined;
  const newer = version !== null && version >= MODERN_VERSION;
  if (meta !== undefined && meta[VERSION_KEY] !== undefined) {
    return judgeModern(frame, meta, version, headers) ?? { ...frame, modern: true };
  }
  if (newer && frame.method === "initialize") {
    const message = `Bad Request: the header names ${clipped(version)}, which has no initialize`;
    return new FrameFault(400, RPC.HEADER_MISMATCH, message, frame.id);
  }
  if (newer) {
    return new FrameFault(400, RPC.INVALID_PARAMS, `params._meta: "${VERSION_KEY}" is missing`, frame.id);
  }
  if (version !== null && frame.method !== "initialize" && !isLegacy(version)) {
    const known = [...LEGACY_VERSIONS, MODERN_VERSION].join(", ");
    const message = `Bad Request: Unsupported protocol version "${clipped(version)}" (supported: ${known})`;
    return new FrameFault(400, RPC.REFUSED, message);
  }
  return frame;
}

function isLegacy(version: string): boolean {
  return (LEGACY_VERSIONS as readonly string[]).includes(version);
}

/** The fault of a 2026 request, in the order in which the protocol's own server looks; null when there is none. */
function judgeModern(
  { id, method, params }: Frame,
  meta: Record<string, unknown>,
  versionHeader: string | null,
  headers: Headers,
): FrameFault | null {
  const envelope = (key: string, wanted: string) =>
    new FrameFault(400, RPC.INVALID_PARAMS, `params._meta: "${key}" must be ${wanted}`, id);
  const mismatch = (message: string) =>
    new FrameFault(400, RPC.HEADER_MISMATCH, `Bad Request: ${message}`, id);
  const version = meta[VERSION_KEY];
  if (typeof version !== "string") return envelope(VERSION_KEY, "a string");
  if (!isFields(meta[CAPABILITIES_KEY])) return envelope(CAPABILITIES_KEY, "an object");
  const methodHeader = headers.get("mcp-method");
  if (versionHeader !== null && versionHeader !== version) {
    return mismatch("the header MCP-Protocol-Version and params._meta name different versions");
  }
  if (methodHeader !== null && methodHeader !== method) {
    return mismatch("the header Mcp-Method and the body name different methods");
  }
  if (version !== MODERN_VERSION) {
    const data = { supported: [MODERN_VERSION], requested: clipped(version) };
    return new FrameFault(400, RPC.UNSUPPORTED_VERSION, "Unsupported protocol version", id, data);
  }
  if (versionHeader === null) return mismatch("the header MCP-Protocol-Version is missing");
  if (methodHeader === null) return mismatch("the header Mcp-Method is missing");
  const field = NAMED.get(method);
  return field === undefined ? null : judgeName(params[field], field, headers.get("mcp-name"), mismatch);
}

/** The methods whose `Mcp-Name` header repeats a parameter. */
const NAMED = new Map([["tools/call", "name"], ["prompts/get", "name"], ["resources/read", "uri"]]);

function judgeName(
  named: unknown,
  field: string,
  header: string | null,
  mismatch: (message: string) => FrameFault,
): FrameFault | null {
  if (header === null) {
    return typeof named === "string" ? mismatch("the header Mcp-Name is missing") : null;
  }
  const said = decodeHeader(header);
  if (said === null) return mismatch("the header Mcp-Name is badly encoded");
  if (typeof named !== "string" || said === named) return null;
  return mismatch(`the header Mcp-Name and params.${field} differ`);
}

/** A header value that may be wrapped as `=?base64?…?=`; null when what is wrapped is not base64 of UTF-8. */
function decodeHeader(value: string): string | null {
  const wrapped = /^=\?base64\?(.*)\?=$/i.exec(value)?.[1];
  if (wrapped === undefined) return value;
  try {
    const bytes = Uint8Array.from(atob(wrapped), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
