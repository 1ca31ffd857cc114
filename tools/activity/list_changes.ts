/** list_changes: what was changed on a site through the gateway, newest first. */
import { GatewayError } from "../../core/errors.ts";
import { history } from "../../platforms/_content/history.ts";
import { posts } from "../../platforms/_content/posts.ts";
import {
  type Apart,
  type ChangeLine,
  type ChangesQuery,
  type KnownChanges,
  tool,
  type ToolContext,
} from "../../registry/tool.ts";
import { partsApart } from "../../rules/apart.ts";

const OUTSIDE = "Changes past the gateway: get_content_history.";
const UNTOLD = "What people changed outside the gateway, this platform does not say.";
const SHOWS = "texts: true shows what each replaced.";
const BEGINNINGS =
  "Of a text under shortened, which has so many bytes, only the beginning is shown; get_content_history with from: previous " +
  "or the preview of undo_change shows all of it.";
const LONGER = "More was replaced than is shown; the preview of undo_change shows all.";
/** What the texts of one change take at most, so that a page has room for it. */
const TEXTS_BYTES = 2200;
const NAMED = ["today", "yesterday"];
const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

export default tool("list_changes", {
  check({ date, since, id }, { checkId }) {
    checkId(id, "id");
    if (date !== undefined && since !== undefined) throw bad("date, since: give one of the two");
    if (date !== undefined && !NAMED.includes(date)) dayOf(date, "date");
    if (since !== undefined && Number.isNaN(Date.parse(since))) {
      throw bad(`since: "${since.slice(0, 40)}" is no time; give one such as 2026-03-01T09:00:00Z`);
    }
  },
  async run({ date, since, set: set_id, texts, ...filters }, ctx) {
    const query = { ...filters, set_id };
    const { span, time_zone, untold } = date === undefined
      ? { span: since === undefined ? {} : { from: new Date(since).toISOString() } }
      : await spanOf(date, ctx);
    let isLonger = false;
    const apart: Apart = (from, to) => {
      const { changes, next } = partsApart(from, to, 1, TEXTS_BYTES);
      isLonger ||= next !== null;
      return changes;
    };
    const { rows, unknown, next, more_unknown, of_many_files } = await ctx.changes.list(
      { ...query, ...span },
      texts === true ? apart : undefined,
    );
    const isNone = rows.length === 0 && unknown.length === 0 && next === null && query.cursor === undefined;
    const known = isNone ? await knownWords(query, ctx) : null;
    return {
      ...time_zone === undefined ? {} : { time_zone, ...span },
      changes: rows,
      ...unknown.length === 0 ? {} : { unknown },
      next: [
        known ?? (next === null ? "This is all." : "There may be more: call again with this cursor."),
        ...more_unknown ? ["There are more under unknown: narrow it by tool, id, path or date."] : [],
        ...untold ? ["The site did not tell its time zone, so the day is one of UTC."] : [],
        ...of_many_files === undefined ? [] : [
          `Of very many files a change keeps the first by name; these may have written this file too: ${
            of_many_files.join(", ")
          }.`,
        ],
        ...texts === true ? textWords(rows, isLonger) : rows.length === 0 ? [] : [SHOWS],
        ctx.can(history) ? OUTSIDE : UNTOLD,
      ].join(" "),
      ...next === null ? {} : { cursor: next },
    };
  },
});

/** What the texts do not show. */
function textWords(rows: readonly ChangeLine[], isLonger: boolean): string[] {
  const replaced = rows.flatMap((row) => "request_id" in row ? row.replaced ?? [] : []);
  const isCut = replaced.some(({ shortened }) => shortened !== undefined);
  return [...isCut ? [BEGINNINGS] : [], ...isLonger ? [LONGER] : []];
}

/** Why nothing was found, as far as that can be told. Throws E_BAD_INPUT for a tool that there is not and never was. */
async function knownWords(
  query: ChangesQuery,
  { calls, changes, caller, site }: Pick<ToolContext, "calls" | "changes" | "caller" | "site">,
): Promise<string> {
  const known = await changes.known(query);
  if (query.tool !== undefined && !known.hadTool) {
    const { tier } = await calls.explain(query.tool, { site_id: site.id }).catch((thrown) => {
      const isThere = !(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL";
      throw isThere ? thrown : bad(`tool: ${thrown.message}`);
    });
    if (tier === 0) return `Nothing fits: "${query.tool}" only reads.`;
  }
  const whose = caller.superAdmin ? "" : " by this token, which lists its own alone";
  if (known.tokens.length === 0) return `Nothing was changed here${whose}, as far as the audit goes back.`;
  const kinds = Object.entries(KINDS).filter(([filter]) => query[filter as Filter] !== undefined);
  const told = kinds.map(([, kind]) => `${kind} ${known[kind].join(", ") || "none"}`).join("; ");
  return `Nothing fits.${told === "" ? "" : ` The latest changes here${whose} are of these: ${told}.`}`;
}

type Filter = "tool" | "path" | "client" | "person" | "token";
const KINDS = {
  tool: "tools",
  path: "paths",
  client: "clients",
  person: "persons",
  token: "tokens",
} as const satisfies Record<
  Filter,
  keyof KnownChanges
>;

function dayOf(text: string, field: string): Temporal.PlainDate {
  try {
    return Temporal.PlainDate.from(text, { overflow: "reject" });
  } catch {
    throw bad(
      `${field}: "${text}" is no day; give today, yesterday or a day as YYYY-MM-DD; for all from a moment on give since in its place`,
    );
  }
}

/** From when to when a day is, in the time zone of the site where it tells that, else in UTC. */
async function spanOf(date: string, ctx: Pick<ToolContext, "can" | "now" | "use">) {
  const told = ctx.can(posts) ? await (await ctx.use(posts)).timeZone().catch(() => undefined) : undefined;
  const time_zone = told ?? "UTC";
  const today = Temporal.Instant.fromEpochMilliseconds(ctx.now()).toZonedDateTimeISO(time_zone).toPlainDate();
  const day = date === "today"
    ? today
    : date === "yesterday"
    ? today.subtract({ days: 1 })
    : dayOf(date, "date");
  const at = (one: Temporal.PlainDate) => one.toZonedDateTime(time_zone).toInstant().toString();
  const span = { from: at(day), to: at(day.add({ days: 1 })) };
  return { span, time_zone, untold: ctx.can(posts) && told === undefined };
}
