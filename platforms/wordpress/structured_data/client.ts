/** Custom schema of a CMS site through the companion plugin: entries read, and the value of one changed. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import type { StructuredData } from "../../../rules/structured_data.ts";
import { allOrThrow } from "../../../core/async.ts";
import { isFields } from "../../../core/values.ts";
import type { SiteContext } from "../../_connector/connector.ts";
import { asking, COMPANION, readCompanion } from "../companion/plugin.ts";
import { editingWarnings, type PartHashes } from "../companion/guarded.ts";
import { STORED_ROWS, type StoredRows } from "../companion/stored_rows.ts";
import { readTold, writeTold } from "../companion/guarded_routes.ts";
import { readBack } from "../rest/writer.ts";
import {
  ENTRY,
  type EntryRecord,
  failed,
  fitting,
  isLive,
  requireKept,
  requireUnchanged,
  type SchemaEntry,
  type Scope,
  shown,
  targetNames,
} from "./entries.ts";
import { WordPressClient } from "../rest/wordpress_client.ts";
import { scopeOf } from "../seo/row_plans.ts";
import { rankMathWarnings } from "../seo/schema_output.ts";

/** An entry with who keeps it. */
const TOLD = z.object({ provider: z.string(), stored: STORED_ROWS }).and(ENTRY)
  .transform(({ provider, stored, ...entry }) => ({ provider, stored, entry: entry as EntryRecord }));
const ENTRIES = z.object({ entries: z.array(ENTRY), total: z.number().int().nonnegative() });

/** Which entries to list. */
export interface EntriesQuery {
  readonly needle?: string;
  readonly page: number;
  readonly per_page: number;
}

