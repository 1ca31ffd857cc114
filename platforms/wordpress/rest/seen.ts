/** What a plan saw of a post or page, and the write that overwrites nothing else. */
import { allOrThrow } from "../../../core/async.ts";
import type { PublishGrant } from "../../_http/request.ts";
import type { Seen } from "../../_content/post.ts";
import {
  editingWarnings,
  type GuardedState,
  readGuarded,
  stale,
  writeGuarded,
} from "../companion/guarded.ts";
import { CmsError } from "../errors.ts";
import type { SeoFields } from "../seo/names.ts";
import { builderTold } from "./builders.ts";
import {
  type Beside,
  besideAlong,
  type Code,
  codeOf,
  isApart,
  LIVE_TOO,
  seoAlong,
  seoApart,
} from "./live_fields.ts";
import { readOne } from "./one.ts";
import { CONTENT, CONTENT_FIELDS, type ContentRecord, head, type Kind, utc } from "./records.ts";
import type { Query, Wire } from "./wire.ts";

/** A record as it was read, with what the companion plugin told of it where it is. */
export interface Look {
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

/** What this platform made of a look; tools hand it back to the write. */
export interface CmsSeen extends Seen {
  readonly look: Look;
}

/**
 * Reads a post or page in one request: through the companion plugin where it is, else with what is asked for. Throws
 * CmsError.
 */
export async function look(wire: Wire, kind: Kind, id: number, asked: Query = WHOLE): Promise<Look> {
  const guarded = await readGuarded(wire, kind, id, asked === LIVE_TOO);
  if (guarded) {
    const { record, seo, siteNow } = guarded;
    const code = asked === LIVE_TOO ? await codeOf(wire, record) : null;
    return { record, guarded, seo, beside: {}, code, siteNow };
  }
  return await plainLook(wire, kind, id, asked);
}

const WHOLE = { _fields: CONTENT_FIELDS };

async function plainLook(wire: Wire, kind: Kind, id: number, asked: Query = WHOLE): Promise<Look> {
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

async function plainRecord(wire: Wire, kind: Kind, id: number, asked: Query) {
  const read = (query: Query) => readOne(wire, kind, id, { context: "edit", ...query }, CONTENT);
  return await read(asked).catch((thrown) => {
    // A plugin's fault while it makes what stands beside the fields; these alone decide.
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
export function datedAt({ record, guarded, siteNow }: Look): string | null {
  const at = utc(record.date_gmt);
  if (record.status === "future") return at;
  if (at === null || !["draft", "pending"].includes(record.status)) return null;
  const hash = guarded?.hashes["date_gmt"];
  if (hash !== undefined) return hash === UNDATED ? null : at;
  const since = Math.abs(Date.parse(at) - Date.parse(utc(record.modified_gmt) ?? ""));
  return since <= SAVE_MS && Date.parse(at) <= siteNow ? null : at;
}

/** The values of what was seen by part, in the plugin's names. */
function values(seen: Look): Record<string, unknown> {
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
function parts(found: Look): Record<string, unknown> {
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

/** A look in the tools' words. */
export function seenOf(found: Look): CmsSeen {
  const { record, guarded } = found;
  return {
    ...head(record),
    parts: parts(found),
    changed: guarded?.changed ?? { by: null, at: utc(record.modified_gmt) },
    noindex: found.seo?.robots.noindex ?? null,
    seo: found.seo,
    warnings: editingWarnings(guarded?.editing ?? null),
    look: found,
  };
}

/** Parts that a write relies on beside those it replaces; "all" is everything a visitor would get. */
export type Relied = readonly string[] | "all";

/** A write of a post or page that exists. */
export interface Change {
  readonly kind: Kind;
  readonly id: number;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly relied: Relied;
  /** What a look right before the write must be; throws what the state forbids. */
  readonly judge: (found: Look) => void;
  readonly grant?: PublishGrant;
}

/**
 * Writes fields of a post or page only while what they replace is as it was seen: in one request through the companion
 * plugin, else after a look right before the write. Throws E_STALE_PREVIEW, what `judge` refuses with, CmsError.
 */
export async function change(wire: Wire, what: Change, seen?: CmsSeen): Promise<ContentRecord> {
  const { kind, id, fields, relied, judge, grant } = what;
  // Content that the builder took over, or that got code of its own, is another than was seen.
  const shown = "content" in fields ? ["builder", "code"] : [];
  const names = relied === "all" ? null : new Set([...relied, ...Object.keys(fields), ...shown]);
  const wanted = <T>(all: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(all).filter(([name]) => names === null || names.has(name)));
  const first = seen ?? seenOf(await look(wire, kind, id));
  if (first.look.guarded) {
    judge(first.look);
    const { hashes } = first.look.guarded;
    const written = await writeGuarded(wire, kind, id, wanted(hashes), fields, grant);
    if (written) return written;
  }
  const asked = relied === "all" ? LIVE_TOO : WHOLE;
  const now = seen || first.look.guarded ? await plainLook(wire, kind, id, asked) : first.look;
  requireUnchanged(kind, first.look, now, wanted);
  judge(now);
  return await wire.post(
    `wp/v2/${kind}/${id}`,
    { _fields: CONTENT_FIELDS },
    fields,
    CONTENT,
    grant,
  );
}

type Cut = <T>(all: Readonly<Record<string, T>>) => Readonly<Record<string, T>>;

/** Refuses what is not as it was seen any more: E_STALE_PREVIEW naming it, by whom and when where that is told. */
export function requireUnchanged(kind: Kind, before: Look, now: Look, wanted: Cut = (all) => all): void {
  const hashed = before.guarded !== null && now.guarded !== null;
  const builders = [before, now].every(({ record }) => builderTold(record) !== null);
  const along = [before, now].every(({ guarded, seo }) => guarded === null && seo !== null);
  const open = [before, now].every(({ record }) => record.password !== undefined);
  const both = new Set(Object.keys(before.beside).filter((name) => name in now.beside));
  const told = (seen: Look) => ({
    ...values(seen),
    ...Object.fromEntries(Object.entries(seen.beside).filter(([name]) => both.has(name))),
    ...open ? { password: seen.record.password } : {},
    ...builders ? { builder: builderTold(seen.record) } : {},
    ...along ? { seo: seen.seo } : {},
    ...hashed ? seen.guarded?.hashes : {},
  });
  const old: Readonly<Record<string, unknown>> = wanted<unknown>(told(before));
  const differ = Object.entries(wanted<unknown>(told(now)))
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name])).map(([name]) => name);
  if (differ.length === 0) return;
  const changed = now.guarded?.changed ?? { by: null, at: utc(now.record.modified_gmt) };
  throw stale(kind, now.record.id, differ, changed);
}
