/** The companion plugin's guarded write: a post in parts, and a write that is compared with them in the same request. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { Outgoing } from "../../_http/request.ts";
import { CmsError } from "../errors.ts";
import type { SeoFields } from "../seo/names.ts";
import { fieldsOfRecord, SEO_RECORD, UNKNOWN_PROVIDER } from "../seo/record.ts";
import { CONTENT, type ContentRecord, type Kind, utc } from "../rest/records.ts";
import type { Me } from "../rest/users.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";
import { elsewhereRefused } from "./elsewhere.ts";
import { COMPANION, isNoRoute } from "./plugin.ts";

/** What to do where a change was to be of what is live. */
export const REVISED =
  "what is live is changed by revise_published alone, which needs allow_publish on the site";

/** The SHA-256 of each part of a post, by the plugin's names. */
export type PartHashes = Readonly<Record<string, string>>;

/** Who did something to a post, and when; `by` is null where the site does not know. */
export interface Trace {
  readonly by: string | null;
  /** ISO 8601 with Z. */
  readonly at: string | null;
}

/** What the plugin tells of a post in one request. */
export interface GuardedState {
  readonly record: ContentRecord;
  readonly hashes: PartHashes;
  /** Names as they are stored. */
  readonly terms: Readonly<Record<"tags" | "categories", readonly { id: number; name: string }[]>>;
  /** null where the plugin cannot tell what the site shows. */
  readonly seo: SeoFields | null;
  /** The structured data that goes live with it; empty where an older plugin does not tell. */
  readonly schema: readonly unknown[];
  /** The author's name; null where an older plugin does not tell. */
  readonly author: string | null;
  /** How the site makes the post's address; null where an older plugin does not tell. */
  readonly address: { readonly template: string; readonly slug: string } | null;
  /** Where a redirect leads visitors of that address, if that was asked for; null for nowhere. */
  readonly led: { readonly destination: string; readonly status: number } | null;
  /** The post's language, by its slug, where Polylang keeps content of several; null otherwise. */
  readonly language: string | null;
  /** The post of which a plugin of the site keeps this one as a revision; null for none. */
  readonly revision_of: number | null;
  readonly changed: Trace;
  /** Who has it open in the editor; null for nobody. */
  readonly editing: Trace | null;
  readonly me: Me;
  /** The latest time the site's clock can show now. */
  readonly siteNow: number;
}

/** The hashes of an answer. */
export const PART_HASHES = z.record(z.string(), z.string().regex(/^[0-9a-f]{64}$/));
/** Who and when, of an answer. */
export const TRACE = z.object({
  by: z.object({ name: z.string() }).nullable().catch(null),
  at: z.string().nullable().catch(null),
}).transform(({ by, at }): Trace => ({ by: by?.name ?? null, at: utc(at) }));
const UNKNOWN: Trace = { by: null, at: null };
const WRITTEN = z.object({ record: CONTENT, parts: PART_HASHES });
const TERMS = z.array(z.object({ id: z.number(), name: z.string() })).catch([]);
const STATE = WRITTEN.extend({
  changed: TRACE.catch(UNKNOWN),
  terms: z.object({ tags: TERMS, categories: TERMS }),
  seo: SEO_RECORD.nullable().catch(null),
  schema: z.array(z.unknown()).catch([]),
  author: z.object({ name: z.string() }).nullable().catch(null),
  address: z.object({ template: z.string(), slug: z.string() }).nullable().catch(null),
  led: z.object({ destination: z.string(), status: z.number() }).nullable().catch(null),
  language: z.string().nullable().catch(null),
  revision_of: z.number().int().positive().nullable().catch(null),
  editing: TRACE.nullable().catch(null),
  user: z.object({
    id: z.number().int().positive(),
    name: z.string(),
    slug: z.string(),
    roles: z.array(z.string()),
    capabilities: z.record(z.string(), z.unknown()),
  }),
});

const FACT_TTL_MS = 600_000;
/** Whether the site keeps content of several languages. */
const LANGUAGES = "languages";
const fact = (path: string) => `guarded ${path.replace(/\/\d+$/, "")}`;

/** Whether the site is known to have no such guarded route. */
export const hasNoGuard = (wire: WordPressClient, path: string): boolean =>
  wire.cache.get<true>(fact(path)) === true;

/** Remembers for a while that it has none; an older plugin has some of them. */
export const rememberNoGuard = (wire: WordPressClient, path: string): void =>
  wire.cache.set(fact(path), true, FACT_TTL_MS);

/** Types of a site's own are apart, from version 1.5.0 of the plugin on: their places may be called like other routes of it. */
const route = (kind: Kind, id: number) =>
  `${COMPANION}/guarded/${kind === "posts" || kind === "pages" ? kind : `types/${kind}`}/${id}`;

/**
 * The post, page or content of another type in parts; null where the site has no such route, which is then not asked for again for a while, and
 * where the plugin fails or refuses: WordPress's own route says best what is wrong.
 */
