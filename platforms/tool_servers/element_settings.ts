/** Settings of elements as a write sent them, compared with those that the site's own tool reads. */
import { decodeHTML } from "entities/decode";
import { allOrThrow } from "../../core/async.ts";
import { addedId, type Seen } from "./compared.ts";
import { type Found, unknown } from "./found.ts";
import { asPhpKeeps } from "./block_tree.ts";
import { placeOf } from "./placed.ts";
import { isPlainId } from "./structure.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Settings of so many elements are compared. */
const ELEMENTS_MAX = 5;
/** So many differences are named. */
const NAMED_MAX = 20;

/** Arguments that say where an element goes, or of what kind it is, and its settings. */
const PLACING: ReadonlySet<string> = new Set([
  "parent_id",
  "container_id",
  "element_id",
  "widget_type",
  "settings",
]);
/** What is sent among the settings and stored beside them. */
const BESIDE: ReadonlySet<string> = new Set(["styles", "editor_settings"]);

/** What was sent for an element. */
export interface Sent {
  readonly element_id: string;
  readonly settings: Fields;
  /** Arguments of their own, which the tool puts into settings of whatever name. */
  readonly values: Fields;
}

/** The same with the settings that it has; `stored` is null where they could not be read. */
interface Compared extends Sent {
  readonly stored: Fields | null;
}

/** What of a call is neither the page nor a place on it. */
function valuesOf(args: Fields, page: string): Fields {
  const values = Object.entries(args).filter(([name, value]) =>
    name !== page && !PLACING.has(name) && (name !== "position" || placeOf(value) === null) && !isBlank(value)
  );
  return Object.fromEntries(values);
}

/** The settings that a call sends for elements. */
export function sentFor(call: Pick<Seen, "words" | "args" | "payload"> & { readonly page: string }): Sent[] {
  const { args } = call;
  const added = typeof args.element_id === "string" ? null : addedId(call);
  const named = added === null || !isPlainId(added) ? args : { ...args, element_id: added };
  const all = (Array.isArray(args.operations) ? args.operations : [named]).filter(isFields);
  const values = named === args ? {} : valuesOf(args, call.page);
  return all.flatMap(({ element_id, settings }) => {
    const own = isFields(settings) ? settings : {};
    const isSent = Object.keys(own).length + Object.keys(values).length > 0;
    return typeof element_id === "string" && isSent ? [{ element_id, settings: own, values }] : [];
  });
}

/** Reads the settings of the first elements; one that is too many is undefined, and null all where nothing can read. */
export async function withStored(
  sent: readonly Sent[],
  read: ((element_id: string) => Promise<unknown>) | undefined,
): Promise<(Compared | undefined)[] | null> {
  if (read === undefined) return sent.length === 0 ? [] : null;
  return await allOrThrow(...sent.map(async (one, at) => {
    if (at >= ELEMENTS_MAX) return undefined;
    const found = await read(one.element_id);
    const isOf = isFields(found) && (found.element_id ?? one.element_id) === one.element_id;
    return { ...one, stored: isOf && isFields(found.settings) ? found.settings : null };
  }));
}

/** Whether what was sent stands at the elements; null where nothing was. */
export function elementSettings(all: readonly (Compared | undefined)[] | null): Found | null {
  if (all === null) return unknown("The site has no tool of its own that reads the settings of an element");
  if (all.length === 0) return null;
  const compared = all.filter((one) => one !== undefined);
  const differences: string[] = [];
  const unshown: string[] = [];
  for (const { element_id, settings, values, stored } of compared) {
    if (stored === null) return unknown("The settings of an element could not be read back");
    const results = [
      ...Object.entries(settings).map(([name, value]) => [name, setting(name, value, stored)] as const),
      ...Object.entries(values).map(([name, value]) => [name, argument(name, value, stored)] as const),
    ];
    for (const [name, result] of results) {
      if (result === "other") differences.push(`${element_id}, ${name}: is not stored as it was sent`);
      else if (result === "unshown") unshown.push(name);
    }
  }
  if (differences.length > 0) return { verified: false, warnings: differences.slice(0, NAMED_MAX) };
  const left = all.length - compared.length;
  if (unshown.length > 0) {
    const names = [...new Set(unshown)].slice(0, NAMED_MAX).join(", ");
    return unknown(`The settings of the element do not show ${names}`);
  }
  return left > 0
    ? unknown(`The first ${ELEMENTS_MAX} elements are as they were sent, ${left} were not compared`)
    : { verified: true };
}

