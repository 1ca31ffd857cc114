/** The states of posts and pages: what may be done in which, and the changes of state themselves. */
import { GatewayError } from "../../../core/errors.ts";
import { allOrThrow } from "../../../core/async.ts";
import { hasLead, type Moment } from "../../../rules/schedule.ts";
import type { Making, Outcome } from "../../../core/model.ts";
import type { PublishGrant } from "../../_http/request.ts";
import type { Updated, Verb } from "../../_content/post.ts";
import { type GuardedState, REVISED } from "../companion/guarded.ts";
import { CmsError } from "../errors.ts";
import {
  CONTENT,
  CONTENT_FIELDS,
  type ContentRecord,
  fieldsOf,
  type Kind,
  POST_STATE,
  type PostState,
  statusWord,
  utc,
} from "./records.ts";
import { LIVE_TOO, readState, type StateRead, type StateSnapshot, toSnapshot } from "./snapshot.ts";
import { slugToBe } from "./slugs.ts";
import { isSeen } from "./statuses.ts";
import { rightAt } from "./types.ts";
import { requireRight } from "./users.ts";
import { timeZoneOf } from "./time_zone.ts";
import type { WordPressClient } from "./wordpress_client.ts";
import { change, elsewhere, moved, seenLive } from "./writer.ts";

const STATE_FIELDS = fieldsOf(POST_STATE);
const label = (kind: Kind, id: number) => `${kind === "pages" ? "Page" : "Post"} ${id}`;

/**
 * Reads a post or page and refuses what its state forbids (E_FORBIDDEN_OP): a published or binned one always, one
 * that is not scheduled for `unschedule`, one about to go live for `update` (a late write would publish it), and a
 * `moment` that is too close by the site's own clock. Also proves the right to publish where the verb needs it.
 */
export async function checkState(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  verb: Verb,
  moment?: Moment,
): Promise<StateSnapshot> {
  const zone = verb === "schedule" ? timeZoneOf(wire) : undefined;
  const live = verb === "schedule" || verb === "publish";
  const [found, time_zone] = await allOrThrow(readState(wire, kind, id, live ? LIVE_TOO : undefined), zone);
  judge(kind, verb, moment)(found);
  if (live) {
    const right = await rightAt(wire, kind, "publish_posts");
    if (!found.guarded?.me.can(right)) await requireRight(wire, right, `${verb} this`);
  }
  if (!live) return { ...toSnapshot(found), time_zone };
  const going = await slugToBe(wire, kind, found);
  return { ...seenLive(wire, found, { moment, zone: time_zone, going }), time_zone };
}

/** What is judged of the state. */
type Judged = Pick<StateRead, "siteNow"> & {
  readonly record: PostState;
  readonly guarded?: Pick<GuardedState, "revision_of"> | null;
};

/** Refuses what the state that was read forbids: E_FORBIDDEN_OP. */
export const judge =
  (kind: Kind, verb: Verb, moment?: Moment) => ({ record, guarded, siteNow }: Judged): void => {
    const why = stateForbids(record, verb, siteNow) ?? revisionForbids(guarded?.revision_of ?? null, verb) ??
      momentForbids(moment, siteNow);
    if (why !== null) throw new GatewayError("E_FORBIDDEN_OP", `${label(kind, record.id)} ${why}`);
  };

function stateForbids(record: PostState, verb: Verb, siteNow: number): string | null {
  const { status } = record;
  if (status === "private") return "is private: visitors do not see it; change it in the CMS";
  if (status === "publish") {
    return verb === "publish"
      ? "is published already"
      : `is published; only drafts and scheduled ones can be changed here; ${REVISED}`;
  }
  if (status === "trash") return "is in the bin; restore it in the CMS first";
  if (!["draft", "pending", "future"].includes(status)) {
    return `is neither a draft nor scheduled but "${
      statusWord(status)
    }", a state of a plugin of the site; change it in the CMS`;
  }
  if (verb === "unschedule" && status !== "future") {
    return `is not scheduled (it is "${status}"), nothing to take back`;
  }
  const due = Date.parse(utc(record.date_gmt) ?? "");
  if (verb === "update" && status === "future" && !hasLead(due, siteNow)) {
    return `goes live at ${
      utc(record.date_gmt)
    }, and a change now could publish it at once; unschedule it first`;
  }
  return null;
}

