/** What decides which SEO values visitors get: what is in effect and why, and which values a site would not show. */
import { GatewayError } from "../../../core/errors.ts";
import {
  entriesOf,
  plainAddress,
  SEO_ROBOTS,
  SEO_TEXTS,
  type SeoChange,
  type SeoFields,
  type SeoRobot,
  type SeoText,
} from "./names.ts";

/** What is told beside the fields of a post, by their names: `robots.noindex`, `og_title`. */
export interface SeoEffect {
  /** Of the switches that are on without the post saying so, what turns them on: a key of BY. */
  readonly origins: Readonly<Record<string, string>>;
  /** The fields for which a value of the post's own is not shown, each with the reason: a key of WHY. */
  readonly fixed: Readonly<Record<string, string>>;
  /** What visitors get of texts where that is not what the post holds: a template filled in, a default, nothing (null). */
  readonly inEffect: Readonly<Record<string, InEffect>>;
  /** Whether Open Graph's fields are shown in place of Twitter's; null where the site does not tell. */
  readonly twitterFollowsOg: boolean | null;
}

/** A text as visitors get it, and by what: a key of BY, or of WHY where they get nothing. */
export interface InEffect {
  readonly value: string | null;
  readonly by: string;
  /** What it would be without the filter of a theme or another plugin, where one changed it. */
  readonly without?: string | undefined;
}

/** Of a text that a theme or another plugin changes after the SEO plugin made it. */
const FILTERED = "filter";

/** Nothing that is known to override the fields. */
export const NO_EFFECT: SeoEffect = { origins: {}, fixed: {}, inEffect: {}, twitterFollowsOg: false };

const BY: Readonly<Record<string, string>> = {
  type: "the setting for all posts of this type",
  site: "a setting for the whole site",
  settings: "a setting for this type or the whole site",
  state: "the post being private or protected by a password",
};

/** What a text comes from that the post itself does not hold. */
const TEXT_BY: Readonly<Record<string, string>> = {
  type: "the template for all posts of this type",
  default: "a default of the SEO plugin or of WordPress",
  content: "the post's excerpt or text",
  title: "the title",
  description: "the description",
  og: "the og_… field",
  settings: "the settings of the SEO plugin",
  [FILTERED]: "a theme or another plugin, which changes what the SEO plugin made",
};

const WHY: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(BY).map(([word, by]) => [
      word,
      `${by} goes before the post's own value; change that in the CMS first`,
    ]),
  ),
  off:
    "the part of the site's SEO plugin that shows this field is switched off; switch it on in the CMS first",
  idle:
    "the site's SEO plugin shows nothing until its set-up is finished (registered or skipped); finish it in the CMS first",
  unsupported: "the site's SEO plugin has no such switch; leave it out",
  library:
    "the site's SEO plugin shows only images of the site's own media library; upload the image with upload_media and send " +
    "the address that answers",
};

/** Whether a text is in effect already: the post holds it, or holds none and visitors get it all the same. */
function isInEffect(name: SeoText, to: string, { fields, effect }: EffectOf): boolean {
  const now = fields[name];
  if (now === null) return false;
  if (to === now || (name === "canonical" && plainAddress(to) === plainAddress(now))) return true;
  return now === "" && to !== "" && effect.inEffect[name]?.value === to;
}

/** The part of a change whose values differ from those in effect; what cannot be read counts as different. */
export function changedPart(change: SeoChange, meta: EffectOf): SeoChange {
  const { fields } = meta;
  const texts: Partial<Record<SeoText, string>> = {};
  for (const name of SEO_TEXTS) {
    const to = change[name];
    if (to !== undefined && !isInEffect(name, to, meta)) texts[name] = to;
  }
  const robots: Partial<Record<SeoRobot, boolean>> = {};
  for (const name of SEO_ROBOTS) {
    const to = change.robots?.[name];
    if (to !== undefined && to !== fields.robots[name]) robots[name] = to;
  }
  return Object.keys(robots).length > 0 ? { ...texts, robots } : texts;
}

/** SEO plugins that print no canonical address of what search engines are told not to index. */
const INDEXED_ONLY: ReadonlySet<string> = new Set(["yoast", "rankmath", "seopress"]);

/** Whether an SEO plugin keeps each switch by itself, and shows over its own routes what of them is stored. */
export const keepsSwitches = (provider: string): boolean => provider === "seopress";

/** Why such an address is not shown: it may be stored for the day that noindex ends. */
const UNINDEXED = "unindexed";

/** What decides about fields once a change is made: noindex keeps the canonical address from being shown. */
export function effectAfter<M extends EffectOf & { readonly provider: string }>(
  meta: M,
  change: SeoChange = {},
): M {
  const { provider, fields, effect } = meta;
  const noindex = change.robots?.noindex ?? fields.robots.noindex;
  if (!noindex || !INDEXED_ONLY.has(provider)) return meta;
  return { ...meta, effect: { ...effect, fixed: { canonical: UNINDEXED, ...effect.fixed } } };
}

/** The fields of a post, and what decides about them. */
export interface EffectOf {
  readonly fields: SeoFields;
  readonly effect: SeoEffect;
}

