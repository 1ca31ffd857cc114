/** Whether a proxied write touches or made something public: who may do that, and what is said and done where it may not. */
import type { Change } from "../../core/model.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import type { Verdict } from "./verdict.ts";
import type { Resolved } from "./resolved.ts";
import { idShown, lookupOf } from "./record_lookup.ts";
import type { UpstreamResult } from "../tool_servers/types.ts";

/** What followed from the looks around a write. */
export interface LiveVerdict {
  readonly warnings: readonly string[];
  /** What visitors find otherwise by it. */
  readonly changes: readonly Change[];
  /** What the write made public although it may not, in a sentence; null where it made nothing public that it may not. */
  readonly forbidden: string | null;
}

/** The looks around one write. */
export interface LiveWatch {
  /** Never throws for a site that does not answer. */
  before(): Promise<void>;
  /** `result` is what the tool answered, null where nothing came back; `read` what is read back at the same time. */
  after(result: UpstreamResult | null, read: Promise<Verdict>): Promise<LiveVerdict>;
}

/** The verdict of a write that made nothing public. */
export const NOTHING: LiveVerdict = { warnings: [], changes: [], forbidden: null };

/** What goes live at once counts as a call of this tier. */
const LIVE_TIER = 3;
/** So many are named in a sentence. */
export const NAMED_MAX = 10;

/** Whether the site and the caller's token allow that something goes live. */
export const mayPublish = ({ site, caller }: ProxyContext): boolean =>
  site.flags.allow_publish && caller.maxRisk >= LIVE_TIER;

/** The first of them in one sentence's part. */
export function listed(all: readonly string[]): string {
  const more = all.length - NAMED_MAX;
  return [...all.slice(0, NAMED_MAX), ...(more > 0 ? [`${more} more`] : [])].join("; ");
}

/** Holds the tool back that a call ran because of `what` it did, a sentence's part; a part of one that says so. */
export async function heldBack(
  { target }: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  what: string,
): Promise<string> {
  return await ports.hold(ctx, target, what)
    ? "it is held back on this site until an operator has looked at it"
    : "it could not be held back, so tell an operator, and do not call it again";
}

/** Holds the tool back that did `what`, a sentence's part, although it may not, and says so. */
export async function forbiddenSaid(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  what: string,
): Promise<string> {
  const why = ctx.site.flags.allow_publish
    ? `which takes a token of max_risk ${LIVE_TIER}`
    : `which site "${ctx.site.id}" does not allow (allow_publish)`;
  const held = await heldBack(call, ctx, ports, what);
  const place = call.target.ref.source === "cms" ? "CMS" : "CRM";
  return `"${call.target.served.name}" ${what}, ${why}; ${held}. Take down in the ${place} what should not be public`;
}

/**
 * Why the change would be seen by visitors, or why nobody can tell; null where it would not, and where
 * `manifests/proxies/` names nothing of such records that visitors see. Throws E_UPSTREAM.
 */
export async function liveRecord(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
): Promise<string | null> {
  const rule = call.target.writes ? call.target.shown_by : undefined;
  if (rule === undefined || Object.keys(rule.live).length === 0) return null;
  const { lookup, reader } = lookupOf(call, rule, ctx, ports, await ports.servers(ctx));
  const id = lookup.idOf(null);
  if (id === null) return null; // it makes a record
  const unknown = (why: string) => `whether visitors see ${idShown(id)} cannot be told: ${why}`;
  if (reader === null) return unknown(`the site does not offer "${rule.tool}"`);
  const record = await lookup.record(id, null);
  if (record === "missing") return null; // the tool itself says so
  if (typeof record === "string") return unknown(`"${reader.upstream_name}" does not show it`);
  const seen =
    Object.entries(rule.live).flatMap(([name, values]) =>
      values.filter((value) => value === String(record[name] ?? "").toLowerCase())
    )[0];
  return seen === undefined ? null : `${idShown(id)} is ${seen}, so visitors see what is changed of it`;
}
