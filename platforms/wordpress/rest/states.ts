/** The states of posts and pages: what may be done in which, and the changes of state themselves. */
import { GatewayError } from "../../../errors.ts";
import { hasLead, type Moment } from "../../../rules/schedule.ts";
import type { PublishGrant } from "../../request.ts";
import type { PostHead, Verb, Written } from "../../post.ts";
import { together } from "../../../lib/async.ts";
import { CmsError } from "../errors.ts";
import { readOne } from "./one.ts";
import {
  fieldsOf,
  POST_HEAD,
  POST_STATE,
  type PostHeadRecord,
  type PostState,
  statusWord,
  utc,
} from "./records.ts";
import { requireRight, whoami } from "./users.ts";
import type { Wire } from "./wire.ts";

/** The two kinds of content that share these states, as the REST API names them. */
export type Kind = "posts" | "pages";

const HEAD_FIELDS = fieldsOf(POST_HEAD);
const STATE_FIELDS = fieldsOf(POST_STATE);
const label = (kind: Kind, id: number) => `${kind === "posts" ? "Post" : "Page"} ${id}`;

/** A record's head in this gateway's words. */
export function head(record: PostHeadRecord): PostHead {
  const { id, status, link, title, date_gmt, modified_gmt } = record;
  return {
    id,
    status: statusWord(status),
    url: link,
    title: title.raw,
    scheduled_at: status === "future" ? utc(date_gmt) : null,
    modified_gmt: utc(modified_gmt),
  };
}

/** A write's result in this gateway's words. */
export function written(state: PostState): Written {
  return { id: state.id, status: statusWord(state.status), url: state.link };
}

/**
 * Reads a post or page and refuses what its state forbids (E_FORBIDDEN_OP): a published or binned one always, one
 * that is not scheduled for `unschedule`, one about to go live for `update` (a late write would publish it), and a
 * `moment` that is too close by the site's own clock. Also proves the right to publish where the verb needs it.
 */
export async function checkState(
  wire: Wire,
  kind: Kind,
  id: number,
  verb: Verb,
  moment?: Moment,
): Promise<PostHeadRecord> {
  const needsRight = verb === "schedule" || verb === "publish";
  const [got, me] = await together(
    readOne(wire, kind, id, { context: "edit", _fields: HEAD_FIELDS }, POST_HEAD),
    needsRight ? whoami(wire) : null,
  );
  if (me) requireRight(me, kind === "posts" ? "publish_posts" : "publish_pages", `${verb} this`);
  const why = stateForbids(got.data, verb, got.siteNow) ?? momentForbids(moment, got.siteNow);
  if (why !== null) throw new GatewayError("E_FORBIDDEN_OP", `${label(kind, id)} ${why}`);
  return got.data;
}

