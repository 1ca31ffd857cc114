/** What every tool here begins and ends with: the location, its window, and what is to be said of what was read. */
import connector from "../../platforms/highlevel/connector.ts";
import type { Crm } from "../../platforms/highlevel/client.ts";
import type { Days } from "../../platforms/highlevel/days.ts";
import type { Rows } from "../../platforms/highlevel/pages.ts";
import type { Location } from "../../platforms/highlevel/reader.ts";
import type { ToolContext } from "../../registry/tool.ts";
import { many } from "./_numbers.ts";
import { shown, type ShownWindow, type WindowArgs, windowOf } from "./_window.ts";

/** What the tools need of a context. */
export type Context = Pick<ToolContext, "use" | "now" | "progress">;

/** A location to be counted over some days. */
export interface Reading {
  readonly client: Crm;
  readonly location: Location;
  readonly days: Days;
  readonly now: number;
  /** A sentence each; more are added while reading. */
  readonly notes: string[];
}

/** The location's client; each page it reads is reported. */
export async function clientOf(ctx: Pick<Context, "use" | "progress">): Promise<Crm> {
  const client = await ctx.use(connector);
  return client.reporting((done, total, message) => ctx.progress(done, total, message));
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
  const own = await clientOf(ctx);
  const client = requests === undefined ? own : own.within(requests);
  const location = await client.location();
  const now = ctx.now();
  const { days, notes } = windowOf(args, location.timezone, now, isExact);
  return { client, location, days, now, notes: [...location.note === null ? [] : [location.note], ...notes] };
}

/** An answer of a tool with a window. */
export function answer<Body extends object>(
  { location, days, notes }: Reading,
  body: Body,
): { location_id: string; window: ShownWindow } & Body & { notes: string[] } {
  return { location_id: location.id, window: shown(days), ...body, notes: [...new Set(notes)] };
}

/** An answer of a tool whose rows have no window. */
export function timeless<Body extends object>(client: Crm, body: Body, notes: readonly string[] = []) {
  return { location_id: client.wire.location, window: null, ...body, notes: [...new Set(notes)] };
}

/** Why no more was asked, as a part of a sentence. */
export function reasonOf({ budget }: Crm): string {
  switch (budget.stopped) {
    case "time":
      return "the time of the call was used up";
    case "day":
      return "the location's requests of the day are used up";
    default:
      return `a call asks the CRM at most ${budget.limit} times`;
  }
}

/** Notes what is wrong with rows; `meaning` says what it means for the numbers that not all were read. */
export function noteRows(
  { client, notes }: Pick<Reading, "client" | "notes">,
  noun: string,
  { rows, total, dropped, complete }: Rows<unknown>,
  meaning: string,
): void {
  if (!complete) {
    const of = total === null ? "" : ` of ${total}`;
    notes.push(`Only ${rows.length}${of} ${noun} were read, because ${reasonOf(client)}: ${meaning}`);
  } else if (total !== null && total !== rows.length + dropped) {
    notes.push(
      `The CRM counts ${total} ${noun}, but its pages held ${
        rows.length + dropped
      } different ones, which are counted here`,
    );
  }
  if (dropped > 0) {
    notes.push(
      `${many(dropped, "row")} of the ${noun} could not be read and ${dropped === 1 ? "is" : "are"} left out`,
    );
  }
}

/** Notes how many rows have no date, and so belong to no window. */
export function noteUndated({ notes }: Pick<Reading, "notes">, noun: string, count: number): void {
  if (count > 0) {
    notes.push(
      `${many(count, "row")} of the ${noun} ${count === 1 ? "has" : "have"} no date and ${
        count === 1 ? "is" : "are"
      } left out`,
    );
  }
}