export async function readGuarded(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  live = false,
): Promise<GuardedState | null> {
  if (hasNoGuard(wire, `${kind}/${id}`)) return null;
  try {
    const { data, siteNow } = await wire.get(route(kind, id), live ? { live: "1" } : {}, STATE);
    const { record, parts, terms, changed, editing, schema, address, led, user } = data;
    const author = data.author?.name ?? null;
    const { capabilities, ...who } = user;
    wire.cache.set(LANGUAGES, data.language !== null, FACT_TTL_MS);
    const me = { ...who, can: (capability: string) => Boolean(capabilities[capability]) };
    const seo = data.seo === null || data.seo.provider === UNKNOWN_PROVIDER ? null : fieldsOfRecord(data.seo);
    const language = data.language || null;
    const { revision_of } = data;
    const told = {
      revision_of,
      record,
      hashes: parts,
      terms,
      changed,
      editing,
      seo,
      schema,
      author,
      address,
      led,
    };
    return { ...told, language, me, siteNow };
  } catch (thrown) {
    if (!(thrown instanceof CmsError) || thrown.upstream === 429) throw thrown;
    if (isNoRoute(thrown)) rememberNoGuard(wire, `${kind}/${id}`);
    return null;
  }
}

/**
 * The language of a post, by its slug; null where the site keeps content of one, where nobody gave the post one, and where
 * the companion plugin does not tell. Asks nothing of a site that is known to keep content of one.
 */
export async function languageOf(wire: WordPressClient, kind: Kind, id: number): Promise<string | null> {
  if (wire.cache.get<boolean>(LANGUAGES) === false) return null;
  return (await readGuarded(wire, kind, id))?.language ?? null;
}

/** The words of the tools' arguments for the plugin's parts, where they differ. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  content: "content_html",
  featured_media: "featured_media_id",
  author: "author_id",
  parent: "parent_id",
  date_gmt: "scheduled_at",
};

/**
 * Writes the fields if every expected part has the hash it had, in one request; answers the record after. null where
 * the site has no such route any more. Throws E_STALE_PREVIEW naming what differs, E_FORBIDDEN_OP, CmsError.
 */
export async function writeGuarded(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  expected: PartHashes,
  fields: Readonly<Record<string, unknown>>,
  shown: Pick<Outgoing, "grant" | "live"> = {},
): Promise<ContentRecord | null> {
  const allow = fields["status"] === "publish" || shown.live ? { allow_publish: true } : {};
  try {
    const json = { expected, fields, ...allow };
    return (await wire.post(route(kind, id), {}, json, WRITTEN, shown)).record;
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    if (isNoRoute(thrown)) {
      rememberNoGuard(wire, `${kind}/${id}`);
      return null;
    }
    if (thrown.reason === "site_ops_stale") throw staleAnswer(kind, id, thrown);
    const refused = elsewhereRefused(`${kind === "pages" ? "page" : "post"} ${id}`, thrown);
    if (refused !== null) throw refused;
    // An older plugin changes nothing that is live, whoever asks.
    if (thrown.reason === "site_ops_published" && shown.live && shown.grant) return null;
    if (thrown.reason === "site_ops_published") {
      const wayOut = "status" in fields ? "" : `; ${REVISED}`;
      throw new GatewayError("E_FORBIDDEN_OP", `${thrown.message}${wayOut}`, { cause: thrown });
    }
    throw thrown;
  }
}

function staleAnswer(kind: Kind, id: number, error: CmsError): GatewayError {
  const differ = z.array(z.string()).catch([]).parse(error.data["differ"]);
  return stale(kind, id, differ, TRACE.catch(UNKNOWN).parse(error.data["changed"]), error);
}

/** E_STALE_PREVIEW: which parts are not what they were, by whom and when as far as that is known. */
export function stale(
  kind: Kind,
  id: number,
  parts: readonly string[],
  trace: Trace,
  cause?: unknown,
): GatewayError {
  const fields = parts.map((part) => ARGUMENTS[part] ?? part);
  return staleOf(`${kind === "pages" ? "page" : "post"} ${id}`, fields, trace, cause);
}

/** The same of anything, in the words of arguments. */
export function staleOf(
  what: string,
  fields: readonly string[],
  { by, at }: Trace = UNKNOWN,
  cause?: unknown,
): GatewayError {
  const who = by === null ? "" : ` by ${JSON.stringify(by)}`;
  const when = at === null ? "" : ` at ${at}`;
  return new GatewayError(
    "E_STALE_PREVIEW",
    `${
      fields.join(", ")
    }: ${what} was changed${who}${when}, after it was looked at; nothing was written: preview again`,
    { cause },
  );
}

/** The warning of somebody who has it open in the editor; none for nobody. */
export function editingWarnings(editing: Trace | null): string[] {
  if (editing === null) return [];
  const who = editing.by === null ? "Somebody" : JSON.stringify(editing.by);
  return [
    `${who} has it open in the editor (last seen at ${editing.at}), and saving there would replace this change`,
  ];
}
