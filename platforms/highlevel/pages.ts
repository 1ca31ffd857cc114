/** Pages of rows: read one after the other until there are no more, each row counted once, and how far that is. */
import type { z } from "zod";
import { unreadable } from "./refusals.ts";

/** Rows of one page. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** Rows that could not be read. */
  readonly dropped: number;
  /** How many there are in all, as the CRM counts them; null where it does not say. */
  readonly total: number | null;
  /** Where the next page begins; null where there is certainly none. */
  readonly next: string | null;
  /** Whether the page says, or shows by holding fewer rows than were asked for, that it may be the last. */
  readonly last: boolean;
}

/** All rows that could be read. */
export interface Rows<T> {
  readonly rows: readonly T[];
  readonly total: number | null;
  readonly dropped: number;
  /** Whether these are all there are; false where the call's requests, its time or `most` came first. */
  readonly complete: boolean;
  /** Whether the last page names one behind it, and holds nothing that no earlier one held: the pages came round again. */
  readonly round?: boolean;
}

/** The list under that name in an answer, each row read; throws E_UPSTREAM where there is none. */
export function rowsOf<T>(
  json: unknown,
  name: string,
  shape: z.ZodType<T>,
): { rows: T[]; dropped: number } {
  const list = (json as Record<string, unknown>)[name];
  if (!Array.isArray(list)) throw unreadable(`no list of ${name}`);
  return readRows(list, shape);
}

/** The rows of a list that can be read, and how many cannot. */
export function readRows<T>(list: readonly unknown[], shape: z.ZodType<T>): { rows: T[]; dropped: number } {
  const rows = list.flatMap((one) => {
    const read = shape.safeParse(one);
    return read.success ? [read.data] : [];
  });
  return { rows, dropped: list.length - rows.length };
}

/** A whole number that the CRM tells as a count; null for anything else. */
export function count(value: unknown): number | null {
  return Number.isInteger(value) && (value as number) >= 0 ? value as number : null;
}

/** What is collected, for whoever follows the call. */
export interface Collecting {
  readonly noun: string;
  readonly progress: Progress;
  /** The most rows that are wanted. */
  readonly most?: number;
}

/**
 * Reads pages until one is the last and as many rows were seen as the CRM counts, one brings nothing new, or there are
 * `most` rows. `ask` answers null where nothing more may be asked.
 */
export async function collect<T extends { readonly id: string }>(
  { noun, progress, most = Infinity }: Collecting,
  ask: (cursor: string | null) => Promise<Page<T> | null>,
): Promise<Rows<T>> {
  const seen = new Map<string, T>();
  let total: number | null = null;
  let dropped = 0;
  let cursor: string | null = null;
  for (;;) {
    const page: Page<T> | null = await ask(cursor);
    if (page === null) return { rows: [...seen.values()], total, dropped, complete: false };
    const before = seen.size;
    for (const row of page.rows) if (!seen.has(row.id)) seen.set(row.id, row);
    total = page.total ?? total;
    dropped += page.dropped;
    const found = page.rows.length + page.dropped;
    if (cursor === null && total !== null && found > 0 && page.next !== null) {
      progress.expect(Math.ceil(Math.min(total, most) / found));
    }
    progress.read(`${seen.size}${total === null ? "" : ` of ${total}`} ${noun}`);
    const over = page.next === null || page.next === cursor || seen.size === before ||
      (page.last && seen.size + dropped >= (total ?? 0));
    if (over || seen.size >= most) {
      const complete = seen.size <= most && (over || (total !== null && seen.size + dropped >= total));
      const round = page.next !== null && !page.last && found > 0;
      return { rows: [...seen.values()].slice(0, most), total, dropped, complete, round: over && round };
    }
    cursor = page.next;
  }
}

/** Told so many pages were read, of so many where that is known, and what was read. */
export type Report = (done: number, total: number | undefined, message: string) => void;

/** The pages of one call. */
export class Progress {
  #done = 0;
  #ahead = 0;

  constructor(private readonly report: Report = () => {}) {}

  /** So many more pages are known to come. */
  expect(pages: number): void {
    this.#ahead += Math.max(0, pages);
  }

  /** A page was read, or was known already. */
  read(message: string): void {
    this.#done++;
    if (this.#ahead > 0) this.#ahead--;
    this.report(this.#done, this.#ahead > 0 ? this.#done + this.#ahead : undefined, message);
  }
}
