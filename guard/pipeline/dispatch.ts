/** The pipeline that every call takes, from either door: checked step by step, run, and audited. */
import { asGatewayError, classOf, GatewayError } from "../../core/errors.ts";
import type { CountedRefusals } from "../audit/counted.ts";
import type { AuditRow, Caller, Outcome } from "../../core/model.ts";
import type { AskedList } from "../../registry/asked_list.ts";
import { tellsOfTools } from "../../registry/manifest.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import type { Follower } from "../../registry/tool.ts";
import { type Beside, RowRefused, type Store } from "../../store/store.ts";
import { answered, asOffered, plain, shaped } from "./answer.ts";
import { AuditOutage, CallRecord, type Ending } from "../audit/audit.ts";
import { noteOnSpan, traced } from "../../core/tracing.ts";
import { bodyLimit } from "./body_limit.ts";
import { mayWrite } from "../consent/confirm.ts";
import { type Approving, noteApproving } from "../consent/approval.ts";
import { Consent } from "../consent/consent.ts";
import type { ConsentPorts, Ticket } from "../consent/consent_call.ts";
import { forwarded } from "./named_tool.ts";
import { causeOf } from "../failed_calls.ts";
import type { CallEnd } from "../figures.ts";
import { keepBefore } from "../changes.ts";
import { admit, type AdmitPorts, type Admitted, planned, subjectOf } from "./admit.ts";
import { endOfCall } from "./context.ts";
import type { ContextPorts } from "./context_ports.ts";
import { refuseFrozen } from "./freeze.ts";
import type { CallsInFlight, Place } from "./in_flight.ts";
import type { Asks } from "./input.ts";
import type { RateLimit } from "./limits.ts";
import { lean } from "../lean/lean.ts";
import { namingMade, withPartialResult } from "./made.ts";
import { inspectionHint, withOutcome } from "./outcome.ts";
import { writeUnknown } from "../webhooks/tell.ts";

/** A call as a door hands it over; authentication is behind it. */
export interface ToolCall {
  /** `admin`: an operator makes it. */
  readonly door: AuditRow["door"];
  /** A new ULID; the audit row's id as well. */
  readonly requestId: string;
  readonly caller: Caller;
  /** What the request left out of the tools, which it then may not call. */
  readonly narrowed?: AskedList;
  readonly tool: string;
  /** Whether the answer of a read loses what is too long of it. */
  readonly isBounded?: boolean;
  /** What is asked beside the arguments. */
  readonly asks?: Asks;
  /** As the door was given it; what is sent again under it is carried out once. */
  readonly idempotencyKey?: string;
  /** Who follows the call: told how far it is, and what is only read ends where nobody waits any more. */
  readonly follower?: Follower;
  /** A person's part in it, where it is shown to one who decides, or carried out for one who said yes. */
  readonly approving?: Approving;
  /** Where it is an item of a change set that somebody has consented to. */
  readonly item?: SetCall;
  /** Aborts when the client leaves; asked for where the call must wait for its turn. */
  readonly left?: () => AbortSignal;
  /**
   * Reads the arguments, at most `limit` bytes of body. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON, or E_AUTH when the
   * token was revoked meanwhile, which are audited as any other refusal.
   */
  parse(limit: number): Parsed | Promise<Parsed>;
}

/** An item of a change set as a call of its own. */
export interface SetCall {
  readonly ticket: Ticket;
  /** What is to be committed with the row that says how it ended. */
  told(ending: Ending, record: CallRecord): Promise<readonly Beside[]>;
}

/** A body as its door read it. */
export interface Parsed {
  readonly args: Record<string, unknown>;
  readonly bytes: number;
  /** Who calls once the body is there, where it was read after `caller` was known: it can be long in coming. */
  readonly caller?: Caller;
}

/** Runs a call and answers what the tool answered; throws a GatewayError for every refusal and failure. */
export type Dispatch = (call: ToolCall) => Promise<unknown>;

