/** What a change of a post or page means: who would see it, what it replaces, and whether a builder hides it. */
import type { Builder, Change, Tier } from "../core/model.ts";
import { GatewayError } from "../core/errors.ts";

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

/** What is live, as far as it decides who sees it: visitors, those who sign in, or those who know a password. */
export interface Audience {
  readonly status: string;
  /** Whether visitors are asked for a password before they see the text; null where the site does not tell. */
  readonly protected?: boolean | null;
}

/** A change of what is seen already, and by whom. */
export const whenLive = (live: boolean, what: string, audience?: Audience): SeenRaise[] =>
  live ? [{ tier: 3, published: true, because: `${what} ${whoSees(audience)}` }] : [];

function whoSees(audience: Audience | undefined): string {
  if (audience?.status === "private") {
    return "is private: visitors do not see it, and whoever signs in and may read it gets the change at once";
  }
  return audience?.protected
    ? "is live, its text behind a password, and whoever gets the page gets the change at once"
    : "is live, and visitors get the change at once";
}

/** The old value of every change by its field, and what else must be as it was shown. */
export function replacedBy(
  changes: readonly Change[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { ...Object.fromEntries(changes.map(({ field, from }) => [field, from])), ...more };
}

/** Refuses it: E_BUILDER_MISMATCH with the next step. `what` is the post or page, `field` the argument. */
export function refuseUnseen(what: string, field: string, instead: string): never {
  throw new GatewayError(
    "E_BUILDER_MISMATCH",
    `${what} was taken over by the visual builder, which shows content of its own; nobody would see this ${field}: ` +
      `change it in the builder, ${instead}or give it back to the block editor in the CMS first`,
  );
}

/** The warning where the site does not tell who shows the content; none where it does. */
export function maybeUnseen(builder: Builder | null, field: string): string[] {
  if (builder !== null) return [];
  return [
    `${field}: the site does not tell whether a visual builder shows it, and where one does, nobody sees the new text`,
  ];
}

/** E_STALE_PREVIEW of what was there when it was looked at, and is not any more. `what` names it: `post 7`. */
export const goneSince = (what: string, cause: unknown): GatewayError =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `${what} was put in the bin, deleted or made into something else after it was looked at; nothing was written: restore it there first, or ` +
      "preview again of another",
    { cause },
  );
