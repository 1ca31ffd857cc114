/** The places a store can be at: what kind of place an address names, how it is opened, and how messages name it. */

/** Whether that is the address of a KV Connect server. */
export const isAddress = (path: string | undefined): path is string =>
  path !== undefined && /^https?:/.test(path);

/** Whether that is the address of a PostgreSQL database. */
export const isDatabase = (path: string | undefined): path is string =>
  path !== undefined && (path.startsWith("postgres://") || path.startsWith("postgresql://"));

/** Whether that is a file on this machine. */
export const isFile = (path: string | undefined): path is string =>
  path !== undefined && path !== ":memory:" && !isAddress(path) && !isDatabase(path);

/** How messages name a store; never with the user or password of an address. */
export function nameOf(path: string | undefined): string {
  if (path === undefined) return "the host's KV";
  if (!isAddress(path) && !isDatabase(path)) return `"${path}"`;
  try {
    const url = new URL(path);
    if (url.username === "" && url.password === "" && !isDatabase(path)) return `"${path}"`;
    url.username = "";
    url.password = "";
    url.search = ""; // a database takes a password there too
    return `"${url.href}"`;
  } catch {
    return "the store's address"; // it cannot be read, so what in it is a password cannot be told
  }
}

/** Opens any place a store can be at; undefined is the KV of the host. Rejects as the engine does. */
export function openPlace(path: string | undefined): Promise<Deno.Kv> {
  return Deno.openKv(path);
}
