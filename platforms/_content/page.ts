/** What a page is to the tools, whatever platform holds it. */
import type { Id } from "../../core/ids.ts";
import type { Builder } from "../../core/model.ts";
import type { PostRow, Written } from "./post.ts";

/** What search engines and social networks are told of a page; on platforms that keep it with the page. */
export interface PageSeo {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly no_index?: boolean | null;
  readonly og_image?: string | null;
}

/** What may be set of a page draft; what is absent stays as it is. */
export interface PageFields {
  readonly title?: string;
  readonly content_html?: string;
  readonly slug?: string;
  readonly parent_id?: Id;
  /** The name of the theme's template. */
  readonly template?: string;
  readonly seo?: PageSeo;
  /** HTML for the head of the page. */
  readonly header_html?: string;
  /** Whether it goes live with the next publication of the whole site. */
  readonly publish_on_next_site_publish?: boolean;
}

/** A whole page, its texts as they are stored. */
export interface Page extends PostRow {
  /** null where the platform does not show it. */
  readonly content_html: string | null;
  /** null at the top. */
  readonly parent_id: Id | null;
  readonly template: string;
  /** What visitors see: its content, or what the visual builder keeps in its place; null where the site does not tell. */
  readonly page_builder: Builder | null;
  /** True where the companion plugin keeps CSS and JavaScript for the content it wrapped. */
  readonly from_code: boolean;
  /** What only some platforms tell. */
  readonly seo?: PageSeo | null;
  readonly header_html?: string;
  readonly publish_on_next_site_publish?: boolean;
}

/** What comes of other content for a page made from code. */
export const CODE_APART =
  "the page is made from code, and its CSS does not hold for another content_html; change it with update_page_from_code";

/** Fields after reading: rights proven, the content as it would be stored. */
export interface PreparedPage {
  readonly fields: PageFields;
  /** What a person should know before approving, a sentence each. */
  readonly warnings?: readonly string[];
  /** The same of what is so after the write as well. */
  readonly lasting?: readonly string[];
}

/** A template of the visual builder. */
export interface PageTemplate {
  readonly id: Id;
  readonly title: string;
  readonly type: string;
  /** The KEY of every `{{KEY}}` in it. */
  readonly placeholders: readonly string[];
  /** Whether its stored layout can be read. */
  readonly valid: boolean;
  readonly modified_gmt: string | null;
}

/** Which templates to list. */
export interface TemplatesQuery {
  readonly search?: string;
  readonly page: number;
  readonly per_page: number;
}

/** A page of templates; the totals are null where the site did not tell them. */
export interface TemplateList {
  readonly templates: readonly PageTemplate[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number | null;
  readonly total_pages: number | null;
}

/** A page to be made, or made anew, from a template. */
export interface CloneFields extends Omit<PageFields, "content_html" | "template"> {
  readonly template_id: Id;
  /** The text for each placeholder, by its KEY. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A clone after reading: rights proven, the template read, every placeholder covered. */
export interface PreparedClone {
  readonly fields: CloneFields;
  readonly template: PageTemplate;
  readonly warnings?: undefined;
  /** What a person should know before approving and is so after the write as well, a sentence each. */
  readonly lasting?: readonly string[];
  /** Variables the template has no placeholder for. */
  readonly unused: readonly string[];
  /** What is promised of the template and of the place of a new page, in parts; {} where the site does not tell. */
  readonly parts: Readonly<Record<string, unknown>>;
}

/** The result of a clone. */
export interface Cloned extends Written {
  /** How many elements of the builder the page has. */
  readonly elements: number;
}
