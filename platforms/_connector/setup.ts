/** What an operator can have made at an upstream so that a site can be linked to it. */
import type { ConnectorContext } from "./context.ts";

/** Something that is made at the upstream so that a site can be linked to it, when an operator orders it. */
export interface SiteSetup<Context = ConnectorContext> {
  /** What is made, in the command line's help. */
  readonly help: string;
  /** The field of the site that its id is kept in. */
  readonly field: string;
  /** Makes it, or answers what was made for the site before. Throws what the upstream or the site's set-up lacks. */
  make(ctx: Context, name: string): Promise<SetUp>;
}

/** What was made; `address` is where a person sees it. */
export interface SetUp {
  readonly id: string;
  readonly name: string;
  readonly address: string | null;
}
