/** The KV of a file, which is not open to write while its disk is full: Deno's own ends the process then. */
import { statfsSync } from "node:fs";
import { openFileToRead } from "./file_kv.ts";

/*
 * Deno's KV deletes each minute, and as it opens a file, what has gone by its time. Where it cannot, it panics
 * (denokv_sqlite 0.14, "KV collect expired failed"), and no code of ours is asked.
 */

/** With less room than that the file is closed: what is deleted at once must fit, and what else is written until it is looked again. */
export const ROOM_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 1000;

/** As SQLite says it. */
const full = () => new TypeError("database or disk is full");

/** As Deno's KV says it. */
const closedAlready = () => new Deno.errors.BadResource("Bad resource ID");

/** What is asked of the place of a file. */
export interface Place {
  /** Bytes that are free where the file is; null where nobody can tell. */
  free(): number | null;
  /** Opens the KV. */
  open(): Promise<Deno.Kv>;
  /** Opens it for reading: that needs no room, and what SQLite keeps beside the file stays there meanwhile. */
  openToRead(): Deno.Kv;
  /** Looks again and again, until what it answers is called; it keeps no process alive. */
  every(ms: number, look: () => void): () => void;
}

/** A file on this machine. */
export const placeOf = (path: string): Place => ({
  free: () => freeAt(path),
  open: () => Deno.openKv(path),
  openToRead: () => openFileToRead(path),
  every(ms, look) {
    const timer = setInterval(look, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
});

/** A file that is not there yet, and a system that does not tell, have room. */
function freeAt(path: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch {
    return null;
  }
}

const hasNoRoom = (place: Place) => (place.free() ?? Infinity) < ROOM_BYTES;

/** Opens it. Rejects with what SQLite says of a full disk where there is no room, and as Deno's KV does. */
export async function openRoomy(place: Place): Promise<Deno.Kv> {
  if (hasNoRoom(place)) throw full();
  const kv: unknown = new RoomyKv(place, await place.open());
  return kv as Deno.Kv; // it has what a store uses
}

type Reading = { consistency?: Deno.KvConsistencyLevel };

/** While there is no room it only reads, and refuses every change as SQLite would. */
class RoomyKv {
  #kv: Deno.Kv | null;
  /** Operations that are under way: the file is closed once there are none. */
  #under = 0;
  #isTight = false;
  #isClosed = false;
  #reader: Deno.Kv | null = null;
  #opening: Promise<void> | null = null;
  readonly #stop: () => void;

  constructor(private readonly place: Place, kv: Deno.Kv) {
    this.#kv = kv;
    this.#stop = place.every(LOOK_MS, () => this.#look());
  }

  get(key: Deno.KvKey, options?: Reading) {
    return this.#read((kv) => kv.get(key, options));
  }

  getMany(keys: readonly Deno.KvKey[], options?: Reading) {
    return this.#read((kv) => kv.getMany([...keys], options));
  }

  set(key: Deno.KvKey, value: unknown, options?: { expireIn?: number }) {
    return this.#run((kv) => kv.set(key, value, options));
  }

  delete(key: Deno.KvKey) {
    return this.#run((kv) => kv.delete(key));
  }

  list(selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
    const from = this.#reader ?? this.#kv;
    const listed = from?.list(selector, options);
    const next = () =>
      this.#reader !== null && this.#reader === from ? listed!.next() : this.#run(() => listed!.next());
    const iterator = {
      next,
      get cursor() {
        return listed?.cursor ?? "";
      },
      [Symbol.asyncIterator]: () => iterator,
    };
    return iterator;
  }

  atomic(): Deno.AtomicOperation {
    const kv = this.#kv;
    if (kv === null) return refusing();
    const change = kv.atomic();
    const commit = change.commit.bind(change);
    change.commit = () => this.#run((now) => now === kv ? commit() : Promise.reject(full()));
    return change;
  }

  close(): void {
    if (this.#isClosed) throw closedAlready();
    this.#isClosed = true;
    this.#stop();
    this.#kv?.close();
    this.#kv = null;
    this.#reader?.close();
    this.#reader = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #read<T>(work: (kv: Deno.Kv) => Promise<T>): Promise<T> {
    return this.#reader === null ? this.#run(work) : work(this.#reader);
  }

  async #run<T>(work: (kv: Deno.Kv) => Promise<T>): Promise<T> {
    const kv = this.#kv;
    if (this.#isClosed) throw closedAlready();
    if (kv === null || this.#isTight) throw full();
    this.#under++;
    try {
      return await work(kv);
    } catch (error) {
      if (error instanceof TypeError && error.message.includes("disk is full")) this.#look();
      throw error;
    } finally {
      this.#under--;
      if (this.#isTight && this.#under === 0) this.#leave();
    }
  }

  #look(): void {
    if (this.#isClosed) return;
    const isTight = hasNoRoom(this.place);
    if (isTight && this.#kv !== null) {
      this.#isTight = true;
      this.#reader ??= this.place.openToRead();
      if (this.#under === 0) this.#leave();
    } else if (!isTight && this.#isTight) {
      if (this.#kv !== null) this.#isRoomy();
      else this.#opening ??= this.#open().finally(() => this.#opening = null);
    }
  }

  #leave(): void {
    this.#kv?.close();
    this.#kv = null;
  }

  async #open(): Promise<void> {
    const kv = await this.place.open().catch(() => null); // the next look tries again
    if (kv === null) return;
    if (this.#isClosed) return kv.close();
    this.#kv = kv;
    this.#isRoomy();
  }

  #isRoomy(): void {
    this.#isTight = false;
    this.#reader?.close();
    this.#reader = null;
  }
}

/** A change that is not made. */
function refusing(): Deno.AtomicOperation {
  const change: Record<string, unknown> = { commit: () => Promise.reject(full()) };
  for (const op of ["check", "mutate", "set", "delete", "sum", "min", "max", "enqueue"]) {
    change[op] = () => change;
  }
  return change as unknown as Deno.AtomicOperation;
}
