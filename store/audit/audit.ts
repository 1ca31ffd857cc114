/** The audit log of a store: one chain of segments to write, all chains to read. */
import type { AuditRow, Resolution } from "../../core/model.ts";
import { countDoubts, openRows, resolutionOf, unknownRow } from "./doubt.ts";
import { AuditDays } from "./days.ts";
import { AuditPacker, type Log } from "./packer.ts";
import type { AuditKeys } from "./keys.ts";
import { listRows } from "./list.ts";
import { amountBefore, readAge, readRetention, writeRetention } from "./horizon.ts";
import { countRows, eraseRows, type RowErasure, type RowsErased } from "./erasing.ts";
import { retainAudit } from "./retention.ts";
import { verifyAudit } from "./verify.ts";
import { AuditWriter } from "./writer.ts";
import type { Beside } from "../consent_types.ts";
import type { Database } from "../database.ts";
import type {
  AuditAge,
  AuditAmount,
  AuditPage,
  AuditQuery,
  AuditStore,
  AuditVerdict,
  AuditWaiting,
  DayCount,
  DoubtCount,
  Doubtful,
  RetentionRecord,
  VerifyOptions,
} from "../store.ts";
import { makeFilter } from "./query.ts";
import { chainHash, isErasedLine, parseRow, parseSegment } from "./segment.ts";
import { segmentsOldestFirst } from "./source.ts";

/** The AuditStore of a database. */
export class Audit implements AuditStore {
  readonly #db: Database;
  readonly #keys: AuditKeys;
  readonly #packer: AuditPacker;
  readonly #writer: AuditWriter;
  readonly #days: AuditDays;

  /** The keys prove what is written, and judge what is verified. */
  constructor(db: Database, keys: AuditKeys, log?: Log) {
    this.#db = db;
    this.#keys = keys;
    this.#days = new AuditDays(db);
    this.#writer = new AuditWriter(db, keys, (segments) => this.#packer.add(segments));
    this.#packer = new AuditPacker(db, { chain: this.#writer, keys, log });
    this.#packer.catchUp();
  }

  append(row: AuditRow, beside?: readonly Beside[]): Promise<void> {
    return this.#writer.append(row, beside);
  }

  get waiting(): AuditWaiting {
    return this.#writer.waiting;
  }

  open(): AsyncIterable<Doubtful> {
    return openRows(this.#db);
  }

  async unknown(id: string): Promise<Doubtful | null> {
    return await unknownRow(this.#db, id);
  }

  async resolution(id: string): Promise<Resolution | null> {
    return await resolutionOf(this.#db, id);
  }

  async settle({ mark }: Doubtful, row: AuditRow, beside?: readonly Beside[]): Promise<boolean> {
    return await this.#writer.appendIf(mark, row, beside);
  }

  async days(count: number): Promise<DayCount[]> {
    return await this.#days.counts(this.#db.now(), count);
  }

  async doubts(): Promise<DoubtCount> {
    return await countDoubts(this.#db);
  }

  async list(query: AuditQuery, page: { limit: number; cursor?: string }): Promise<AuditPage> {
    return await listRows(this.#db, query, page);
  }

  export(query: AuditQuery): AsyncIterable<string> {
    return exportAudit(this.#db, query);
  }

  async verify(options?: VerifyOptions): Promise<AuditVerdict> {
    await this.#packer.setHead().catch(() => {});
    return await verifyAudit(this.#db, this.#keys, options);
  }

  async retain(before: Date, renew = () => Promise.resolve(true)): Promise<AuditAmount> {
    return await retainAudit(this.#db, this.#keys, before, renew);
  }

  async amount(before: Date): Promise<AuditAmount> {
    return await amountBefore(this.#db, before);
  }

  async age(before: Date): Promise<AuditAge> {
    return await readAge(this.#db, before);
  }

  async retention(): Promise<RetentionRecord> {
    return await readRetention(this.#db);
  }

  async setRetention(patch: Partial<RetentionRecord>): Promise<void> {
    await writeRetention(this.#db, patch);
  }

  /** Erases rows, those that are not packed yet included; answers how much went. */
  async erase(erasure: Omit<RowErasure, "append">): Promise<RowsErased> {
    await this.#writer.settle();
    await this.#packer.packAll();
    return await eraseRows(this.#db, this.#keys, { ...erasure, append: (row) => this.append(row) });
  }

  /** How many rows of those that are packed would go. */
  async erasable(erasure: Pick<RowErasure, "needles" | "judge">): Promise<RowsErased> {
    await this.#writer.settle();
    await this.#packer.packAll();
    return await countRows(this.#db, this.#keys, erasure);
  }

  async flush(): Promise<void> {
    await this.#writer.settle();
    await this.#packer.flush();
  }

  /** Takes no more entries and flushes; what cannot be indexed now is left to the next opened store. */
  async close(): Promise<void> {
    await this.#writer.close();
    await this.#packer.close().catch(() => {});
  }
}

/**
 * Yields a segment's line and then its entries as they are stored, intents and outcomes, each with its line end. With
 * a query, only matching entries and the segments that hold them. What cannot be read is a line with a `fault`.
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
      if (parseRow(line) !== null || isErasedLine(line)) return [line];
      return [JSON.stringify({ segment: id, row: index + 1, fault: "This row cannot be read" })];
    });
    if (filter.selective && entries.length === 0) continue;
    const { writer, n, prev, erased, proof } = segment;
    const head = {
      segment: segment.segment,
      writer,
      n,
      prev,
      ...proof && { key: proof.key },
      ...erased !== undefined && { erased },
      hash: chainHash(segment),
    };
    yield `${[JSON.stringify(head), ...entries].join("\n")}\n`;
  }
}