/** A revision would stand beside what it is to replace, as a second page of the same. */
function revisionForbids(of: number | null, verb: Verb): string | null {
  return of === null || (verb !== "publish" && verb !== "schedule")
    ? null
    : `is a revision of ${of} that a plugin of the site keeps; publish or schedule it in the CMS, under Revisions`;
}

function momentForbids(moment: Moment | undefined, siteNow: number): string | null {
  if (moment === undefined || hasLead(moment.at, siteNow)) return null;
  const clock = new Date(siteNow).toISOString().slice(0, 19);
  return `cannot be scheduled for ${moment.utc}: by the site's clock (${clock}Z) that is less than 60 s ahead, and it ` +
    "would be published at once; choose a later time";
}

/** Schedules; what the site did not schedule is made a draft again at once. Throws E_FORBIDDEN_OP, CmsError. */
export async function schedule(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  moment: Moment,
  seen?: StateSnapshot,
): Promise<Updated> {
  const before = seen ?? await checkState(wire, kind, id, "schedule", moment);
  const after = await sendSchedule(wire, kind, id, moment, before);
  if (after.status === "future" && utc(after.date_gmt) === moment.utc) return moved(wire, before, after);
  const undone = await revert(wire, kind, id);
  const what = after.status === "future"
    ? `the date ${utc(after.date_gmt)}`
    : `the state "${statusWord(after.status)}"`;
  throw new GatewayError(
    after.status === "future" ? "E_UPSTREAM" : "E_FORBIDDEN_OP",
    `${label(kind, id)}: the site gave it ${what} instead of the schedule; ${undone.said}`,
    { outcome: undone.outcome, ...after.status === "publish" ? { published: true } : {} },
  );
}

/** A schedule whose answer was lost may have published, so the state is read before the failure is passed on. */
async function sendSchedule(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  moment: Moment,
  seen: StateSnapshot,
): Promise<ContentRecord> {
  const fields = { status: "future", date_gmt: moment.utc };
  const before = seen.read.record;
  try {
    const refuses = judge(kind, "schedule", moment);
    return await change(wire, { kind, id, fields, dependsOn: "all", judge: refuses }, seen);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    if (thrown instanceof CmsError && thrown.definite) throw thrown;
    const route = `wp/v2/${kind}/${id}`;
    const now = await wire.forCleanup().get(route, { context: "edit", _fields: CONTENT_FIELDS }, CONTENT)
      .catch(() => null);
    const changed = now !== null &&
      (now.data.status !== before.status || now.data.date_gmt !== before.date_gmt);
    if (!changed) throw thrown;
    return now.data;
  }
}

/** What became of taking a write back: of its effect, and for a message. */
interface Reverted {
  readonly outcome: Outcome;
  readonly said: string;
}

/** Makes a draft of it again. */
async function revert(wire: WordPressClient, kind: Kind, id: number): Promise<Reverted> {
  const json = { status: "draft", date: null };
  try {
    const route = `wp/v2/${kind}/${id}`;
    const state = await wire.forCleanup().post(route, { _fields: STATE_FIELDS }, json, POST_STATE);
    if (state.status === "draft") return { outcome: "none", said: "it was made a draft again at once" };
  } catch {
    // told in the sentence below
  }
  return { outcome: "unknown", said: "making it a draft again failed: take it down in the CMS now" };
}

