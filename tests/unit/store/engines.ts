/** The engines that a store can be kept on, each as two instances see it. */
import { openPlace } from "../../../store/engines.ts";
import { ACCESS_TOKEN, startKvConnect } from "../../e2e/kv_connect_server.ts";
import { folderOnDisk } from "../../folder.ts";
import type { Postgres } from "../../real/_postgres.ts";

/** A place where a store is kept, empty in the beginning. */
export interface Place extends AsyncDisposable {
  readonly path: string;
  /** Another instance of what is kept there; the same one where only one process can have it. */
  open(): Promise<Deno.Kv>;
}

/** An engine. */
export interface Engine {
  readonly name: "a file" | "memory" | "KV Connect" | "PostgreSQL";
  place(): Promise<Place>;
}

async function file(): Promise<Place> {
  const at = await folderOnDisk();
  const path = `${at.path}/kv.sqlite3`;
  return { path, open: () => openPlace(path), [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

async function memory(): Promise<Place> {
  const kv = await openPlace(":memory:");
  return {
    path: ":memory:",
    open: () => Promise.resolve(kv),
    [Symbol.asyncDispose]() {
      try {
        kv.close();
      } catch {
        // the test closed it
      }
      return Promise.resolve();
    },
  };
}

/** Opens a KV with the token where the runtime looks for it, and nowhere else. */
async function openWithToken(path: string): Promise<Deno.Kv> {
  Deno.env.set("DENO_KV_ACCESS_TOKEN", ACCESS_TOKEN);
  try {
    return await openPlace(path);
  } finally {
    Deno.env.delete("DENO_KV_ACCESS_TOKEN");
  }
}

function kvConnect(): Promise<Place> {
  const server = startKvConnect();
  const { url: path } = server;
  return Promise.resolve({
    path,
    open: () => openWithToken(path),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

/** The engines that need nothing but this process. */
export const FILE: Engine = { name: "a file", place: file };
export const MEMORY: Engine = { name: "memory", place: memory };
export const KV_CONNECT: Engine = { name: "KV Connect", place: kvConnect };

/** Databases of that server, one for each place. */
export const postgresOn = (server: () => Postgres): Engine => ({
  name: "PostgreSQL",
  async place() {
    const path = await server().database();
    return { path, open: () => openPlace(path), [Symbol.asyncDispose]: () => Promise.resolve() };
  },
});
