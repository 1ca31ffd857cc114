/** The SEO fields of a post in this gateway's words, and whether a site kept what it was sent. */
import { decodeHTML } from "entities/decode";
import { GatewayError } from "../../../core/errors.ts";
import type { Compared } from "../../_content/compared.ts";
import type { PartHashes } from "../companion/guarded.ts";
import type { StoredRows } from "../companion/stored_rows.ts";
import { valueDifference } from "../rest/warnings.ts";
import {
  entriesOf,
  type Entry,
  oneLine,
  plainAddress,
  SEO_ROBOTS,
  type SeoChange,
  type SeoFields,
  type SeoImage,
} from "./names.ts";
import type { SeoEffect } from "./effect.ts";
import type { SeoPost } from "./post.ts";

export * from "./names.ts";

/** A post's fields, with its state and the plugin that keeps them (`none` for the companion plugin itself). */
export interface SeoMeta {
  readonly post: SeoPost;
  readonly provider: string;
  readonly fields: SeoFields;
  readonly effect: SeoEffect;
  /** Fields whose value is what the page shows, the stored one being hidden. */
  readonly shown?: readonly string[];
  /** What a person should know before approving a change, a sentence each. */
  readonly warnings?: readonly string[];
  /** The attachments at the addresses that are to be set, 0 for none; only where a write over REST needs them. */
  readonly attachments?: SeoAttachments;
  /** What a guarded write expects to find; nothing where the site has none. */
  readonly hashes?: PartHashes;
  /** The rows that hold them; nothing where the site does not tell. */
  readonly stored?: StoredRows;
}

/** The number of the attachment behind an image's address, 0 for none. */
export type SeoAttachments = Readonly<Partial<Record<SeoImage, number>>>;

/** The fields that a change replaces: a switch of robots is turned in the list of all. */
export function replacedFields(change: SeoChange): string[] {
  const names = entriesOf({ ...change, robots: undefined }).map(([field]) => field);
  return change.robots === undefined ? names : [...names, ...SEO_ROBOTS.map((name) => `robots.${name}`)];
}

const shape = (value: Entry[1]) => typeof value === "string" ? decodeHTML(oneLine(value)) : value;
const keywords = (value: Entry[1]) =>
  String(value).toLowerCase().split(",").map((one) => one.trim()).join(",");

/** Whether a stored value is the one sent, to whoever reads the page. */
function kept([field, sent]: Entry, stored: Entry[1]): boolean {
  if (field === "canonical" && stored !== null) {
    return plainAddress(String(shape(sent))) === plainAddress(String(shape(stored)));
  }
  if (field === "focus_keyword" && stored !== null) return keywords(shape(sent)) === keywords(shape(stored));
  return shape(sent) === shape(stored);
}

/**
 * Compares fields as they are now with those that were sent; those that cannot be read back are warned of. Throws
 * E_UPSTREAM where all of it is as it was before although the site said that it was stored.
 */
export function compareSeo(
  sent: SeoChange,
  before: Pick<SeoMeta, "fields">,
  { post, fields }: Pick<SeoMeta, "post" | "fields">,
): Compared {
  const was = new Map(entriesOf(before.fields));
  const stored = new Map(entriesOf(fields));
  const given = entriesOf(sent);
  const lost = given.filter((entry) => !kept(entry, stored.get(entry[0]) ?? null));
  const idle = lost.filter(([field]) =>
    (stored.get(field) ?? null) !== null && stored.get(field) === was.get(field)
  );
  if (idle.length === given.length) {
    const names = given.map(([field]) => field).join(", ");
    throw new GatewayError(
      "E_UPSTREAM",
      `Post ${post.id}: the site said it stored ${names}, but every value is as it was before; the site may keep this in a ` +
        "way of its own, or another plugin may be in the way: read the fields, and look at the post in the CMS",
      { upstream: 502 },
    );
  }
  const unshown = lost.map(([field]) => field).filter((field) => (stored.get(field) ?? null) === null);
  return {
    differences: lost.filter(([field]) => !unshown.includes(field)).flatMap(([field, value]) =>
      valueDifference(field, value, stored.get(field))
    ),
    warnings: unshown.map((field) =>
      `${field}: was sent, but the site does not show what it stored; look at the post in the CMS`
    ),
    uncompared: unshown.length > 0
      ? `the site does not show what it stored of ${unshown.join(", ")}`
      : undefined,
  };
}
