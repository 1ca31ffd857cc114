/** What calls of a tool answer: its result, of a write a preview as well, and what was proven beside the result. */
import { isFields } from "../core/values.ts";
import { memoize } from "../core/made_once.ts";
import type { Schema } from "./dialect.ts";
import { type Manifest, writes } from "./manifest.ts";
import { isProven, joined, resultSchema } from "./results.ts";

/** What every write answers about itself beside its own result. */
export const PROOF: Schema = resultSchema({
  "verified~":
    "boolean -- Whether what the site holds after the write was compared with what was asked for and is the " +
    "same; false where it is not, null where it could not be compared",
  "verified_reason?": "string -- Why verified is null",
  "live?~": {
    $: "Of a write for visitors' eyes: what they get, read as a visitor right afterwards; null where nobody looked. It " +
      "changes nothing of verified",
    checked_at: "date-time",
    address: "string",
    "as_expected~": "boolean -- null where the page could not be seen",
    differs: [{ field: "string", expected: "any -- as it was to be", seen: "any -- the page's own words" }],
    "cause?": "one of page_cache | page | wall",
    "cache?": {
      "name~": "string",
      "hit~": "boolean",
      "age_seconds~": "integer",
    },
    "caches_asked?": ["string -- a page cache of the site that was asked to drop the page"],
    "reason?": "string",
    "next?": "string",
  },
  "live_reason?": "string -- Why live is null, and what to do next",
  warnings: ["string -- What differs from what was asked for, and what else to know"],
  request_id: "string -- Of the call that wrote; the id of its audit row",
  "replayed?": "one of true -- Set where an equal call wrote before",
});

/** The request for a person's approval that a call waits for. */
const APPROVAL = {
  $: "The request for a person's approval, where one is needed",
  id: "string -- What get_approval takes as approval_id",
  url: "string -- Where a person reads it and decides",
  expires_at: "date-time -- Until when it can be decided",
};

/** One field of a preview. */
export const CHANGE: Schema = resultSchema({
  $: "One field of a preview",
  field: "string -- What would change",
  from: "any -- The value now; null for what is made new",
  to: "any -- The value after the change",
  "origin?": "string -- Where the value now comes from, where the changed thing itself does not hold it",
  "text_of?": "string -- Of the text of a file: the field that has its name and size",
  "item?": "integer -- Of a change set: which item it is of",
  "site_id?~": "string -- Of a change set: the site of that item",
});

const PREVIEW_BESIDE: Schema = resultSchema({
  $: "What a write would do; nothing was changed",
  needs_confirmation: "one of true",
  tool: "string -- The tool that would run",
  "site_id~": "string -- The site it would run on",
  tier: "integer -- The risk of this call, 0 to 4",
  summary: "string -- One sentence a person can approve",
  "left_out?": "string -- How much of the changes is left out",
  "revision~": "string -- Names the state that was read; null where the call touches nothing that exists",
  confirm_token: "string -- Binds the write to this preview; sent with confirm: true it is carried out once",
  expires_at: "date-time -- Until when the confirm_token holds",
  "approval?": APPROVAL,
  next: "string -- How to go on",
  undoable: "boolean -- Whether the gateway can take the change back",
  "undoable_reason?": "string -- Why it cannot",
  "shown?": "string -- For who decides on a request: names what this is a preview of",
  warnings: ["string -- What a person should know before approving"],
  "set_id?": "string -- Of a change set",
  "items?": [{ $: "An item of a change set, as its own preview says it", "*": "any -- as in a preview" }],
  "calls?": [{
    $: "A call of another tool that is part of it",
    tool: "string",
    "site_id~": "string",
    tier: "integer",
    summary: "string",
    "fields?": ["string"],
  }],
});

/** What a write answers without `confirm: true`. */
export const PREVIEW: Schema = joined(PREVIEW_BESIDE, {
  type: "object",
  properties: {
    changes: { type: "array", description: "What would change, read live", items: CHANGE },
  },
  required: ["changes"],
});

/** Of what a tool is, what its answers depend on. */
export type Answering = Pick<Manifest, "tier" | "raise" | "result">;

/** The result of a call that was carried out, of a write with what was proven; null where the manifest says nothing. */
export function resultOf({ tier, raise, result }: Answering): Schema | null {
  if (result === undefined) return null;
  const own = resultSchema(result);
  if (!writes({ tier, raise }) || own.type === undefined && own.anyOf === undefined) return own;
  if (tier > 0 && isProven(result)) return joined(own, PROOF);
  return joined(own, { ...PROOF, required: [] });
}

