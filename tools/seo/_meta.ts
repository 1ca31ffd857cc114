/** The SEO fields as arguments, in previews and in answers. */
import { GatewayError } from "../../core/errors.ts";
import { type SeenRaise, whenLive, whenScheduled } from "../../rules/change.ts";
import { quoted } from "../../rules/wording.ts";
import type { Change } from "../../core/model.ts";
import type { Plan } from "../../registry/tool.ts";
import type { SeoMeta } from "../../platforms/wordpress/seo/client.ts";
import {
  changedPart,
  originsOf,
  unshownFields,
  valuesInEffect,
} from "../../platforms/wordpress/seo/effect.ts";
import { entriesOf, oneLine, type SeoChange } from "../../platforms/wordpress/seo/names.ts";

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

/**
 * What sets the given texts back, an empty one by clearing it. Nothing where one could not be read, and for robots: what a
 * plugin leaves to its own default is no value that an argument could give.
 */
export function textsBefore(
  post_id: string | number,
  change: SeoChange,
  meta: SeoMeta,
): Pick<Plan, "before"> {
  const stored = storedBefore(change, meta).map(({ field, from }) => [field, from] as const);
  if (stored.some(([, value]) => typeof value !== "string")) return {};
  return { before: { of: { post_id }, values: Object.fromEntries(stored) } };
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
