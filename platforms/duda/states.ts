/** The states of a post at Duda and their changes. A state is asked for, then looked at: the platform answers nothing. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { Outcome } from "../../core/model.ts";
import type { Moment } from "../../rules/schedule.ts";
import type { Seen, Updated, Verb } from "../_content/post.ts";
import type { PublishGrant } from "../_http/request.ts";
import { dudaDate } from "./dates.ts";
import { type PostRead, readPost } from "./read.ts";
import { POST } from "./records.ts";
import { differences, judge, requireUnchanged } from "./seen.ts";
import type { Wire } from "./wire.ts";
import { readAfterWrite, written } from "./written.ts";

const NOTHING = z.unknown();

/** The look right before the write: refuses what changed since the plan, and what the state forbids. */
async function before(
  wire: Wire,
  id: string,
  verb: Verb,
  seen: Seen,
  { moment, names }: { readonly moment?: Moment; readonly names?: readonly string[] } = {},
): Promise<PostRead> {
  const now = await readPost(wire, id);
  requireUnchanged("post", id, seen, now.parts, names);
  judge("post", now.whole, now.siteNow, verb, moment);
  return now;
}

/** The result, everything but the state compared with what it was. */
const moved = (was: PostRead, { whole, parts }: PostRead): Updated => {
  const state = { status: parts["status"], scheduled_at: parts["scheduled_at"] };
  return { ...written(whole, differences(state, parts, was.parts)), parts };
};

const ifLive = ({ whole }: PostRead) => whole.status === "published" ? { published: true } as const : {};

const setDate = (wire: Wire, id: string, date: string | null) =>
  wire.ask("change_post", POST.nullish(), { id, json: { schedule_publish_date: date } });

/** Schedules; what the site did not schedule is made a draft again at once. Throws E_FORBIDDEN_OP, E_STALE_PREVIEW. */
export async function schedule(wire: Wire, id: string, moment: Moment, seen: Seen): Promise<Updated> {
  const was = await before(wire, id, "schedule", seen, { moment });
  await setDate(wire, id, dudaDate(moment.at));
  const late = wire.forCleanup();
  const after = await readAfterWrite(readPost(late, id));
  const { status, scheduled_at } = after.whole;
  if (status === "scheduled" && scheduled_at === moment.utc) return moved(was, after);
  const undone = await revert(late, id);
  const what = status === "scheduled" ? `the date ${scheduled_at}` : `the state "${status}"`;
  throw new GatewayError(
    status === "published" ? "E_FORBIDDEN_OP" : "E_UPSTREAM",
    `Post ${id}: the site gave it ${what} instead of the schedule; ${undone.said}`,
    { outcome: undone.outcome, ...ifLive(after) },
  );
}

/** What became of taking a write back: of its effect, and for a message. */
export interface Reverted {
  readonly outcome: Outcome;
  readonly said: string;
}

/** Makes a draft of it again, whatever it is. */
export async function revert(wire: Wire, id: string): Promise<Reverted> {
  try {
    const { whole } = await readPost(wire, id);
    if (whole.status === "published") await wire.ask("unpublish_post", NOTHING, { id });
    else await setDate(wire, id, null);
    if ((await readPost(wire, id)).whole.status === "draft") {
      return { outcome: "none", said: "it was made a draft again at once" };
    }
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown; // told in the sentence below
  }
  return {
    outcome: "unknown",
    said: "making it a draft again failed: take it down in the platform's editor now",
  };
}

/** Takes a schedule back. Throws E_FORBIDDEN_OP, E_STALE_PREVIEW, E_UPSTREAM where it is still scheduled. */
export async function unschedule(wire: Wire, id: string, seen: Seen): Promise<Updated> {
  const was = await before(wire, id, "unschedule", seen, { names: ["status", "scheduled_at"] });
  await setDate(wire, id, null);
  const late = wire.forCleanup();
  let after = await readAfterWrite(readPost(late, id));
  if (after.whole.status === "scheduled") {
    // Whether an empty date takes a schedule back is not known of every version of the platform.
    await late.ask("unpublish_post", NOTHING, { id });
    after = await readPost(late, id);
  }
  if (after.whole.status === "draft") return moved(was, after);
  throw shown(id, "become a draft", after);
}

/** Publishes at once. Throws E_FORBIDDEN_OP, E_STALE_PREVIEW, E_UPSTREAM where it is not public afterwards. */
export async function publish(wire: Wire, id: string, grant: PublishGrant, seen: Seen): Promise<Updated> {
  const was = await before(wire, id, "publish", seen);
  await wire.ask("publish_post", NOTHING, { id, grant });
  const after = await readPost(wire.forCleanup(), id);
  if (after.whole.status === "published") return moved(was, after);
  throw shown(id, "be published", after);
}

const shown = (id: string, what: string, found: PostRead) =>
  new GatewayError(
    "E_UPSTREAM",
    `Post ${id} was to ${what}, but the site shows "${found.whole.status}"; look at it there`,
    { upstream: 502, ...ifLive(found) },
  );
