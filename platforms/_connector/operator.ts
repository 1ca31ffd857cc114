/** What a connector does for an operator: lists what a site could be linked to, and holds answers against what is read of them. */
import type { z } from "zod";
import type { GatewayError } from "../../core/errors.ts";
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

/** How preview branches are looked at and cleaned. */
export interface PreviewsSpec<Context = ConnectorContext> {
  /**
   * Looks at the preview branches of the site's repository, the oldest first; reads only. What fails on the way is said in
   * the answer. Throws what the site or the gateway lacks.
   */
  look(ctx: Context, order: PreviewOrder): Promise<FoundPreviews>;
  /**
   * Deletes a branch that was looked at, once it has read that it still ends at that commit and nothing protects it. What
   * keeps it from that is said in the answer. Throws what the app lacks, and what fails before anything was sent.
   */
  remove(ctx: Context, named: Pick<FoundPreview, "branch" | "commit">): Promise<Removal>;
}

/** Which branches are looked at. */
export interface PreviewOrder {
  /** The only ones; null for all. */
  readonly only: ReadonlySet<string> | null;
  /** Branches that sites deploy from, beside the site's own. */
  readonly deployed: readonly string[];
}

/** What was found of a repository. */
export interface FoundPreviews {
  /** The branch that the site is deployed from; null where that could not be learned. */
  readonly deployed: string | null;
  readonly branches: readonly FoundPreview[];
  /** Branches that were not looked at. */
  readonly left: number;
  /** What ended the look early. */
  readonly problem: GatewayError | null;
}

/** A preview branch. */
export interface FoundPreview {
  readonly branch: string;
  /** Its newest commit. */
  readonly commit: string;
  /** When that was made, ISO 8601; null where the host does not say. */
  readonly committed_at: string | null;
  /** By which the deployed branch has it: its commits (a merge, a fast-forward), or its content alone (a squash, a rebase). */
  readonly merged: "commits" | "content" | null;
  /** How many of its commits are not on the deployed branch; null where the host does not say. */
  readonly not_deployed: number | null;
  /** An open one that leads from it, or to it. */
  readonly pull_request: { readonly number: number; readonly url: string } | null;
  /** Why it stays; null where it may be deleted. */
  readonly keep: string | null;
}

/** What became of a branch that was to be deleted. */
export interface Removal {
  /** `left`: it was not deleted. */
  readonly outcome: "deleted" | "left" | "unknown";
  /** Why, and what to do; null for one that was deleted. */
  readonly reason: string | null;
  /** Set where the host asks to be left alone, in seconds. */
  readonly wait?: number;
}
