/** What an agent reads of an answer over MCP: all that it holds, without what says nothing. Over REST it is whole. */
import { memoize } from "../../core/made_once.ts";
import { isFields } from "../../core/values.ts";
import { resultOf } from "../../registry/answers.ts";
import type { Schema } from "../../registry/dialect.ts";
import type { Manifest } from "../../registry/manifest.ts";
import { withoutAside } from "./aside.ts";
import { leanPreview } from "./preview.ts";
import { leanSet } from "./sets.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Null says something of these: a site without an address, a token of nobody. */
const SAY_NULL: ReadonlySet<string> = new Set(["base_url", "owner_user_id", "warnings"]);
/** Fractions are read to so many digits behind the point, small ones to as many that are not 0. */
const DIGITS = 4;

/**
 * An answer as an agent reads it: the same facts in fewer words.
 *
 * - Where its manifest says `sparse`, texts and objects that are null and lists and objects that are empty are left out of
 *   what the manifest describes, but for the list that was asked for; fractions have four digits that count. A number or a
 *   yes-or-no that is null stays, for it says that nobody knows. Data of a site or vendor is never touched.
 * - What the manifest names as `aside` is left out, and `with_fields` names it, as long as the call asks for no parts itself.
 * - A preview and the end of a change set say once what is so of all items.
 *
 * An answer that is no object, such as the content of a site's own tool, is the very value.
 */
export function lean(answer: unknown, manifest: Manifest, args: Fields): unknown {
  if (!isFields(answer) || Object.getPrototypeOf(answer) !== Object.prototype) return answer;
  if (answer["needs_confirmation"] === true) return leanPreview(answer, args);
  const schema = schemaOf(manifest);
  if (schema === NOTHING_KNOWN || asksForParts(args, manifest)) return answer;
  const slim = manifest.sparse === true ? slimmed(answer, schema, mainList(schema).name) as Fields : answer;
  const whole = manifest.aside === undefined ? slim : withoutAside(slim, manifest.aside);
  return leanSet(whole, manifest.tier > 0);
}

/** Whether a call asks for parts itself; a tool's own argument summary says how much of a vendor's lists is read. */
const asksForParts = (args: Fields, { input }: Manifest): boolean =>
  "fields" in args || ("summary" in args && input.properties?.["summary"] === undefined);

const NOTHING_KNOWN: Schema = {};
const schemaOf = memoize((manifest: Manifest): Schema => resultOf(manifest) ?? NOTHING_KNOWN);

/** What a schema says of an object's keys, whichever of its alternatives that object is. */
interface Keys {
  readonly named: ReadonlyMap<string, Schema>;
  readonly others: Schema | null;
}

const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(alternatives) ?? [schema];

const keysOf = memoize((schema: Schema): Keys => {
  const named = new Map<string, Schema>();
  let others: Schema | null = null;
  for (const { properties = {}, additionalProperties: extra } of alternatives(schema)) {
    for (const [name, one] of Object.entries(properties)) {
      const known = named.get(name);
      named.set(name, known === undefined ? one : { anyOf: [known, one] });
    }
    if (typeof extra === "object") others = others === null ? extra : { anyOf: [others, extra] };
  }
  return { named, others };
});

const itemOf = memoize((schema: Schema): Schema => {
  const items = alternatives(schema).flatMap((one) => one.items ?? []);
  return items.length === 1 ? items[0]! : { anyOf: items };
});

/** What a value that says nothing may be in a schema, apart from null: a text, a list or an object that is described. */
const SAYS_NOTHING: ReadonlySet<string> = new Set(["string", "array", "object"]);
const isLeftOut = memoize((schema: Schema): boolean =>
  alternatives(schema).every(({ type }) =>
    type === "null" || (type !== undefined && SAYS_NOTHING.has(type))
  ) &&
  alternatives(schema).some(({ type }) => type !== "null")
);

const isEmpty = (value: unknown): boolean =>
  value === null ||
  (Array.isArray(value) ? value.length === 0 : typeof value === "object" && Object.keys(value).length === 0);

/** The list that an answer is mostly made of: it stays where it is empty. */
const mainList = memoize((schema: Schema): { readonly name: string | undefined } => {
  const lists = [...keysOf(schema).named].filter(([, one]) =>
    alternatives(one).some(({ type }) => type === "array")
  );
  return { name: lists[0]?.[0] };
});

function slimmed(value: unknown, schema: Schema, main?: string): unknown {
  if (typeof value === "number") {
    return alternatives(schema).some(({ type }) => type === "number") ? rounded(value) : value;
  }
  if (Array.isArray(value)) {
    const item = itemOf(schema);
    return value.map((one) => slimmed(one, item));
  }
  if (!isFields(value)) return value;
  const { named, others } = keysOf(schema);
  const kept: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    const own = named.get(name);
    if (own !== undefined && name !== main && isEmpty(one) && !SAY_NULL.has(name) && isLeftOut(own)) continue;
    const known = own ?? others;
    kept[name] = known === null ? one : slimmed(one, known);
  }
  return kept;
}

function rounded(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value;
  return Number(Math.abs(value) < 1 ? value.toPrecision(DIGITS) : value.toFixed(DIGITS));
}