/** What is seen of a value: it is as it was sent, it is another one, or it does not show. */
type Result = "same" | "other" | "unshown";

/** A setting that was sent under its own name. */
function setting(name: string, value: unknown, stored: Fields): Result {
  const own = ownOf(stored, name) ?? ownOf(stored, `flex_${name}`);
  if (own === undefined && isBlank(value)) return "same";
  if (alike(value, own)) return "same";
  if (own === undefined && BESIDE.has(name)) return "unshown";
  if (own === undefined && name === "background" && alike(value, stored)) return "same";
  return isTyped(own) && !isTyped(value) ? typed(value, own) : "other";
}

/** An argument that the tool puts into a setting of the same name, or of another one. */
function argument(name: string, value: unknown, stored: Fields): Result {
  const own = ownOf(stored, name);
  if (own === undefined && value === false) return "same";
  if (own === undefined) return isShort(value) ? found(exactly(stored, value)) : found(holds(stored, value));
  if (alike(value, own)) return "same";
  if (typeof value === "boolean") return "unshown";
  if (isTyped(own)) return typed(value, own);
  return isScalar(value) && !isScalar(own) ? typed(value, own) : "other";
}

const found = (is: boolean): Result => is ? "same" : "unshown";
/** A value that the builder stores with its type beside it. */
const isTyped = (value: unknown) => isFields(value) && Object.hasOwn(value, "$$type");
const typed = (value: unknown, own: unknown) =>
  found(isShort(value) ? exactly(own, value) : holds(own, value));

/** Equal as JSON, whatever the order of names; a part that was sent of a larger whole is there. */
function alike(sent: unknown, stored: unknown): boolean {
  if (isFields(sent) && Array.isArray(stored)) {
    const kept = asPhpKeeps(sent);
    return Array.isArray(kept) && alike(kept, stored);
  }
  if (isFields(sent)) {
    return isFields(stored) && Object.entries(sent).every(([name, one]) => alike(one, ownOf(stored, name)));
  }
  if (Array.isArray(sent)) {
    return Array.isArray(stored) && sent.length === stored.length &&
      sent.every((one, n) => alike(one, stored[n]));
  }
  return sent === stored || (isScalar(sent) && isScalar(stored) && readAs(sent) === readAs(stored));
}

/** Whether a text stands in a value, at whatever place of it; of any other value that is not to be seen. */
function holds(value: unknown, text: unknown): boolean {
  if (typeof text !== "string") return false;
  if (isScalar(value)) return readAs(value).includes(readAs(text));
  return typeof value === "object" && value !== null && Object.values(value).some((one) => holds(one, text));
}

/** Whether a word is a value, at whatever place. */
function exactly(value: unknown, word: unknown): boolean {
  if (isScalar(value)) return typeof word === "string" && readAs(value) === readAs(word);
  return typeof value === "object" && value !== null &&
    Object.values(value).some((one) => exactly(one, word));
}

/** One word, which stands in many a text by chance. */
const isShort = (value: unknown) => typeof value === "string" && /^[\w-]{1,16}$/.test(value.trim());
const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");
const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
/** As a reader of the page sees it, however its signs are spelt. */
const readAs = (value: unknown) => decodeHTML(String(value)).trim();
const ownOf = (value: Fields, name: string) => Object.hasOwn(value, name) ? value[name] : undefined;
