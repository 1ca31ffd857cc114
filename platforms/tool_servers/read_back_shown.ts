/** What stands after a write that another of the site's own tools shows: which one, and how, `manifests/proxies/` says. */
import { payloadOf } from "./answers.ts";
import { comparedRecord, comparedRows, type Lists } from "./compared_records.ts";
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { allOf, type Found, unknown, wrong } from "./found.ts";
import { type ReadBack, readerOf, readWith, unproven } from "./read_back.ts";
import { type Ask, idShown, lookupOf, type RecordLookup } from "./record_lookup.ts";
import type { Resolved } from "./resolved.ts";
import type { ShownBy, SiteOffer, ToolServers } from "./types.ts";
import { allOrThrow } from "../../core/async.ts";
import { isWithin, shownOf, structureOf } from "./structure.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The read-back of a write whose tool has a rule; null for any other. */
export function shownReadBack(
  call: Resolved,
  ctx: ProxyContext,
  ports: ProxyPorts,
  servers: ToolServers,
): ReadBack | null {
  const { shown_by: rule, upstream_name } = call.target;
  if (rule === undefined) return null;
  const { lookup, reader, sent, ask } = lookupOf(call, rule, ctx, ports, servers);
  if (reader === null) return withoutReader(lookup, ctx);
  if (Object.keys(rule.rows).length > 0) return rowsReadBack(rule, sent, reader, ask);
  let began = Infinity;
  return {
    before() {
      began = ctx.now();
      return Promise.resolve();
    },
    async after(payload) {
      const id = lookup.idOf(payload);
      if (id === null) return unproven("The tool does not say which record it wrote");
      ctx.annotate({ result_id: id });
      try {
        const record = await lookup.record(id, payload);
        const found = typeof record === "string"
          ? lookup.without(record, id, reader)
          : judgedRecord(comparedRecord(sent, record, rule, listsOf(upstream_name)), record, {
            id,
            began: lookup.makes(upstream_name) ? began : null,
          });
        const copied = found.verified === false ? null : await copiedElements(call, id, ports, servers);
        const shown = typeof record === "string" ? {} : { shown: record };
        return { warnings: [], ...allOf(found, copied)!, changes: [], changed: null, ...shown };
      } catch {
        return unproven(`The record ${idShown(id)} could not be read back`);
      }
    },
  };
}

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
const withoutReader = (lookup: RecordLookup, ctx: ProxyContext): ReadBack => ({
  before: () => Promise.resolve(),
  after(payload) {
    const id = lookup.idOf(payload);
    if (id !== null) ctx.annotate({ result_id: id });
    const why = `"${lookup.rule.tool}" shows what this tool writes, and this site does not offer it`;
    return Promise.resolve(unproven(why));
  },
});

/** The read-back of a write to rows that have an `_id` each. */
function rowsReadBack({ rows }: ShownBy, sent: Fields, reader: SiteOffer, ask: Ask): ReadBack {
  const look = async () => {
    const result = await ask({});
    return result.isError ? null : comparedRows(sent, payloadOf(result), rows);
  };
  let before: Awaited<ReturnType<typeof look>> = null;
  return {
    async before() {
      before = await look();
    },
    async after() {
      const unread = `"${reader.upstream_name}" could not be asked for what is there now`;
      try {
        const now = await look();
        if (now === null) return unproven(unread);
        const { shown, ...found } = now;
        const isSame = before?.shown === shown;
        const done = found.verified === true;
        // What stood so before says nothing of this call, and what stands otherwise now may be another's.
        const changed = before === null || isSame === done ? null : done;
        return { warnings: [], ...found, changes: [], changed };
      } catch {
        return unproven(unread);
      }
    },
  };
}

/** What is found of the copy with that id; null where the tool makes none. */
export async function copiedElements(
  { target, targetArgs }: Resolved,
  id: string | number,
  ports: ProxyPorts,
  servers: ToolServers,
): Promise<Found | null> {
  const copies = target.shown_by?.copies;
  if (copies === undefined) return null;
  const reader = readerOf(ports, target, "get-page-structure");
  const [page, part] = [targetArgs[copies.page], targetArgs[copies.part]];
  const unread = unknown(`${copies.page}: what was copied could not be compared with the copy`);
  if (reader === undefined) return unread;
  const look = async (of: unknown) => {
    const payload = await readWith(servers, reader, { [reader.page ?? "post_id"]: of });
    return payload === null ? null : structureOf(payload);
  };
  const [copy, original] = await allOrThrow(look(id), look(page));
  if (copy === null || original === null) return unread;
  const all = [...original.elements.keys()];
  const own = typeof part === "string" && part !== ""
    ? all.filter((one) => one === part || isWithin(one, new Set([part]), original))
    : all;
  return shownOf(copy, [...copy.elements.keys()]) === shownOf(original, own)
    ? { verified: true }
    : wrong(`${copies.page}: the copy does not show what the page shows, or the element of it`);
}
