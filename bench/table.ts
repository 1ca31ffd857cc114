/** The tables of RESULTS.md: how one is written, and how it takes the place of its elder. */

/** One measured row beside what it is measured by; every cell is ready to be read. */
export interface Line {
  readonly name: string;
  readonly figure: string;
  readonly beside: string;
  /** Empty where nothing is aimed at. */
  readonly aim: string;
}

/** A table of Markdown, its columns in line. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, at) => Math.max(3, ...[head, ...rows].map((row) => row[at]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** The table of such rows. */
export function lines(rows: readonly Line[]): string {
  const head = ["", "figure", "beside it", "aim"];
  return table(head, rows.map(({ name, figure, beside, aim }) => [name, figure, beside, aim]));
}

/** The document with `text` between its marks `<!-- part -->` and `<!-- end of part -->`. Throws where it lacks them. */
export function replaced(document: string, part: string, text: string): string {
  const [begin, end] = [`<!-- ${part} -->`, `<!-- end of ${part} -->`];
  const [from, to] = [document.indexOf(begin), document.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`RESULTS.md has no place between ${begin} and ${end}`);
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`;
}

/** Milliseconds as they are shown. */
export const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
