/** Exporting the audit as NDJSON, oldest first, with the hashes of its chains. */
import { makeFilter } from "./audit_query.ts";
import { parseRow, parseSegment, segmentHash } from "./audit_segment.ts";
import { segmentsOldestFirst } from "./audit_source.ts";
import type { Database } from "./database.ts";
import type { AuditQuery } from "./store.ts";

/**
 * Yields a segment's line and then its entries as they are stored, intents and outcomes, each with its line end. With
 * a query, only matching entries and the segments they stand in. What cannot be read is a line with a `fault`.
 */
export async function* exportAudit(db: Database, query: AuditQuery): AsyncGenerator<string> {
  const filter = makeFilter(query);
  for await (const { id, value } of segmentsOldestFirst(db, filter)) {
    const segment = parseSegment(value);
    if (segment === null) {
      yield `${JSON.stringify({ segment: id, fault: "This segment cannot be read" })}\n`;
      continue;
    }
    const entries = segment.lines.flatMap((line, index) => {
      if (filter.selective) return filter.pick(line) === null ? [] : [line];
      if (parseRow(line) !== null) return [line];
      return [JSON.stringify({ segment: id, row: index + 1, fault: "This row cannot be read" })];
    });
    if (filter.selective && entries.length === 0) continue;
    const { writer, n, prev } = segment;
    const hash = segmentHash(segment.bytes);
    yield `${[JSON.stringify({ segment: segment.segment, writer, n, prev, hash }), ...entries].join("\n")}\n`;
  }
}
