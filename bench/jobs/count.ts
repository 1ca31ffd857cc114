/** What runs cost, by job and mode: `count.ts <folder>…`, `count.ts rows <folder>`, `count.ts mark <folder> <row> <why>`. */
import { type Called, jobsFile, MODES, type Note, notes, rewrite, type Totals } from "./notes.ts";

type Call = Note & Called;
/** The mark of a call that looks wasted and was not. */
const USED = "ok";

const key = ({ job, mode, tool, arguments: args }: Call) => JSON.stringify([job, mode, tool, args]);
const isCall = (row: Note): row is Call => row.kind === "call";

/** Why a call was wasted; null where it was not. `seen` are the calls before it. */
function wastedBy(call: Call, seen: ReadonlySet<string>): string | null {
  if (call.mark === USED) return null;
  if (call.mark !== undefined) return call.mark;
  if (call.error !== null) return call.error;
  return seen.has(key(call)) ? "a repeat" : null;
}

/** The figures of one job in one mode. */
interface Figures {
  whole: boolean | null;
  lists: number;
  calls: number;
  errors: number;
  repeats: number;
  wasted: number;
  in: number;
  out: number;
}

/** The figures of some rows, which are of one job in one mode. */
function figuresOf(rows: readonly Note[]): Figures {
  const figures: Figures = {
    whole: null,
    lists: 0,
    calls: 0,
    errors: 0,
    repeats: 0,
    wasted: 0,
    in: 0,
    out: 0,
  };
  const seen = new Set<string>();
  for (const row of rows) {
    if (row.kind === "list") figures.lists = row.out;
    else if (row.kind === "done") figures.whole = row.whole;
    else {
      figures.calls++;
      figures.errors += row.error === null ? 0 : 1;
      figures.repeats += seen.has(key(row)) ? 1 : 0;
      figures.wasted += wastedBy(row, seen) === null ? 0 : 1;
      figures.in += row.in;
      figures.out += row.out;
      seen.add(key(row));
    }
  }
  return figures;
}

const number = (value: number) => value.toLocaleString("en");

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

function row(job: string, mode: string, figures: Figures): string {
  const { whole, lists, calls, errors, repeats, wasted } = figures;
  const numbers = [calls, errors, repeats, wasted, figures.in, figures.out, lists].map(number);
  return line([job, mode, whole === null ? "not ended" : whole ? "yes" : "no", ...numbers]);
}

function total(name: string, { whole, calls, wasted, in: into, out, list }: Totals, jobs: number): string {
  const told = (value: number | undefined) => value === undefined ? "" : number(value);
  const done = whole === undefined ? "" : `${whole} of ${jobs}`;
  return line([name, "", done, told(calls), "", "", told(wasted), told(into), told(out), told(list)]);
}

/** The table of all rows, with the figures of the first time and the aim. */
async function table(rows: readonly Note[]): Promise<string> {
  const { jobs, before, aim } = await jobsFile();
  const lines = [
    line([
      "Job",
      "Mode",
      "Whole",
      "Calls",
      "Errors",
      "Repeats",
      "Wasted",
      "Tokens in",
      "Tokens out",
      "Its list",
    ]),
    line(["---", "---", "---", "---:", "---:", "---:", "---:", "---:", "---:", "---:"]),
  ];
  for (const mode of MODES) {
    const played = jobs.flatMap(({ id }) => {
      const own = rows.filter((one) => one.job === id && one.mode === mode);
      return own.length === 0 ? [] : [{ id, figures: figuresOf(own) }];
    });
    if (played.length === 0) continue;
    lines.push(...played.map(({ id, figures }) => row(id, mode, figures)));
    const sum = (of: (figures: Figures) => number) =>
      played.reduce((all, { figures }) => all + of(figures), 0);
    const all = {
      whole: sum(({ whole }) => whole ? 1 : 0),
      calls: sum(({ calls }) => calls),
      wasted: sum(({ wasted }) => wasted),
      in: sum((figures) => figures.in),
      out: sum(({ out }) => out),
      list: Math.max(...played.map(({ figures }) => figures.lists)),
    };
    lines.push(total(`**all, ${mode}**`, all, played.length));
  }
  return [...lines, total("**the first time**", before, jobs.length), total("**aim**", aim, jobs.length)]
    .join("\n");
}

/** The calls with what was wasted of them, and what is lacking of each job. */
function listed(rows: readonly Note[]): string {
  const seen = new Set<string>();
  return rows.map((one, at) => {
    const begin = `${at} ${one.job} ${one.mode}`;
    if (one.kind === "list") return `${begin} list ${one.out}`;
    if (one.kind === "done") return `${begin} done ${one.whole ? "whole" : one.lacks.join("; ")}`;
    const wasted = wastedBy(one, seen);
    seen.add(key(one));
    const args = JSON.stringify(one.arguments);
    const shown = args.length > 160 ? `${args.slice(0, 160)}…` : args;
    return `${begin} ${one.tool} ${shown} ${one.in}/${one.out}${one.error ? ` ${one.error}` : ""}${
      wasted ? ` WASTED: ${wasted}` : ""
    }`;
  }).join("\n");
}

async function mark(folder: string, at: number, why: string): Promise<void> {
  const rows = await notes(folder);
  const one = rows[at];
  if (one === undefined || !isCall(one)) throw new Error(`Row ${at} is no call`);
  rows[at] = { ...one, mark: why };
  await rewrite(folder, rows);
}

if (import.meta.main) {
  const [first, ...rest] = Deno.args;
  const say = (text: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
  if (first === "mark") await mark(rest[0]!, Number(rest[1]), rest[2]!);
  else if (first === "rows") say(listed(await notes(rest[0]!)));
  else say(await table((await Promise.all(Deno.args.map(notes))).flat()));
}
