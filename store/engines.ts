/** The places a store can be at: what kind of place an address names, how it is opened, and how messages name it. */
import type { Channel } from "./cache.ts";
import { isDatabase, placeNamed, shownAddress } from "../core/env_values.ts";
import { GatewayError } from "../core/errors.ts";

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

/** Waits for work at a place that this setting or argument named: a refusal that is about the place says so. */
export async function underName<T>(work: Promise<T>, name: string): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const message = placeNamed(error.message, name);
    throw message === error.message ? error : error.saying(message);
  }
}

/** The channel of a KV; null where its engine has none. */
export const channelOf = (kv: Deno.Kv): Channel | null => "onTold" in kv ? kv as Deno.Kv & Channel : null;

/**
 * Opens the KV of a file, ":memory:", a KV Connect server, a PostgreSQL database, or of the host where no place is given.
 * Where it is only read, no tables are made in a database. Rejects as the engine does.
 */
export async function openPlace(path: string | undefined, reads = false): Promise<Deno.Kv> {
  if (!isDatabase(path)) return await Deno.openKv(path);
  const { openPostgres } = await import("./postgres/kv.ts");
  return await openPostgres(path, { reads });
}