/** What the pipeline needs of the rest of the gateway. */
export interface DispatchPorts extends AdmitPorts, ConsentPorts {
  readonly store: ContextPorts["store"] & Pick<Store, "consents" | "approvals" | "audit" | "changes">;
  readonly tokenLimit: RateLimit;
  readonly callsInFlight: CallsInFlight;
  /** Counts calls that a rate limit refused, which leave no row each. */
  readonly counted: Pick<CountedRefusals, "limited">;
  /** Told of what a caller is not: the cause behind E_INTERNAL. */
  log(event: Record<string, unknown>): void;
  /** Is told how each call ended. */
  ended(end: CallEnd): void;
  /** Told of every answer that is no refusal, before parts of it are taken, and of the tool that gave it. */
  readonly answers?: ((tool: ToolEntry, value: unknown) => void) | undefined;
}

/** The ports, and what becomes of the audit. */
interface Ports extends DispatchPorts {
  readonly outage: AuditOutage;
}

/** Spans here are known by their names; the call's own says the rest. */
const NOTHING = {};
/** The tools that a call is within, which came through a door itself. */
const NONE: readonly string[] = [];

/** A row could not be written, which the log has already. */
export class NotAudited extends GatewayError {}

/** Joins the ports to the one way through. */
export function dispatcher(given: DispatchPorts): Dispatch {
  const ports: Ports = { ...given, outage: new AuditOutage(given) };
  return async (call) => {
    const began = { at: ports.now(), began: performance.now() };
    const record = new CallRecord(began.at, call);
    try {
      const value = await traced("call", NOTHING, () => carryOut(ports, call, record));
      ports.ended(endOf(ports, call, record, null, began));
      return value;
    } catch (thrown) {
      ports.ended(endOf(ports, call, record, asGatewayError(thrown, call.requestId), began));
      throw thrown;
    }
  };
}

/** When a call began: on the clock, and for how long it takes. */
interface Began {
  readonly at: number;
  readonly began: number;
}

/** How a call ended, for whoever counts: a name that no tool has is one that anybody may make up. */
function endOf(
  { catalog }: Ports,
  { requestId, door, caller }: ToolCall,
  { decision, tool, siteId }: CallRecord,
  failure: GatewayError | null,
  { at, began }: Began,
): CallEnd {
  const isKnown = decision.latest("entry") !== undefined || catalog.get(tool, caller) !== undefined;
  const { verdict } = decision;
  return {
    requestId,
    at,
    door,
    tool: isKnown ? tool : null,
    site: siteId,
    token: caller.token,
    result: verdict === "previewed" ? "preview" : verdict === "repeated" ? "repeated" : "ok",
    failure,
    seconds: (performance.now() - began) / 1000,
  };
}

/** One call, from its first step to its row. Throws a GatewayError for every refusal and failure. */
async function carryOut(ports: Ports, call: ToolCall, record: CallRecord): Promise<unknown> {
  if (call.approving) noteApproving(record, call.approving);
  if (call.item) {
    const { set_id, item, approved } = call.item.ticket;
    record.set = { set_id, item };
    Object.assign(record.facts, approved);
  }
  const left = () => call.follower?.signal ?? call.left?.();
  const place = ports.callsInFlight.place(call.caller.token.id, left);
  let value: unknown;
  let failure: GatewayError | null = null;
  try {
    value = await runPipeline(ports, call, record, place);
  } catch (thrown) {
    failure = withPartialResult(asGatewayError(thrown, call.requestId), record.allMade);
    if (failure.code === "E_INTERNAL" && !(thrown instanceof NotAudited)) {
      ports.log({
        event: "internal",
        request_id: call.requestId,
        tool: record.tool,
        cause: causeOf(failure),
      });
    }
  }
  if (failure) {
    failure = withOutcome(failure, record, ports.catalog.get(record.tool, call.caller)?.manifest);
  }
  if (failure) record.decision.refuses(failure);
  noteOnSpan(() => ({
    "gateway.request_id": call.requestId,
    "gateway.tool": ports.catalog.get(record.tool, call.caller) === undefined ? "unknown" : record.tool,
    "gateway.site": record.siteId ?? undefined,
    "gateway.token": call.caller.token.id,
    "gateway.verdict": record.decision.verdict,
    "gateway.class": failure ? classOf(failure.code) : undefined,
  }));
  if (failure?.counted && !record.decision.writing && !call.item) {
    place.leave();
    ports.counted.limited(actorOf(call.caller));
    throw failure;
  }
  const change = failure ? failure.outcome ?? "none" : record.decision.writing ? "made" : "none";
  try {
    const ending = failure ? { failure, outcome: change } : { value };
    const along = record.beside(ending);
    let beside = along instanceof Promise ? await along : along;
    if (call.item) beside = [...beside, ...await call.item.told(ending, record)];
    if (record.keeping !== null) beside = [...beside, ...await keptOf(ports, record, ending)];
    const row = record.outcome(failure, ports.now());
    if (row.outcome === "unknown") {
      const sites = record.allSites.map(({ id }) => id);
      beside = [...beside, ...await ports.tell(writeUnknown(row, sites))];
    }
    await appendAudit(ports, row, change, beside);
  } finally {
    place.leave();
  }
  if (failure) throw failure;
  return value;
}

