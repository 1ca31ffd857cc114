/** What every answer about a project says beside its figures: of which hours they are, and what is left of its day. */
import type { Behavior, Pulled } from "../../platforms/clarity/client.ts";
import { isEmpty, type Metrics, untoldOf } from "../../platforms/clarity/metrics.ts";
import { ROWS_MAX } from "../../platforms/clarity/wire.ts";
import { type DataHead, headed } from "../../rules/data_head.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What of an answer is not in its pull. */
interface More {
  readonly num_of_days: number;
  /** Whether rows were left out of what was pulled. */
  readonly shortened?: boolean;
  readonly notes?: readonly string[];
  /** Figures that the answer shows and the pull does not tell. */
  readonly untold?: readonly string[];
}

/** Which of the figures that are shown a pull does not tell; none where nobody came. */
export const untoldAmong = (names: readonly string[], { blocks }: Pulled, all: Metrics): string[] =>
  isEmpty(all, blocks) ? [] : untoldOf(all).filter((name) => names.includes(name));

/**
 * The head, the project, the figures, then how old they are and what the project's quota is. The hours are those before
 * the pull (docs/upstreams/clarity.md, "The request"), so they are over; nobody says how late it counts.
 */
export async function answered<Figures extends object>(
  client: Behavior,
  { at, cached, truncated }: Pulled,
  { num_of_days, shortened = false, notes = [], untold = [] }: More,
  figures: Figures & { readonly [Key in keyof DataHead]?: never },
) {
  const fetched_at = new Date(at).toISOString();
  const body = { project_id: client.project_id, ...figures, cached, fetched_at, quota: await client.quota() };
  return headed({
    period: { from: new Date(at - num_of_days * DAY_MS).toISOString(), to: fetched_at, time_zone: "UTC" },
    complete: !shortened && untold.length === 0,
    truncated,
    fresh_until: fetched_at,
    notes: [
      ...truncated
        ? [`A pull gives ${ROWS_MAX} rows and no second page: what is not among them is missing`]
        : [],
      ...untold.length > 0 ? [`This pull does not tell ${untold.join(", ")}: null is not nought there`] : [],
      ...notes,
    ],
  }, body as typeof body & { readonly [Key in keyof DataHead]?: never });
}
