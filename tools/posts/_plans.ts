/** How the posts tools describe what they would do. */
import { GatewayError } from "../../core/errors.ts";
import type { Id } from "../../core/ids.ts";
import type { Change } from "../../core/model.ts";
import { refuseUnseen, whenLive, whenScheduled } from "../../rules/change.ts";
import { scriptRaises } from "../../rules/code_pages/script_raises.ts";
import {
  canBeGiven,
  hasPassword,
  lastChange,
  notTakenAway,
  PASSWORD,
  quoted,
  replaced,
} from "../../rules/wording.ts";
import {
  type ContentType,
  type DraftFields,
  type NamedTerm,
  type Post,
  posts,
  type PostsClient,
  type PreparedDraft,
  type Seen,
  typedPosts,
} from "../../platforms/_content/posts.ts";
import {
  type PreparedFields,
  storedContent,
  storedFields,
  type StoredPlace,
} from "../../platforms/_content/stored_content.ts";
import type { Before, Plan, ToolContext } from "../../registry/tool.ts";

export {
  dateChanges,
  lastChange,
  liveWarnings,
  MADE_FINAL,
  notTakenAway,
  publishWarnings,
  quoted,
  replaced,
  revealed,
  STATE_FINAL,
  stateChanges,
} from "../../rules/wording.ts";

/** Where script in a post runs. */
export const SHOWN_POST = "in the browser of everyone who opens the post, its preview included";

/** Refuses, before anything is asked, a type of its own of a site whose platform has none: E_NOT_SUPPORTED. */
export function checkType(
  type: ContentType | undefined,
  { can, site }: Pick<ToolContext, "can" | "site">,
): void {
  if (type === undefined || ["post", "page"].includes(type) || can(typedPosts)) return;
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `type: "${site.id}" is a ${site.platform} site, which has no types of content of its own that can be reached; leave ` +
      "type out, or give post or page where the tool takes both",
  );
}

/** The posts of the call's site, or what it has of that type of its own. Throws E_NOT_SUPPORTED where it has no types. */
export async function contentOf(
  ctx: Pick<ToolContext, "use">,
  type: ContentType | undefined,
): Promise<PostsClient> {
  return await ctx.use(type === undefined || type === "post" ? posts : typedPosts);
}

/** How a sentence says of which type of the site's own something is; "" for a post. */
export const ofType = (type: ContentType | undefined): string =>
  type === undefined || type === "post" ? "" : `of the type ${type} `;

/** What a post has now, by the arguments that set it. */
const current = (now: Post): { readonly [K in keyof Required<DraftFields>]: unknown } => {
  const names = (terms: readonly NamedTerm[]) => terms.map(({ name }) => name);
  return {
    title: now.title,
    content_html: now.content_html,
    excerpt: now.excerpt,
    slug: now.slug,
    tags: names(now.tags),
    categories: names(now.categories),
    featured_media_id: now.featured_media_id,
    author_id: now.author_id,
  };
};

const given = (fields: DraftFields) =>
  Object.entries(fields).filter(([, value]) => value !== undefined) as [keyof DraftFields, unknown][];

/** One change per given field; `from` is what the post has now, null for a new one. */
export function fieldChanges(fields: DraftFields, now: Post | null): Change[] {
  const has = now && current(now);
  return given(fields).map(([field, to]) => ({ field, from: has?.[field] ?? null, to }));
}

/** The arguments that name a post or page. */
export interface Named {
  readonly post_id?: Id | undefined;
  readonly page_id?: Id | undefined;
  readonly type?: ContentType | undefined;
}

const plainly = (named: Named) =>
  Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));

/**
 * What sets those fields back: as they are stored where the platform takes that, else by arguments, and then nothing where
 * one has a value that its argument does not take.
 */
export function fieldsBefore(
  of: Named,
  fields: DraftFields,
  now: Post & Seen,
  { can }: Pick<ToolContext, "can">,
): Pick<Plan, "before" | "final"> {
  const stored = storedFields(now, given(fields).map(([name]) => name));
  if (can(storedContent)) return stored === null ? {} : { before: { of: plainly(of), values: stored } };
  const has = current(now);
  const values = given(fields).map(([field]) => [field, has[field]] as const);
  const empty = values.filter(([field, value]) => !canBeGiven(field, value)).map(([field]) => field);
  return empty.length > 0 ? { final: notTakenAway(empty) } : {
    before: {
      of: plainly(of),
      values: Object.fromEntries(values),
      byArguments: true,
    },
  };
}

/** What is replaced, and of what is live whether a password stands before it: that decides who gets the change. */
export const replacedIn = (looked: Seen, fields: object, live: boolean): Record<string, unknown> =>
  replaced(looked, live ? { ...fields, password: true } : fields);

/** A plan that sets fields back as they were stored; `word` is what it is, such as "the draft post". */
export async function restoring(
  place: StoredPlace,
  kept: Before,
  ctx: Pick<ToolContext, "use" | "site">,
  word: string,
): Promise<Omit<Plan, "state"> & { readonly state: PreparedFields }> {
  const prepared = await (await ctx.use(storedContent)).prepare(place, kept.values);
  const { now, fields, names, shown } = prepared;
  if ("content_html" in fields && shown === false) refuseUnseen(`${word} ${place.id}`, "content_html", "");
  const what = `${word} ${quoted(now.title)}`;
  const changes = Object.entries(fields).map(([field, to]) => {
    const [from, then] = names[field] ?? [now.parts[field], to];
    return { field, from: from ?? null, to: then };
  });
  const stored = storedFields(now, Object.keys(fields));
  return {
    summary: `Set back ${what} on ${ctx.site.name}${lastChange(now)}`,
    changes,
    revision: replacedIn(now, fields, place.live),
    ...stored === null ? {} : { before: { of: kept.of, values: stored } },
    warnings: [...now.warnings, ...hasPassword(now) && place.live ? [PASSWORD] : []],
    raises: [
      ...whenLive(place.live, what, { status: now.status, protected: hasPassword(now) }),
      ...whenScheduled(now, what),
      ...await scriptRaises(fields, SHOWN_POST),
    ],
    state: prepared,
  };
}

/** " and make the tags …" for the terms that are not there yet, else "". */
export function newTerms({ tags = [], categories = [] }: PreparedDraft): string {
  const missing = (terms: readonly NamedTerm[]) =>
    terms.filter(({ id }) => id === null).map(({ name }) => quoted(name));
  const parts = [["tags", missing(tags)], ["categories", missing(categories)]] as const;
  return parts.filter(([, names]) => names.length > 0)
    .map(([what, names]) => `, making the ${what} ${names.join(", ")}`).join("");
}

/** Which of the terms a preview names are there already; null where it names none. */
export function termsFound({ tags, categories }: PreparedDraft): Record<string, unknown> | null {
  if (!tags && !categories) return null;
  const ids = (terms: readonly NamedTerm[] = []) => terms.map(({ id }) => id);
  return { tags: ids(tags), categories: ids(categories) };
}
