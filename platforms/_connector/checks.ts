/** What a check of diagnose_site says. */
import type { Flag, Site } from "../../core/model.ts";

/** One check; `ok` is null where it cannot be told. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  /** What to do, where there is something to do. */
  readonly next_step: string | null;
}

/** A check that is met. */
export const pass = (name: string, detail: string): Check => ({ name, ok: true, detail, next_step: null });

/** A check that is not met. */
export const fail = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: false,
  detail,
  next_step,
});

/** A check of which nobody can tell. */
export const unknown = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: null,
  detail,
  next_step,
});

/** Those of a site's flags that only a super-admin sets, a check each. */
export function flagChecks(site: Site, flags: readonly Flag[]): Check[] {
  return flags.map((flag) =>
    site.flags[flag]
      ? pass(flag, "A super-admin allows this on the site")
      : fail(flag, "Not allowed on the site", "A super-admin can set the flag, if it is wanted")
  );
}
