/** Structured data of posts, over the companion plugin. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import { type PageSchema, typesOf } from "../../../rules/seo_schema.ts";
import { requireEnclosed } from "../../../rules/structured_data.ts";
import type { Making, Site } from "../../../model.ts";
import { together } from "../../../lib/async.ts";
import { asking, COMPANION, readCompanion, requireCapability } from "../companion/plugin.ts";
import { readBack } from "../rest/read_back.ts";
import { readBridge } from "./bridge.ts";
import { requireSeoState, requireUnchanged, type SeoPost } from "./post.ts";
import type { Wire } from "../rest/wire.ts";

const LIST = z.object({
  provider: z.string(),
  entries: z.array(z.object({ entry_id: z.string(), type: z.string().catch(""), schema: z.unknown() })),
});
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
}

/** The result of a write. */
export interface SchemaWritten {
  readonly post_id: number;
  readonly status: string;
  readonly entry_id: string;
  readonly type: string;
  readonly created: boolean;
  readonly warnings?: readonly string[];
}

async function readEntries(wire: Wire, id: number) {
  return (await asking("seo", () => wire.get(`${COMPANION}/seo/schema/${id}`, {}, LIST))).data;
}

/**
 * Proves plugin, rights and state, and finds the entry to replace; writes nothing. Throws E_SEOPLUGIN_PLUGIN_REQUIRED,
 * E_FORBIDDEN_OP, E_BAD_INPUT for what the site's SEO plugin does not keep, E_UPSTREAM (404 for no such entry).
 */
export async function prepareSchema(
  wire: Wire,
  site: Site,
  id: number,
  schema: PageSchema,
  entry_id?: string,
): Promise<PreparedSchema> {
  requireCapability(await readCompanion(wire, "seo"), "unfiltered_html", "store structured data");
  const [{ post }, { provider, entries }] = await together(readBridge(wire, id), readEntries(wire, id));
  requireSeoState(site, post);
  if (provider === "rankmath") {
    requireOneType(schema);
    requireEnclosed(schema, "schema");
  }
  const replaces = entries.find((one) => one.entry_id === entry_id) ?? null;
  if (entry_id === undefined || replaces !== null) return { post, provider, schema, replaces, entries };
  const there = entries.map((one) => `"${one.entry_id}"`).join(", ") || "none";
  throw new GatewayError(
    "E_UPSTREAM",
    `entry_id: post ${id} has no structured data "${entry_id}", it has ${there}; leave entry_id out to add an entry`,
    { upstream: 404 },
  );
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
  wire: Wire,
  site: Site,
  planned: PreparedSchema,
  { sending, made }: { readonly sending: (live: boolean) => void; readonly made: Making },
): Promise<SchemaWritten> {
  const { schema, replaces, post: { id } } = planned;
  const now = (await readBridge(wire, id)).post; // last before the write
  requireUnchanged(site, planned.post, now);
  const json = {
    schema,
    ...(replaces ? { entry_id: replaces.entry_id } : {}),
    ...(now.live || now.due !== null ? { allow_published: true } : {}),
  };
  sending(now.live);
  const { entry_id, created } = await asking(
    "seo",
    () => wire.post(`${COMPANION}/seo/schema/${id}`, {}, json, WRITTEN),
  );
  if (created) made({ what: "entry", id: entry_id, name: `structured data of post ${id}` });
  const done = `The structured data of post ${id} was stored as "${entry_id}"`;
  const { entries } = await readBack(wire, done, (after) => readEntries(after, id));
  const stored = entries.find((one) => one.entry_id === entry_id);
  if (stored === undefined || created !== (replaces === null)) {
    throw new GatewayError(
      "E_UPSTREAM",
      `Post ${id}: the site said it stored the structured data as "${entry_id}", but does not show it so; look at it there`,
      { upstream: 502 },
    );
  }
  const result = { post_id: id, status: now.status, entry_id, type: typesOf(schema).join(", "), created };
  if (canonical(stored.schema) === canonical(schema)) return result;
  return {
    ...result,
    warnings: ["schema: the site stored it otherwise than it was sent; look at the post there"],
  };
}

/** JSON whose order of names does not count; PHP takes an empty object for an empty list. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const names = Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1);
    return names.length === 0 ? [] : Object.fromEntries(names);
  });
}
