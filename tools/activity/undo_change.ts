/** undo_change: sets back what changes have replaced, each by the tool that made it, unless somebody changed it since. */
import { GatewayError } from "../../core/errors.ts";
import {
  asOne,
  type ChangesPort,
  type KeptWrite,
  type PlannedCall,
  tool,
  type ToolContext,
  type WriteResult,
} from "../../registry/tool.ts";

/** Writes to one thing by one tool, newest first, that are set back together. */
interface Target extends Pick<KeptWrite, "tool" | "site_id" | "of" | "values" | "left" | "found"> {
  readonly requests: readonly string[];
}

/** A change that is not set back, and why. */
interface LeftOut {
  readonly request_id: string;
  readonly why: GatewayError;
}

/** Ids grow with time: the newest is set back first. */
const newestFirst = (
  { request_id, request_ids = [] }: { request_id?: string; request_ids?: readonly string[] },
) => [...new Set(request_id === undefined ? request_ids : [request_id])].sort().reverse();

const stale = (request_id: string, parts: readonly string[], when: string) =>
  new GatewayError(
    "E_STALE_PREVIEW",
    `${request_id}: ${
      parts.map((part) => JSON.stringify(part)).join(", ")
    } changed ${when}, so it is not set back; look ` +
      "at what stands there, and change it with the tool that did",
  );

export default tool("undo_change", {
  async plan(args, ctx) {
    const ids = newestFirst(args);
    const { targets, leftOut } = await targetsOf(ids, ctx.changes);
    const planned: { readonly target: Target; readonly call: PlannedCall }[] = [];
    for (const target of targets) {
      const call = await setBack(target, ctx);
      if (call instanceof GatewayError) {
        leftOut.push(...target.requests.map((request_id) => ({ request_id, why: call })));
      } else planned.push({ target, call });
    }
    if (planned.length === 0) throw leftOut[0]!.why;
    const count = ids.length - leftOut.length;
    return {
      summary: `Take back ${count === 1 ? "a change" : `${count} changes`} on ${ctx.site.name}: ${
        planned.map(({ call }) => call.summary).join("; ")
      }`,
      changes: [],
      warnings: leftOut.map(({ request_id, why }) => `${request_id} is left out: ${why.message}`),
      state: { planned, leftOut },
    };
  },
  async run(_, ctx, { state: { planned, leftOut } }) {
    const results: WriteResult[] = [];
    for (const { target, call } of planned) {
      results.push(await ctx.calls.run(call) as WriteResult);
      for (const request_id of target.requests) ctx.changes.undoes(request_id);
    }
    const undone = [...new Set(planned.flatMap(({ target }) => target.requests))];
    const left_out = leftOut.map(({ request_id, why }) => ({
      request_id,
      code: why.code,
      reason: why.message,
    }));
    return asOne({ undone, left_out }, results);
  },
});

/** What is to be set back, by what it is: of several changes of one thing the oldest values. */
async function targetsOf(ids: readonly string[], changes: Pick<ChangesPort, "find">) {
  const targets = new Map<string, Target>();
  const leftOut: LeftOut[] = [];
  for (const request_id of ids) {
    try {
      const added = new Map<string, Target>();
      for (const write of (await changes.find(request_id)).toReversed()) {
        const { tool, site_id, of } = write;
        const key = JSON.stringify([tool, site_id, of]);
        added.set(key, joined(added.get(key) ?? targets.get(key), write));
      }
      for (const [key, target] of added) targets.set(key, target);
    } catch (thrown) {
      if (!(thrown instanceof GatewayError) || thrown.code === "E_INTERNAL") throw thrown;
      leftOut.push({ request_id, why: thrown });
    }
  }
  return { targets: [...targets.values()], leftOut };
}

/** A write joined to the later ones of the same thing. Throws E_STALE_PREVIEW where somebody changed it in between. */
function joined(later: Target | undefined, write: KeptWrite): Target {
  const { request_id, tool, site_id, of, values, left, found } = write;
  if (later === undefined) return { tool, site_id, of, values, left, found, requests: [request_id] };
  const parts = Object.keys(left).filter((part) =>
    part in (later.found ?? {}) && later.found![part] !== left[part]
  );
  if (parts.length > 0) throw stale(request_id, parts, "before a later change that is taken back too");
  return {
    ...later,
    values: { ...later.values, ...values },
    left: { ...left, ...later.left },
    found: { ...later.found, ...found },
    requests: [...new Set([...later.requests, request_id])],
  };
}

/** The call that sets it back, planned; what refuses it, where something does, or where it is not as it was left. */
async function setBack(target: Target, ctx: Pick<ToolContext, "calls" | "changes">) {
  const { tool, site_id, of, values, left, requests } = target;
  try {
    const call = await ctx.calls.plan(tool, { site_id, ...of, ...values });
    const parts = ctx.changes.drifted(left, call.revision);
    if (parts.length === 0) return call;
    const why = stale(requests[0]!, parts, "since");
    ctx.calls.leave(call, why);
    return why;
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code !== "E_INTERNAL") return thrown;
    throw thrown;
  }
}
