/** The terminal of the command line: what it is given of the machine, how it ends, and records as text for people. */

/** Something the operator must put right; shown without a trace, exit code 1. */
export class CommandError extends Error {}

/** What the command line is given of the machine. */
export interface Terminal {
  readonly env: (name: string) => string | undefined;
  /** Standard input to its end, or one line of it where a person types. */
  readonly stdin: () => Promise<string>;
  readonly out: (text: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  /** Shows how far a command is, where a person looks on; left out where nobody does. */
  readonly status?: (text: string) => void;
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Writes a text into a new file in that folder of data/, named by the time, for its owner alone; answers its path. */
  readonly keep?: (folder: string, text: string) => Promise<string>;
  /** The text of a file. Rejects as the machine does. */
  readonly read: (file: string) => Promise<string>;
  /** A secret as `dev` and `demo` keep it, or null. */
  readonly kept: (name: "MASTER_TOKEN" | "ENCRYPTION_KEYS") => string | null;
  /** Waits; false when it is time to stop. */
  readonly wait: (ms: number) => Promise<boolean>;
}

/** A record as it came over the wire. */
export type Fields = Readonly<Record<string, unknown>>;

/** A value on one line: lists with commas, nothing as "-", control characters escaped (they could drive a terminal). */
export function cell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(cell).join(",");
  if (typeof value === "object") {
    const set = Object.entries(value).filter(([, inner]) => inner !== false && inner !== null);
    return set.map(([name, inner]) => inner === true ? name : `${name}=${cell(inner)}`).join(",") || "-";
  }
  return String(value).replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`,
  );
}

/** Rows under the names of their columns; a sentence where there are none. */
export function table(rows: readonly Fields[], columns: readonly string[]): string {
  if (rows.length === 0) return "None.\n";
  const lines = [columns, ...rows.map((row) => columns.map((column) => cell(row[column])))];
  const widths = columns.map((_, at) => Math.max(...lines.map((line) => line[at]!.length)));
  return lines.map((line) => line.map((text, at) => text.padEnd(widths[at]!)).join("  ").trimEnd() + "\n")
    .join("");
}

/** One record, a field a line. */
export function sheet(record: Fields): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record).map(([name, value]) => `${name.padEnd(width)}  ${cell(value)}\n`).join("");
}
