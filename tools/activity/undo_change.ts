/** undo_change: sets back what changes have replaced, each by the tool that made it, unless somebody changed it since. */
import { GatewayError } from "../../core/errors.ts";
import { type Change, LIMITS } from "../../core/model.ts";
import {
  asOne,
  type ChangeRow,
  type ChangesPort,
  type KeptWrite,
  type PlannedCall,
  tool,
  type ToolContext,
  type WriteResult,
} from "../../registry/tool.ts";
import { idsOf, NAMED, named } from "./_choice.ts";

/** Writes to one thing by one tool, newest first, that are set back together. */
type Target = readonly [newest: KeptWrite, ...older: KeptWrite[]];

/** Why changes are not set back, by their request. */
type LeftOut = Map<string, GatewayError>;

/** A call that sets a target back. */
interface Planned {
  readonly target: Target;
  readonly call: PlannedCall;
}

/** Of a call's time so much may go by until all is planned, for writing takes longer; and until the last write begins. */
const PLANNED_MS = LIMITS.CALL_DEADLINE_MS / 4;
const BEGUN_MS = LIMITS.CALL_DEADLINE_MS * 5 / 6;

const requestsOf = (target: Target) => [...new Set(target.map(({ request_id }) => request_id))];

const stale = (request_id: string, parts: readonly string[], when: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `${request_id}: ${
      parts.map((part) => JSON.stringify(part)).join(", ")
    } changed ${when}, so it is not set back; look ` +
      "at what stands there, and change it with the tool that did",
  );

const lost = (request_id: string, what: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `${request_id}: ${what} was put in the bin, deleted or made into something else since, so nothing is set back; ` +
      "restore it on the site first",
  );

const inexact = (request_id: string, fields: readonly string[]) =>
  new GatewayError(
    "E_FORBIDDEN_OP",
    `${request_id}: ${
      fields.join(", ")
    } would be stored otherwise than it stood there, so it is not set back; change it ` +
      "on the site itself",
  );

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

export default tool("undo_change", {
  check({ since, client, person, token }) {
    if (since !== undefined || (client ?? person ?? token) === undefined) return;
    throw new GatewayError("E_BAD_INPUT", "client, person, token: go with since; give since too");
  },
  async plan(args, ctx) {
    const began = ctx.now();
    const { ids, more, warnings } = await idsOf(args, ctx.changes);
    const leftOut: LeftOut = new Map();
    const writes = await writesOf(ids, ctx.changes, leftOut);
    const planned = await setBack(writes, ctx, leftOut, began + PLANNED_MS);
    if (planned.length === 0) throw allLeftOut(leftOut, more);
    const count = ids.length - leftOut.size;
    const stays = staysOf(planned);
    return {
      summary: `Take back ${count === 1 ? "a change" : `${count} changes`} on ${ctx.site.name}: ${
        planned.slice(0, NAMED).map(({ call }) => call.summary).join("; ")
      }${planned.length > NAMED ? `; and ${planned.length - NAMED} more` : ""}`,
      changes: [],
      // Which changes "since" or a set means is fixed by what was shown.
      ...(args.since ?? args.set_id) === undefined ? {} : { revision: { changes: ids } },
      warnings: [
        ...[...leftOut].map(([request_id, why]) => `${request_id} is left out: ${why.message}`),
        ...warnings,
        ...stays,
      ],
      state: { planned, leftOut, stays, until: began + BEGUN_MS },
    };
  },
  async run(_, ctx, { state: { planned, leftOut, stays, until } }) {
    const results: WriteResult[] = [];
    const undone = new Set<string>();
    for (const { target, call } of planned) {
      const ids = requestsOf(target);
      if (ctx.now() >= until && undone.size > 0 && !ids.some((id) => undone.has(id))) {
        for (const request_id of ids) leftOut.set(request_id, notBegun(request_id));
        continue;
      }
      results.push(await ctx.calls.run(call) as WriteResult);
      for (const request_id of ids) ctx.changes.undoes(request_id);
      for (const request_id of ids) undone.add(request_id);
    }
    const left_out = [...leftOut].map(([request_id, { code, message: reason }]) => ({
      request_id,
      code,
      reason,
    }));
    return asOne({ undone: [...undone], left_out }, results).warned(stays);
  },
});

const notBegun = (request_id: string) =>
  new GatewayError(
    "E_UPSTREAM",
    `${request_id}: was not begun, for the time of the call was used up; take it back again`,
  );

/** Of more things than go back within the time of a call: which may. */
function tooMany(targets: readonly (readonly KeptWrite[])[], at: number): GatewayError {
  const ids = new Set(targets.slice(0, at).flatMap((target) => target.map(({ request_id }) => request_id)));
  return new GatewayError(
    "E_UPSTREAM",
    `The site answers too slowly for so many changes in one call: ${
      PLANNED_MS / 1000
    } s went by until ${at} of ` +
      `${targets.length} were looked at, so nothing was written; take back fewer at once, such as request_ids ` +
      [...ids].join(", "),
    { upstream: 504 },
  );
}

/** Where a person deletes what the site's own lists have. */
const LISTS: Readonly<Record<string, string>> = {
  tag: "under Posts > Tags",
  category: "under Posts > Categories",
};

