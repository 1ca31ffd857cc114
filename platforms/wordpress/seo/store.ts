/** What it takes to read and write the SEO fields of one SEO plugin without the companion plugin. */
import type { Kind } from "../rest/records.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";
import type { SeoEffect } from "./effect.ts";
import {
  SEO_IMAGES,
  SEO_ROBOTS,
  SEO_TEXTS,
  type SeoAttachments,
  type SeoChange,
  type SeoFields,
  type SeoImage,
  type SeoRobot,
  type SeoText,
} from "./fields.ts";
import { shownAddress } from "./library.ts";

/** A post as core REST shows it. */
export interface PostMeta {
  readonly id: number;
  readonly kind: Kind;
  /** Post meta that is open to REST. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** What Yoast says the page shows; null without it. */
  readonly head: Readonly<Record<string, unknown>> | null;
}

/** Told which fields of a change are stored, where not all of them are: the texts' names and `robots`. */
export type Stands = (fields: readonly string[]) => void;

/** Fields as they are now, what decides about them, and the names of those that are only known by what the page shows. */
export interface Stored {
  readonly fields: SeoFields;
  readonly effect?: SeoEffect;
  readonly shown?: string[];
}

/** What a write takes beside the fields that change. */
export interface Writing {
  /** The fields as they are now. */
  readonly now: SeoFields;
  /** The numbers of the images that are set. */
  readonly attachments: SeoAttachments;
  /** Where a later part of several fails, it is told which fields were written. */
  readonly stands: Stands;
}

/** How one SEO plugin keeps its fields. */
export interface SeoStore {
  readonly provider: string;
  /** The REST namespace that tells that it is there. */
  readonly namespace: string;
  /** Whether of images only those of the media library are shown. */
  readonly libraryOnly?: true;
  read(wire: WordPressClient, post: PostMeta): Promise<Stored>;
  /** The same where nothing of the post is needed for it, so that both can be read at once. */
  readApart?(wire: WordPressClient, id: number): Promise<Stored>;
  /** Reads anew what a change of a post replaces; everything else is as it was known. */
  readChanged?(wire: WordPressClient, id: number, change: SeoChange, known: Stored): Promise<Stored>;
  /** Which field of a change cannot be written, as the beginning of a sentence; null where all can. */
  closed(post: PostMeta, now: SeoFields, change: SeoChange): string | null;
  write(wire: WordPressClient, post: PostMeta, change: SeoChange, writing: Writing): Promise<void>;
}

/** Switches of which nothing is known. */
export const NO_ROBOTS = Object.fromEntries(SEO_ROBOTS.map((name) => [name, null])) as Record<SeoRobot, null>;

/** All texts, each as it is given for its name. */
export function byText(value: (name: SeoText) => string | null): Record<SeoText, string | null> {
  return Object.fromEntries(SEO_TEXTS.map((name) => [name, value(name)])) as Record<SeoText, string | null>;
}

/** A text; null for anything else. */
export const textOf = (value: unknown): string | null => typeof value === "string" ? value : null;

/** The names of the texts that a change holds. */
export const givenTexts = (change: SeoChange): SeoText[] =>
  SEO_TEXTS.filter((name) => change[name] !== undefined);

/** The number of an attachment as SEO plugins keep it: a text or a number; 0 for none. */
const numberOf = (value: unknown) => /^[1-9]\d*$/.test(String(value)) ? Number(value) : 0;

/**
 * The texts with the addresses of those images that are shown: where a number lies beside an address, that of its image.
 * `numberAt` gives what lies there; undefined where that is hidden.
 */
export async function withShownImages(
  wire: WordPressClient,
  texts: Record<SeoText, string | null>,
  numberAt: (name: SeoImage) => unknown,
): Promise<Record<SeoText, string | null>> {
  const shown = { ...texts };
  for (const name of SEO_IMAGES) {
    const [stored, attachment] = [texts[name], numberOf(numberAt(name))];
    if (stored && attachment !== 0) shown[name] = await shownAddress(wire, stored, attachment);
  }
  return shown;
}

/** What is stored as the numbers of the images that a change sets, by the keys they lie under; "" takes one away. */
export function imageNumbers(
  change: SeoChange,
  keys: Readonly<Record<SeoImage, string>>,
  attachments: SeoAttachments,
): Record<string, string> {
  const given = SEO_IMAGES.filter((name) => change[name] !== undefined);
  return Object.fromEntries(
    given.map((name) => [keys[name], attachments[name] ? `${attachments[name]}` : ""]),
  );
}
