/** The line every call walks, from either door: checked step by step, run, and audited. */
import { asGatewayError, GatewayError } from "../errors.ts";
import type { AuditRow, Caller, Door, Site } from "../model.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ToolEntry } from "../registry/load.ts";
import type { Store } from "../store/store.ts";
import { CallRecord } from "./audit.ts";
import { bodyLimit } from "./body_limit.ts";
import { confirmed, preview } from "./confirm.ts";
import { type ContextPorts, endOfCall, makeContext } from "./context.ts";
import { countsAs } from "./deployed.ts";
import { flagStep } from "./flags.ts";
import { readForwarded, readInput } from "./input.ts";
import type { RateLimit } from "./limits.ts";
import { linkStep } from "./links.ts";
import { failedHaving, namingMade } from "./made.ts";
import { nestedCalls, type ReadyCall } from "./nested_calls.ts";
import { platformStep } from "./platform.ts";
import { effectiveTier, riskCap } from "./risk.ts";
import { toolScope } from "./scope.ts";
import { findOfferingSite, findSite } from "./site.ts";

/** A call as a door hands it over; authentication is behind it. */
export interface ToolCall {
  readonly door: Door;
  /** A new ULID; the audit row's id as well. */
  readonly requestId: string;
  readonly caller: Caller;
  readonly tool: string;
  /**
   * Reads the arguments, at most `limit` bytes of body. Throws E_PAYLOAD_TOO_LARGE, E_BAD_JSON, or E_AUTH when the
   * token was revoked meanwhile, which are audited as any other refusal.
   */
  parse(limit: number): Parsed | Promise<Parsed>;
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

/** What the line needs of the rest of the gateway. */
export interface DispatchPorts extends ContextPorts {
  readonly store: Pick<Store, "sites" | "projects" | "previews" | "accounts" | "audit">;
  readonly catalog: Catalog;
  readonly tokenLimit: RateLimit;
  readonly siteLimit: RateLimit;
  /** Told of what a caller is not: the cause behind E_INTERNAL. */
  log(event: Record<string, unknown>): void;
}

/** Joins the ports to the one way through. */
export function dispatcher(ports: DispatchPorts): Dispatch {
  return async (call) => {
    const record = new CallRecord(ports.now(), call);
    let value: unknown;
    let failure: GatewayError | null = null;
    try {
      value = await walk(ports, call, record);
    } catch (thrown) {
      failure = failedHaving(asGatewayError(thrown, call.requestId), record.allMade);
      if (failure.code === "E_INTERNAL") {
        ports.log({
          event: "internal",
          request_id: call.requestId,
          tool: call.tool,
          cause: causeOf(failure),
        });
      }
    }
    const change = !record.writing ? "none" : failure ? "unknown" : "made";
    await keep(ports, record.outcome(failure, ports.now()), change);
    if (failure) throw failure;
    return value;
  };
}

/** The steps of docs/ARCHITECTURE.md, "Request lifecycle", in their order; each returns or throws. */
async function walk(ports: DispatchPorts, call: ToolCall, record: CallRecord): Promise<unknown> {
  ports.tokenLimit.take(call.caller.token.id); // 2
  const body = await call.parse(bodyLimit(ports.catalog.get(call.tool), call.caller)); // 3
  const caller = body.caller ?? call.caller;
  record.arguments = body.args;
  const { tool } = call;
  const deadline = endOfCall(ports.now());
  const ready = await prepare(ports, { ...body, caller, tool, deadline, outer: [] }, record); // 4 to 14
  if (ready.tier > 0) {
    if (ready.gate && !confirmed(caller, ready.confirm)) { // 15
      record.previewed = true;
      return preview(ready, record);
    }
    await keep(ports, record.intent(), "none"); // 16
    record.writing = true;
  }
  return await ready.run();
}

/** What steps 4 to 14 are walked with: by a call that came through a door, and by one that another tool makes. */
interface Asked extends Pick<Parsed, "args" | "bytes"> {
  readonly caller: Caller;
  readonly tool: string;
  readonly deadline: number;
  /** The tools of the calls it stands in, outermost first. */
  readonly outer: readonly string[];
}

/** Steps 4 to 14, which send reads only. */
async function prepare(ports: DispatchPorts, asked: Asked, record: CallRecord): Promise<ReadyCall> {
  const { caller, deadline } = asked;
  const entry = ports.catalog.find(asked.tool, caller); // 4
  const { manifest, handler, offer } = entry;
  record.tier = manifest.tier;
  if (offer?.hidden !== undefined) throw hidden(entry.name, offer.hidden);
  if (asked.bytes > manifest.body_limit) throw tooLarge(entry.name, manifest.body_limit);
  toolScope(caller, entry.name, manifest.tier); // 5, 6
  riskCap(caller, manifest.tier, entry.name); // 7
  const input = (offer ? readForwarded : readInput)(entry, asked.args, ports.now()); // 8
  const site = await siteOf(ports, caller, entry, input.siteId); // 9
  record.siteId = site?.id ?? null;
  const others = await otherSites(ports, caller, manifest.sites, input.args);
  for (const { id } of others.values()) record.targetSiteId = id;
  const kind = site && await countsAs(ports.store.sites, ports.connectors, manifest, site);
  const tier = effectiveTier(manifest, input.args, kind);
  record.tier = tier;
  riskCap(caller, tier, entry.name); // 10
  if (site) {
    for (const id of new Set([site.id, ...others.keys()])) ports.siteLimit.take(id);
    platformStep(manifest, asked.args, site); // 11
  }
  const grant = site && kind ? flagStep(manifest, input.args, site, kind) : undefined; // 12
  const tools = [...asked.outer, entry.name];
  const nested = nestedCalls({
    record,
    tools,
    prepare: (tool, args, inner) =>
      prepare(ports, { caller, tool, args, bytes: 0, deadline, outer: tools }, inner),
  });
  const parts = { caller, record, manifest, site, others, grant, calls: nested.port, deadline };
  const ctx = makeContext(ports, parts);
  handler.check?.(input.args, ctx);
  linkStep(manifest, site, ports.connectors, ports.upstream); // 13
  const plan = tier > 0 ? await handler.plan?.(input.args, ctx) ?? null : null; // 14
  const gate = tier > 0 && !offer;
  if (gate && !plan) throw new GatewayError("E_INTERNAL", `"${entry.name}" can write and has no plan`);
  const calls = [...nested.planned];
  return {
    tool: entry.name,
    siteId: record.siteId,
    tier: record.tier,
    args: input.args,
    confirm: input.confirm,
    gate,
    plan,
    changes: [...(plan?.changes ?? []), ...calls.flatMap((one) => one.changes)],
    calls,
    run: async () => await handler.run(input.args, ctx, plan ?? undefined),
  };
}

/** Step 9: the call's site, null for a tool without one. */
async function siteOf(
  { store }: DispatchPorts,
  caller: Caller,
  entry: ToolEntry,
  id: string | undefined,
): Promise<Site | null> {
  if (entry.offer) return await findOfferingSite(store.sites, caller, entry, id);
  return entry.manifest.site === "none" ? null : await findSite(store.sites, caller, id);
}

const hidden = (name: string, reason: string) =>
  new GatewayError("E_FORBIDDEN_OP", `"${name}" is never carried out: ${reason}`);

/** The sites that further arguments name, found and judged as the call's own. */
async function otherSites(
  ports: DispatchPorts,
  caller: Caller,
  names: readonly string[],
  args: Record<string, unknown>,
): Promise<ReadonlyMap<string, Site>> {
  const others = new Map<string, Site>();
  for (const name of names) {
    const id = args[name];
    if (typeof id !== "string") continue;
    others.set(id, await findSite(ports.store.sites, caller, id, name));
  }
  return others;
}

const tooLarge = (name: string, limit: number) =>
  new GatewayError(
    "E_PAYLOAD_TOO_LARGE",
    `The body is over ${limit / 1024} KiB, the most that "${name}" takes; send less`,
  );

/** What to say when the audit cannot be kept, by what is known of the change. */
const UNKEPT = {
  none: "The audit log cannot be written, so nothing was carried out",
  made: "The change was made, but its audit row could not be completed; do not repeat it",
  unknown: "The call failed and its audit row could not be completed; look at the site before trying again",
} as const;

/** Writes an audit row. Throws E_INTERNAL when it cannot be kept, saying what became of the change. */
async function keep(ports: DispatchPorts, row: AuditRow, change: keyof typeof UNKEPT): Promise<void> {
  try {
    await ports.store.audit.append(row);
  } catch (cause) {
    ports.log({ event: "audit_failed", request_id: row.request_id, tool: row.tool, cause: causeOf(cause) });
    const message = `${UNKEPT[change]}; give request id "${row.request_id}" to the gateway's operator`;
    throw new GatewayError("E_INTERNAL", namingMade(message, row.made ?? []), { cause });
  }
}

function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? cause.stack ?? cause.message : String(cause);
}
