/** What a plan saw of a post or page, and the read right before a write that overwrites nothing else. */
import { GatewayError } from "../../core/errors.ts";
import { hasLead, type Moment } from "../../rules/schedule.ts";
import type { Seen, Verb } from "../_content/post.ts";

/** Of which of the two. */
export type Kind = "post" | "page";

/** What is judged of it. */
export interface Standing {
  readonly id: string | number;
  readonly status: string;
  readonly scheduled_at: string | null;
}

const label = (kind: Kind, id: string | number) => `${kind === "post" ? "Post" : "Page"} ${id}`;

/** Refuses what the state forbids, and a moment too close by the platform's clock: E_FORBIDDEN_OP. */
export function judge(kind: Kind, now: Standing, siteNow: number, verb: Verb, moment?: Moment): void {
  const why = stateForbids(kind, now, siteNow, verb) ?? momentForbids(moment, siteNow);
  if (why !== null) throw new GatewayError("E_FORBIDDEN_OP", `${label(kind, now.id)} ${why}`);
}

/** What changes what is live. */
const REVISED: Readonly<Record<Kind, string>> = {
  post:
    "title, excerpt and tags of what is live are changed by revise_published alone, which needs allow_publish on the " +
    "site",
  page: "a live page is changed in the platform's editor",
};

function stateForbids(
  kind: Kind,
  { status, scheduled_at }: Standing,
  siteNow: number,
  verb: Verb,
): string | null {
  if (status === "published") {
    if (verb === "publish") return "is published already";
    const only = "is published; only drafts and scheduled ones can be changed here";
    return `${only}; ${
      verb === "update" ? REVISED[kind] : "what is live is taken down in the platform's editor"
    }`;
  }
  if (status !== "draft" && status !== "scheduled") return `is neither a draft nor scheduled but "${status}"`;
  if (verb === "unschedule" && status !== "scheduled") {
    return `is not scheduled (it is "${status}"), nothing to take back`;
  }
  if (verb === "update" && status === "scheduled" && !hasLead(Date.parse(scheduled_at ?? ""), siteNow)) {
    return `goes live at ${scheduled_at}, and a change now could come too late; unschedule it first`;
  }
  return null;
}

function momentForbids(moment: Moment | undefined, siteNow: number): string | null {
  if (moment === undefined || hasLead(moment.at, siteNow)) return null;
  const clock = new Date(siteNow).toISOString().slice(0, 19);
  return `cannot be scheduled for ${moment.utc}: by the site's clock (${clock}Z) that is less than 60 s ahead, and it ` +
    "might be published at once; choose a later time";
}

/**
 * Refuses what is not as it was seen any more: E_STALE_PREVIEW naming the parts. `names` are those that the write
 * replaces or relies on; all without them.
 */
export function requireUnchanged(
  kind: Kind,
  id: string | number,
  seen: Pick<Seen, "parts">,
  now: Readonly<Record<string, unknown>>,
  names: readonly string[] = Object.keys(now),
): void {
  const differ = names.filter((name) => JSON.stringify(now[name]) !== JSON.stringify(seen.parts[name]));
  if (differ.length === 0) return;
  throw new GatewayError(
    "E_STALE_PREVIEW",
    `${
      differ.join(", ")
    }: ${kind} ${id} was changed after it was looked at; nothing was written: preview again`,
  );
}

/** A sentence for each value that was stored otherwise than it was sent, or that changed although nothing was sent for it. */
export function differences(
  sent: Readonly<Record<string, unknown>>,
  stored: Readonly<Record<string, unknown>>,
  before: Readonly<Record<string, unknown>> = {},
): string[] {
  const shown = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 200);
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  const lost = Object.entries(sent).filter(([name, value]) => !same(value, stored[name]))
    .map(([name, value]) => `${name}: the site kept ${shown(stored[name])} instead of ${shown(value)}`);
  const beside = Object.keys(before).filter((name) => !(name in sent) && !same(before[name], stored[name]))
    .map((name) => `${name}: was not to change, and is not what it was; look at it there`);
  return [...lost, ...beside];
}
