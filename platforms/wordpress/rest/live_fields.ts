/** What goes live with a post or page beside its own fields, as far as the same answer holds it. */
import { EMBEDDED_LIVE } from "../egress_rules.ts";
import { z } from "zod";
import type { SeoFields } from "../seo/names.ts";
import { RANK_MATH_KEYS, RANK_MATH_ROBOTS, YOAST_KEYS } from "../seo/keys.ts";
import { STORES } from "../seo/stores.ts";
import { COMPANION } from "../companion/plugin.ts";
import { CmsError } from "../errors.ts";
import { CONTENT_ALONE, type ContentRecord, GOING_LIVE, type Kind } from "./records.ts";
import type { Wire } from "./wire.ts";

const SEO_KEYS = [...Object.values(YOAST_KEYS), ...Object.values(RANK_MATH_KEYS), RANK_MATH_ROBOTS];

/** Asks for all of a record, and for what goes live beside it as far as the same answer can hold that. */
export const LIVE_TOO = {
  _fields: [
    CONTENT_ALONE,
    ...Object.keys(GOING_LIVE),
    "meta",
    "_links,_embedded",
  ].join(","),
  _embed: EMBEDDED_LIVE,
} as const;

/** Parts of what goes live beside a record's own fields, by the plugin's names; left out where they were not told. */
export type Beside = Readonly<Record<string, unknown>>;

/** Meta that other parts hold, and the editor's own. */
const ELSEWHERE = /^_?(rank_math|yoast_wpseo|seopress|site_ops|elementor|edit_lock|edit_last)/;

/** What of them came along with a record. */
export function besideAlong(record: ContentRecord): Beside {
  const { sticky, format, comment_status, ping_status, menu_order, _embedded, meta } = record;
  if (comment_status === undefined) return {}; // it was not asked for
  const others = _embedded?.terms.filter(({ taxonomy }) => !["post_tag", "category"].includes(taxonomy));
  const told = {
    sticky,
    format,
    menu_order,
    comments: `${comment_status} ${ping_status}`,
    terms: others?.map(({ taxonomy, id }) => `${taxonomy}:${id}`).sort().join(" "),
    meta: Object.fromEntries(Object.entries(meta).filter(([key]) => !ELSEWHERE.test(key))),
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

const CODE = z.object({ css: z.string(), js: z.string() });

/** The styles and scripts of a page made from code. */
export type Code = z.infer<typeof CODE>;

/** Those of a record, asked for apart where they did not come along with it; null for none, and where none are told. */
export async function codeOf(wire: Wire, { id, meta }: ContentRecord): Promise<Code | null> {
  const { _site_ops_scope: scope, _site_ops_css: css, _site_ops_js: js } = meta;
  if (scope === "") return null;
  if (css !== undefined && js !== undefined) return { css, js };
  try {
    return (await wire.get(`${COMPANION}/code-pages/${id}`, {}, CODE)).data;
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    return null;
  }
}

const NAMESPACES = z.object({ namespaces: z.array(z.string()) });
const APART = "seo_apart";
const APART_MS = 600_000;

/** The SEO plugin that tells its fields at addresses of its own, "" for none; known for a while. */
async function storeApart(wire: Wire): Promise<string> {
  const known = wire.cache.get<string>(APART);
  if (known !== undefined) return known;
  const { namespaces } = (await wire.get("", { _fields: "namespaces" }, NAMESPACES)).data;
  const found = STORES.find(({ readApart, namespace }) => readApart && namespaces.includes(namespace));
  wire.cache.set(APART, found?.provider ?? "", APART_MS);
  return found?.provider ?? "";
}

/** Whether a plugin is known to tell them so, and they can be asked for beside the record. */
export const isApart = (wire: Wire): boolean =>
  wire.site.seo.enabled && Boolean(wire.cache.get<string>(APART));

/** The SEO fields that it tells; null where there is none, and where the site's SEO is not for the gateway. */
export async function seoApart(wire: Wire, id: number): Promise<SeoFields | null> {
  if (!wire.site.seo.enabled) return null;
  try {
    const provider = await storeApart(wire);
    const found = await STORES.find((store) => store.provider === provider)?.readApart?.(wire, id);
    return found?.fields ?? null;
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    return null; // reported as unread
  }
}

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
