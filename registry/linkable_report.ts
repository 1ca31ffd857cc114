/** What a site could be linked to, as those who may change its links are shown it. */

/** Everything that the accounts bound to a site can reach of what a site can be linked to. */
export interface LinkableReport {
  readonly site_id: string;
  readonly kinds: readonly LinkableList[];
}

/** Things of one kind. */
export interface LinkableList {
  /** The word for it, as its connector names it. */
  readonly kind: string;
  readonly what: string;
  /** The site's field that names one. */
  readonly field: string;
  /** What that field holds now. */
  readonly linked_to: string | null;
  readonly entries: readonly LinkableEntry[];
  /** Whether nothing is missing from the list. */
  readonly complete: boolean;
  /** Why something is, with the next step. */
  readonly problem: { readonly code: string; readonly message: string } | null;
  /** What was left out on purpose. */
  readonly notes: readonly string[];
}

/** One thing that the site can be linked to. */
export interface LinkableEntry {
  readonly id: string;
  readonly name: string | null;
  /** What it is part of. */
  readonly within: string | null;
  readonly note: string | null;
  /** Whether the site is linked to it now. */
  readonly linked: boolean;
  /** The change of the site that links it, as the admin API takes it. */
  readonly set: Readonly<Record<string, string | null>>;
  /** The same on the command line. */
  readonly command: string;
}
