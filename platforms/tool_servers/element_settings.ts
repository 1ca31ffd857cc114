/** Settings of elements as a write sent them, compared with those that the site's own tool reads. */
import { decodeHTML } from "entities/decode";
import { together } from "../../lib/async.ts";
import { addedId, type Found, isPlainId, type Seen } from "./compared.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Settings of so many elements are compared. */
const ELEMENTS_MAX = 5;

/** Arguments that say where an element goes, or of what kind it is. */
const PLACING: ReadonlySet<string> = new Set(["parent_id", "container_id", "position", "widget_type"]);

/** Settings that were sent for an element, and those it has; `stored` is null where they could not be read. */
interface Compared {
  readonly element_id: string;
  readonly sent: Fields;
  /** Texts that were sent as arguments of their own, which the tool puts into settings of whatever name. */
  readonly texts: Readonly<Record<string, string>>;
  readonly stored: Fields | null;
}

/** What of a call is neither the page nor a place on it, as far as it is text. */
function textsOf(args: Fields, page: string): Record<string, string> {
  const texts = Object.entries(args).filter((one): one is [string, string] =>
    typeof one[1] === "string" && one[1].trim() !== "" && one[0] !== page && !PLACING.has(one[0])
  );
  return Object.fromEntries(texts);
}

/** The settings that a call sends for elements, each with those that are stored; undefined of those that are too many. */
export async function sentSettings(
  call: Pick<Seen, "words" | "args" | "payload"> & { readonly page: string },
  read: ((element_id: string) => Promise<unknown>) | undefined,
): Promise<(Compared | undefined)[]> {
  const { args } = call;
  const added = typeof args.element_id === "string" ? null : addedId(call);
  const named = added === null || !isPlainId(added) ? args : { ...args, element_id: added };
  const all = (Array.isArray(args.operations) ? args.operations : [named]).filter(isFields);
  const texts = named === args ? {} : textsOf(args, call.page);
  const sent = all.flatMap(({ element_id, settings }) => {
    const own = isFields(settings) ? settings : {};
    const isSent = Object.keys(own).length + Object.keys(texts).length > 0;
    return typeof element_id === "string" && isSent ? [{ element_id, sent: own, texts }] : [];
  });
  if (read === undefined) return [];
  return await together(...sent.map(async (one, at) => {
    if (at >= ELEMENTS_MAX) return undefined;
    const found = await read(one.element_id);
    const isOf = isFields(found) && (found.element_id ?? one.element_id) === one.element_id;
    return { ...one, stored: isOf && isFields(found.settings) ? found.settings : null };
  }));
}

/** Whether the settings that were sent stand at their elements; null where none were sent. */
export function elementSettings(all: readonly (Compared | undefined)[]): Found | null {
  if (all.length === 0) return null;
  const compared = all.filter((one) => one !== undefined);
  const differences: string[] = [];
  const unshown: string[] = [];
  for (const { element_id, sent, texts, stored } of compared) {
    if (stored === null) {
      return { verified: null, reason: "The settings of an element could not be read back" };
    }
    for (const [name, value] of Object.entries(sent)) {
      if (!alike(value, ownOf(stored, name))) {
        differences.push(`${element_id}, ${name}: is not stored as it was sent`);
      }
    }
    for (const [name, text] of Object.entries(texts)) {
      const own = ownOf(stored, name);
      if (isScalar(own) && !holds(own, text)) {
        differences.push(`${element_id}, ${name}: is not stored as it was sent`);
      } else if (!holds(stored, text)) unshown.push(name);
    }
  }
  if (differences.length > 0) return { verified: false, warnings: differences.slice(0, 20) };
  if (unshown.length > 0) {
    return { verified: null, reason: `The settings of the element do not show ${unshown.join(", ")}` };
  }
  const left = all.length - compared.length;
  return left > 0
    ? {
      verified: null,
      reason: `The first ${ELEMENTS_MAX} elements are as they were sent, ${left} were not compared`,
    }
    : { verified: true };
}

/** What is found of an element that was added: there with its settings, or there with others. */
export function withSettings(element: Found | null, settings: Found | null): Found | null {
  return element === null || (element.verified === true && settings !== null) ? settings : element;
}

/** Equal as JSON, whatever the order of names; a part that was sent of a larger whole is there. */
function alike(sent: unknown, stored: unknown): boolean {
  if (isFields(sent)) {
    return isFields(stored) && Object.entries(sent).every(([name, one]) => alike(one, ownOf(stored, name)));
  }
  if (Array.isArray(sent)) {
    return Array.isArray(stored) && sent.length === stored.length &&
      sent.every((one, n) => alike(one, stored[n]));
  }
  return sent === stored || (isScalar(sent) && isScalar(stored) && readAs(sent) === readAs(stored));
}

/** Whether a text stands in a value, at whatever place of it. */
function holds(value: unknown, text: string): boolean {
  if (isScalar(value)) return readAs(value).includes(readAs(text));
  return typeof value === "object" && value !== null && Object.values(value).some((one) => holds(one, text));
}

const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
/** As a reader of the page sees it, however its signs are spelt. */
const readAs = (value: unknown) => decodeHTML(String(value)).trim();
const ownOf = (value: Fields, name: string) => Object.hasOwn(value, name) ? value[name] : undefined;
