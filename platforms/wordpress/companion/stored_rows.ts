/** What the companion plugin tells of rows as they are stored, and what of them is kept before a change. */
import { z } from "zod";
import { isFields } from "../../../core/values.ts";
import { expectedForbids, fields, type Judge, only } from "../egress_rules.ts";

/** Rows by name, from version 1.5.0 of the plugin on: what each belongs to, and its texts, none where nothing is stored. */
export const STORED_ROWS = z.object({
  /** Who keeps them, and its version, such as `yoast 28.4`. */
  plugin: z.string(),
  rows: z.record(z.string(), z.object({ of: z.string(), values: z.array(z.string()) })),
}).optional().catch(undefined);
export type StoredRows = NonNullable<z.infer<typeof STORED_ROWS>>;

/** Texts by the names of rows. */
export type RowValues = Readonly<Record<string, readonly string[]>>;

/** The part of what is kept that says who kept the rows. */
const KEPT_BY = "plugin";

/** The texts of those rows that belong to what is asked for. */
export const rowsWhere = ({ rows }: StoredRows, belongs: (of: string) => boolean): RowValues =>
  Object.fromEntries(
    Object.entries(rows).filter(([, { of }]) => belongs(of)).map(([name, { values }]) => [name, values]),
  );

/** What is kept of such rows. */
export const keptRows = ({ plugin }: StoredRows, values: RowValues): Record<string, unknown> => ({
  ...values,
  [KEPT_BY]: plugin,
});

/** Whether rows were kept, and not arguments. */
export const areRows = (kept: Readonly<Record<string, unknown>>): boolean => KEPT_BY in kept;

/** What was kept, opened again. */
export function openedRows(
  kept: Readonly<Record<string, unknown>>,
): { readonly plugin: string; readonly values: RowValues } {
  const { [KEPT_BY]: plugin, ...values } = kept;
  return { plugin: String(plugin), values: values as RowValues };
}

/** Whether WordPress would read another type out of a text. */
export const isSerialised = (text: string): boolean =>
  ["a:", "s:", "i:", "b:", "d:", "O:", "C:", "N;"].some((start) => text.startsWith(start));

/** The routes of the plugin that set rows back, each below `guarded/stored/`. */
export type RowSubject = "seo-meta" | "schema" | "custom-schema" | "code-pages";

const SEO_ROWS = ["_yoast_wpseo_", "rank_math_", "_seopress_", "_site_ops_seo_"];

/** Routes where rows are read. */
export const ROWS_READABLE: readonly RegExp[] = [
  /^\/site-ops\/v1\/guarded\/stored\/(seo-meta|schema|custom-schema|code-pages)\/[1-9]\d*$/,
];

/** The same where they are set back: every row is compared with what was there, and of live posts only with leave. */
export const ROWS_WRITABLE: readonly (readonly [RegExp, Judge])[] = [
  [/^\/site-ops\/v1\/guarded\/stored\/seo-meta\/[1-9]\d*$/, rowsOf(isSeoRow)],
  [/^\/site-ops\/v1\/guarded\/stored\/redirects$/, rowsOf((name) => !name.startsWith("_wp"), ["source"])],
  [/^\/site-ops\/v1\/guarded\/stored\/(schema|custom-schema|code-pages)\/[1-9]\d*$/, rowsOf(() => true)],
];

/** Whether a row is one of an SEO plugin's fields. */
function isSeoRow(name: string): boolean {
  return SEO_ROWS.some((start) => name.startsWith(start));
}

function rowsOf(isKnown: (name: string) => boolean, beside: readonly string[] = []): Judge {
  return fields(({ expected, rows, allow_published, ...body }, { flags }) => {
    if (!isFields(rows) || Object.keys(rows).length === 0) return "no rows are set back";
    const isText = (value: unknown) => Array.isArray(value) && value.every((one) => typeof one === "string");
    if (!Object.values(rows).every(isText)) return "a row is a list of texts";
    const unseen = Object.keys(rows).find((name) =>
      !isKnown(name) || !isFields(expected) || !(`row:${name}` in expected)
    );
    if (unseen !== undefined) return `the row "${unseen}" is not known, or not compared with what is there`;
    const isAllowed = allow_published === undefined ||
      (allow_published === true && flags.allow_seo_on_published);
    if (!isAllowed) return "SEO of published posts needs the site's leave";
    return expectedForbids(expected) ?? only(body, beside);
  });
}
