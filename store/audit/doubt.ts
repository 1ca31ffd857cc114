/** The rows of the audit that wait for an outcome, and those whose outcome is unknown. */
import type { AuditRow, Resolution } from "../../core/model.ts";
import { findSegment } from "./bundle.ts";
import { doubtKey, type DoubtMark, openKey, parseRow, parseSegment } from "./segment.ts";
import type { Database } from "../database.ts";
import type { DoubtCount, Doubtful } from "../store.ts";

const BATCH = 100;

/** The writes without an outcome; what retention dropped meanwhile is left out. */
export async function* openRows(db: Database): AsyncGenerator<Doubtful> {
  for await (
    const { key, value, versionstamp } of db.kv.list({ prefix: openKey("").slice(0, -1) }, {
      batchSize: BATCH,
    })
  ) {
    const row = await entryOf(db, String(value), String(key.at(-1)));
    if (row !== null) yield { row, mark: { key, versionstamp } };
  }
}

/** The row of that id, if its outcome is unknown. */
export async function unknownRow(db: Database, id: string): Promise<Doubtful | null> {
  const { key, value, versionstamp } = await db.kv.get<DoubtMark>(doubtKey(id));
  if (!value?.unknown) return null;
  const row = await entryOf(db, value.segment, id);
  return row === null ? null : { row, mark: { key, versionstamp } };
}

/** What an operator found of the write of that id; null where nobody said, or the row is gone. */
export async function resolutionOf(db: Database, id: string): Promise<Resolution | null> {
  const { value } = await db.kv.get<DoubtMark>(doubtKey(id));
  if (!value || value.unknown) return null;
  return (await entryOf(db, value.segment, id))?.resolution ?? null;
}

/** How many rows are in doubt; a row that is both without an outcome and marked unknown counts once, as unknown. */
export async function countDoubts(db: Database): Promise<DoubtCount> {
  const unknown = new Set<unknown>();
  for await (
    const { key, value } of db.kv.list<DoubtMark>({ prefix: ["audit", "doubt"] }, { batchSize: BATCH })
  ) {
    if (value.unknown) unknown.add(key.at(-1));
  }
  let open = 0;
  for await (const { key } of db.kv.list({ prefix: ["audit", "open"] }, { batchSize: BATCH })) {
    if (!unknown.has(key.at(-1))) open++;
  }
  return { unknown: unknown.size, open };
}

/** The newest entry of a row in a segment. */
async function entryOf(db: Database, segment: string, id: string): Promise<AuditRow | null> {
  const line = parseSegment(await findSegment(db, segment))?.lines.findLast((text) =>
    text.includes(JSON.stringify(id)) && parseRow(text)?.id === id
  );
  return line === undefined ? null : parseRow(line);
}