/** Whose call it is, as the audit names them. */
const actorOf = ({ token, owner }: Caller) => ({
  token_id: token.id,
  token_name: token.name,
  owner_user_id: owner?.id ?? token.owner_user_id,
});

/** What is kept of a change beside its row; the row comes first, so where that cannot be told the change is not undoable. */
async function keptOf({ log }: Ports, record: CallRecord, ending: Ending): Promise<readonly Beside[]> {
  try {
    return await record.keeping!(ending);
  } catch (thrown) {
    log({ event: "internal", request_id: record.requestId, cause: causeOf(thrown) });
    return [];
  }
}

/** The steps of docs/ARCHITECTURE.md, "Request lifecycle", in their order; each returns or throws. */
async function runPipeline(
  ports: Ports,
  call: ToolCall,
  record: CallRecord,
  place: Place,
): Promise<unknown> {
  const { decision } = record;
  decision.begin("rate");
  const taken = ports.tokenLimit.take(call.caller.token.id); // 2
  if (taken) await taken;
  const known = ports.catalog.fresh(call.tool);
  if (known) await known;
  decision.begin("body");
  const parsed = call.parse(bodyLimit(ports.catalog.get(call.tool, call.caller), call.caller)); // 3
  const body = parsed instanceof Promise ? await parsed : parsed;
  const caller = body.caller ?? call.caller;
  const called = forwarded(ports.catalog, caller, { tool: call.tool, args: body.args }, call.narrowed);
  if (called.tool !== call.tool) await ports.catalog.fresh(record.becomes(called.tool));
  record.arguments = called.args;
  decision.begin("place");
  const waits = place.take(); // 3a
  if (waits) await waits;
  const { follower, asks, narrowed } = call;
  const deadline = endOfCall(ports.now());
  const { bytes } = body;
  const { tool, args, onlyReads } = called;
  // deno-fmt-ignore: one object of one shape, for every call makes it
  const asked = { args, asks, bytes, caller, narrowed, onlyReads, tool, deadline, outer: NONE, follower, place };
  const admitted = await traced("guard", NOTHING, () => admit(ports, asked, record)); // 4 to 13
  if (admitted.tier === 0) { // what only reads has no plan, and is bound to nothing
    decision.begin("run");
    const { acts, entry: { offer, manifest }, input: { wanted } } = admitted;
    const given = await traced("run", NOTHING, () => acts.run()); // 16
    const isBounded = call.isBounded === true && !tellsOfTools(manifest);
    const answer = offer ? asOffered(given) : plain(given);
    ports.answers?.(admitted.entry, answer);
    const read = isBounded ? asAgentsRead(call, admitted, called.args, answer) : answer;
    return shaped(read, wanted, isBounded);
  }
  const answer = await write(ports, call, { admitted, record, place, deadline });
  ports.answers?.(admitted.entry, answer);
  return asAgentsRead(call, admitted, called.args, answer);
}

/** An answer that a model reads, where it comes without the schema that describes all of it. */
const asAgentsRead = (
  { isBounded, narrowed }: ToolCall,
  { entry: { manifest } }: Admitted,
  args: Readonly<Record<string, unknown>>,
  answer: unknown,
): unknown => isBounded === true && narrowed?.full !== true ? lean(answer, manifest, args) : answer;

