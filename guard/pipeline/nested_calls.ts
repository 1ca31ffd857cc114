/** The calls of other tools that a tool makes: each walks the steps of a call from the look-up on, as its caller's. */
import { GatewayError } from "../../core/errors.ts";
import { type Change, LIMITS, type Tier } from "../../core/model.ts";
import type {
  Before,
  CallsPort,
  Explanation,
  KeptWrite,
  Plan,
  PlannedCall,
  Revision,
} from "../../registry/tool.ts";
import type { CallRecord } from "../audit/audit.ts";
import { isKept } from "../changes.ts";

/** A call that has passed steps 4 to 14. */
export interface ReadyCall {
  readonly tool: string;
  readonly siteId: string | null;
  readonly tier: Tier;
  /** Checked, defaults filled in. */
  readonly args: Record<string, unknown>;
  readonly confirm: boolean;
  /** Whether it must be confirmed, as every write but that of a site's own tool. */
  readonly gate: boolean;
  /** Whether it is a site's own tool. */
  readonly offered: boolean;
  /** Whether the call asks for a preview, whatever else it says. */
  readonly dryRun: boolean;
  /** Whether the tool's own `restore` does it. */
  readonly restores: boolean;
  /** What a write would do. */
  readonly plan: Plan | null;
  /** What the plan says would change, and after it what the calls would that it planned. */
  readonly changes: readonly Change[];
  /** What a preview shows behind them. */
  shown(): Promise<Change[]>;
  /** What of the live state it would replace, those calls' parts included. */
  readonly revision: Revision | null;
  /** What a person should know before approving, of it and of those calls. */
  readonly warnings: readonly string[];
  /** The calls of other tools that the plan planned. */
  readonly calls: readonly PlannedCall[];
  /** Carries it out, once; `expects` is the dry run that it must equal, where it was shown as one. */
  run(expects?: string): Promise<unknown>;
}

/** The call that makes others. */
export interface OuterCall {
  readonly record: CallRecord;
  /** Its tool, after those of the calls that contain it. */
  readonly tools: readonly string[];
  /** Steps 4 to 14 for a call within this one, with its caller and its deadline; for one that sets back what was kept. */
  prepare(
    tool: string,
    args: Record<string, unknown>,
    record: CallRecord,
    kept?: Before,
  ): Promise<ReadyCall>;
  /** What steps 5 to 13 say of a call of its caller's, which is none within this one. */
  explain(tool: string, args: Record<string, unknown>): Promise<Explanation>;
}

/** A call's way to other tools, and the calls it has planned so far. */
export interface NestedCalls {
  readonly port: CallsPort;
  readonly planned: readonly PlannedCall[];
  /** What a preview shows of them behind their changes. */
  shown(): Promise<Change[]>;
}

/** A call that was planned and has not run. */
interface Ready {
  readonly call: ReadyCall;
  /** Whether it was planned before the whole call began to write. */
  readonly beforeGate: boolean;
  readonly record: CallRecord;
}

/**
 * Makes that way. A write runs only if it was planned before the whole call was confirmed and its intent row written:
 * so the preview showed what it changes, and nobody avoids the confirmation or the steps of the inner tool.
 */
export function nestedCalls({ record, tools, prepare, explain }: OuterCall): NestedCalls {
  let ready: Map<PlannedCall, Ready> | undefined; // few calls make others
  const planned: PlannedCall[] = [];
  const plan = async (tool: string, args: Record<string, unknown>, kept?: Before) => {
    refuseLoop(tools, tool);
    const beforeGate = !record.root.decision.writing;
    const inner = record.within(tool, args);
    const call = await inner.watch(() => prepare(tool, args, inner, kept));
    if (call.tier > 0 && !call.gate) {
      const why = `"${tool}" has no preview, so no other tool may call it`;
      const failure = new GatewayError("E_FORBIDDEN_OP", why);
      inner.decision.refuses(failure);
      throw failure;
    }
    const made = plannedAs(tool, call);
    ready ??= new Map();
    ready.set(made, { call, beforeGate, record: inner });
    planned.push(made);
    return made;
  };
  const restore = async (writes: readonly KeptWrite[]) => {
    const { tool, site_id, ...kept } = keptTogether(writes);
    return await plan(tool, { site_id, ...kept.of }, kept);
  };
  const run = async (made: PlannedCall) => {
    const found = ready?.get(made);
    if (!found) throw bug(made.tool, "was not planned by this call, or has run");
    if (found.call.tier > 0 && !(record.root.decision.writing && found.beforeGate)) {
      throw bug(made.tool, "can write, and was not planned before the call that makes it was confirmed");
    }
    ready?.delete(made);
    found.record.decision.begin("run");
    return await found.record.watch(() => found.call.run());
  };
  const leave = (made: PlannedCall) => {
    const found = ready?.get(made);
    if (!found) throw bug(made.tool, "was not planned by this call, or has run");
    ready?.delete(made);
    planned.splice(planned.indexOf(made), 1);
    record.forget(found.record);
  };
  const shown = async () =>
    (await Promise.all([...ready?.values() ?? []].map(({ call }) => call.shown()))).flat();
  return { port: { plan: (tool, args) => plan(tool, args), restore, run, leave, explain }, planned, shown };
}

function plannedAs(tool: string, call: ReadyCall): PlannedCall {
  const { siteId: site_id, tier, plan, changes, revision, warnings, restores } = call;
  const summary = plan?.summary ?? "";
  return Object.freeze({ tool, site_id, tier, summary, changes, revision, warnings, restores });
}

/** What stood there before the oldest of those writes, newest first. Throws E_INTERNAL for what the gateway did not keep. */
function keptTogether(
  writes: readonly KeptWrite[],
): Before & { readonly tool: string; readonly site_id: string } {
  const [newest] = writes;
  if (newest === undefined || !writes.every(isKept)) {
    throw new GatewayError("E_INTERNAL", "What is set back was not kept by the gateway");
  }
  const { tool, site_id, of, byArguments } = newest;
  const values = Object.assign({}, ...writes.map((one) => one.values));
  return { tool, site_id, of, values, ...byArguments ? { byArguments } : {} };
}

const bug = (tool: string, reason: string) =>
  new GatewayError("E_INTERNAL", `The call of "${tool}" ${reason}`);

/** Throws E_FORBIDDEN_OP for a tool that would call itself, at whatever depth, and for calls too deep in each other. */
function refuseLoop(tools: readonly string[], tool: string): void {
  if (tools.includes(tool)) {
    throw new GatewayError("E_FORBIDDEN_OP", `"${tool}" may not be called from within itself`);
  }
  if (tools.length > LIMITS.NESTED_CALL_LEVELS) {
    throw new GatewayError("E_FORBIDDEN_OP", `"${tool}" would be a call too deep within others`);
  }
}
