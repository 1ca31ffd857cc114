/** The elements of a page as the site's own tool shows them, and what differs between two looks at them. */
import type { Change } from "../../core/model.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An element without those within it. */
interface Element {
  /** The kind of a widget, else of the element; empty where that is not shown. */
  readonly type: string;
  /** The element it stands in; empty at the top. */
  readonly within: string;
  /** The element it stands in and its place there. */
  readonly place: string;
  /** All that is shown of it, as JSON. */
  readonly shown: string;
}

/** What is shown of a page. */
export interface Structure {
  /** Its elements by id, in their order. */
  readonly elements: ReadonlyMap<string, Element>;
  /** The places of its blocks, which have no ids, as JSON. */
  readonly paths: ReadonlySet<string>;
  /** How many blocks stand at the top. */
  readonly topBlocks: number;
  /** All of it as JSON, for pages whose parts have no ids. */
  readonly whole: string;
}

const LEVELS_MAX = 64;
const CHANGES_MAX = 20;
const SHOWN_CHARACTERS = 400;

/** Reads what a tool answered of a page. */
export function structureOf(payload: unknown): Structure {
  const elements = new Map<string, Element>();
  const paths = new Set<string>();
  let topBlocks = 0;
  const collect = (value: unknown, within: string, levels: number): void => {
    if (levels === 0 || typeof value !== "object" || value === null) return;
    const list = Array.isArray(value) ? value : Object.values(value);
    let last = "";
    for (const one of list) {
      if (isFields(one) && Array.isArray(one.path)) {
        paths.add(JSON.stringify(one.path));
        if (one.path.length === 1) topBlocks++;
      }
      const id = isFields(one) ? one.id ?? one.element_id : undefined;
      if (isFields(one) && typeof id === "string" && id !== "") {
        const own = Object.fromEntries(Object.entries(one).filter(([, part]) => !holdsElements(part)));
        elements.set(id, {
          type: String(one.widgetType ?? one.elType ?? ""),
          within,
          place: `in ${within || "the page"}${last && `, after ${last}`}`,
          shown: JSON.stringify(own),
        });
        last = id;
        collect(one, id, levels - 1);
      } else collect(one, within, levels - 1);
    }
  };
  collect(payload, "", LEVELS_MAX);
  return { elements, paths, topBlocks, whole: JSON.stringify(payload) ?? "null" };
}

const holdsElements = (part: unknown) =>
  Array.isArray(part) &&
  part.some((one) => isFields(one) && (typeof one.id === "string" || "element_id" in one));

/** What differs, an entry for each element; the whole where the page's parts have no ids. Bounded. */
export function changesBetween(before: Structure, after: Structure): Change[] {
  if (before.whole === after.whole) return [];
  const ids = new Set([...before.elements.keys(), ...after.elements.keys()]);
  if (ids.size === 0) {
    return [{ field: "structure", from: short(before.whole), to: short(after.whole) }];
  }
  const changes: Change[] = [];
  for (const id of ids) {
    const [from, to] = [before.elements.get(id), after.elements.get(id)];
    if (from?.shown !== to?.shown) {
      changes.push({ field: `element ${id}`, from: short(from?.shown), to: short(to?.shown) });
    } else if (from?.place !== to?.place) {
      changes.push({ field: `element ${id}, place`, from: from?.place ?? null, to: to?.place ?? null });
    }
  }
  if (changes.length <= CHANGES_MAX) return changes;
  const left = changes.length - CHANGES_MAX;
  return [...changes.slice(0, CHANGES_MAX), {
    field: "further elements",
    from: null,
    to: `${left} more differ`,
  }];
}

/** The same of a page's text, which may differ where nothing that is shown of it does. */
export const textChanges = (before: string | null, now: string | null): Change[] =>
  before === null || now === null || before === now
    ? []
    : [{ field: "text", from: short(before), to: short(now) }];

function short(text: string | undefined): string | null {
  if (text === undefined) return null;
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS).toWellFormed()}…` : text;
}

/** Whether an element stands in one of those, however deep; no deeper than was read, for an id may be given twice. */
export function isWithin(id: string, own: ReadonlySet<string>, { elements }: Structure): boolean {
  let at = elements.get(id)?.within;
  for (let levels = LEVELS_MAX; at && levels > 0; levels--) {
    if (own.has(at)) return true;
    at = elements.get(at)?.within;
  }
  return false;
}

/** What is shown of elements, one after another, without the ids that they have. */
export const shownOf = ({ elements }: Structure, ids: readonly string[]): string =>
  JSON.stringify(ids.map((id) => elements.get(id)?.shown.replace(JSON.stringify(id), '""')));

/** The elements that one look shows and an earlier one did not, in their order. */
export const newIn = (now: Structure, before: Structure): string[] =>
  [...now.elements.keys()].filter((id) => !before.elements.has(id));

/** An id as it may stand among the gateway's own words, whatever a site's server calls its elements. */
export const shownId = (id: string) => isPlainId(id) ? JSON.stringify(id) : "with no plain id";
/** Of which nothing is a sentence. */
export const isPlainId = (id: string): boolean => /^[\w.:-]{1,64}$/.test(id);
