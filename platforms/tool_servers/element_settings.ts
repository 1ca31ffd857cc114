/** Settings of elements as a write sent them, compared with those that the site's own tool reads. */
import { decodeHTML } from "entities/decode";
import { together } from "../../lib/async.ts";
import { addedId, type Found, isPlainId, type Seen } from "./compared.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Settings of so many elements are compared. */
const ELEMENTS_MAX = 5;

/** Settings that were sent for an element, and those it has; `stored` is null where they could not be read. */
interface Compared {
  readonly element_id: string;
  readonly sent: Fields;
  readonly stored: Fields | null;
}

/** The settings that a call sends for elements, each with those that are stored; undefined of those that are too many. */
export async function sentSettings(
  call: Pick<Seen, "words" | "args" | "payload">,
  read: ((element_id: string) => Promise<unknown>) | undefined,
): Promise<(Compared | undefined)[]> {
  const { args } = call;
  const added = typeof args.element_id === "string" ? null : addedId(call);
  const named = added === null || !isPlainId(added) ? args : { ...args, element_id: added };
  const all = (Array.isArray(args.operations) ? args.operations : [named]).filter(isFields);
  const sent = all.flatMap(({ element_id, settings }) =>
    typeof element_id === "string" && isFields(settings) && Object.keys(settings).length > 0
      ? [{ element_id, sent: settings }]
      : []
  );
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
  for (const { element_id, sent, stored } of compared) {
    if (stored === null) {
      return { verified: null, reason: "The settings of an element could not be read back" };
    }
    for (const [name, value] of Object.entries(sent)) {
      if (!alike(value, ownOf(stored, name))) {
        differences.push(`${element_id}, ${name}: is not stored as it was sent`);
      }
    }
  }
  if (differences.length > 0) return { verified: false, warnings: differences.slice(0, 20) };
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

const isScalar = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);
/** As a reader of the page sees it, however its signs are spelt. */
const readAs = (value: unknown) => decodeHTML(String(value)).trim();
const ownOf = (value: Fields, name: string) => Object.hasOwn(value, name) ? value[name] : undefined;
