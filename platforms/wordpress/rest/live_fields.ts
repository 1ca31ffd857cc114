/** What goes live with a post or page beside its own fields, as far as the same answer holds it. */
import { EMBEDDED_LIVE } from "../egress_rules.ts";
import type { SeoFields } from "../seo/names.ts";
import { RANK_MATH_KEYS, RANK_MATH_ROBOTS, YOAST_KEYS } from "../seo/keys.ts";
import { STORES } from "../seo/stores.ts";
import { CONTENT_FIELDS, type ContentRecord, type Kind } from "./records.ts";
import type { Wire } from "./wire.ts";

const SEO_KEYS = [...Object.values(YOAST_KEYS), ...Object.values(RANK_MATH_KEYS), RANK_MATH_ROBOTS];

/** Asks for all of a record, and for what goes live beside it as far as the same answer can hold that. */
export const LIVE_TOO = {
  _fields: [
    CONTENT_FIELDS,
    "date,permalink_template,generated_slug,yoast_head_json",
    ...SEO_KEYS.map((key) => `meta.${key}`),
    "_links,_embedded",
  ].join(","),
  _embed: EMBEDDED_LIVE,
} as const;

/** The SEO fields that came along with a record; null where none did. */
export async function seoAlong(wire: Wire, kind: Kind, record: ContentRecord): Promise<SeoFields | null> {
  const { id, link, yoast_head_json: head = null } = record;
  const meta: Readonly<Record<string, unknown>> = record.meta;
  const has = (keys: readonly string[]) => keys.some((key) => key in meta);
  const provider = head !== null || has(Object.values(YOAST_KEYS))
    ? "yoast"
    : has(SEO_KEYS)
    ? "rankmath"
    : null;
  const store = STORES.find((one) => one.provider === provider);
  if (!store) return null;
  const { fields } = await store.read(wire, { id, kind, meta, head });
  // A draft's own link is shown as its canonical address until it has another.
  return fields.canonical === link ? { ...fields, canonical: "" } : fields;
}
