/** The record of a write as another of the site's own tools shows it: which one, and how, `manifests/proxies/` says. */
import { comparedRecord, type Found, type Lists } from "./compared_records.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { idShown, lookupOf, type RecordLookup } from "./record_lookup.ts";
import type { Resolved } from "./resolved.ts";
import type { ToolServers } from "../tool_servers/types.ts";
import { unproven, type Verdict } from "./verdict.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Reads the record that a write wrote; `payload` is what the tool answered, null where it failed. Never throws. */
export type ReadRecord = (payload: unknown) => Promise<Verdict>;

/** How the record of a write is read whose tool has a rule; null for any other. */
export function recordReadBack(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): ReadRecord | null {
  const { shown_by: rule, upstream_name } = call.target;
  if (rule === undefined) return null;
  const { lookup, reader, sent } = lookupOf(call, rule, ctx, ports, servers);
  if (reader === null) return withoutReader(lookup, ctx);
  const began = ctx.now();
  return async (payload) => {
    const id = lookup.idOf(payload);
    if (id === null) return unproven("The tool does not say which record it wrote");
    ctx.annotate({ result_id: id });
    try {
      const record = await lookup.record(id, payload);
      if (typeof record === "string") return verdictOf(lookup.without(record, id, reader));
      const found = comparedRecord(sent, record, rule, listsOf(upstream_name));
      const since = lookup.makes(upstream_name) ? began : null;
      return { ...verdictOf(judgedRecord(found, record, { id, began: since })), shown: record };
    } catch {
      return unproven(`The record ${idShown(id)} could not be read back`);
    }
  };
}

const verdictOf = (found: Found): Verdict => ({ warnings: [], changes: [], ...found });

const listsOf = (name: string): Lists =>
  name.includes("_remove-") ? "removed" : name.includes("_add-") ? "added" : "whole";

/** Clocks differ by less. */
const CLOCK_MS = 300_000;

/** Of a record that says it was made before the call `began` nothing is proven that was to be made. */
function judgedRecord(
  found: Found,
  { dateAdded, createdAt }: Fields,
  { id, began }: { readonly id: string | number; readonly began: number | null },
): Found {
  const made = [dateAdded, createdAt].map((one) =>
    typeof one === "string" ? Date.parse(one) : Number(one ?? NaN)
  )
    .find((one) => !Number.isNaN(one));
  const isOld = began !== null && made !== undefined && made < began - CLOCK_MS;
  return isOld && found.verified === true
    ? { verified: null, reason: `The record ${idShown(id)} was there before, by its own date` }
    : found;
}

/** Where the tool that would show it may not be called. */
const withoutReader = (lookup: RecordLookup, ctx: ProxyContext): ReadRecord => (payload) => {
  const id = lookup.idOf(payload);
  if (id !== null) ctx.annotate({ result_id: id });
  const why = `"${lookup.rule.tool}" shows what this tool writes, and this site does not offer it`;
  return Promise.resolve(unproven(why));
};
