/** The places a store can be at: what kind of place an address names, how it is opened, and how messages name it. */
import type { Channel } from "./cache.ts";
import { isDatabase, shownAddress } from "../core/env_values.ts";
import { namingDamage, openFileToRead } from "./file_kv.ts";

/** Whether that is the address of a KV Connect server. */
export const isAddress = (path: string | undefined): path is string =>
  path !== undefined && /^https?:/.test(path);

/** Whether that is a file on this machine. */
export const isFile = (path: string | undefined): path is string =>
  path !== undefined && path !== ":memory:" && !isAddress(path) && !isDatabase(path);

/** Whether that is a place that this machine remembers once it has held a store. */
export const isKept = (path: string | undefined): path is string => isFile(path) || isDatabase(path);

/** How messages name a store; never with a password. */
export function nameOf(path: string | undefined): string {
  if (path === undefined) return "the host's KV";
  if (isDatabase(path)) return shownAddress(path);
  const url = isAddress(path) ? URL.parse(path) : null;
  if (url === null || (url.username === "" && url.password === "")) return `"${path}"`;
  url.username = url.password = "";
  return `"${url.href}"`;
}

/** What a store is kept in, as messages say it. */
export const placeText = (path: string | undefined): string =>
  isFile(path)
    ? `the file ${nameOf(path)}`
    : isDatabase(path)
    ? `the database ${nameOf(path)}`
    : path === undefined || path === ":memory:"
    ? "the gateway's KV"
    : `the server ${nameOf(path)}`;

/** The channel of a KV; null where its engine has none. */
export const channelOf = (kv: Deno.Kv): Channel | null => "onTold" in kv ? kv as Deno.Kv & Channel : null;

/**
 * Opens the KV of a file, ":memory:", a KV Connect server, a PostgreSQL database, or of the host where no place is given.
 * Rejects as the engine does.
 */
export async function openPlace(path: string | undefined): Promise<Deno.Kv> {
  if (!isDatabase(path)) return namingDamage(await Deno.openKv(path), isFile(path) ? path : null);
  const { openPostgres } = await import("./postgres/kv.ts");
  return await openPostgres(path);
}

/** Opens such a place for reading alone: nothing is made or changed there. Rejects as the engine does. */
export async function openPlaceToRead(path: string): Promise<Deno.Kv> {
  if (isFile(path)) return openFileToRead(path);
  if (!isDatabase(path)) return await openPlace(path);
  const { openPostgres } = await import("./postgres/kv.ts");
  return await openPostgres(path, { wanted: "there" });
}