/** A call that may write, behind step 13. */
interface MayWrite {
  readonly admitted: Admitted;
  readonly record: CallRecord;
  readonly place: Place;
  readonly deadline: number;
}

/** Steps 13a to 16: previews it, or carries it out once. */
async function write(
  ports: Ports,
  { requestId, follower, idempotencyKey, item, approving }: ToolCall,
  { admitted, record, place, deadline }: MayWrite,
): Promise<unknown> {
  const { caller, entry: { manifest }, input: { confirmToken }, gate } = admitted;
  const consent = new Consent(ports, {
    caller,
    subject: subjectOf(admitted),
    run: { request_id: requestId, deadline },
    inspectionHint: inspectionHint(manifest),
    place,
    record,
    approving,
  });
  const plan = async () => await traced("plan", NOTHING, () => planned(admitted, record)); // 14
  const isShown = approving === undefined
    ? gate ? !mayWrite(admitted) : admitted.input.dryRun
    : approving.shown === null;
  if (isShown) return await consent.preview(await plan()); // 15
  return await consent.once({ // 13a to 16
    presented: item ? { ticket: item.ticket } : { confirmToken, idempotencyKey },
    plan,
    again: async (set_id, yes) => {
      const { wait_seconds } = admitted.input.args;
      return await ports.sets(admitted.parts).again(set_id, wait_seconds as number | undefined, yes);
    },
    signal: follower?.signal,
    async intent(beside) {
      await refuseFrozen(ports.store.freezes, record.allSites); // since its steps, or by what its plan raised it to
      const kept = await keepBefore(ports.store.changes, record, caller.token.id);
      await appendAudit(ports, record.intent(deadline), "none", [...beside, ...kept]);
    },
    run: async (ready, expects) =>
      await traced("run", NOTHING, async () => answered(await ready.run(expects), requestId)),
  });
}

/** What to say when the audit cannot be kept, by what is known of the change. */
const AUDIT_FAILED = {
  none: "The audit log cannot be written, so nothing was carried out",
  made: "The change was made, but its audit row could not be completed; do not repeat it",
  unknown: "The call failed and its audit row could not be completed; look at the site before trying again",
} as const;

/** What to say instead of what a read found: its upstream may have been asked, and have counted that. */
const NOT_TOLD = "The audit log cannot be written, so the answer is not given; nothing was changed";

/** What to say instead of the answer of a call that was carried out before. */
const notGivenAgain = (request_id: string) =>
  `The audit log cannot be written, so the answer of request "${request_id}" is not given again: that call was carried ` +
  "out, and is not to be sent as a new one";

/**
 * Writes an audit row. Throws E_INTERNAL when it cannot be kept, saying what became of the change, which the gateway's log
 * has as well.
 */
async function appendAudit(
  { store, outage }: Ports,
  row: AuditRow,
  change: Outcome,
  beside: readonly Beside[],
): Promise<void> {
  try {
    await traced("store", NOTHING, () => store.audit.append(row, beside));
    outage.kept();
  } catch (cause) {
    const { request_id, tool, token_id, site_id, status } = row;
    const repeated = status === "ok" ? row.repeats : undefined;
    const isWrite = row.outcome !== undefined || status === "started";
    const outcome = repeated !== undefined ? "made" : isWrite ? change : undefined;
    const made = row.made?.map(({ what, id }) => ({ what, id }));
    const known = { request_id, tool, token_id, site_id, status, outcome, made };
    const mayBeDone = outcome === "made" || outcome === "unknown" || row.made !== undefined;
    const late = cause instanceof RowRefused ? cause.late : null;
    outage.failed({ ...known, cause: causeOf(cause) }, mayBeDone, late);
    const failed = row.tier === 0 && change === "none" ? NOT_TOLD : AUDIT_FAILED[change];
    const said = repeated === undefined ? failed : notGivenAgain(repeated);
    const message = `${said}; give request id "${request_id}" to the gateway's operator`;
    throw new NotAudited("E_INTERNAL", namingMade(message, row.made ?? []), { cause, outcome });
  }
}
