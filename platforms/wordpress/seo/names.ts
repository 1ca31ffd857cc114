/** The SEO fields of a post by name, in this gateway's words. */

/** The fields that are one text each. */
export const SEO_TEXTS = [
  "title",
  "description",
  "focus_keyword",
  "canonical",
  "og_title",
  "og_description",
  "og_image",
  "twitter_title",
  "twitter_description",
  "twitter_image",
] as const;
export type SeoText = (typeof SEO_TEXTS)[number];

/** The texts that are the address of an image; SEO plugins keep the number of its attachment beside it. */
export const SEO_IMAGES = ["og_image", "twitter_image"] as const satisfies readonly SeoText[];
/** One of them. */
export type SeoImage = (typeof SEO_IMAGES)[number];

/** The switches of `robots`. */
export const SEO_ROBOTS = ["noindex", "nofollow", "noarchive", "nosnippet", "noimageindex"] as const;
export type SeoRobot = (typeof SEO_ROBOTS)[number];

/** What may be changed; what is absent stays as it is, an empty text clears its field. */
export type SeoChange = Readonly<Partial<Record<SeoText, string>>> & {
  readonly robots?: Readonly<Partial<Record<SeoRobot, boolean>>>;
};

/**
 * All fields of a post; "" where nothing is set, null where the site does not show what is. The switches and images are
 * those in effect.
 */
export type SeoFields = Readonly<Record<SeoText, string | null>> & {
  readonly robots: Readonly<Record<SeoRobot, boolean | null>>;
};

/** One field and its value, robots switch by switch: `robots.noindex`. */
export type Entry = readonly [field: string, value: string | boolean | null];

/** The fields of a change or of a post, one by one. */
export function entriesOf({ robots = {}, ...texts }: SeoChange | SeoFields): Entry[] {
  const named = Object.entries(robots).map(([name, on]): Entry => [`robots.${name}`, on]);
  const plain = Object.entries(texts) as [string, string | null | undefined][];
  return [...plain, ...named].filter((entry): entry is Entry => entry[1] !== undefined);
}

/** A text as sites keep it: one line, blanks joined, none at either end. */
export function oneLine(text: string): string {
  // deno-lint-ignore no-control-regex
  return text.replace(/[\x00-\x20\x7f]+/g, " ").trim();
}

/** An address with its escapes resolved: plugins store `ü`, `%C3%BC` or `%c3%bc`, and to visitors it is the same. */
export function plainAddress(address: string): string {
  const { href } = URL.parse(address) ?? { href: address };
  try {
    return decodeURI(href);
  } catch {
    return href; // an escape of no letter
  }
}
