/** The jobs, and what was noted of a run: a line of JSON for each request. */
import { load } from "js-yaml";

/** The ways a gateway is shown to a player. */
export const MODES = ["plain", "site", "search"] as const;

/** A job as jobs.yaml has it. */
export interface Job {
  readonly id: string;
  /** The site that the address names in site mode. */
  readonly site: string;
  readonly ask: string;
  readonly needs: string;
  readonly done: string;
}

/** Figures of all jobs together. */
export interface Totals {
  readonly calls: number;
  readonly wasted: number;
  readonly in?: number;
  readonly out: number;
  readonly list?: number;
  readonly whole?: number;
}

interface Of {
  readonly at: string;
  readonly job: string;
  readonly mode: string;
}

/** A call; tokens `in` are those of its arguments, `out` those of its answer. */
export interface Called {
  readonly kind: "call";
  readonly tool: string;
  readonly arguments: unknown;
  readonly in: number;
  readonly out: number;
  /** The code of an answer that is an error. */
  readonly error: string | null;
  /** What somebody marked afterwards: why it was wasted, or that it was not. */
  readonly mark?: string;
}

/** A row of `calls.jsonl`. */
export type Note =
  & Of
  & (
    | Called
    | { readonly kind: "list"; readonly out: number }
    | {
      readonly kind: "done";
      readonly answer: string;
      readonly whole: boolean;
      readonly lacks: readonly string[];
    }
  );

interface Jobs {
  readonly jobs: readonly Job[];
  readonly before: Totals;
  readonly aim: Totals;
}

/** The whole of jobs.yaml. */
export async function jobsFile(): Promise<Jobs> {
  return load(await Deno.readTextFile(new URL("jobs.yaml", import.meta.url))) as Jobs;
}

/** The jobs. */
export const jobs = async () => (await jobsFile()).jobs;

const path = (folder: string) => `${folder}/calls.jsonl`;

/** Adds a row to those of a run. */
export function note(folder: string, row: Note): Promise<void> {
  return Deno.writeTextFile(path(folder), `${JSON.stringify(row)}\n`, { append: true });
}

/** The rows of a run, oldest first; none where nobody has played. */
export async function notes(folder: string): Promise<Note[]> {
  try {
    const text = await Deno.readTextFile(path(folder));
    return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return [];
    throw thrown;
  }
}

/** Writes the rows of a run anew. */
export function rewrite(folder: string, rows: readonly Note[]): Promise<void> {
  return Deno.writeTextFile(path(folder), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}
