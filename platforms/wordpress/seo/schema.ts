/** Structured data of posts, over the companion plugin. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { type PageSchema, typesOf } from "../../../rules/seo_schema.ts";
import { requireEnclosed } from "../../../rules/structured_data.ts";
import type { Making, Site } from "../../../core/model.ts";
import type { Compared } from "../../_content/compared.ts";
import { allOrThrow } from "../../../core/async.ts";
import { asking, COMPANION, readCompanion, requireCapability } from "../companion/plugin.ts";
import { readBack } from "../rest/writer.ts";
import { editingWarnings, type PartHashes } from "../companion/guarded.ts";
import { STORED_ROWS, type StoredRows } from "../companion/stored_rows.ts";
import { readTold, writeTold } from "../companion/guarded_routes.ts";
import { statusWord } from "../rest/records.ts";
import { META, metaOf, readBridge, requireBridge } from "./bridge.ts";
import { rankMathWarnings } from "./schema_output.ts";
import { requireSeoState, requireUnchanged, type SeoPost } from "./post.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

const LIST = z.object({
  provider: z.string(),
  /** Whether the SEO plugin that keeps them shows them. */
  shown: z.boolean().catch(true),
  /** Why not; nothing of a plugin that does not tell. */
  unshown: z.string().nullish().catch(undefined),
  /** The type that the SEO plugin makes by itself while the post has none; nothing of a plugin that does not tell. */
  automatic: z.string().nullish().catch(undefined),
  entries: z.array(z.object({ entry_id: z.string(), type: z.string().catch(""), schema: z.unknown() })),
});
const STATE = LIST.extend({ post: META, stored: STORED_ROWS });
const WRITTEN = z.object({ entry_id: z.string().min(1), created: z.boolean() });

/** An entry of structured data as the site keeps it. */
export interface SchemaEntry {
  readonly entry_id: string;
  readonly type: string;
  readonly schema?: unknown;
}

/** Structured data to be stored, what it replaces, and what else the post has. */
export interface PreparedSchema {
  readonly post: SeoPost;
  readonly provider: string;
  readonly schema: PageSchema;
  /** The entry it replaces; null for a new one. */
  readonly replaces: SchemaEntry | null;
  readonly entries: readonly SchemaEntry[];
  /** What a person should know before approving it, a sentence each. */
  readonly warnings?: readonly string[];
  /** Those of them that speak of what visitors' pages have, which the result says too. */
  readonly seen?: readonly string[];
  /** What a guarded write expects to find; nothing where the site has none. */
  readonly hashes?: PartHashes;
  /** The rows that hold the entries; nothing where the site does not tell. */
  readonly stored?: StoredRows | undefined;
}

/** The result of a write. */
export interface SchemaWritten extends Compared {
  readonly post_id: number;
  readonly status: string;
  readonly entry_id: string;
  readonly type: string;
  readonly created: boolean;
  readonly stored?: StoredRows | undefined;
}

const route = (id: number) => ({ path: `seo/schema/${id}`, part: "seo", state: STATE }) as const;

async function readEntries(wire: WordPressClient, id: number) {
  return (await asking("seo", () => wire.get(`${COMPANION}/seo/schema/${id}`, {}, LIST))).data;
}

type Found =
  & Pick<PreparedSchema, "post" | "provider" | "entries" | "warnings" | "hashes" | "stored">
  & { readonly shown: boolean; readonly unshown?: string | null; readonly automatic?: string | null };

async function find(wire: WordPressClient, id: number): Promise<Found> {
  const told = await readTold(wire, route(id));
  if (told) {
    const { state: { post, stored, ...list }, hashes, editing, siteNow } = told;
    return {
      post: metaOf(post, siteNow, id).post,
      ...list,
      stored,
      hashes,
      warnings: editingWarnings(editing),
    };
  }
  requireCapability(await readCompanion(wire, "seo"), "unfiltered_html", "store structured data");
  return await findPlain(wire, id);
}

async function findPlain(wire: WordPressClient, id: number): Promise<Found> {
  const [{ post }, list] = await allOrThrow(readBridge(wire, id), readEntries(wire, id));
  return { post, ...list };
}

/**
 * Proves plugin, rights and state, and finds the entry to replace; writes nothing. Throws E_SEOPLUGIN_PLUGIN_REQUIRED,
 * E_FORBIDDEN_OP, E_BAD_INPUT for what the site's SEO plugin does not keep, E_UPSTREAM (404 for no such entry).
 */
export async function prepareSchema(
  wire: WordPressClient,
  site: Site,
  id: number,
  schema: PageSchema,
  entry_id?: string,
): Promise<PreparedSchema> {
  const found = await find(wire, id);
  const { post, provider, entries } = found;
  requireSeoState(site, post);
  if (provider === "rankmath") {
    requireOneType(schema);
    requireEnclosed(schema, "schema");
  }
  if (!found.shown) throw new GatewayError("E_BAD_INPUT", found.unshown === "list" ? LISTS : UNSHOWN);
  const replaces = entries.find((one) => one.entry_id === entry_id) ?? null;
  if (entry_id === undefined || replaces !== null) {
    const seen = provider === "rankmath" ? [...automaticGoes(found), ...rankMathWarnings(schema)] : [];
    return { ...found, schema, replaces, seen, warnings: [...found.warnings ?? [], ...seen] };
  }
  const there = entries.map((one) => `"${one.entry_id}"`).join(", ") || "none";
  throw new GatewayError(
    "E_UPSTREAM",
    `entry_id: post ${id} has no structured data "${entry_id}", it has ${there}; leave entry_id out to add an entry`,
    { upstream: 404 },
  );
}

