/** What a change counts for by who would see it: of what goes live by itself, and of what visitors see already. */
import type { Tier } from "../core/model.ts";

/** A raise, as plans answer it. */
export interface SeenRaise {
  readonly tier: Tier;
  readonly published?: boolean;
  readonly because: string;
}

/** A post or page as far as that goes. */
export interface Standing {
  readonly status: string;
  /** ISO 8601 where it is known. */
  readonly scheduled_at?: string | null;
}

/** A change of what is scheduled: time alone publishes it. `what` names it, such as `the post "Title"`. */
export function whenScheduled({ status, scheduled_at }: Standing, what: string): SeenRaise[] {
  if (status !== "scheduled") return [];
  const at = scheduled_at ? ` at ${scheduled_at}` : "";
  return [{
    tier: 2,
    because:
      `${what} is scheduled and goes live${at} by itself, with this change and without another person's act`,
  }];
}

/** A change of what visitors see already. */
export const whenLive = (live: boolean, what: string): SeenRaise[] =>
  live ? [{ tier: 3, published: true, because: `${what} is live, and visitors get the change at once` }] : [];