/** Throws E_BAD_INPUT for the first value that the site would not show; a text may always be cleared. */
export function requireShown(changed: SeoChange, { fixed }: SeoEffect): void {
  for (const [field, to] of entriesOf(changed)) {
    const word = fixed[field];
    if (word === undefined || word === UNINDEXED || to === "") continue;
    const why = WHY[word] ?? "the site's SEO plugin would not show it; look at its settings";
    throw new GatewayError("E_BAD_INPUT", `${field}: ${JSON.stringify(to)} would not be shown: ${why}`);
  }
}

/** What the preview of a change says beside the values themselves. */
export function effectWarnings(
  given: SeoChange,
  changed: SeoChange,
  { fields, effect }: EffectOf,
): string[] {
  const written = new Set(entriesOf(changed).map(([field]) => field));
  const canonical = given.canonical ?? fields.canonical ?? "";
  const touched = written.has("canonical") || written.has("robots.noindex");
  const hidden = touched && canonical !== "" && effect.fixed["canonical"] === UNINDEXED
    ? [`canonical: ${JSON.stringify(canonical)} is set in the post, and is not shown while noindex is on`]
    : [];
  return [
    ...unseenWarning(changed, fields),
    ...inheritedWarnings(given, written, { fields, effect }),
    ...hidden,
    ...filteredWarnings(written, effect),
    ...apartWarning(written, changed, effect),
  ];
}

/** What is in effect already without the post holding it. */
function inheritedWarnings(given: SeoChange, written: ReadonlySet<string>, { effect }: EffectOf): string[] {
  const { origins, inEffect } = effect;
  const ends = "nothing is stored with the post, so it ends with that";
  return entriesOf(given).filter(([field]) => !written.has(field)).flatMap(([field, to]) => {
    const by = origins[field];
    if (by !== undefined) return [`${field}: is on already by ${BY[by] ?? "a setting of the site"}; ${ends}`];
    const text = inEffect[field];
    if (text === undefined || text.by === "post" || text.value !== to) return [];
    return [`${field}: visitors get this text already, by ${TEXT_BY[text.by] ?? "a setting"}; ${ends}`];
  });
}

/** What visitors may not get whatever is stored. */
const filteredWarnings = (written: ReadonlySet<string>, { inEffect }: SeoEffect): string[] =>
  [...written].filter((field) => inEffect[field]?.by === FILTERED).map((field) =>
    `${field}: visitors get ${JSON.stringify(inEffect[field]!.value)} today, by ${
      TEXT_BY[FILTERED]
    }, and may get it ` +
    "whatever is stored; see which of them has a title or description of its own, and change it there"
  );

/** What is replaced without having been seen. */
function unseenWarning(changed: SeoChange, fields: SeoFields): string[] {
  const unread = new Set(entriesOf(fields).filter(([, value]) => value === null).map(([field]) => field));
  const unseen = entriesOf(changed).map(([field]) => field).filter((field) => unread.has(field));
  if (unseen.length === 0) return [];
  return [
    `${
      unseen.join(", ")
    }: what the post has now cannot be read over REST and is replaced unseen; a change of it ` +
    "between this preview and the write is not noticed",
  ];
}

function apartWarning(
  written: ReadonlySet<string>,
  changed: SeoChange,
  { twitterFollowsOg }: SeoEffect,
): string[] {
  const set = [...written].find((field) => field.startsWith("twitter_") && changed[field as SeoText] !== "");
  if (set === undefined || twitterFollowsOg === false) return [];
  if (twitterFollowsOg) {
    return [
      `${set}: X (Twitter) shows the og_… fields of this post today; from now on it has fields of its own: those not ` +
      "given keep what they show now, and follow the og_… fields no longer",
    ];
  }
  return [
    `${set}: X (Twitter) may show the og_… fields of this post today, which cannot be read over REST; from now on it has ` +
    "fields of its own: give all three, or those not given may be empty",
  ];
}

/** The fields that have a value which the site does not show, as a part of its SEO plugin is off or not set up. */
export function unshownFields(fields: SeoFields, { fixed }: SeoEffect): string[] {
  return entriesOf(fields)
    .filter(([field, value]) => typeof value === "string" && value !== "" && fixed[field] !== undefined)
    .map(([field]) => field);
}

/** What visitors get of texts that is not what the post holds, by field. */
export function valuesInEffect({ inEffect }: SeoEffect): Record<string, string | null> {
  return Object.fromEntries(Object.entries(inEffect).map(([field, { value }]) => [field, value]));
}

/**
 * What the site means visitors to get of texts: as valuesInEffect, but for those that a theme or another plugin changes
 * those that the SEO plugin made.
 */
export function valuesMeant({ inEffect }: SeoEffect): Record<string, string | null> {
  const meant = ({ value, by, without }: InEffect) => by === FILTERED ? without ?? null : value;
  return Object.fromEntries(Object.entries(inEffect).map(([field, text]) => [field, meant(text)]));
}

/** Where values come from that the post itself does not hold, by field. */
export function originsOf({ origins, inEffect }: SeoEffect): Record<string, string> {
  const texts = Object.entries(inEffect).filter(([, { by }]) => by !== "post");
  return { ...Object.fromEntries(texts.map(([field, { by }]) => [field, by])), ...origins };
}
