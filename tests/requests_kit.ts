/** What a call asks of an upstream, counted and held against tests/golden/requests.yaml. */
import assert from "node:assert/strict";
import type { Args } from "./cms_kit.ts";
import { golden, type Requests } from "./contract/golden.ts";
import type { CallOptions, Kit } from "./kit.ts";

/** Turns in which a request on its way is sent: a few for each key that is unsealed, and to spare. */
const TURNS = 12;
const NOTHING = new Uint8Array();
const PHASES = ["read", "preview", "confirmed"] as const;

/** One request: when it was sent and when its answer came, in the order of such events. */
interface Trip {
  readonly sent: number;
  answered: number;
  readonly line: string;
}

/** A way out that counts. */
export class Meter {
  #events = 0;
  #trips: Trip[] = [];
  #onTheirWay = 0;
  #held: Promise<number> | null = null;

  /** Give it to a kit. */
  readonly fetch: typeof fetch = async (input, init) => {
    const line = `${init?.method ?? "GET"} ${String(input)}`;
    const trip = { sent: ++this.#events, answered: Infinity, line };
    this.#trips.push(trip);
    this.#onTheirWay++;
    const response = await fetch(input, init).finally(() => this.#onTheirWay--);
    trip.answered = await this.#rest();
    return response;
  };

  /**
   * Holds an answer back until whatever waits for no answer was sent and is answered, however busy the machine is. All
   * that are held are let go together, at the event that is answered.
   */
  #rest(): Promise<number> {
    return this.#held ??= this.#quiet().then((event) => {
      this.#held = null;
      return event;
    });
  }

  async #quiet(): Promise<number> {
    for (let [turn, sent] = [0, this.#trips.length]; turn < TURNS; turn++) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      await crypto.subtle.digest("SHA-256", NOTHING); // by the threads that unseal, which a busy machine holds up
      if (this.#onTheirWay > 0 || this.#trips.length > sent) [turn, sent] = [0, this.#trips.length];
    }
    return ++this.#events;
  }

  /** What the work asked: `2 in 1` are two requests at the same time, `2 in 2` one after the other. */
  async cost(work: () => Promise<unknown>): Promise<{ cost: string; lines: string[] }> {
    this.#trips = [];
    await work();
    const trips = this.#trips;
    const depth: number[] = [];
    for (const { sent } of trips) {
      depth.push(1 + Math.max(0, ...depth.filter((_, at) => trips[at]!.answered < sent)));
    }
    return {
      cost: `${trips.length} in ${Math.max(0, ...depth)}`,
      lines: trips.map(({ line }) => line),
    };
  }
}

/** A row of the table: a tool, in brackets what is special about the call, and how its arguments come about. */
export type Calls = Readonly<Record<string, () => Args | Promise<Args>>>;

/** What confirms a call: with the token of a preview, which is asked for, of a tool that is only carried out with one. */
export async function confirming(
  gw: Kit,
  tool: string,
  args: Args,
  options: CallOptions = {},
): Promise<Args> {
  if (tool !== "publish_static_preview") return { ...args, confirm: true };
  const { confirm_token } = await gw.call<Args>(tool, args, options);
  return { ...args, confirm: true, confirm_token };
}

/** The tool of a row. */
export const toolOf = (row: string) => row.split(" ")[0]!;

/**
 * Makes every call of the column once to warm up and once to count, a write as a preview and then confirmed. Fails with
 * a sentence for each that costs another number of requests or steps than the table says, and for rows on one side only.
 */
export async function holds(column: keyof Requests, calls: Calls, gw: Kit, meter: Meter): Promise<void> {
  const table = (await golden<Requests>("requests"))[column];
  assert.deepEqual(Object.keys(calls).toSorted(), Object.keys(table).toSorted(), `${column}: the same rows`);
  const faults: string[] = [];
  for (const [row, costs] of Object.entries(table)) {
    const tool = toolOf(row);
    const args = await calls[row]!();
    await gw.call(tool, args); // warm: what may be remembered is
    const confirmed = await confirming(gw, tool, args);
    for (const phase of PHASES.filter((phase) => phase in costs)) {
      const given = phase === "confirmed" ? confirmed : args;
      const { cost, lines } = await meter.cost(() => gw.call(tool, given));
      if (cost === costs[phase]) continue;
      faults.push(
        `${row}, ${phase}, ${column}: ${cost} where tests/golden/requests.yaml says ${
          costs[phase]
        } (requests in ` +
          `steps): mend the tool, or write the new figure there\n    ${lines.join("\n    ")}`,
      );
    }
  }
  if (faults.length > 0) assert.fail(faults.join("\n"));
}
