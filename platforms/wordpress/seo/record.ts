/** The SEO fields of a post as the companion plugin answers them. */
import { z } from "zod";
import type { SeoEffect } from "./effect.ts";
import type { SeoFields } from "./names.ts";

const CARD = z.object({ title: z.string(), description: z.string(), image: z.string() });
/** By field, `robots.noindex` or `og.title`; nothing of a plugin that does not tell. */
const WORDS = z.record(z.string(), z.string()).catch({});
/** The fields of a post as the companion plugin answers them. */
export const SEO_RECORD = z.object({
  provider: z.string(),
  title: z.string(),
  description: z.string(),
  focus_keyword: z.string(),
  canonical: z.string(),
  robots: z.object({
    noindex: z.boolean(),
    nofollow: z.boolean(),
    noarchive: z.boolean(),
    nosnippet: z.boolean(),
    noimageindex: z.boolean(),
  }),
  og: CARD,
  twitter: CARD,
  origins: WORDS,
  fixed: WORDS,
  twitter_follows_og: z.boolean().catch(false),
  /** What visitors get of texts where that is not what the post holds. */
  shown: z.record(
    z.string(),
    z.object({ value: z.string().nullable(), by: z.string(), without: z.string().optional() }),
  ).catch({}),
});

/** What the plugin answers as the provider of a site whose SEO plugin it does not know. */
export const UNKNOWN_PROVIDER = "other";

/** The fields of such a record in this gateway's words. */
export function fieldsOfRecord(record: z.infer<typeof SEO_RECORD>): SeoFields {
  const { title, description, focus_keyword, canonical, og, twitter, robots } = record;
  return {
    title,
    description,
    focus_keyword,
    canonical,
    og_title: og.title,
    og_description: og.description,
    og_image: og.image,
    twitter_title: twitter.title,
    twitter_description: twitter.description,
    twitter_image: twitter.image,
    robots,
  };
}

/** What decides about the fields, in this gateway's words. */
export function effectOfRecord(
  { origins, fixed, twitter_follows_og, shown }: z.infer<typeof SEO_RECORD>,
): SeoEffect {
  return {
    origins: named(origins),
    fixed: named(fixed),
    inEffect: named(shown),
    twitterFollowsOg: twitter_follows_og,
  };
}

const named = <T>(words: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(
    Object.entries(words).map(([name, word]) => [name.replace(/^(og|twitter)\./, "$1_"), word]),
  );
