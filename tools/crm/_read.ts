/** What every tool here begins and ends with: the location, its window, and what is to be said of what was read. */
import { counted } from "../../core/one_line.ts";
import connector from "../../platforms/highlevel/connector.ts";
import type { Crm } from "../../platforms/highlevel/client.ts";
import type { Days } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Location } from "../../platforms/highlevel/reader.ts";
import type { ToolContext } from "../../registry/tool.ts";
import { type DataHead, headed } from "../../rules/data_head.ts";
import { periodOf, shown, type WindowArgs, windowOf } from "./_window.ts";

/** What the tools need of a context. */
export type Context = Pick<ToolContext, "use" | "now" | "progress">;

/** What is to be said of figures, a sentence each, and whether something that belongs to them is left out. */
export class Notes {
  readonly #said = new Set<string>();
  #whole = true;
  #dated = true;

  /** The sentences, each once. */
  get all(): readonly string[] {
    return [...this.#said];
  }

  /** Whether nothing that belongs to the figures is left out, so that they can be compared. */
  get whole(): boolean {
    return this.#whole;
  }

  /** Whether there is nothing, either, of which it is not known to which window it belongs. */
  get complete(): boolean {
    return this.#whole && this.#dated;
  }

  /** Says something of the figures. */
  say(...sentences: readonly string[]): void {
    for (const one of sentences) this.#said.add(one);
  }

  /** Says what is left out of the figures though it belongs to them. */
  lack(sentence: string): void {
    this.#whole = false;
    this.say(sentence);
  }

  /** Says how much has no date: it is left out of every window alike, and windows can be compared all the same. */
  undated(sentence: string): void {
    this.#dated = false;
    this.say(sentence);
  }

  /** Takes over what was said of a part, with what it means for the whole; `told` is how it says it. */
  addPart(part: Notes, told: (sentence: string) => string): void {
    this.#whole &&= part.#whole;
    this.#dated &&= part.#dated;
    this.say(...part.all.map(told));
  }
}

/** A call that reads a location. */
export interface Call {
  readonly client: Crm;
  readonly now: number;
  readonly notes: Notes;
}

/** A location to be counted over some days. */
export interface Reading extends Call {
  readonly location: Location;
  readonly days: Days;
}

/** Begins a call of a tool without a window; each page it reads is reported. */
export async function open(ctx: Context): Promise<Call> {
  const client = await ctx.use(connector);
  const reporting = client.reporting((done, total, message) => ctx.progress(done, total, message));
  return { client: reporting, now: ctx.now(), notes: new Notes() };
}

/**
 * Begins a reading; `requests` is how much it may ask where that is not the usual, `isExact` whether rows are kept by their
 * own time, so that the window is not widened to whole days.
 */
export async function begin(
  ctx: Context,
  args: WindowArgs & { readonly otherwise: number },
  requests?: number,
  isExact = false,
): Promise<Reading> {
  const call = await open(ctx);
  const client = requests === undefined ? call.client : call.client.within(requests);
  const location = await client.location();
  const now = ctx.now();
  const { days, notes } = windowOf(args, location.timezone, now, isExact);
  call.notes.say(...location.note === null ? [] : [location.note], ...notes);
  return { ...call, client, location, days, now };
}

/** What of an answer's head a tool knows by itself; nothing is cut and there is no money where it says nothing. */
export type Told = Partial<Pick<DataHead, "currency" | "truncated" | "next">>;

/** Up to when the CRM was read: the beginning of the call, or of an earlier one within a minute whose pages it took over. */
export const readUntil = ({ client, now }: Call): number => Math.min(now, client.budget.oldest ?? now);

/** Whether the window was over when it was read; notes where it was not. */
export function noteEnd(reading: Reading): boolean {
  const { days, notes } = reading;
  const isOver = days.to <= readUntil(reading);
  if (!isOver) notes.say(`The window ends on ${days.last}, which is not over: its numbers can still change`);
  return isOver;
}

/** An answer of a tool with a window. */
export function answer<Body extends object>(reading: Reading, body: Body, told: Told = {}) {
  const { location, days, notes } = reading;
  const isOver = noteEnd(reading);
  return headed({
    period: periodOf(days),
    complete: isOver && notes.complete,
    fresh_until: new Date(readUntil(reading)).toISOString(),
    notes: notes.all,
    ...told,
  }, { location_id: location.id, window: shown(days), ...body } as object);
}

/** An answer of a tool whose rows have no window: of what is there now. */
export function timeless<Body extends object>(call: Call, body: Body, told: Told & Partial<DataHead> = {}) {
  const { client, notes } = call;
  return headed({
    period: null,
    complete: notes.complete,
    fresh_until: new Date(readUntil(call)).toISOString(),
    notes: notes.all,
    ...told,
  }, { location_id: client.wire.location, window: null, ...body } as object);
}

/** Why no more was asked, as a part of a sentence. */
export function reasonOf({ budget }: Crm): string {
  switch (budget.stopped) {
    case "time":
      return "the time of the call was used up";
    case "day":
      return "the location's requests of the day are used up";
    default:
      return `${budget.who} asks the CRM at most ${budget.limit} times`;
  }
}

/** Whether rows hold all of a window: they are all there are, or stand newest first and go back beyond it. */
export function covers<T>(
  { rows, complete }: Pick<Rows<T>, "rows" | "complete">,
  at: (row: T) => number | null,
  { from }: Pick<Days, "from">,
): boolean {
  if (complete) return true;
  const times = rows.map(at).filter((one) => one !== null);
  const isNewestFirst = times.every((one, index) => index === 0 || one <= times[index - 1]!);
  return isNewestFirst && times.length > 0 && times.at(-1)! < from;
}

/** Notes what is wrong with rows; `meaning` says what it means for the numbers that not all were read. */
export function noteRows(
  { client, notes }: Call,
  noun: string,
  { rows, total, dropped, complete, round }: Rows<unknown>,
  meaning: string,
): void {
  const found = rows.length + dropped;
  if (!complete) {
    const of = total === null ? "" : ` of ${total}`;
    notes.lack(`Only ${rows.length}${of} ${noun} were read, because ${reasonOf(client)}: ${meaning}`);
  } else if (total !== null && total < found) notes.say(countsOtherwise(noun, total, found));
  noteShort(notes, noun, { rows, total, dropped, complete, round });
  noteDropped(notes, dropped, `row of the ${noun}`, `rows of the ${noun}`);
}

const countsOtherwise = (noun: string, total: number, found: number) =>
  `The CRM counts ${total} ${noun}, but its pages held ${found} different ones, which are counted here`;

/** Whether pages came to their end before they held as many rows as the CRM counts, or came round again. */
export function isShort({ rows, dropped, total, complete, round = false }: Rows<unknown>): boolean {
  return complete && (total === null ? round : total > rows.length + dropped);
}

/** Notes where pages are short. */
export function noteShort(notes: Notes, noun: string, found: Rows<unknown>): void {
  if (!isShort(found)) return;
  const { rows, dropped, total } = found;
  notes.lack(
    total === null
      ? `The CRM's pages of ${noun} came round again: what stands behind them is left out`
      : countsOtherwise(noun, total, rows.length + dropped),
  );
}

/** Notes how many rows could not be read. */
export function noteDropped(notes: Notes, dropped: number, one: string, more?: string): void {
  if (dropped === 0) return;
  notes.lack(`${counted(dropped, one, more)} could not be read and ${dropped === 1 ? "is" : "are"} left out`);
}

/** Notes how many rows have no date, and so belong to no window. */
export function noteUndated(notes: Notes, noun: string, count: number): void {
  if (count === 0) return;
  const [has, is] = count === 1 ? ["has", "is"] : ["have", "are"];
  notes.undated(`${counted(count, "row")} of the ${noun} ${has} no date and ${is} left out`);
}
