/** Where a store can be kept, what messages call such a place, and how its KV is opened. */
import type { Channel } from "./cache.ts";
import { isPostgres, shownAddress } from "./postgres/address.ts";

/** Whether that is the address of a KV Connect server. */
export const isAddress = (path: string | undefined): path is string =>
  path !== undefined && /^https?:/.test(path);

/** Whether that is a file on this machine. */
export const isFile = (path: string | undefined): path is string =>
  path !== undefined && path !== ":memory:" && !isAddress(path) && !isPostgres(path);

/** How messages name a store; never with a password. */
export function nameOf(path: string | undefined): string {
  if (path === undefined) return "the host's KV";
  return isPostgres(path) ? shownAddress(path) : `"${path}"`;
}

/** The channel of a KV; null where its engine has none. */
export const channelOf = (kv: Deno.Kv): Channel | null => "onTold" in kv ? kv as Deno.Kv & Channel : null;

/**
 * Opens the KV of a file, ":memory:", a KV Connect server, a PostgreSQL database, or of the host where no place is given.
 * Rejects as the engine does.
 */
export async function openPlace(path: string | undefined): Promise<Deno.Kv> {
  if (!isPostgres(path)) return await Deno.openKv(path);
  const { openPostgres } = await import("./postgres/kv.ts");
  return await openPostgres(path);
}
