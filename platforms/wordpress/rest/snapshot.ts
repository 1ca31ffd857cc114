/** What a plan saw of a post or page: its record, and what goes live beside its fields as far as it is told. */
import { z } from "zod";
import { allOrThrow } from "../../../core/async.ts";
import type { Seen } from "../../_content/post.ts";
import { editingWarnings, type GuardedState, readGuarded } from "../companion/guarded.ts";
import { COMPANION } from "../companion/plugin.ts";
import { EMBEDDED_LIVE } from "../egress_rules.ts";
import { CmsError } from "../errors.ts";
import { RANK_MATH_KEYS, RANK_MATH_ROBOTS, YOAST_KEYS } from "../seo/keys.ts";
import type { SeoFields } from "../seo/names.ts";
import { STORES } from "../seo/stores.ts";
import { readOne } from "./reader.ts";
import {
  CONTENT,
  CONTENT_ALONE,
  CONTENT_FIELDS,
  type ContentRecord,
  GOING_LIVE,
  head,
  type Kind,
  type PostRecord,
  utc,
} from "./records.ts";
import type { Query, WordPressClient } from "./wordpress_client.ts";

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
export async function codeOf(wire: WordPressClient, { id, meta }: ContentRecord): Promise<Code | null> {
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
async function storeApart(wire: WordPressClient): Promise<string> {
  const known = wire.cache.get<string>(APART);
  if (known !== undefined) return known;
  const { namespaces } = (await wire.get("", { _fields: "namespaces" }, NAMESPACES)).data;
  const found = STORES.find(({ readApart, namespace }) => readApart && namespaces.includes(namespace));
  wire.cache.set(APART, found?.provider ?? "", APART_MS);
  return found?.provider ?? "";
}

/** Whether a plugin is known to tell them so, and they can be asked for beside the record. */
export const isApart = (wire: WordPressClient): boolean =>
  wire.site.seo.enabled && Boolean(wire.cache.get<string>(APART));

/** The SEO fields that it tells; null where there is none, and where the site's SEO is not for the gateway. */
export async function seoApart(wire: WordPressClient, id: number): Promise<SeoFields | null> {
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
export async function seoAlong(
  wire: WordPressClient,
  kind: Kind,
  record: ContentRecord,
): Promise<SeoFields | null> {
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

/** A record as it was read, with what the companion plugin told of it where it is. */
export interface StateRead {
  readonly record: ContentRecord;
  readonly guarded: GuardedState | null;
  /** null where they were not asked for, or not told. */
  readonly seo: SeoFields | null;
  /** What else goes live with it, as far as it was asked for and told; the plugin tells the hashes of that instead. */
  readonly beside: Beside;
  /** The styles and scripts that go live with it, as far as they were asked for and told. */
  readonly code: Code | null;
  /** The latest time the site's clock can show now. */
  readonly siteNow: number;
}

/** What this platform made of the state; tools hand it back to the write. */
export interface StateSnapshot extends Seen {
  readonly read: StateRead;
  /** The slug that it was shown to get when it goes live; left out where that was not looked up, or not told. */
  readonly going?: string | undefined;
}

/**
 * Reads a post or page in one request: through the companion plugin where it is, else with what is asked for. Throws
 * CmsError.
 */
export async function readState(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  asked: Query = WHOLE,
): Promise<StateRead> {
  const guarded = await readGuarded(wire, kind, id, asked === LIVE_TOO);
  if (guarded) {
    const { record, seo, siteNow } = guarded;
    const code = asked === LIVE_TOO ? await codeOf(wire, record) : null;
    return { record, guarded, seo, beside: {}, code, siteNow };
  }
  return await readPlainState(wire, kind, id, asked);
}

/** Asks for all of a record's own fields. */
export const WHOLE = { _fields: CONTENT_FIELDS };

/** The same without the plugin. */
export async function readPlainState(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  asked: Query = WHOLE,
): Promise<StateRead> {
  const live = asked === LIVE_TOO;
  const [{ data: record, siteNow }, early] = await allOrThrow(
    plainRecord(wire, kind, id, asked),
    live && isApart(wire) ? seoApart(wire, id) : null,
  );
  const along = await seoAlong(wire, kind, record);
  if (!live) return { record, guarded: null, seo: along, beside: {}, code: null, siteNow };
  const [seo, code] = await allOrThrow(along ?? early ?? seoApart(wire, id), codeOf(wire, record));
  const coded = code && { code: JSON.stringify([record.meta._site_ops_scope, code.css, code.js]) };
  const beside = { ...besideAlong(record), ...coded };
  // A draft's own link is shown as its canonical address until it has another.
  const own = seo !== null && seo.canonical === record.link ? { ...seo, canonical: "" } : seo;
  return { record, guarded: null, seo: own, beside, code, siteNow };
}

async function plainRecord(wire: WordPressClient, kind: Kind, id: number, asked: Query) {
  const read = (query: Query) => readOne(wire, kind, id, { context: "edit", ...query }, CONTENT);
  return await read(asked).catch((thrown) => {
    // A plugin failed while it made what comes beside the fields; the fields alone decide.
    if (asked !== LIVE_TOO || !(thrown instanceof CmsError) || thrown.upstream !== 500) throw thrown;
    return read(WHOLE);
  });
}

const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b);

/** The plugin's hash of the date of a post that has none: of "0000-00-00 00:00:00". */
const UNDATED = "0fb5fd75d006763d2a3ff733e2b7acd8b9f4a9a6634f1cd7ec29fb8cb2666567";
/** What a save may take, by a clock of whole seconds. */
const SAVE_MS = 2000;

/**
 * The date of what waits for it, and that which a person gave a draft: without one the date of a draft follows each save
 * (docs/upstreams/wordpress.md, "Dates and states"). null for none. Without the plugin, one that was given when the draft
 * was made, and not touched since, looks like none.
 */
export function datedAt({ record, guarded, siteNow }: StateRead): string | null {
  const at = utc(record.date_gmt);
  if (record.status === "future") return at;
  if (at === null || !["draft", "pending"].includes(record.status)) return null;
  const hash = guarded?.hashes["date_gmt"];
  if (hash !== undefined) return hash === UNDATED ? null : at;
  const since = Math.abs(Date.parse(at) - Date.parse(utc(record.modified_gmt) ?? ""));
  return since <= SAVE_MS && Date.parse(at) <= siteNow ? null : at;
}

/** The values of what was seen by part, in the plugin's names. */
export function values(seen: StateRead): Record<string, unknown> {
  const { record } = seen;
  const { title, content, excerpt, slug, author, parent, template, featured_media } = record;
  return {
    status: record.status,
    title: title.raw,
    content: content.raw,
    excerpt: excerpt.raw,
    slug,
    author,
    parent,
    template,
    featured_media,
    date_gmt: datedAt(seen),
    tags: sorted(record.tags),
    categories: sorted(record.categories),
  };
}

/** Parts that are compared and, but for the first two, not shown: what they hold is told by a hash, or by names. */
const BESIDE = ["sticky", "format", "terms", "schema", "code", "comments", "menu_order", "meta"];

/** In the tools' words, for a plan's revision; what only the plugin can read is told by its hash. */
function parts(found: StateRead): Record<string, unknown> {
  const { record, guarded } = found;
  const { content, author, parent, featured_media, date_gmt, ...same } = values(found);
  const told = { ...found.beside, ...guarded?.hashes };
  const { password = record.password, seo = found.seo ?? undefined, builder } = guarded?.hashes ?? {};
  const beside = Object.fromEntries(BESIDE.map((name) => [name, told[name]]));
  const hidden = Object.entries({ password, seo, builder, ...beside });
  return {
    ...same,
    content_html: content,
    author_id: author,
    parent_id: parent,
    featured_media_id: featured_media,
    ...record.status === "future" ? { scheduled_at: date_gmt } : { scheduled_at: null, date: date_gmt },
    ...Object.fromEntries(hidden.filter(([, hash]) => hash !== undefined)),
  };
}

/** What a draft has that was just made, as far as the answer of its making tells it, in the words of its later plans. */
export function madeParts(record: PostRecord): Record<string, unknown> {
  const { status, title, content, excerpt, slug, author, featured_media } = record;
  return {
    status,
    scheduled_at: null,
    title: title.raw,
    content_html: content.raw,
    excerpt: excerpt.raw,
    slug,
    author_id: author,
    featured_media_id: featured_media,
    tags: sorted(record.tags),
    categories: sorted(record.categories),
  };
}

/** The parts after a change of the state: what the record shows, with the hashes of what it cannot have changed. */
export function partsNow({ guarded, ...seen }: StateRead, record: ContentRecord): Record<string, unknown> {
  const { date_gmt: _, ...hashes } = guarded?.hashes ?? {};
  return parts({ ...seen, record, guarded: guarded && { ...guarded, hashes } });
}

/** The state in the tools' words. */
export function toSnapshot(found: StateRead): StateSnapshot {
  const { record, guarded } = found;
  return {
    ...head(record),
    parts: parts(found),
    changed: guarded?.changed ?? { by: null, at: utc(record.modified_gmt) },
    noindex: found.seo?.robots.noindex ?? null,
    seo: found.seo,
    warnings: editingWarnings(guarded?.editing ?? null),
    read: found,
  };
}
