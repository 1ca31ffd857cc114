/** What a site could be linked to at an upstream, listed so that nobody types an id. */
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
