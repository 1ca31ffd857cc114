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
    const found = await this.wire.page(question, read, ({ rows }) => rows.length);
    return { rows: [], dropped: 0, ...found, total: null, complete: found !== null };
  }

  protected page<T>(question: Question, read: (json: unknown) => Page<T>): Promise<Page<T> | null> {
    return this.wire.page(question, read, ({ rows }) => rows.length);
  }

  protected async needed(question: Question): Promise<unknown> {
    return await this.wire.ask(question) ?? this.exhausted();
  }

  protected exhausted(): never {
    throw new GatewayError(
      "E_UPSTREAM",
      "The CRM was not asked: the requests of the call, or its time, are used up; try again in a minute",
    );
  }
}