/** What the changes had made new, which stays, and where a person deletes it. */
function staysOf(planned: readonly Planned[]): string[] {
  const made = planned.flatMap(({ target }) => target.flatMap((one) => one.made));
  const stays = made.filter(({ what }) => what !== "commit"); // a new one takes its place, and nobody takes one out
  const once = new Map(stays.map((one) => [JSON.stringify([one.what, one.id ?? one.name]), one]));
  return [...Map.groupBy(once.values(), ({ what }) => what)].map(([what, all]) => {
    const names = all.slice(0, NAMED).map(({ id, name }) =>
      [...id === null ? [] : [id], ...name === undefined ? [] : [JSON.stringify(name)]].join(" ")
    );
    const more = all.length > NAMED ? ` and ${all.length - NAMED} more` : "";
    return `Made new and staying, for nothing is deleted here: ${what} ${
      names.join(", ")
    }${more}; what nothing uses any ` +
      `more a person deletes in the site's admin${what in LISTS ? ` ${LISTS[what]}` : ""}`;
  });
}

/** What each of them wrote, newest first. */
async function writesOf(ids: readonly string[], changes: Pick<ChangesPort, "find">, leftOut: LeftOut) {
  const writes: KeptWrite[] = [];
  for (const request_id of ids) {
    try {
      writes.push(...(await changes.find(request_id)).toReversed());
    } catch (thrown) {
      leftOut.set(request_id, refusal(thrown));
    }
  }
  return writes;
}

/** Where nothing goes back: why the newest does not, which others do not, and which older ones were not looked at. */
function allLeftOut(leftOut: LeftOut, more: readonly ChangeRow[]): GatewayError {
  const [[, first], ...others] = [...leftOut] as [[string, GatewayError], ...[string, GatewayError][]];
  const nor = others.slice(0, NAMED).map(([request_id, { code }]) => `${request_id} (${code})`).join(", ");
  const rest = others.length > NAMED ? ` and ${others.length - NAMED} more` : "";
  return first.saying([
    first.message,
    ...nor === "" ? [] : [`nor do these go back: ${nor}${rest}`],
    ...more.length === 0 ? [] : [`older ones go back by request_ids: ${named(more, NAMED)}`],
  ].join("; "));
}

/** A refusal as it is; what is none is thrown on. */
function refusal(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError && thrown.code !== "E_INTERNAL") return thrown;
  throw thrown;
}

/**
 * The calls that set them back, planned. A change of which one write cannot go back is left out as a whole, and what is
 * left of its targets is planned anew.
 */
async function setBack(
  all: readonly KeptWrite[],
  ctx: Pick<ToolContext, "calls" | "changes" | "now">,
  leftOut: LeftOut,
  until: number,
): Promise<Planned[]> {
  let planned = new Map<string, Planned>();
  for (let writes = all, found = true; found; writes = writes.filter((one) => !leftOut.has(one.request_id))) {
    const known = planned;
    [planned, found] = [new Map(), false];
    const targets = [
      ...Map.groupBy(
        writes,
        ({ tool, site_id, of, byArguments }) => JSON.stringify([tool, site_id, of, byArguments]),
      ).values(),
    ];
    for (const [at, target] of targets.entries()) {
      if (at > 0 && ctx.now() >= until) throw tooMany(targets, at);
      const key = JSON.stringify([target[0]!.of, ...target.map(({ request_id }) => request_id)]);
      const done = known.get(key) ?? await planOf(target as unknown as Target, ctx);
      known.delete(key);
      if ("call" in done) planned.set(key, done);
      else for (const [request_id, why] of done.out) leftOut.set(request_id, why);
      found ||= "out" in done;
    }
    for (const { call } of known.values()) ctx.calls.leave(call);
  }
  return [...planned.values()];
}

/** The call that sets a target back; or which of its changes cannot go back, and why. */
async function planOf(
  target: Target,
  { calls, changes }: Pick<ToolContext, "calls" | "changes">,
): Promise<Planned | { readonly out: LeftOut }> {
  const between = changedBetween(target);
  if (between !== null) return { out: between };
  try {
    const call = await calls.restore(target);
    const left = Object.assign({}, ...target.toReversed().map((one) => one.left)); // what the newest write left
    const parts = changes.drifted(left, call.revision);
    const other = call.restores ? [] : notAsItStood(target, call);
    if (parts.length === 0 && other.length === 0) return { target, call };
    calls.leave(call);
    if (parts.length === 0) {
      return { out: outOf(target, (id) => inexact(id, other.map(({ field }) => field))) };
    }
    const out = target.filter((one) => parts.some((part) => part in one.left));
    // A part that none of them wrote is the state that all of them depend on.
    return { out: outOf(out.length > 0 ? out : target, (id) => stale(id, parts, "since")) };
  } catch (thrown) {
    const why = refusal(thrown);
    return { out: outOf(target, (id) => why.gone === undefined ? why : lost(id, why.gone)) };
  }
}

/** What the tool would store otherwise than it stood there. */
function notAsItStood(target: Target, { changes }: PlannedCall): readonly Change[] {
  const values = Object.assign({}, ...target.map((one) => one.values)); // of each field the oldest
  return changes.filter(({ field, to }) => field in values && !isSame(to, values[field]));
}

const outOf = (writes: readonly KeptWrite[], why: (request_id: string) => GatewayError): LeftOut =>
  new Map(writes.map(({ request_id }) => [request_id, why(request_id)]));

/** The writes whose work somebody changed before a later write of the same target; null where there are none. */
function changedBetween(target: Target): LeftOut | null {
  const found: Record<string, string> = {};
  for (const write of target) {
    const parts = Object.keys(write.left).filter((part) => part in found && found[part] !== write.left[part]);
    if (parts.length > 0) {
      return outOf([write], (id) => stale(id, parts, "before a later change that is taken back too"));
    }
    Object.assign(found, write.found);
  }
  return null;
}
