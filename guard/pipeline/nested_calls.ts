/** The calls of other tools that a tool makes: each takes the steps of a call from the look-up on, as its caller's. */
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

/** A call that has passed steps 4 to 13, about a thing that is not made yet. */
export interface ForeseenCall extends Pick<ReadyCall, "tier" | "siteId" | "gate" | "warnings"> {
  /** Step 14, once the thing is there. */
  planFor(id: string | number): Promise<ReadyCall>;
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
  /** Steps 4 to 13 for a call within this one, whose argument `at` is not known yet. */
  foresee(
    tool: string,
    args: Record<string, unknown>,
    at: string,
    record: CallRecord,
  ): Promise<ForeseenCall>;
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
  readonly call: ReadyCall | ForeseenCall;
  /** Whether it was planned before the whole call began to write. */
  readonly beforeGate: boolean;
  readonly record: CallRecord;
}

/**
 * Makes that way. A write runs only if it was planned before the whole call was confirmed and its intent row written:
 * so the preview showed what it changes, and nobody avoids the confirmation or the steps of the inner tool.
 */
export function nestedCalls({ record, tools, prepare, foresee, explain }: OuterCall): NestedCalls {
  let ready: Map<PlannedCall, Ready> | undefined; // few calls make others
  const planned: PlannedCall[] = [];
  const plan = async (tool: string, args: Record<string, unknown>, kept?: Before) => {
    refuseLoop(tools, tool);
    const beforeGate = !record.root.decision.writing;
    const inner = record.within(tool, args);
    const call = await inner.watch(() => prepare(tool, args, inner, kept));
    return keep(plannedAs(tool, call), { call, beforeGate, record: inner });
  };
  const keep = (made: PlannedCall, one: Ready): PlannedCall => {
    refuseUnseen(made.tool, one);
    ready ??= new Map();
    ready.set(made, one);
    planned.push(made);
    return made;
  };
  const later = async (tool: string, args: Record<string, unknown>, at: string) => {
    refuseLoop(tools, tool);
    const beforeGate = !record.root.decision.writing;
    const inner = record.within(tool, args);
    const call = await inner.watch(() => foresee(tool, args, at, inner));
    return keep(foreseenAs(tool, call, args), { call, beforeGate, record: inner });
  };
  const restore = async (writes: readonly KeptWrite[]) => {
    const { tool, site_id, ...kept } = keptTogether(writes);
    return await plan(tool, { site_id, ...kept.of }, kept);
  };
  const run = async (made: PlannedCall, id?: string | number) => {
    const found = ready?.get(made);
    if (!found) throw bug(made.tool, "was not planned by this call, or has run");
    if (found.call.tier > 0 && !(record.root.decision.writing && found.beforeGate)) {
      throw bug(made.tool, "can write, and was not planned before the call that makes it was confirmed");
    }
    ready?.delete(made);
    const { call, record: inner } = found;
    const now = "planFor" in call ? await inner.watch(() => plannedLate(record, made.tool, call, id)) : call;
    inner.decision.begin("run");
    return await inner.watch(() => now.run());
  };
  const leave = (made: PlannedCall) => {
    const found = ready?.get(made);
    if (!found) throw bug(made.tool, "was not planned by this call, or has run");
    ready?.delete(made);
    planned.splice(planned.indexOf(made), 1);
    record.forget(found.record);
  };
  const shown = async () =>
    (await Promise.all([...ready?.values() ?? []].map(({ call }) => "shown" in call ? call.shown() : [])))
      .flat();
  const port = { plan: (tool: string, args: Record<string, unknown>) => plan(tool, args), foresee: later };
  return { port: { ...port, restore, run, leave, explain }, planned, shown };
}

function plannedAs(tool: string, call: ReadyCall): PlannedCall {
  const { siteId: site_id, tier, plan, changes, revision, warnings, restores } = call;
  const summary = plan?.summary ?? "";
  return Object.freeze({ tool, site_id, tier, summary, changes, revision, warnings, restores });
}

/** Refuses a write that has no preview. */
function refuseUnseen(tool: string, { call: { tier, gate }, record }: Ready): void {
  if (tier === 0 || gate) return;
  const failure = new GatewayError(
    "E_FORBIDDEN_OP",
    `"${tool}" has no preview, so no other tool may call it`,
  );
  record.decision.refuses(failure);
  throw failure;
}

/** Plans what was foreseen, of a thing that the calling tool has made in this very call. */
async function plannedLate(
  outer: CallRecord,
  tool: string,
  call: ForeseenCall,
  id: string | number | undefined,
): Promise<ReadyCall> {
  if (id === undefined || !outer.made.some((one) => one.id === id)) {
    throw bug(tool, "is about something that the call which makes it has not made");
  }
  const now = await call.planFor(id);
  if (now.tier <= call.tier) return now;
  throw new GatewayError(
    "E_STALE_PREVIEW",
    `Somebody changed ${id} meanwhile, so "${tool}" would do more than was shown`,
  );
}

/** As it is shown: each value that its arguments give, for there is nothing yet that it replaces. */
function foreseenAs(
  tool: string,
  { siteId: site_id, tier, warnings }: ForeseenCall,
  { site_id: _, ...args }: Record<string, unknown>,
): PlannedCall {
  const changes = Object.entries(args).map(([field, to]) => ({ field: `${tool}.${field}`, from: null, to }));
  const summary = `${tool}, of what this call makes`;
  return Object.freeze({ tool, site_id, tier, summary, changes, revision: null, warnings, restores: false });
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