/** Proves the same, as far as that can be known, before there is a post. Throws as prepareSchema, of the post apart. */
export async function requireSchemaKept(
  wire: WordPressClient,
  schemas: readonly PageSchema[],
): Promise<void> {
  const keeper = await requireBridge(wire);
  if (keeper?.provider === "rankmath") {
    for (const schema of schemas) {
      requireOneType(schema);
      requireEnclosed(schema, "schema");
    }
  }
  if (keeper?.off.some(({ part }) => part === "all" || part === "schema")) {
    throw new GatewayError("E_BAD_INPUT", UNSHOWN);
  }
}

const UNSHOWN =
  "schema: would not be shown: the part of the site's SEO plugin that shows structured data is switched off, or its " +
  "set-up is not finished; switch it on in the CMS first";
const LISTS =
  "schema: would not be shown: post_id is the page that lists the site's posts, and the site's SEO plugin prints " +
  "structured data of single pages and posts only; leave it out";
/** What a first entry takes away (docs/upstreams/wordpress.md, "What each shows, and when"). */
function automaticGoes({ entries, automatic }: Found): string[] {
  if (entries.length > 0 || automatic === null) return [];
  return [
    `schema: the site's SEO plugin makes structured data by itself (${
      automatic ?? "such as BlogPosting"
    }) only for a post that has none of its own; with this first entry visitors' pages have it no longer, so say all ` +
    "that it said",
  ];
}

/** Rank Math keeps an entry under the name of its one type. */
function requireOneType(schema: PageSchema): void {
  const one = !Array.isArray(schema) && !("@graph" in schema) ? typesOf(schema)[0]!.split(",", 1)[0]! : "";
  if (/^[A-Za-z0-9]+$/.test(one)) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    'schema: the site\'s SEO plugin keeps one object with one plain "@type" an entry; send the parts one by one',
  );
}

/** Stores an entry and reads it back; `sending` is told right before, with whether visitors see the post. */
export async function writeSchema(
  wire: WordPressClient,
  site: Site,
  planned: PreparedSchema,
  { sending, made }: { readonly sending: (live: boolean) => void; readonly made: Making },
): Promise<SchemaWritten> {
  const { schema, replaces, post: { id } } = planned;
  const { entry_id, created, entries, status, stored: rows } = await send(wire, site, planned, {
    sending,
    made,
  });
  const stored = entries.find((one) => one.entry_id === entry_id);
  if (stored === undefined || created !== (replaces === null)) {
    throw new GatewayError(
      "E_UPSTREAM",
      `Post ${id}: the site said it stored the structured data as "${entry_id}", but does not show it so; look at it there`,
      { upstream: 502 },
    );
  }
  const same = canonical(stored.schema) === canonical(schema);
  return {
    post_id: id,
    status,
    entry_id,
    type: typesOf(schema).join(", "),
    created,
    stored: rows,
    warnings: planned.seen ?? [],
    differences: [
      ...same ? [] : ["schema: the site stored it otherwise than it was sent; look at the post there"],
      ...wire.changedElsewhere,
    ],
  };
}

type Sent = z.infer<typeof WRITTEN> & Pick<Found, "entries" | "stored"> & { readonly status: string };

async function send(
  wire: WordPressClient,
  site: Site,
  planned: PreparedSchema,
  { sending, made }: { readonly sending: (live: boolean) => void; readonly made: Making },
): Promise<Sent> {
  const { schema, replaces, post: { id } } = planned;
  const ready = ({ live, due }: SeoPost) => {
    sending(live);
    const entry = replaces ? { entry_id: replaces.entry_id } : {};
    return { schema, ...entry, ...(live || due !== null ? { allow_published: true } : {}) };
  };
  const stored = ({ entry_id, created }: z.infer<typeof WRITTEN>) => {
    if (created) made({ what: "entry", id: entry_id, name: `structured data of post ${id}` });
  };
  if (planned.hashes) {
    const entry = replaces ? [`entry:${replaces.entry_id}`] : [];
    const names = ["status", "password", "provider", "entries", ...entry];
    const words = Object.fromEntries(entry.map((name) => [name, "schema"]));
    const dependsOn = { hashes: planned.hashes, names, what: `the structured data of post ${id}`, words };
    const done = await writeTold(wire, route(id), dependsOn, ready(planned.post), WRITTEN);
    if (done) {
      stored(done.written);
      return {
        ...done.written,
        entries: done.state.entries,
        stored: done.state.stored,
        status: statusWord(done.state.post.post_status),
      };
    }
  }
  const now = await findPlain(wire, id); // last before the write
  requireUnchanged(site, planned.post, now.post, changedEntries(planned, now));
  const json = ready(now.post);
  const written = await asking("seo", () => wire.post(`${COMPANION}/seo/schema/${id}`, {}, json, WRITTEN));
  stored(written);
  const done = `The structured data of post ${id} was stored as "${written.entry_id}"`;
  const { entries } = await readBack(wire, done, (after) => readEntries(after, id));
  return { ...written, entries, status: now.post.status };
}

/** Which of what was planned is not as it was: the entry that is replaced, and which others there are. */
function changedEntries({ entries, replaces, provider }: PreparedSchema, now: Found): string[] {
  const names = (all: Found["entries"]) => JSON.stringify(all.map(({ entry_id, type }) => [entry_id, type]));
  const is = now.entries.find(({ entry_id }) => entry_id === replaces?.entry_id);
  const replaced = replaces !== null && canonical(is?.schema) !== canonical(replaces.schema);
  const keeper = now.provider === provider ? [] : ["provider"];
  return [
    ...keeper,
    ...replaced ? ["schema"] : [],
    ...names(entries) === names(now.entries) ? [] : ["entries"],
  ];
}

/** JSON whose order of names does not count; PHP takes an empty object for an empty list. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const names = Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1);
    return names.length === 0 ? [] : Object.fromEntries(names);
  });
}
