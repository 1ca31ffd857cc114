/** What a connector does for an operator: lists what a site could be linked to, and holds answers against what is read of them. */
import type { z } from "zod";
import type { ConnectorContext } from "./context.ts";

/** Things of one kind, of which a site names one in a field. */
export interface LinkableKind<Context = ConnectorContext> {
  /** What they are, in the plural, as in "Google Analytics properties". */
  readonly what: string;
  /** The site's field that names one. */
  readonly field: string;
  /** An id as it is compared, where the field takes it in more than one form. */
  same?(id: string): string;
  /**
   * Lists what the site's own account can reach, a page for each request, by requests that only read. `ctx` is one for
   * lists: the policy sees `listing`. Throws what the site, the gateway or the upstream lacks, with the next step; what
   * came before is shown all the same.
   */
  list(ctx: Context): AsyncIterable<readonly Linkable[]>;
}

/** One of them. */
export interface Linkable {
  /** To the letter as the field takes it. */
  readonly id: string;
  /** As people call it; null where it has no name, or none that can be read. */
  readonly name: string | null;
  /** What it is part of, for people. */
  readonly within?: string | null;
  /** Further fields of the site that are set with it; null unsets one. */
  readonly also?: Readonly<Record<string, string | null>>;
  /** What a person has to know before choosing it. */
  readonly note?: string;
}

/**
 * Makes one read and holds its answer against the schema that the client reads it with. `ask` gets that schema and sends
 * the read by the client's own way; the last answer to it that is JSON and a success is the one that is compared. What
 * `ask` answers comes back, null where it failed, so that a later read can ask for what an earlier one named.
 */
export type See = <Read extends z.ZodType, Answer>(
  /** What is read, in the words of the gateway: never a value of the site. */
  read: string,
  schema: Read,
  ask: (schema: Read) => Promise<Answer>,
  /**
   * The part of the answer that the schema is of, or the answer in another order; undefined where the answer is a refusal
   * that came as a success. The whole answer without it.
   */
  part?: (json: unknown) => unknown,
) => Promise<Answer | null>;

/** The probe of one service. */
export interface ProbeSpec<Context = ConnectorContext> {
  /** The service, as its vendor calls it. */
  readonly what: string;
  /** The site's field that links it; without one it is for sites of the connector's kinds. */
  readonly field?: string;
  /** What it costs, for what is scarce: it is asked only where whoever asks names the connector. */
  readonly costs?: string;
  /**
   * Sees each answer once, with as few requests as that takes, one after the other; a request that writes is refused. Throws
   * what the site, the gateway or the upstream lacks.
   */
  run(ctx: Context, see: See): Promise<void>;
}