/** Takes a schedule back; the date is cleared. Throws E_FORBIDDEN_OP, CmsError. */
export async function unschedule(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  seen?: StateSnapshot,
): Promise<Updated> {
  const fields = { status: "draft", date: null };
  const what = { kind, id, fields, dependsOn: ["status", "date_gmt"], judge: judge(kind, "unschedule") };
  const after = await change(wire, what, seen);
  if (after.status === "draft") return moved(wire, seen, after);
  throw new GatewayError(
    "E_UPSTREAM",
    `${label(kind, id)} was to become a draft, but the site shows "${
      statusWord(after.status)
    }"; look at it there`,
    { upstream: 502, ...after.status === "publish" ? { published: true } : {} },
  );
}

/**
 * Publishes at once; a date ahead is cleared, or the CMS would only schedule (docs/upstreams/wordpress.md, "Dates and
 * states").
 */
export async function publish(
  wire: WordPressClient,
  kind: Kind,
  id: number,
  grant: PublishGrant,
  seen?: StateSnapshot,
): Promise<Updated> {
  const before = seen ?? await checkState(wire, kind, id, "publish");
  const { status, date_gmt } = before.read.record;
  const dated = status === "future" || Date.parse(utc(date_gmt) ?? "") > wire.now();
  const fields = { status: "publish", ...(dated ? { date: null } : {}) };
  const what = { kind, id, fields, dependsOn: "all", judge: judge(kind, "publish"), grant } as const;
  const after = await change(wire, what, before);
  if (after.status === "publish") {
    const caches_asked = wire.cachesAsked;
    return { ...moved(wire, before, after), warnings: elsewhere(before, after), caches_asked };
  }
  throw new GatewayError(
    "E_UPSTREAM",
    `${label(kind, id)} was to be published, but the site shows "${
      statusWord(after.status)
    }"; look at it there`,
    { upstream: 502 },
  );
}

/**
 * After a draft's write: refuses to call a success what is published now (E_FORBIDDEN_OP), and takes a new post
 * back. A post that the site answered in place of a new post, as a plugin against duplicates does, is left as it is
 * (E_UPSTREAM). `made` is told of a new post; null for a change.
 */
export async function requireUnpublished(
  wire: WordPressClient,
  kind: Kind,
  state: PostState,
  made: Making | null,
): Promise<void> {
  const thing = { what: kind === "pages" ? "page" : "post", id: state.id };
  const isScheduled = made !== null && state.status === "future";
  if (!isScheduled && !await isSeen(wire.forCleanup(), state.status)) {
    made?.(thing);
    return;
  }
  const now = `is "${statusWord(state.status)}" now (${state.link})`;
  if (made && await isOld(wire, kind, state.id)) {
    throw new GatewayError(
      "E_UPSTREAM",
      `The site made no draft but answered ${
        label(kind, state.id)
      }, which was there before and ${now}; it was ` +
        "left as it is",
      { upstream: 502, outcome: "none" },
    );
  }
  made?.(thing);
  const end = made
    ? (await revert(wire, kind, state.id)).said
    : "somebody published it meanwhile, and the change is on the live page: look at it";
  throw new GatewayError(
    "E_FORBIDDEN_OP",
    `${label(kind, state.id)} was ${made ? "created" : "updated"} and ${now}; ${end}`,
    // What was made is a draft now, or is still public.
    { outcome: "made", ...["private", "future"].includes(state.status) ? {} : { published: true } },
  );
}

const NEW_MS = 10 * 60 * 1000;

/** Whether by the site's own clock it was last changed long before this call. False where that cannot be told. */
async function isOld(wire: WordPressClient, kind: Kind, id: number): Promise<boolean> {
  const query = { context: "edit", _fields: STATE_FIELDS };
  const got = await wire.forCleanup().get(`wp/v2/${kind}/${id}`, query, POST_STATE).catch(() => null);
  const age = Date.parse(got?.headers.get("date") ?? "") - Date.parse(utc(got?.data.modified_gmt) ?? "");
  return age > NEW_MS;
}
