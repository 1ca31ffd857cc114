/** The SEO fields as arguments, in previews and in answers. */
import { GatewayError } from "../../core/errors.ts";
import { type SeenRaise, whenLive, whenScheduled } from "../../rules/change.ts";
import { quoted } from "../../rules/wording.ts";
import type { Change } from "../../core/model.ts";
import type { Plan } from "../../registry/tool.ts";
import type { SeoMeta } from "../../platforms/wordpress/seo/client.ts";
import {
  changedPart,
  keepsSwitches,
  originsOf,
  unshownFields,
  valuesInEffect,
} from "../../platforms/wordpress/seo/effect.ts";
import { keptRows, rowsWhere, type RowValues } from "../../platforms/wordpress/companion/stored_rows.ts";
import { entriesOf, oneLine, SEO_IMAGES, type SeoChange } from "../../platforms/wordpress/seo/names.ts";

const ADDRESSES: ReadonlySet<string> = new Set(["canonical", "og_image", "twitter_image"]);

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Fields as they are sent, every text one line. Throws E_BAD_INPUT for what is no address and for empty robots. */
export function changeOf({ robots, ...texts }: SeoChange): SeoChange {
  const plain: Record<string, string> = {};
  for (const [field, given] of entriesOf(texts)) {
    const text = oneLine(String(given));
    if (!text.isWellFormed()) throw bad(`${field}: holds an unpaired surrogate, take it out`);
    if (ADDRESSES.has(field)) requireAddress(field, text);
    plain[field] = text;
  }
  if (robots === undefined) return plain;
  if (Object.keys(robots).length === 0) {
    throw bad("robots: give at least one of noindex, nofollow, noarchive, nosnippet, noimageindex");
  }
  return { ...plain, robots };
}

function requireAddress(field: string, text: string): void {
  const isAddress = /^https?:\/\/[^\s<>"\\]+$/i.test(text) && URL.parse(text) !== null;
  if (text === "" || isAddress) return;
  throw bad(`${field}: expected an address that begins with http:// or https://, or "" to clear the field`);
}

/** What the post holds of the given fields, whether it changes or not. */
export function storedBefore(change: SeoChange, { fields }: SeoMeta): Change[] {
  const now = new Map(entriesOf(fields));
  return entriesOf(change).map(([field, to]) => ({ field, from: now.get(field) ?? null, to }));
}

/** The groups of rows that a change writes to, in the companion plugin's words. */
function groupsOf(change: SeoChange): string[] {
  const groups = entriesOf(change).map(([field]) =>
    field.replace("og_", "og.").replace("twitter_", "twitter.")
  );
  return groups.flatMap((one) =>
    one.startsWith("robots.") || one.startsWith("twitter.") ? [one, one.split(".")[0]!] : [one]
  );
}

/** The rows that a change of those fields writes to, as they are; nothing where the site does not tell them. */
export function rowsOf(change: SeoChange, { stored }: Pick<SeoMeta, "stored">): RowValues | null {
  if (stored === undefined) return null;
  const groups = new Set(groupsOf(change));
  return rowsWhere(stored, (of) => groups.has(of));
}

const OVER_REST =
  "The site's SEO plugin does not show over REST what is stored of these fields; with the companion plugin (version 1.5.0) " +
  "it can be set back";

/**
 * What sets a change back: the rows as they are stored, those that are none too. Without the companion plugin the given
 * texts alone, an empty one by clearing it; else why it is not kept.
 */
export function metaBefore(
  post_id: string | number,
  change: SeoChange,
  meta: SeoMeta,
): Pick<Plan, "before" | "final"> {
  const rows = rowsOf(change, meta);
  if (rows !== null) return { before: { of: { post_id }, values: keptRows(meta.stored!, rows) } };
  const stored = storedBefore(change, meta).map(({ field, from }) => [field, from] as const);
  if (stored.some(([field, value]) => !isArgument(field, value, meta))) return { final: OVER_REST };
  return { before: { of: { post_id }, values: Object.fromEntries(stored) } };
}

/**
 * Whether the value that stands there is all that is stored: not an image, whose number lies beside it, nor a switch, unless
 * the plugin keeps each by itself and nothing of the site's decides about it.
 */
function isArgument(field: string, value: unknown, { provider, effect }: SeoMeta): boolean {
  if (typeof value === "boolean") return keepsSwitches(provider) && effect.fixed[field] === undefined;
  return typeof value === "string" && (value === "" || !SEO_IMAGES.some((name) => name === field));
}

/** Fields that were kept as arguments, `robots.noindex` among them, as a change of them. */
export function changeKept(kept: Readonly<Record<string, unknown>>): SeoChange {
  const robots = Object.entries(kept).filter(([field]) => field.startsWith("robots."));
  const texts = Object.entries(kept).filter(([field]) => !field.startsWith("robots."));
  return {
    ...Object.fromEntries(texts),
    ...robots.length === 0
      ? {}
      : { robots: Object.fromEntries(robots.map(([field, on]) => [field.slice("robots.".length), on])) },
  };
}

/** One change per field that changes, `from` the value that visitors get now, with its origin where that is not the post. */
export function fieldChanges(change: SeoChange, meta: SeoMeta): Change[] {
  const { fields, effect } = meta;
  const now = new Map(entriesOf(fields));
  const origins = originsOf(effect);
  return entriesOf(changedPart(change, meta)).map(([field, to]) => {
    const stored = now.get(field) ?? null;
    const from = stored === "" && effect.inEffect[field] ? effect.inEffect[field].value : stored;
    const origin = stored === "" || typeof stored === "boolean" ? origins[field] : undefined;
    return { field, from, to, ...(origin === undefined ? {} : { origin }) };
  });
}

/** The fields of those groups of rows, as a change of them would give them. */
export function fieldsIn(groups: ReadonlySet<string>, { fields }: SeoMeta): SeoChange {
  const isIn = (field: string) => groupsOf({ [field]: "" }).some((one) => groups.has(one));
  const texts = Object.fromEntries(
    entriesOf(fields).filter(([field, value]) => typeof value === "string" && isIn(field)),
  );
  return groups.has("robots") ? { ...texts, robots: fields.robots as Record<string, boolean> } : texts;
}

/** Refuses what its arguments would store otherwise than it stood there: E_FORBIDDEN_OP. */
export function requireExact(changes: readonly Change[], kept: Readonly<Record<string, unknown>>): void {
  const other = changes.filter(({ field, to }) => kept[field] !== to).map(({ field }) => field);
  if (other.length === 0) return;
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `${
      other.join(", ")
    } would be stored otherwise than it stood there, so it is not set back; change it on the site itself`,
  );
}

