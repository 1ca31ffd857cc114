/** The few sums that every metric is made of. */
import { DECIMALS, type Money, moneyOf } from "../../core/money.ts";
import { rounded } from "../../core/rounded.ts";

/** A share, rounded to four places; null where there is nothing to have a share of. */
export const rate = (part: number, whole: number): number | null =>
  whole === 0 ? null : rounded(part / whole);

/** The sum of a number of each, rounded so that no order of adding shows. */
export const sum = <T>(rows: readonly T[], of: (row: T) => number): number =>
  rounded(rows.reduce((total, row) => total + of(row), 0));

/** How many rows have each value, the values in alphabetical order. */
export function countBy<T>(rows: readonly T[], of: (row: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => a < b ? -1 : 1));
}

/** The middle value, the mean of the two in the middle of an even number; null of none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return rounded(sorted.length % 2 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2);
}

/** Amounts of a row as money, by their names; the CRM's are whole units (docs/upstreams/highlevel.md, "Amounts"). */
export const moneyIn = <Name extends string>(
  row: Readonly<Record<Name, number | null>>,
  names: readonly Name[],
  currency: string | null,
): Readonly<Record<Name, Money | null>> =>
  Object.fromEntries(names.map((name) => [name, moneyOf(row[name], DECIMALS.whole, currency)])) as Record<
    Name,
    Money | null
  >;
