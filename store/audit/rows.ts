/** Numbers of rows in a bundle: ascending, kept as gaps and runs, so that a term that every row has costs two bytes. */

/** Rows of each part are counted from such a multiple on: a segment has fewer lines. */
export const PART_ROWS = 2 ** 16;

/** Ascending rows as pairs: the first of a run, and the one after its last. */
export type Runs = readonly number[];

const BITS = 7;
const MORE = 1 << BITS;

/** The rows as bytes: how many are left out, how many follow, and so on. */
export function encodeRows(rows: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  const push = (number: number) => {
    for (; number >= MORE; number >>>= BITS) bytes.push((number & (MORE - 1)) | MORE);
    bytes.push(number);
  };
  let end = 0;
  for (let at = 0; at < rows.length;) {
    const first = rows[at]!;
    const begun = at;
    do at++; while (rows[at] === first + at - begun);
    push(first - end);
    push(at - begun);
    end = first + at - begun;
  }
  return Uint8Array.from(bytes);
}

/** What `encodeRows` wrote; of anything else no rows. */
export function decodeRows(value: unknown): Runs {
  if (!(value instanceof Uint8Array)) return [];
  const runs: number[] = [];
  let at = 0;
  let number = 0;
  let shift = 0;
  for (const byte of value) {
    number |= (byte & (MORE - 1)) << shift;
    shift += BITS;
    if (byte >= MORE) continue;
    runs.push(at += number);
    number = shift = 0;
  }
  return runs;
}

/** The rows that are in both. */
export function commonRows(some: Runs, others: Runs): Runs {
  const both: number[] = [];
  for (let a = 0, b = 0; a < some.length && b < others.length;) {
    const first = Math.max(some[a]!, others[b]!);
    const end = Math.min(some[a + 1]!, others[b + 1]!);
    if (first < end) both.push(first, end);
    if (some[a + 1]! < others[b + 1]!) a += 2;
    else b += 2;
  }
  return both;
}

/** Whether any row of these is at or after `first` and before `end`. */
export function hasRows(runs: Runs, first: number, end: number): boolean {
  for (let at = 0; at < runs.length; at += 2) {
    if (runs[at]! >= end) return false;
    if (runs[at + 1]! > first) return true;
  }
  return false;
}
