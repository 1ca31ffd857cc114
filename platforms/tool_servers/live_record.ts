/** Whether visitors see the record that a write of a site's own tool changes. */
import type { ProxyContext, ProxyPorts } from "./proxied_context.ts";
import { idShown, lookOf } from "./record_look.ts";
import type { Resolved } from "./resolved.ts";

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
  const { look, reader } = lookOf(call, rule, ctx, ports, await ports.servers(ctx));
  const id = look.idOf(null);
  if (id === null) return null; // it makes a record
  const unknown = (why: string) => `whether visitors see ${idShown(id)} cannot be told: ${why}`;
  if (reader === null) return unknown(`the site does not offer "${rule.tool}"`);
  const record = await look.record(id, null);
  if (record === "missing") return null; // the tool itself says so
  if (typeof record === "string") return unknown(`"${reader.upstream_name}" does not show it`);
  const seen =
    Object.entries(rule.live).flatMap(([name, values]) =>
      values.filter((value) => value === String(record[name] ?? "").toLowerCase())
    )[0];
  return seen === undefined ? null : `${idShown(id)} is ${seen}, so visitors see what is changed of it`;
}