/** `the draft post "Title" on acme`, and where somebody sees it, who does. */
export function placeOf(post: SeoMeta["post"], site: { readonly name: string }): string {
  const { status, type, title, live } = post;
  return `the ${status} ${type} ${quoted(title)} on ${site.name}${live ? seenAtOnce(post) : ""}`;
}

function seenAtOnce({ status, protected: isProtected }: SeoMeta["post"]): string {
  if (status === "private") {
    return "; visitors do not see it, whoever signs in and may read it sees that at once";
  }
  return isProtected
    ? "; its text is behind a password, and whoever gets the page sees that at once"
    : "; visitors and search engines see that at once";
}

/**
 * What a write of a post's SEO relies on beside what it replaces: its state, of what is live whether visitors need a
 * password, and who keeps the fields: another plugin keeps and shows others.
 */
export const stateOf = (
  { post: { status, live, protected: isProtected }, provider }: Pick<SeoMeta, "post" | "provider">,
): Record<string, unknown> => ({
  status,
  provider,
  ...live && isProtected !== null ? { password: isProtected } : {},
});

/** What a change of a post's SEO counts for: of one that visitors see, and of one that goes live by itself. */
export function seenBy(post: SeoMeta["post"]): SeenRaise[] {
  const what = `the ${post.type} ${quoted(post.title)}`;
  return [...whenLive(post.live, what, post), ...whenScheduled(post, what)];
}

/**
 * What is answered: the post's state and its fields, with the names of those that could not be read (unread), that are
 * known by the page only (shown), that the site does not show (unshown), what visitors get of texts where that is not what
 * the post holds (in_effect), and where values come from that the post does not hold (origins).
 */
export function answerOf({ post, provider, fields, effect, shown }: SeoMeta): Record<string, unknown> {
  const unshown = unshownFields(fields, effect);
  const unread = entriesOf(fields).filter(([, value]) => value === null).map(([field]) => field);
  return {
    post_id: post.id,
    post_type: post.type,
    status: post.status,
    provider,
    ...fields,
    ...(unread.length > 0 ? { unread } : {}),
    ...(shown && shown.length > 0 ? { shown } : {}),
    ...filled("in_effect", valuesInEffect(effect)),
    ...filled("origins", originsOf(effect)),
    ...(unshown.length > 0 ? { unshown } : {}),
  };
}

const filled = (name: string, values: Record<string, unknown>) =>
  Object.keys(values).length > 0 ? { [name]: values } : {};