/** Every answer of a call that is no refusal; null where the manifest does not say what its result is. */
export function answerSchema(manifest: Answering): Schema | null {
  const result = resultOf(manifest);
  if (result === null || !writes(manifest)) return result;
  return { anyOf: [PREVIEW, ...result.anyOf ?? [result]] };
}

/**
 * The result in a line, as TypeScript writes it; a key without a type is a text. An object that it has several times is
 * called A, B and so on, and told once, behind `where`. Null where the manifest says nothing.
 */
export const resultText = ({ result }: Pick<Manifest, "result">): string | null =>
  result === undefined ? null : resultLine(resultSchema(result));

/** An object in fewer characters is as short as a name for it. */
const NAMED_FROM = 16;
const A = 65;

function resultLine(schema: Schema): string {
  const counts = new Map<string, number>();
  typeLine(schema, (line) => {
    counts.set(line, (counts.get(line) ?? 0) + 1);
    return line;
  });
  const names = new Map<string, string>();
  const told: string[] = [];
  const line = typeLine(schema, (short, one) => {
    const whole = typeLine(one);
    if (whole.length < NAMED_FROM || counts.get(whole)! < 2) return short;
    return names.getOrInsertComputed(whole, () => {
      const name = String.fromCharCode(A + names.size);
      told.push(`${name} = ${short}`);
      return name;
    });
  });
  return told.length === 0 ? line : `${line}, where ${told.join("; ")}`;
}

/** `as` says how an object is written, given as it would be. */
function typeLine(schema: Schema, as = (line: string, _schema: Schema): string => line): string {
  const { anyOf, type, enum: values, items, properties = {}, required = [], additionalProperties: extra } =
    schema;
  const inner = (one: Schema) => typeLine(one, as);
  if (anyOf) return [...new Set(anyOf.map(inner))].join(" | ");
  if (values) return values.map((one) => JSON.stringify(one)).join(" | ");
  if (type === "array") {
    const line = items ? inner(items) : "unknown";
    return line.includes(" | ") && !line.endsWith("}") ? `(${line})[]` : `${line}[]`;
  }
  if (type === "integer") return "number";
  if (type !== "object") return type ?? "unknown";
  const keys = Object.entries(properties).map(([name, one]) => {
    const line = inner(one);
    return `${name}${required.includes(name) ? "" : "?"}${line === "string" ? "" : `: ${line}`}`;
  });
  if (extra) keys.push(`[name]: ${typeof extra === "object" ? inner(extra) : "unknown"}`);
  return as(`{ ${keys.join(", ")} }`, schema);
}

/** A JSON Schema as it is served: what may be null names both types. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema for clients that read JSON Schema, where what may be null is one of two types. */
export function toJsonSchema(schema: Schema): JsonSchema {
  const { anyOf, properties, items, additionalProperties: extra, ...rest } = schema;
  const way = anyOf === undefined ? null : oneWay(anyOf);
  if (way !== null) {
    const { type, enum: values, ...inner } = toJsonSchema(way);
    const more = values === undefined ? {} : { enum: [...values as unknown[], null] };
    return { ...inner, ...rest, type: [type, "null"], ...more };
  }
  return {
    ...rest,
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(toJsonSchema) }),
    ...(properties === undefined ? {} : { properties: each(properties) }),
    ...(items === undefined ? {} : { items: toJsonSchema(items) }),
    ...(isFields(extra) ? { additionalProperties: toJsonSchema(extra as Schema) } : {}),
  };
}

const each = (properties: Readonly<Record<string, Schema>>) =>
  Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, toJsonSchema(one)]));

/** The one thing that it is where it is not null. */
function oneWay(ways: readonly Schema[]): Schema | null {
  const [only, ...others] = ways.filter(({ type }) => type !== "null");
  return ways.length === 2 && others.length === 0 && only?.type !== undefined ? only : null;
}

/**
 * What MCP lists as a tool's `outputSchema`: that of an object; null for an answer that is none, which has no structured
 * content either (https://modelcontextprotocol.io/specification/2025-11-25/server/tools#output-schema).
 */
export const outputSchema = (manifest: Answering): JsonSchema | null => madeOutputSchema(manifest).schema;

const madeOutputSchema = memoize((manifest: Answering): { readonly schema: JsonSchema | null } => {
  const schema = answerSchema(manifest);
  const ways = schema?.anyOf ?? [schema];
  const isObject = schema !== null && ways.every((one) => one?.type === "object");
  return { schema: isObject ? { type: "object", ...toJsonSchema(schema) } : null };
});
