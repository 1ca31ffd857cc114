/** The preview of a change set as an agent reads it: each item with its own changes, and once what is so of several. */
import { isFields } from "../../core/values.ts";
import { sharedBy } from "./sets.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A change as it is shown: the field, and what becomes of it. */
export interface Told {
  readonly field: string;
  readonly said: Fields;
}

/** By their fields: of what is made new the value alone, unless it is an object. As a list where a field is there twice. */
export function byField(changes: readonly Told[]): Fields | readonly Fields[] {
  if (new Set(changes.map(({ field }) => field)).size < changes.length) {
    return changes.map(({ field, said }) => ({ field, ...said }));
  }
  return Object.fromEntries(changes.map(({ field, said }) => {
    const isValue = Object.keys(said).join() === "to" && !isFields(said["to"]);
    return [field, isValue ? said["to"] : said];
  }));
}

/** What items of a set say of themselves that several say alike, each of these lines together. */
const ALIKE = [["undoable_reason", "plan"], ["changes"]] as const;

/**
 * A change set. `head` is its preview without items and changes. Each item has its own changes, by their fields; what the
 * set says of all is not said of each: the site, its name, a tier that is the set's. What several items say alike is in
 * `items_alike`, with their numbers.
 */
export function setPreview(head: Fields, items: readonly Fields[], changes: readonly Told[]): Fields {
  const site = sharedBy(items, "site_id");
  const place = "site_id" in site ? placeOf(head["summary"]) : null;
  const rest = changes.filter(({ field }) => !items.some((one) => field.startsWith(beginOf(one))));
  const whole = items.map((one) => ({
    ...shown(one, head, place),
    ...own(one, changes),
  }));
  const alike = [...ALIKE.flatMap((names) => sameOf(whole, names)), ...warnedOf(whole)];
  return {
    ...head,
    ...site,
    items: whole.map((one) => without(one, alike, "site_id" in site)),
    ...alike.length === 0 ? {} : { items_alike: alike.map(({ items, said }) => ({ items, ...said })) },
    ...rest.length === 0 ? {} : { changes: byField(rest) },
  };
}

/** An item without what says nothing, or what the set says of it. */
function shown(
  { revision: _, undoable, tier, summary, ...rest }: Fields,
  head: Fields,
  place: string | null,
): Fields {
  const { item, tool, ...more } = rest;
  const isSaid = undoable === head["undoable"] || "undoable_reason" in rest;
  return {
    item,
    tool,
    ...tier === undefined || tier === head["tier"] ? {} : { tier },
    ...summary === undefined ? {} : { summary: placeless(summary, place) },
    ...more,
    ...isSaid || undoable === undefined ? {} : { undoable },
  };
}

const PLACES = [" changes on ", " change on "];

/** What the set's sentence ends with: " on " and the name of its site. */
function placeOf(summary: unknown): string | null {
  if (typeof summary !== "string") return null;
  const at = Math.max(...PLACES.map((one) => summary.lastIndexOf(one)));
  return at < 0 ? null : summary.slice(summary.indexOf(" on ", at));
}

/** A sentence of an item without the name of the site, where it stands in it once. */
function placeless(summary: unknown, place: string | null): unknown {
  if (typeof summary !== "string" || place === null) return summary;
  const [before, after, ...more] = summary.split(place);
  if (after === undefined || more.length > 0) return summary;
  return before!.endsWith(",") && after.startsWith(",") ? before + after.slice(1) : before + after;
}

const beginOf = ({ item }: Fields) => `item ${item}: `;

/** An item's changes, which the preview names as "item 1: title". */
function own(one: Fields, changes: readonly Told[]): Fields {
  const begin = beginOf(one);
  const mine = changes.filter(({ field }) => field.startsWith(begin));
  if (mine.length === 0) return {};
  return { changes: byField(mine.map(({ field, said }) => ({ field: field.slice(begin.length), said }))) };
}

/** What is so of several items. */
interface Alike {
  readonly items: readonly unknown[];
  readonly said: Fields;
  /** Whether it says that warning of that item. */
  readonly of: (item: Fields, warning: string) => boolean;
}

function sameOf(items: readonly Fields[], names: readonly string[]): Alike[] {
  const own = (item: Fields) =>
    JSON.stringify(Object.fromEntries(names.flatMap((name) => name in item ? [[name, item[name]]] : [])));
  return [...Map.groupBy(items, own)].filter(([text, group]) => text !== "{}" && group.length > 1)
    .map(([text, group]) => ({
      items: group.map(({ item }) => item),
      said: JSON.parse(text),
      of: () => false,
    }));
}

/** Warnings that differ in nothing but the item's own name, which its sentence says. */
function warnedOf(items: readonly Fields[]): Alike[] {
  const all = items.flatMap((one) =>
    textsOf(one["warnings"]).map((text) => ({ item: one["item"], text: unnamed(text, one) }))
  );
  return [...Map.groupBy(all, ({ text }) => text)].filter(([, group]) => group.length > 1).map(
    ([text, group]) => {
      const items = group.map(({ item }) => item);
      return {
        items,
        said: { warnings: [text] },
        of: (item, warning) => items.includes(item["item"]) && unnamed(warning, item) === text,
      };
    },
  );
}

/** A warning without the name that it holds first, where it is the one that the item's sentence says first. */
function unnamed(warning: string, { summary }: Fields): string {
  const name = firstQuoted(warning);
  if (name === null || name !== firstQuoted(String(summary))) return warning;
  return warning.replace(name, () => '"…"');
}

/** The first name in quotation marks, with them. */
function firstQuoted(text: string): string | null {
  const start = text.indexOf('"');
  const end = text.indexOf('"', start + 1);
  return start < 0 || end < 0 ? null : text.slice(start, end + 1);
}

function without(item: Fields, alike: readonly Alike[], isSiteSaid: boolean): Fields {
  const { site_id, warnings, ...rest } = item;
  const isSaid = (name: string) =>
    alike.some(({ items, said }) => items.includes(item["item"]) && name in said);
  const left = textsOf(warnings).filter((text) => !alike.some(({ of }) => of(item, text)));
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !isSaid(name))),
    ...isSiteSaid || site_id === undefined ? {} : { site_id },
    ...left.length === 0 ? {} : { warnings: left },
  };
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
