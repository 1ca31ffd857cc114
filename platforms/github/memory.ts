/** What is remembered of repositories: objects by git's names, which never say anything else, and answers by their ETags. */
import { LRUCache } from "lru-cache";
import type { RepoContext } from "./access.ts";

const MIB = 1024 * 1024;
/** How long a site's own part is found again. */
const DAY_MS = 24 * 3_600_000;

/** A value, and about how many bytes it takes. */
export interface Weighed<T> {
  readonly value: T;
  readonly bytes: number;
}

/** So many bytes of all repositories together; what was used longest ago goes first. */
export class Memory {
  readonly #held: LRUCache<string, { readonly value: unknown }>;
  /** What is found out about a key just now, so that of calls at the same time one asks. */
  readonly asked = new Map<string, Promise<unknown>>();

  constructor(private readonly most: number) {
    this.#held = new LRUCache({ maxSize: most, maxEntrySize: most / 4 });
  }

  get<T>(key: string): T | undefined {
    return this.#held.get(key)?.value as T | undefined;
  }

  /** One that would take more than a quarter of the room is not kept. */
  set(key: string, { value, bytes }: Weighed<unknown>): void {
    this.#held.set(key, { value }, { size: Math.min(bytes, this.most) });
  }
}

const MEMORIES = {
  /** Trees and commits. */
  objects: new Memory(24 * MIB),
  /** Bytes of small files. */
  blobs: new Memory(8 * MIB),
  /** Answers that have an ETag. */
  answers: new Memory(8 * MIB),
};

let serial = 0;

/** The site's own part of a memory: another site, or the same one after it was changed, has another. */
function partOf({ cache }: RepoContext): string {
  const known = cache.get<string>("remembered");
  if (known !== undefined) return known;
  const part = String(++serial);
  cache.set("remembered", part, DAY_MS);
  return part;
}

/** A part of a memory. */
export interface Remembered {
  get<T>(name: string): T | undefined;
  set<T>(name: string, value: T, bytes: number): void;
  /**
   * What is kept under the name, else what `find` finds out; of calls at the same time one asks. Null is not kept, and one
   * that waited for what failed asks itself.
   */
  once<T>(name: string, find: () => Promise<Weighed<T> | null>): Promise<T | null>;
}

/** What is remembered of the site's repository. */
export function remembered(ctx: RepoContext, kind: keyof typeof MEMORIES): Remembered {
  const memory = MEMORIES[kind];
  const part = partOf(ctx);
  const keyOf = (name: string) => `${part} ${name}`;
  return {
    get: (name) => memory.get(keyOf(name)),
    set: (name, value, bytes) => memory.set(keyOf(name), { value, bytes }),
    async once<T>(name: string, find: () => Promise<Weighed<T> | null>) {
      const key = keyOf(name);
      const known = memory.get<T>(key);
      if (known !== undefined) return known;
      const other = memory.asked.get(key) as Promise<Weighed<T> | null> | undefined;
      const found = other && await other.catch(() => null);
      if (found) return found.value;
      const asking = find();
      memory.asked.set(key, asking);
      try {
        const weighed = await asking;
        if (weighed === null) return null;
        memory.set(key, weighed);
        return weighed.value;
      } finally {
        if (memory.asked.get(key) === asking) memory.asked.delete(key);
      }
    },
  };
}
