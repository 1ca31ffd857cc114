/** What an item of a set changes: items on the same thing see what the ones before them have left. */
import type { ToolEntry } from "../../registry/entry.ts";
import type { ContentState } from "../../registry/manifest.ts";
import { isFields } from "../../core/values.ts";

/** Groups whose tools speak of a post or page, each with parts of its own. */
const OF_CONTENT = ["posts", "pages", "seo", "schema"];
/** Groups whose tools speak of posts and pages with the same parts. */
const OF_POSTS = ["posts", "pages"];
/** Arguments that say which files it is: a repository is one thing, whose parts are its files. */
const OF_FILES = ["files", "path", "file_path", "route"];
/** Arguments that say which thing it is. */
export const TARGETS = ["post_id", "page_id", "media_id", "id", "source", "source_url", "from"];

/** Hashes of what stands at a thing by now, by part. */
export type Left = Readonly<Record<string, string>>;

/** A name of it within the set; null for a tool without a site, and for what is made anew. */
export function thingOf(
  { group, offer }: Pick<ToolEntry, "group" | "offer">,
  args: Readonly<Record<string, unknown>>,
  site_id: string | null,
): string | null {
  if (site_id === null || offer !== undefined) return null;
  if (OF_FILES.some((name) => args[name] !== undefined)) return JSON.stringify([site_id, "files"]);
  const named = TARGETS.filter((name) => args[name] !== undefined).map((name) => String(args[name]));
  if (named.length === 0) return null;
  return JSON.stringify([site_id, OF_POSTS.includes(group) ? "posts" : group, ...named]);
}

/** The thing that a tool of that group has made. */
export const madeThing = (
  { group }: Pick<ToolEntry, "group">,
  id: string | number,
  site_id: string | null,
): string | null =>
  site_id === null ? null : JSON.stringify([site_id, OF_POSTS.includes(group) ? "posts" : group, String(id)]);

/** Whose parts those of a tool's plans are. */
const familyOf = ({ group }: Pick<ToolEntry, "group">) => OF_POSTS.includes(group) ? "posts" : group;

/** What is made anew on a site. */
const newOn = (site_id: string) => JSON.stringify([site_id, "new"]);

/** A name of what later items of the set know by that id. */
const contentOf = (site_id: string, id: unknown) => JSON.stringify([site_id, "content", String(id)]);

/** A name of what an earlier item makes, before it has an id. */
const madeBy = (site_id: string, item: unknown) => contentOf(site_id, `of item ${String(item)}`);

/**
 * A name of the thing that tools of several groups change, each in parts of its own: a post, whose SEO fields are its too.
 * Null for what is made anew.
 */
export function objectOf(
  entry: Pick<ToolEntry, "group" | "offer">,
  args: Readonly<Record<string, unknown>>,
  site_id: string | null,
): string | null {
  if (site_id === null || entry.offer !== undefined) return null;
  const named = OF_CONTENT.includes(entry.group) ? ["post_id", "page_id", "id"] : [];
  const name = named.find((one) => args[one] !== undefined);
  if (name === undefined) return thingOf(entry, args, site_id);
  const id = args[name];
  return isFields(id) ? madeBy(site_id, id["$from"]) : contentOf(site_id, id);
}

/** A state that an earlier item gives to the thing of a later one. */
export interface Forecast {
  readonly state: ContentState;
  /** The place of that item. */
  readonly by: number;
  /** Whether it makes the thing as well. */
  readonly isMade: boolean;
}

/** The states of things as the items of a set will give them, asked for item by item. */
export class Forecasts {
  readonly #states = new Map<string, Forecast>();

  /** The state in which an item will find its thing; null where no earlier one changes that. */
  next(
    item: number,
    entry: Pick<ToolEntry, "group" | "offer" | "manifest">,
    args: Readonly<Record<string, unknown>>,
    site_id: string | null,
  ): Forecast | null {
    const object = objectOf(entry, args, site_id);
    const { to } = entry.manifest.state;
    if (to !== undefined && site_id !== null) {
      const state = { state: to, by: item, isMade: object === null };
      const now = object === null ? undefined : this.#states.get(object);
      this.#states.set(object ?? madeBy(site_id, item), { ...state, isMade: now?.isMade ?? state.isMade });
      return now ?? null;
    }
    return object === null ? null : this.#states.get(object) ?? null;
  }
}

/** What the items of a set have changed of things beside what they report. */
export class Touched {
  readonly #parts = new Map<string, Set<string>>();

  /** An item of that tool was done. */
  add(
    { manifest: { touches } }: Pick<ToolEntry, "manifest">,
    object: string | null,
    site_id: string | null,
  ): void {
    for (const [family, parts] of Object.entries(touches)) {
      const of = family === "new" ? site_id && newOn(site_id) : object;
      if (of === null) continue;
      const key = JSON.stringify([of, family]);
      this.#parts.set(key, new Set([...this.#parts.get(key) ?? [], ...parts]));
    }
  }

  /** An item has reported what it left of those parts. */
  told(entry: Pick<ToolEntry, "group">, object: string | null, left: Left): void {
    const parts = this.#parts.get(JSON.stringify([object, familyOf(entry)]));
    for (const part of Object.keys(left)) parts?.delete(part);
  }

  /** The parts of the plan of an item that are not to be compared, with or without the name of a call within it. */
  of(entry: Pick<ToolEntry, "group">, object: string | null, sites: readonly string[]): ReadonlySet<string> {
    const own = this.#parts.get(JSON.stringify([object, familyOf(entry)])) ?? [];
    const made = sites.flatMap((id) => [...this.#parts.get(JSON.stringify([newOn(id), "new"])) ?? []]);
    return new Set([...own, ...object === null ? made : made.map((part) => `: ${part}`)]);
  }
}

/** Whether a call changes a post or page that an earlier item makes, of which it must know how that was left. */
export const changesMade = (
  { group, manifest }: Pick<ToolEntry, "group" | "manifest">,
  uses: Readonly<Record<string, number>>,
): boolean =>
  OF_POSTS.includes(group) && manifest.makes === undefined &&
  TARGETS.some((name) => Object.hasOwn(uses, name));

/** Parts of a post or page that other items of the set may change beside it, in tools of other groups. */
const BESIDE = ["seo", "schema", "meta", "terms", "address"];

/** Of what was seen of a thing that was just made the parts that are its own. */
export const ownParts = (seen: Left): Left =>
  Object.fromEntries(Object.entries(seen).filter(([part]) => !BESIDE.includes(part)));

/** What was shown of a thing, with what the items before have left of it since: parts too that were not there then. */
export const expected = (shown: Left | null, left: Left | undefined): Left | null =>
  shown === null || left === undefined ? shown : { ...shown, ...left };
