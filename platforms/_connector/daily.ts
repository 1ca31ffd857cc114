/** What a connector keeps of its sites for each day. */
import type { Site } from "../../core/model.ts";
import type { ConnectorContext } from "./context.ts";

/** What is kept of each linked site for each day, because the upstream has it for a few days only. */
export interface DailySpec<Context = ConnectorContext> {
  /** What of the upstream a site is linked to; null for one that is not. Sites of one source are asked one by one. */
  source(site: Site): string | null;
  /** What stands of the day that is over; `since` is when that was to be asked. Throws E_UPSTREAM where it fails. */
  take(ctx: Context, since: number): Promise<DailyTake>;
}

/** What an upstream answered of a day. */
export interface DailyTake {
  /** In milliseconds since the epoch: when it answered, and the time its answer is about. */
  readonly pulled_at: number;
  readonly from: number;
  readonly to: number;
  /** Whether there was nothing on that day. */
  readonly empty: boolean;
  readonly metrics: object;
}