/** A page of entries. */
export interface EntryList {
  readonly entries: readonly SchemaEntry[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number;
  readonly total_pages: number;
}

/** A change as it was found possible, and what it would change. */
export interface PlannedEntry {
  readonly entry: SchemaEntry;
  readonly scope: Scope;
  /** Whether visitors see the entry. */
  readonly live: boolean;
  /** Names of what it targets, as its plugin notes them; those left out with a "not". */
  readonly targets: readonly string[];
  /** What is sent, and the whole value as it would be stored then. */
  readonly value: StructuredData;
  readonly after: StructuredData;
  /** Of an entry of one page, what its visitors get of the change: a thing for each name that was given. */
  readonly things: readonly unknown[];
  /** What a person should know before approving it, a sentence each. */
  readonly warnings: readonly string[];
  /** The rows that hold the entry; nothing where the site does not tell. */
  readonly stored?: StoredRows | undefined;
}

/** A change as this platform planned it. */
interface CmsPlan extends PlannedEntry {
  readonly record: EntryRecord;
  /** What a guarded write expects to find; nothing where the site has none. */
  readonly hashes?: PartHashes;
}

/** An entry, how far it reaches, and what the plugin's guard tells of it where there is one. */
type Found = Pick<CmsPlan, "record" | "scope" | "hashes" | "stored"> & {
  readonly warnings: readonly string[];
};

/** An entry after a write, with the rows that hold it. */
export interface WrittenEntry {
  readonly entry: SchemaEntry;
  /** What else was changed with it that nobody approved, a sentence each. */
  readonly differences: readonly string[];
  readonly stored?: StoredRows | undefined;
}

/** Entries of custom schema. Every method throws E_SCHEMA_BRIDGE_REQUIRED, E_UPSTREAM. */
export interface StructuredDataClient {
  list(query: EntriesQuery): Promise<EntryList>;
  read(id: number): Promise<SchemaEntry>;
  /** Reads only: refuses a value that does not fit the entry as it is now (E_BAD_INPUT, E_PAYLOAD_TOO_LARGE). */
  prepare(id: number, value: StructuredData): Promise<PlannedEntry>;
  /** Refuses an entry that is not as it was planned for any more (E_BAD_INPUT, E_FORBIDDEN_OP). */
  write(plan: PlannedEntry): Promise<WrittenEntry>;
  /** The page caches that were asked to drop what this client wrote. */
  cachesAsked(): readonly string[];
}

/** Proves the plugin, its version and that something keeps custom schema; answers how far an entry reaches. */
async function readBridge(wire: WordPressClient): Promise<Scope> {
  const { features } = await readCompanion(wire, "schema");
  if (features.schema_bridge?.active === false) {
    throw new GatewayError(
      "E_SCHEMA_BRIDGE_REQUIRED",
      "The site has the companion plugin, but no active plugin that keeps custom schema; activate Schema Pro or Rank " +
        "Math there",
    );
  }
  return scopeOf(features.schema_bridge?.provider);
}

const guardedEntry = (id: number) => ({ path: `schema/entries/${id}`, part: "schema", state: TOLD }) as const;

/** An entry with all that its change needs, in one request where the plugin is new enough. */
async function find(wire: WordPressClient, id: number): Promise<Found> {
  const told = await readTold(wire, guardedEntry(id));
  if (told === null) {
    const [scope, record] = await allOrThrow(readBridge(wire), readEntry(wire, id));
    return { scope, record, warnings: [] };
  }
  const { state: { entry, provider, stored }, hashes, editing } = told;
  return {
    record: asked(id, entry),
    scope: scopeOf(provider),
    hashes,
    stored,
    warnings: editingWarnings(editing),
  };
}

function asked(id: number, entry: EntryRecord): EntryRecord {
  if (entry.post_id === id) return entry;
  throw failed(
    `The site was asked for the schema entry ${id} and answered ${entry.post_id}; look at it there`,
  );
}

async function readEntry(wire: WordPressClient, id: number): Promise<EntryRecord> {
  const { data } = await asking("schema", () => wire.get(`${COMPANION}/schema/entries/${id}`, {}, ENTRY));
  return asked(id, data);
}

async function list(wire: WordPressClient, { needle, page, per_page }: EntriesQuery): Promise<EntryList> {
  const query = { needle, page, per_page };
  const [, got] = await allOrThrow(
    readBridge(wire),
    asking("schema", () => wire.get(`${COMPANION}/schema/entries`, query, ENTRIES)),
  );
  const { entries, total } = got.data;
  return { entries: entries.map(shown), page, per_page, total, total_pages: Math.ceil(total / per_page) };
}

async function read(wire: WordPressClient, id: number): Promise<SchemaEntry> {
  return shown((await find(wire, id)).record);
}

async function prepare(wire: WordPressClient, id: number, given: StructuredData): Promise<CmsPlan> {
  const { record, scope, ...found } = await find(wire, id);
  const value = fitting(record, scope, given);
  const after = isFields(record.value) && isFields(value) ? { ...record.value, ...value } : value;
  const targets = targetNames(record.targets);
  const things = scope === "page" && isFields(value) && isFields(after)
    ? Object.keys(value).map((name) => [name, after[name]] as const)
    : [];
  const printed = things.flatMap(([name, thing]) =>
    isFields(thing) ? rankMathWarnings(thing, `value.${name}`) : []
  );
  return {
    ...{ entry: shown(record), record, scope, live: isLive(record), targets, value, after },
    ...found,
    things: things.map(([, thing]) => thing),
    warnings: [...found.warnings, ...printed],
  };
}

/** Beside its title, which says nothing of what is replaced. */
const DEPENDS_ON = ["status", "type", "value_type", "value", "targets", "provider"];

async function write(wire: WordPressClient, plan: CmsPlan): Promise<WrittenEntry> {
  const { record: before, scope, live, value, after, hashes } = plan;
  const id = before.post_id;
  const json = {
    value,
    expect_value_type: before.value_type,
    ...scope === "page" && live ? { allow_published: true } : {},
  };
  const answer = z.object({ post_id: z.literal(id) });
  const dependsOn = hashes && { hashes, names: DEPENDS_ON, what: `entry ${id}` };
  const done = dependsOn && await writeTold(wire, guardedEntry(id), dependsOn, json, answer);
  let now = done?.state.entry;
  if (now === undefined) {
    requireUnchanged(before, await readEntry(wire, id), scope); // last before the write
    await asking("schema", () => wire.post(`${COMPANION}/schema/entries/${id}`, {}, json, answer));
    now = await readBack(wire, `Entry ${id} was written`, (later) => readEntry(later, id));
  }
  requireKept(before, now, after);
  return { entry: shown(now), stored: done?.state.stored, differences: wire.changedElsewhere };
}

/** The entries of the site. */
export function structuredDataOf(ctx: SiteContext): StructuredDataClient {
  const wire = new WordPressClient(ctx);
  return {
    list: (query) => list(wire, query),
    read: (id) => read(wire, id),
    prepare: (id, value) => prepare(wire, id, value),
    write: (plan) => write(wire, plan as CmsPlan),
    cachesAsked: () => wire.cachesAsked,
  };
}
