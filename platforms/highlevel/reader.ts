/** What every read of a location has in common: lists that come whole, pages, and what happens when nothing may be asked. */
import type { z } from "zod";
import { GatewayError } from "../../errors.ts";
import type { Budget } from "./budget.ts";
import { type Page, type Rows, rowsOf } from "./pages.ts";
import type { CrmWire, Question } from "./wire.ts";

/** Reads by way of a wire. */
export class CrmReader {
  constructor(readonly wire: CrmWire) {}

  /** How much the call has asked, and why it asked no more. */
  get budget(): Budget {
    return this.wire.budget;
  }

  /** A list that comes whole; empty and incomplete where it could not be asked. */
  protected async list<T>(question: Question, name: string, shape: z.ZodType<T>): Promise<Rows<T>> {
    const read = (json: unknown) => rowsOf(json, name, shape);
    const found = await this.some(question, read);
    return { rows: [], dropped: 0, ...found, total: null, complete: found !== null };
  }

  protected page<T>(question: Question, read: (json: unknown) => Page<T>): Promise<Page<T> | null> {
    return this.some(question, read);
  }

  /** Rows, or null where no more may be asked. A call that could ask nothing at all has no answer: throws E_UPSTREAM. */
  protected async some<P extends { readonly rows: readonly unknown[] }>(
    question: Question,
    read: (json: unknown) => P,
  ): Promise<P | null> {
    const found = await this.wire.page(question, read, ({ rows }) => rows.length);
    return found === null && this.budget.used === 0 ? this.exhausted() : found;
  }

  protected async needed(question: Question): Promise<unknown> {
    return await this.wire.ask(question) ?? this.exhausted();
  }

  protected exhausted(): never {
    const words = this.budget.stopped === "day"
      ? "the location's requests of this day are used up, so try again tomorrow"
      : "the requests of the call, or its time, are used up; try again in a minute";
    throw new GatewayError("E_UPSTREAM", `The CRM was not asked: ${words}`, {
      upstream: this.budget.stopped === "day" ? 429 : undefined,
    });
  }
}
