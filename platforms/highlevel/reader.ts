/** What every read of a location has in common: lists that come whole, pages, and what happens when nothing may be asked. */
import type { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { Budget } from "./budget.ts";
import { isTimeZone } from "../../core/zoned_day.ts";
import { UTC } from "./days.ts";
import { collect, type Page, Progress, type Rows, rowsOf } from "./pages.ts";
import { lacksPermission } from "./refused_what.ts";
import { locationOf } from "./search.ts";
import type { CrmWire, Question } from "./wire.ts";

const FACT_MS = 60 * 60_000;

/** The location, as every answer names it. */
export interface Location {
  readonly id: string;
  readonly name: string | null;
  readonly timezone: string;
  /** Why the time zone is not the location's own; null where it is. */
  readonly note: string | null;
}

/** Reads by way of a wire. */
export class CrmReader {
  constructor(readonly wire: CrmWire, readonly progress: Progress = new Progress()) {}

  /** How much the call has asked, and why it asked no more. */
  get budget(): Budget {
    return this.wire.budget;
  }

  /** The location, known for an hour. A token that may not read it leaves its time zone at UTC. */
  async location(): Promise<Location> {
    const { cache } = this.wire.ctx;
    const ask = async () => locationOf(await this.needed({ route: "location" }), this.wire.location);
    try {
      const { name, timezone } = await cache.once("location", FACT_MS, ask);
      const known = timezone !== null && isTimeZone(timezone);
      const note = known ? null : "The CRM reports no time zone of the location, so days are those of UTC";
      return { id: this.wire.location, name, timezone: known ? timezone : UTC, note };
    } catch (thrown) {
      if (!lacksPermission(thrown)) throw thrown;
      const note = `Days are those of UTC, as the location's time zone could not be read: ${thrown.message}`;
      return { id: this.wire.location, name: null, timezone: UTC, note };
    }
  }

  /** Asks for the location anew, whatever is known of it. */
  async check(): Promise<{ name: string | null; timezone: string | null }> {
    return locationOf(await this.needed({ route: "location" }), this.wire.location);
  }

  /** Whether the token may read that; keeps nothing of it. Throws what it answers. */
  async probe(question: Question): Promise<void> {
    await this.needed(question);
  }

  /** A list that comes whole; empty and incomplete where it could not be asked. */
  protected async list<T>(
    question: Question,
    name: string,
    shape: z.ZodType<T>,
    noun: string = name,
  ): Promise<Rows<T>> {
    const read = (json: unknown) => rowsOf(json, name, shape);
    const found = await this.some(question, read);
    if (found !== null) this.progress.read(`${found.rows.length} ${noun}`);
    return { rows: [], dropped: 0, ...found, total: null, complete: found !== null };
  }

  /** All pages of rows, `most` rows at most; each page is reported. */
  protected async collect<T extends { readonly id: string }>(
    noun: string,
    ask: (cursor: string | null) => Promise<Page<T> | null>,
    most?: number,
  ): Promise<Rows<T>> {
    return await collect({ noun, progress: this.progress, most }, ask);
  }

  protected page<T>(question: Question, read: (json: unknown) => Page<T>): Promise<Page<T> | null> {
    return this.some(question, read);
  }

  /** Rows, or null where no more may be asked. A call that has read nothing at all has no answer: throws E_UPSTREAM. */
  protected async some<P extends { readonly rows: readonly unknown[] }>(
    question: Question,
    read: (json: unknown) => P,
  ): Promise<P | null> {
    const found = await this.wire.page(question, read, ({ rows }) => rows.length);
    return found === null && this.budget.read === 0 ? this.exhausted() : found;
  }

  protected async needed(question: Question): Promise<unknown> {
    return await this.wire.ask(question) ?? this.exhausted();
  }

  protected exhausted(): never {
    const { stopped, used } = this.budget;
    const pause = stopped === "time" ? this.wire.pauseSeconds : 0;
    const words = stopped === "day"
      ? "the location's requests of this day are used up, so try again tomorrow"
      : pause > 0
      ? `it asked for a pause that is longer than a call may take; try again in ${pause} s`
      : "the requests of the call, or its time, are used up; try again in a minute";
    throw new GatewayError(
      "E_UPSTREAM",
      `The CRM was ${used > 0 ? "asked no further" : "not asked"}: ${words}`,
      {
        upstream: stopped === "day" || pause > 0 ? 429 : undefined,
        ...pause > 0 ? { retryAfter: pause } : {},
      },
    );
  }
}