function stateForbids(record: PostState, verb: Verb, siteNow: number): string | null {
  const { status } = record;
  if (status === "publish" || status === "private") {
    return verb === "publish"
      ? "is published already"
      : "is published; only drafts and scheduled ones can be changed";
  }
  if (status === "trash") return "is in the bin; restore it in the CMS first";
  if (!["draft", "pending", "future"].includes(status)) {
    return `is neither a draft nor scheduled but "${status}"`;
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

function momentForbids(moment: Moment | undefined, siteNow: number): string | null {
  if (moment === undefined || hasLead(moment.at, siteNow)) return null;
  const clock = new Date(siteNow).toISOString().slice(0, 19);
  return `cannot be scheduled for ${moment.utc}: by the site's clock (${clock}Z) that is less than 60 s ahead, and it ` +
    "would be published at once; choose a later time";
}

/** Schedules; what the site did not schedule is made a draft again at once. Throws E_FORBIDDEN_OP, CmsError. */
export async function schedule(wire: Wire, kind: Kind, id: number, moment: Moment): Promise<Written> {
  const before = await checkState(wire, kind, id, "schedule", moment);
  const after = await sendSchedule(wire, kind, id, moment, before);
  if (after.status === "future" && utc(after.date_gmt) === moment.utc) return written(after);
  const undone = await takeBack(wire, kind, id);
  const what = after.status === "future"
    ? `the date ${utc(after.date_gmt)}`
    : `the state "${statusWord(after.status)}"`;
  throw new GatewayError(
    after.status === "future" ? "E_UPSTREAM" : "E_FORBIDDEN_OP",
    `${label(kind, id)}: the site gave it ${what} instead of the schedule; ${undone}`,
  );
}

/** A schedule whose answer was lost may have published, so the state is read before the failure is passed on. */
async function sendSchedule(
  wire: Wire,
  kind: Kind,
  id: number,
  moment: Moment,
  before: PostState,
): Promise<PostState> {
  const route = `wp/v2/${kind}/${id}`;
  const json = { status: "future", date_gmt: moment.utc };
  try {
    return await wire.post(route, { _fields: STATE_FIELDS }, json, POST_STATE);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_UPSTREAM") throw thrown;
    if (thrown instanceof CmsError && thrown.definite) throw thrown;
    const now = await wire.overtime().get(route, { context: "edit", _fields: STATE_FIELDS }, POST_STATE)
      .catch(() => null);
    const changed = now !== null &&
      (now.data.status !== before.status || now.data.date_gmt !== before.date_gmt);
    if (!changed) throw thrown;
    return now.data;
  }
}

/** Makes a draft of it again; answers what became of that, for a message. */
async function takeBack(wire: Wire, kind: Kind, id: number): Promise<string> {
  const json = { status: "draft", date: null };
  try {
    const route = `wp/v2/${kind}/${id}`;
    const state = await wire.overtime().post(route, { _fields: STATE_FIELDS }, json, POST_STATE);
    if (state.status === "draft") return "it was made a draft again at once";
  } catch {
    // told in the sentence below
  }
  return "making it a draft again failed: take it down in the CMS now";
}

/** Takes a schedule back; the date is cleared. Throws E_FORBIDDEN_OP, CmsError. */
export async function unschedule(wire: Wire, kind: Kind, id: number): Promise<Written> {
  await checkState(wire, kind, id, "unschedule");
  const json = { status: "draft", date: null };
  const after = await wire.post(`wp/v2/${kind}/${id}`, { _fields: STATE_FIELDS }, json, POST_STATE);
  if (after.status === "draft") return written(after);
  throw new GatewayError(
    "E_UPSTREAM",
    `${label(kind, id)} was to become a draft, but the site shows "${
      statusWord(after.status)
    }"; look at it there`,
    { upstream: 502 },
  );
}

/**
 * Publishes at once; a date ahead is cleared, or the CMS would only schedule (docs/upstreams/wordpress.md, "Dates and
 * states").
 */
export async function publish(wire: Wire, kind: Kind, id: number, grant: PublishGrant): Promise<Written> {
  const before = await checkState(wire, kind, id, "publish");
  const dated = before.status === "future" || Date.parse(utc(before.date_gmt) ?? "") > wire.now();
  const json = { status: "publish", ...(dated ? { date: null } : {}) };
  const after = await wire.post(`wp/v2/${kind}/${id}`, { _fields: STATE_FIELDS }, json, POST_STATE, grant);
  if (after.status === "publish") return written(after);
  throw new GatewayError(
    "E_UPSTREAM",
    `${label(kind, id)} was to be published, but the site shows "${
      statusWord(after.status)
    }"; look at it there`,
    { upstream: 502 },
  );
}

/**
 * After a draft's write: refuses to call a success what stands published now (E_FORBIDDEN_OP), and takes a new one
 * back. One that the site answered in place of a new one, as a plugin against duplicates does, is left as it is
 * (E_UPSTREAM).
 */
export async function requireUnpublished(
  wire: Wire,
  kind: Kind,
  state: PostState,
  made: "created" | "updated",
): Promise<void> {
  if (!["publish", "private"].includes(state.status) && !(made === "created" && state.status === "future")) {
    return;
  }
  const stands = `stands as "${statusWord(state.status)}" (${state.link})`;
  if (made === "created" && await isOld(wire, kind, state.id)) {
    throw new GatewayError(
      "E_UPSTREAM",
      `The site made no draft but answered ${
        label(kind, state.id)
      }, which was there before and ${stands}; it was ` +
        "left as it is",
      { upstream: 502 },
    );
  }
  const end = made === "created"
    ? await takeBack(wire, kind, state.id)
    : "somebody published it meanwhile, and the change is on the live page: look at it";
  throw new GatewayError("E_FORBIDDEN_OP", `${label(kind, state.id)} was ${made} and ${stands}; ${end}`);
}

const NEW_MS = 10 * 60 * 1000;

/** Whether by the site's own clock it was last changed long before this call. False where that cannot be told. */
async function isOld(wire: Wire, kind: Kind, id: number): Promise<boolean> {
  const query = { context: "edit", _fields: STATE_FIELDS };
  const got = await wire.overtime().get(`wp/v2/${kind}/${id}`, query, POST_STATE).catch(() => null);
  const age = Date.parse(got?.headers.get("date") ?? "") - Date.parse(utc(got?.data.modified_gmt) ?? "");
  return age > NEW_MS;
}
