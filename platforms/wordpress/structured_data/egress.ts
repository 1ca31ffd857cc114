/** What of custom schema is read from and written to a CMS: entries, and the value of one. */
import type { Site } from "../../../core/model.ts";
import { type Fields, fields, type Judge, only } from "../egress_rules.ts";

/** Routes of the companion plugin for custom schema (docs/upstreams/wordpress.md, "Companion plugin: routes"). */
export const SCHEMA_READABLE: readonly RegExp[] = [/^\/site-ops\/v1\/schema\/entries(\/[1-9]\d*)?$/];

/** Query names of those routes beyond the common ones. */
export const SCHEMA_QUERY_NAMES = ["needle"] as const;

/** What is written there: the value, with the type it is expected to have. */
export const SCHEMA_WRITABLE: readonly (readonly [RegExp, Judge])[] = [
  [/^\/site-ops\/v1\/schema\/entries\/[1-9]\d*$/, fields(judgeEntry)],
];

function judgeEntry(body: Fields, site: Site): string | null {
  const { value, expect_value_type, allow_published } = body;
  const type = typeof value === "string" ? "string" : typeof value === "object" && value ? "array" : null;
  if (type === null || expect_value_type !== type) return "a value goes with the type it is to have";
  if ("allow_published" in body && !(allow_published === true && site.flags.allow_seo_on_published)) {
    return "the schema of a published page is changed only with the site's leave";
  }
  return only(body, ["value", "expect_value_type", "allow_published"]);
}
