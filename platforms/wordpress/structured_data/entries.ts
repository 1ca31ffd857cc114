/** Entries of custom schema as the companion plugin tells them, and what a value for one has to be. */
import { z } from "zod";
import { GatewayError, type GatewayErrorOptions } from "../../../core/errors.ts";
import {
  checkStructured,
  dataIn,
  isFlat,
  isMixed,
  requireEnclosed,
  sameData,
  type StructuredData,
} from "../../../rules/structured_data.ts";
import { typesOf } from "../../../rules/seo_schema.ts";
import { LIMITS } from "../../../core/model.ts";
import { isFields } from "../../../core/values.ts";
import { staleOf } from "../companion/guarded.ts";
import { statusWord } from "../rest/records.ts";

/** Nothing is read that could not be compared. */
const isShallow = (value: unknown) => isFlat(value, LIMITS.NESTING_LEVELS);

const HEAD = {
  post_id: z.number().int().positive(),
  type: z.string(),
  status: z.string(),
  title: z.string(),
  /** What the schema plugin notes of where the entry shows; null for an entry of one page. */
  targets: z.unknown().optional().refine(isShallow),
};
const stored = z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).refine(isShallow);

/** What is read of an entry. */
export const ENTRY = z.discriminatedUnion("value_type", [
  z.object({ ...HEAD, value_type: z.literal("string"), value: z.string() }),
  z.object({ ...HEAD, value_type: z.literal("array"), value: stored }),
  z.object({ ...HEAD, value_type: z.literal("none"), value: z.null() }),
]);
export type EntryRecord = z.infer<typeof ENTRY>;

/** An entry of custom schema. */
export interface SchemaEntry {
  readonly post_id: number;
  readonly type: string;
  readonly status: string;
  readonly title: string;
  /** `none`: its plugin makes the markup from settings; it cannot be written. */
  readonly value_type: "string" | "array" | "none";
  readonly value: StructuredData | null;
}

/** How far an entry reaches: its own page, or every page it targets. */
export type Scope = "page" | "global";

/** Where an array of a schema plugin holds its JSON-LD, as text. */
const TEXT = "custom-markup-custom-text";

/** An entry in this gateway's words. */
export function shown({ targets: _, status, ...rest }: EntryRecord): SchemaEntry {
  return { ...rest, status: statusWord(status) };
}

/** Whether visitors see an entry. */
export const isLive = ({ status }: EntryRecord): boolean => status === "publish" || status === "private";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);
/** An answer of the site that cannot be right, or a state that may not be written over: E_UPSTREAM. */
export const failed = (message: string, options: GatewayErrorOptions = {}) =>
  new GatewayError("E_UPSTREAM", message, { upstream: 502, ...options });

/**
 * The value as it is sent, of the type the entry has now, down to list or object. Throws E_BAD_INPUT naming what does
 * not fit, E_PAYLOAD_TOO_LARGE.
 */
export function fitting(record: EntryRecord, scope: Scope, given: StructuredData): StructuredData {
  requireType(record, given);
  const held = isFields(record.value) ? record.value[TEXT] : record.value;
  if (isMixed(held) && (!isFields(given) || TEXT in given)) {
    throw bad(`value: entry ${record.post_id} holds more than one script element; change it on the site`);
  }
  if (!isFields(given)) return given;
  const value = scope === "page" ? schemasFor(record, given) : given;
  if (scope === "page") requireEnclosed(value, "value");
  if (TEXT in value) requireText(value[TEXT]);
  return value;
}

function requireType({ post_id, value_type, value: now }: EntryRecord, given: StructuredData): void {
  if (now === null) {
    throw bad(
      `value: entry ${post_id} has the value_type "none": its plugin makes the markup from settings, change those there`,
    );
  }
  const [has, gets] = [nounOf(now), nounOf(given)];
  if (has === gets) return;
  throw bad(
    `value: entry ${post_id} has the value_type "${value_type}" and holds ${has}, so it takes ${has} and not ${gets}; ` +
      "read it again with get_custom_schema",
  );
}

const nounOf = (value: unknown) =>
  typeof value === "string" ? "a string" : Array.isArray(value) ? "a list" : "an object";

/** Of an entry of one page only schemas that are there are changed; the plugin's notes about one are not sent. */
function schemasFor({ post_id, value: now }: EntryRecord, given: Readonly<Record<string, unknown>>) {
  const names = Object.keys(now ?? {});
  const schemas = Object.entries(given).map(([name, schema]) => {
    const { metadata: _, ...rest } = isFields(schema) ? schema : {};
    if (!names.includes(name) || Object.keys(rest).length === 0) {
      throw bad(
        `value.${name}: entry ${post_id} takes an object that is not empty for each of its schemas, which are ${
          names.join(", ")
        }`,
      );
    }
    if (!typesOf(rest).includes("")) return [name, rest] as const;
    throw bad(`value.${name}: needs its "@type", without which search engines make nothing of it`);
  });
  return Object.fromEntries(schemas);
}

function requireText(text: unknown): void {
  if (typeof text === "string") return checkStructured(text, `value.${TEXT}`);
  throw bad(`value.${TEXT}: expected JSON as text, as the entry holds it now`);
}

/** The names in what a plugin notes of targets, whatever its shape; those left out with a "not". */
export function targetNames(targets: unknown): string[] {
  if (!isFields(targets)) return [];
  const { shown_on, hidden_on } = targets;
  return [...texts(shown_on), ...texts(hidden_on).map((name) => `not ${name}`)];
}

function texts(value: unknown): string[] {
  if (typeof value === "string") return value === "" ? [] : [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

/**
 * Refuses to write over what somebody else changed since it was looked at: E_FORBIDDEN_OP for what was published, else
 * E_STALE_PREVIEW.
 */
export function requireUnchanged(before: EntryRecord, now: EntryRecord, scope: Scope): void {
  const id = before.post_id;
  const meanwhile = "since it was looked at; nothing was written: read it again";
  if (scope === "page" && isLive(now) && !isLive(before)) {
    throw new GatewayError("E_FORBIDDEN_OP", `Entry ${id} was published ${meanwhile}`);
  }
  const names = ["status", "type", "value_type", "value", "targets"] as const;
  const changed = names.filter((name) => !sameData(before[name], now[name]));
  if (changed.length > 0) throw staleOf(`entry ${id}`, changed);
}

/** Refuses to call a write done that did not leave exactly what was sent, or moved where the entry shows: E_UPSTREAM. */
export function requireKept(before: EntryRecord, now: EntryRecord, after: StructuredData): void {
  const id = before.post_id;
  if (now.value_type !== before.value_type || !sameData(meaning(now.value), meaning(after))) {
    throw failed(`Entry ${id} was written, but the site shows another value than was sent; look at it there`);
  }
  if (sameData(before.targets, now.targets)) return;
  throw failed(`Entry ${id} was written, and where it shows changed along with it; look at it on the site`);
}

/** A value with the JSON in its text read, for a plugin may write that anew. */
function meaning(value: StructuredData | null): unknown {
  return isFields(value) && TEXT in value ? { ...value, [TEXT]: dataIn(value[TEXT]) } : dataIn(value);
}
