/** What of pages is read from and written to a CMS: drafts of blocks, pages from code, clones of templates. */
import { type Fields, isFields } from "../../../core/values.ts";
import { fields, type Judge, only } from "../egress_rules.ts";

/** What a block page's content is made of; a state is judged elsewhere. */
export const PAGE_NAMES = ["title", "content", "slug", "parent", "template"] as const;

/** The same of what is live. */
export const PAGE_LIVE_NAMES = ["title", "content", "featured_media"] as const;

/** Routes of the companion plugin for pages (docs/upstreams/wordpress.md, "Companion plugin: routes"). */
export const PAGES_READABLE: readonly RegExp[] = [
  /^\/site-ops\/v1\/(code-pages\/[1-9]\d*|page-templates|builder\/templates(\/[1-9]\d*)?)$/,
];

/** What is written there: none of these fields is a state or a date, and the plugin makes drafts only. */
export const PAGES_WRITABLE: readonly (readonly [RegExp, Judge])[] = [
  [/^\/wp\/v2\/pages$/, fields(judgeCreate)],
  [/^\/site-ops\/v1\/code-pages$/, fields(judgeCodePage)],
  [
    /^\/site-ops\/v1\/code-pages\/[1-9]\d*$/,
    fields((body) => texts(body, ["title", "html", "css", "js", "template"])),
  ],
  [/^\/site-ops\/v1\/builder\/pages(\/[1-9]\d*)?$/, fields(judgeClone)],
];

function judgeCreate(body: Fields): string | null {
  if (body["status"] !== "draft") return "content is made as a draft only";
  return only(body, [...PAGE_NAMES, "status"]);
}

function texts(body: Fields, names: readonly string[]): string | null {
  const other = names.find((name) => body[name] !== undefined && typeof body[name] !== "string");
  return only(body, names) ?? (other === undefined ? null : `the field "${other}" is not a text`);
}

function judgeCodePage({ parent, scope_class, ...body }: Fields): string | null {
  if (!/^so-[0-9a-f]{10}$/.test(String(scope_class))) return "its CSS has no class to hold for";
  return parentForbids(parent) ?? texts(body, ["title", "slug", "html", "css", "js", "template"]);
}

function judgeClone({ parent, template_id, variables, ...body }: Fields): string | null {
  if (!Number.isInteger(template_id)) return "a clone needs the number of its template";
  const plain = isFields(variables) &&
    Object.values(variables).every((text) => typeof text === "string");
  if (!plain) return "variables are texts by name";
  return parentForbids(parent) ?? texts(body, ["title", "slug"]);
}

const parentForbids = (parent: unknown) =>
  parent === undefined || Number.isInteger(parent) ? null : "a parent is a number";
