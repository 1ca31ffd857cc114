/** What a post is to the tools, whatever platform holds it. */
import type { Id } from "../../core/ids.ts";
import type { Builder } from "../../core/model.ts";
import type { Compared } from "./compared.ts";

/** A tag or category by name; `id` is null where the site has none of that name yet. */
export interface NamedTerm {
  readonly id: Id | null;
  readonly name: string;
}

/** What every verb needs to know of a post or page. */
export interface PostHead {
  readonly id: Id;
  /** `draft`, `scheduled`, `published`, or the platform's own word. */
  readonly status: string;
  readonly url: string;
  readonly title: string;
  /** ISO 8601 with Z; null unless scheduled. */
  readonly scheduled_at: string | null;
  readonly modified_gmt: string | null;
}

/** What visitors get of a post's SEO fields, or would get; null for nothing. */
export interface RowSeo {
  readonly title: string | null;
  readonly description: string | null;
  readonly noindex: boolean | null;
  readonly canonical: string | null;
}

/** A row of a listing. */
export interface PostRow extends PostHead {
  readonly slug: string;
  readonly author_id: Id | null;
}

/** The same with what was asked for beside its own fields. */
export interface ListedRow extends PostRow {
  /** Who changed it last, where that was asked for; null where nobody is known. */
  readonly modified_by?: { readonly id: Id; readonly name: string } | null;
  /** Where they were asked for; null where the site does not tell. */
  readonly seo?: RowSeo | null;
}

/** A whole post, its texts as they are stored. */
export interface Post extends PostRow {
  /** What visitors see: its content, or what the visual builder keeps in its place; null where the site does not tell. */
  readonly page_builder: Builder | null;
  /** null where the platform does not show it. */
  readonly content_html: string | null;
  readonly excerpt: string;
  readonly date_gmt: string | null;
  readonly featured_media_id: Id | null;
  readonly categories: readonly NamedTerm[];
  readonly tags: readonly NamedTerm[];
  /** What only some platforms tell. */
  readonly author_name?: string | null;
  readonly meta_title?: string | null;
  readonly no_index?: boolean | null;
  /** What is not told of it and where it can be seen, in a sentence. */
  readonly note?: string;
  /** The name of its type where that is one of the site's own. */
  readonly type?: string;
}

/** Which drafts to list; both states without `status`. */
export interface DraftsQuery {
  readonly status?: "draft" | "scheduled";
  readonly search?: string;
  readonly page: number;
  readonly per_page: number;
}

/** A page of drafts; the totals are null where the site did not tell them. */
export interface DraftList {
  readonly posts: readonly PostRow[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number | null;
  readonly total_pages: number | null;
  /** What is not in it, in a sentence. */
  readonly note?: string;
}

/** The orders of a list. */
export type ListSort = "-modified" | "modified" | "-date" | "date" | "title" | "-title";

/** Which posts or pages to list, whatever their status; all but those in the bin without `status`. */
export interface ListQuery {
  readonly status?: "draft" | "scheduled" | "published" | "pending" | "private";
  readonly search?: string;
  /** Only what was changed after that moment, ISO 8601 UTC. */
  readonly modified_after?: string;
  /** Only what was last changed by the gateway's own account, by anybody else, or by the account of that id. */
  readonly modified_by?: "gateway" | "others" | Id;
  /** By which field; falling with a minus before it. The last changed first without it. */
  readonly sort?: ListSort;
  /** What is asked for beside a row's own fields. */
  readonly beside?: readonly ("modified_by" | "seo")[];
  readonly page: number;
  readonly per_page: number;
}

/** A page of posts or pages; the totals are null where the site did not tell them. */
export interface ContentList {
  readonly items: readonly ListedRow[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number | null;
  readonly total_pages: number | null;
  /** What the site's account may not see of it, in a sentence. */
  readonly note?: string;
  /** What was asked for and the site does not tell, a sentence each. */
  readonly missing?: readonly string[];
}

/** What may be set of a draft; what is absent stays as it is. */
export interface DraftFields {
  readonly title?: string;
  readonly content_html?: string;
  readonly excerpt?: string;
  readonly slug?: string;
  readonly tags?: readonly string[];
  readonly categories?: readonly string[];
  readonly featured_media_id?: Id;
  readonly author_id?: Id;
}

/** Fields after reading: rights proven, names looked up. Only the platform that made it can write it. */
export interface PreparedDraft {
  readonly fields: DraftFields;
  readonly tags?: readonly NamedTerm[];
  readonly categories?: readonly NamedTerm[];
  /** What a person should know before approving, a sentence each. */
  readonly warnings?: readonly string[];
  /** The same of what is so after the write as well. */
  readonly lasting?: readonly string[];
}

/** The result of a write. */
export interface Written extends Compared {
  readonly id: Id;
  readonly status: string;
  readonly url: string;
}

/** The result of a write that tells what it left. */
export interface Updated extends Written {
  /** The values of its fields after it, in the words of arguments; left out where the platform does not tell them. */
  readonly parts?: Seen["parts"];
}

/** What a plan saw of a post or page: a write that is given it overwrites nothing that came after. */
export interface Seen extends PostHead {
  /** The values of its fields, in the words of arguments: what a visitor would get, and what a write replaces. */
  readonly parts: Readonly<Record<string, unknown>>;
  /** Who changed it last, and when; null where the site does not tell. */
  readonly changed: { readonly by: string | null; readonly at: string | null } | null;
  /** Whether search engines are told to leave it out; null where that cannot be read. */
  readonly noindex: boolean | null;
  /** Its SEO fields by name, robots in a group of their own; left out, or null, where they were not read. */
  readonly seo?: object | null;
  /** What is shown in place of the numbers of its fields, or beside them; null where it is not known. */
  readonly names?: Readonly<Record<string, unknown>>;
  /** The address visitors will find it at; left out where that is `url`, or not known. */
  readonly address?: string;
  /** The site's own time zone, an IANA name or an offset such as `+05:30`; looked up where a moment is judged. */
  readonly time_zone?: string;
  /** Which type it is, where that had to be found out. */
  readonly type?: string;
  /** What a person should know before approving a change, a sentence each. */
  readonly warnings: readonly string[];
}

/** What is to be done to a post that exists. */
export type Verb = "update" | "schedule" | "unschedule" | "publish";
