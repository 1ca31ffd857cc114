/** What an item of a set changes: items on the same thing see what the ones before them have left. */
import type { ToolEntry } from "../../registry/entry.ts";

/** Groups whose tools speak of posts and pages with the same parts. */
const OF_POSTS = ["posts", "pages"];
/** Arguments that say which files it is: a repository is one thing, whose parts are its files. */
const OF_FILES = ["files", "path", "file_path", "route"];
/** Arguments that say which thing it is. */
export const TARGETS = ["post_id", "page_id", "id", "source", "source_url", "from"];

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

/** What was shown of a thing, with what the items before have left of it since. */
export function expected(shown: Left | null, left: Left | undefined): Left | null {
  if (shown === null || left === undefined) return shown;
  return Object.fromEntries(Object.entries(shown).map(([part, hash]) => [part, left[part] ?? hash]));
}
