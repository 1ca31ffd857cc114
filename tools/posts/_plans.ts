/** How the posts tools describe what they would do. */
import type { Change } from "../../model.ts";
import type { DraftFields, NamedTerm, Post, PostHead, PreparedDraft } from "../../platforms/content.ts";

/** A title for a sentence. */
export function quoted(title: string): string {
  const text = title.trim();
  return text === "" ? "without a title" : `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`;
}

/** One change per given field; `from` is what the post has now, null for a new one. */
export function fieldChanges(fields: DraftFields, now: Post | null): Change[] {
  const names = (terms: readonly NamedTerm[]) => terms.map(({ name }) => name);
  const current: { [K in keyof Required<DraftFields>]: unknown } | null = now && {
    title: now.title,
    content_html: now.content_html,
    excerpt: now.excerpt,
    slug: now.slug,
    tags: names(now.tags),
    categories: names(now.categories),
    featured_media_id: now.featured_media_id,
    author_id: now.author_id,
  };
  return Object.entries(fields).filter(([, value]) => value !== undefined).map(([field, to]) => ({
    field,
    from: current?.[field as keyof DraftFields] ?? null,
    to,
  }));
}

/** " and make the tags …" for the terms that are not there yet, else "". */
export function newTerms({ tags = [], categories = [] }: PreparedDraft): string {
  const missing = (terms: readonly NamedTerm[]) =>
    terms.filter(({ id }) => id === null).map(({ name }) => quoted(name));
  const parts = [["tags", missing(tags)], ["categories", missing(categories)]] as const;
  return parts.filter(([, names]) => names.length > 0)
    .map(([what, names]) => `, making the ${what} ${names.join(", ")}`).join("");
}

/** The changes of a new state. */
export function stateChanges(post: PostHead, status: string, scheduled_at: string | null): Change[] {
  const changes: Change[] = [
    { field: "status", from: post.status, to: status },
    { field: "scheduled_at", from: post.scheduled_at, to: scheduled_at },
  ];
  return changes.filter(({ from, to }) => from !== to);
}
