/** Whether a copy of a page, or of an element of it, shows what that shows. */
import { allOrThrow } from "../../core/async.ts";
import { type Found, unknown, wrong } from "./found.ts";
import type { ProxyPorts } from "./proxied_context.ts";
import { readerOf, readWith } from "./read_back.ts";
import type { Resolved } from "./resolved.ts";
import { isWithin, shownOf, structureOf } from "./structure.ts";
import type { ToolServers } from "./types.ts";

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
