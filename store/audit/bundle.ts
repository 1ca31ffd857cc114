/** Bundles: many segments of one writer, their bytes as they were committed, compressed in parts. */
import { isFields } from "../../core/values.ts";
import { firstIdAt, segmentKey, timeOfId, zlib } from "./segment.ts";
import type { Database } from "../database.ts";

/** No bundle holds segments of two days, so that a reader knows where to begin. */
export const DAY_MS = 24 * 60 * 60 * 1000;
/** Greater than every id. */
export const LAST_ID = "~";

/** A part has about so many bytes; more than the other it never has. */
const INFLATED_BYTES = 64 * 1024;
const INFLATED_BYTES_MAX = 1024 * 1024;
const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

/** A run of segments that are kept in one value. */
export interface Part {
  /** The ids of its first and its last segment. */
  readonly first: string;
  readonly last: string;
  readonly segments: number;
  readonly rows: number;
  /** When the first and the last of the calls began that its rows tell of, in milliseconds. */
  readonly began: readonly [first: number, last: number];
}

/** How many calls some rows tell of, and how many of those were refused for who asked. */
export interface CallCount {
  readonly calls: number;
  readonly refused: number;
}

/** What a bundle's own record says; its key is the id of its last segment. Parts that retention dropped are null. */
export interface Bundle {
  readonly first: string;
  readonly parts: readonly (Part | null)[];
  /** What its rows told of when they were packed; absent where a version before packed them. */
  readonly calls?: CallCount;
}

/** Whether what is stored under a bundle's key is one. */
export function isBundle(value: unknown): value is Bundle {
  if (!isFields(value) || typeof value["first"] !== "string" || !Array.isArray(value["parts"])) return false;
  return value["parts"].every((part) => part === null || isPart(part));
}

const isPart = (part: unknown) =>
  isFields(part) && typeof part["first"] === "string" && typeof part["last"] === "string" &&
  Array.isArray(part["began"]);

/** A segment within a part. */
export interface Packed {
  readonly id: string;
  /** As they were stored before: deflated already where it is large. */
  readonly bytes: Uint8Array;
  /** How many lines follow the header. */
  readonly lines: number;
}

/** The segments of a part, and how many rows before them retention has dropped. */
export interface PartContent {
  readonly dropped: number;
  readonly segments: readonly Packed[];
}

export const bundleKey = (last: string): string[] => ["audit", "bundle", last];
export const partKey = (last: string, n: number): Deno.KvKey => ["audit", "part", last, n];

/** The id that the day after that id's begins with. */
export function nextDay(id: string): string {
  const time = timeOfId(id.slice(0, 26));
  return Number.isNaN(time) ? LAST_ID : firstIdAt((Math.floor(time / DAY_MS) + 1) * DAY_MS);
}

/** The id that its day begins with; "" of what is no id. */
export function dayOf(id: string): string {
  const time = timeOfId(id);
  return Number.isNaN(time) ? "" : firstIdAt(Math.floor(time / DAY_MS) * DAY_MS);
}

/** A part as it is stored: a line of JSON that says where each segment is, and then the segments, deflated. */
export function encodePart({ dropped, segments }: PartContent): Uint8Array {
  const list = segments.map(({ id, bytes, lines }) => [id, bytes.length, lines]);
  const head = ENCODER.encode(`${JSON.stringify({ dropped, segments: list })}\n`);
  const all = new Uint8Array(segments.reduce((sum, { bytes }) => sum + bytes.length, head.length));
  all.set(head);
  let at = head.length;
  for (const { bytes } of segments) {
    all.set(bytes, at);
    at += bytes.length;
  }
  return new Uint8Array(zlib().deflateRawSync(all, { level: 1 }));
}

/** Reads what is stored under a part's key; null when it is no part. */
export function decodePart(value: unknown): PartContent | null {
  if (!(value instanceof Uint8Array)) return null;
  try {
    const all = zlib().inflateRawSync(value, {
      chunkSize: INFLATED_BYTES,
      maxOutputLength: INFLATED_BYTES_MAX,
    });
    let at = all.indexOf(0x0a) + 1;
    const { dropped, segments } = JSON.parse(DECODER.decode(all.subarray(0, at)));
    return {
      dropped,
      segments: segments.map(([id, length, lines]: [string, number, number]) => {
        const bytes = all.subarray(at, at += length);
        return { id, bytes, lines };
      }),
    };
  } catch {
    return null;
  }
}

/** What is stored of the segment of that id, in a bundle or not; null where it is gone. */
export async function findSegment({ kv }: Database, id: string): Promise<unknown> {
  // In this order: a segment that is packed meanwhile is in the bundle.
  const { value } = await kv.get(segmentKey(id));
  if (value !== null) return value;
  for await (
    const { key, value: { parts } } of kv.list<Bundle>({ start: bundleKey(id), end: bundleKey(nextDay(id)) })
  ) {
    const n = parts.findIndex((part) => part !== null && part.first <= id && id <= part.last);
    if (n < 0) continue;
    const part = decodePart((await kv.get(partKey(String(key[2]), n))).value);
    const found = part?.segments.find((segment) => segment.id === id);
    if (found !== undefined) return found.bytes;
  }
  return null;
}
