/** Custom schema of a CMS site through the companion plugin: entries read, and the value of one changed. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import { isFields, type StructuredData } from "../../../rules/structured_data.ts";
import type { Configured } from "../../connector.ts";
import { together } from "../../../lib/async.ts";
import { asking, COMPANION, readCompanion } from "../companion/plugin.ts";
import { readBack } from "../rest/read_back.ts";
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
import type { Wire } from "../rest/wire.ts";

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
  /** What is sent, and the whole value as it would stand then. */
  readonly value: StructuredData;
  readonly after: StructuredData;
}

/** A change as this platform planned it. */
interface CmsPlan extends PlannedEntry {
  readonly record: EntryRecord;
}

/** Entries of custom schema. Every method throws E_SCHEMA_BRIDGE_REQUIRED, E_UPSTREAM. */
export interface SchemaClient {
  list(query: EntriesQuery): Promise<EntryList>;
  read(id: number): Promise<SchemaEntry>;
  /** Reads only: refuses a value that does not fit the entry as it is now (E_BAD_INPUT, E_PAYLOAD_TOO_LARGE). */
  prepare(id: number, value: StructuredData): Promise<PlannedEntry>;
  /** Refuses an entry that is not as it was planned for any more (E_BAD_INPUT, E_FORBIDDEN_OP). */
  write(plan: PlannedEntry): Promise<SchemaEntry>;
}

/** The schema plugin that keeps schema page by page; in any other an entry is a setting for many pages. */
const PAGE_BY_PAGE = "rankmath";

/** Proves the plugin, its version and that something keeps custom schema; answers how far an entry reaches. */
async function readBridge(wire: Wire): Promise<Scope> {
  const { features } = await readCompanion(wire, "schema");
  if (features.schema_bridge?.active === false) {
    throw new GatewayError(
      "E_SCHEMA_BRIDGE_REQUIRED",
      "The site has the companion plugin, but no active plugin that keeps custom schema; activate Schema Pro or Rank " +
        "Math there",
    );
  }
  return features.schema_bridge?.provider === PAGE_BY_PAGE ? "page" : "global";
}

async function readEntry(wire: Wire, id: number): Promise<EntryRecord> {
  const { data } = await asking("schema", () => wire.get(`${COMPANION}/schema/entries/${id}`, {}, ENTRY));
  if (data.post_id === id) return data;
  throw failed(
    `The site was asked for the schema entry ${id} and answered ${data.post_id}; look at it there`,
  );
}

async function list(wire: Wire, { needle, page, per_page }: EntriesQuery): Promise<EntryList> {
  const query = { needle, page, per_page };
  const [, got] = await together(
    readBridge(wire),
    asking("schema", () => wire.get(`${COMPANION}/schema/entries`, query, ENTRIES)),
  );
  const { entries, total } = got.data;
  return { entries: entries.map(shown), page, per_page, total, total_pages: Math.ceil(total / per_page) };
}

async function read(wire: Wire, id: number): Promise<SchemaEntry> {
  const [, record] = await together(readBridge(wire), readEntry(wire, id));
  return shown(record);
}

async function prepare(wire: Wire, id: number, given: StructuredData): Promise<CmsPlan> {
  const [scope, record] = await together(readBridge(wire), readEntry(wire, id));
  const value = fitting(record, scope, given);
  const after = isFields(record.value) && isFields(value) ? { ...record.value, ...value } : value;
  const targets = targetNames(record.targets);
  return { entry: shown(record), record, scope, live: isLive(record), targets, value, after };
}

async function write(
  wire: Wire,
  { record: before, scope, live, value, after }: CmsPlan,
): Promise<SchemaEntry> {
  const id = before.post_id;
  requireUnchanged(before, await readEntry(wire, id), scope); // last before the write
  const json = {
    value,
    expect_value_type: before.value_type,
    ...scope === "page" && live ? { allow_published: true } : {},
  };
  const answer = z.object({ post_id: z.literal(id) });
  await asking("schema", () => wire.post(`${COMPANION}/schema/entries/${id}`, {}, json, answer));
  const now = await readBack(wire, `Entry ${id} was written`, (after) => readEntry(after, id));
  requireKept(before, now, after);
  return shown(now);
}

/** Throws E_SCHEMA_BRIDGE_REQUIRED where the site's SEO channel is not `plugin`. */
export function assertSchemaBridge({ site }: Configured): void {
  if (!site || site.seo.channel === "plugin") return;
  throw new GatewayError(
    "E_SCHEMA_BRIDGE_REQUIRED",
    `Custom schema of "${site.id}" is reached through the companion plugin alone, and the site's SEO channel is ` +
      `"${site.seo.channel}"; an operator sets it with deno task admin site update ${site.id} --seo channel=plugin`,
  );
}

/** The entries of the site that wire leads to. */
export function structuredDataOf(wire: Wire): SchemaClient {
  return {
    list: (query) => list(wire, query),
    read: (id) => read(wire, id),
    prepare: (id, value) => prepare(wire, id, value),
    write: (plan) => write(wire, plan as CmsPlan),
  };
}
