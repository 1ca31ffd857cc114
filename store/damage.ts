/** What of a store is damaged: an entry that is there and cannot be read, named by its key, and reading around it. */
import { GatewayError } from "../core/errors.ts";
import { isFields } from "../core/values.ts";
import { toPortable } from "./portable.ts";
import { messageOf } from "./store_file.ts";
import type { Kv } from "./store_timeout.ts";

/** Where the mark of a store is. */
export const MARK_KEY = ["store"];

/** What an operator does about damage, whatever the store is kept in. */
const HOW_TO_SEE = "see what else is (deno task admin store check)";
export const HOW_TO_RESTORE = "put back a copy (deno task admin store restore)";

/** An entry cannot be read. */
export class DamagedEntry extends GatewayError {
  /** `otherwise` is what an operator without a copy can do at that place. */
  constructor(readonly key: Deno.KvKey, cause?: unknown, otherwise = "") {
    const what = isMark(key)
      ? `The mark of the store, its entry ${toPortable(key)}, is damaged, so nobody can tell what may open it`
      : `The entry ${toPortable(key)} of the store is damaged`;
    // The log has the cause alone.
    const named = cause === undefined
      ? undefined
      : new Error(`${toPortable(key)}: ${messageOf(cause)}`, { cause });
    super("E_INTERNAL", `${what}; ${HOW_TO_SEE}, and ${HOW_TO_RESTORE}${otherwise}`, { cause: named });
  }
}

const isMark = (key: Deno.KvKey) => key.length === 1 && key[0] === MARK_KEY[0];

/** What is said of an entry, for operators. */
export const damageText = (key: Deno.KvKey): string =>
  `${toPortable(key)}${
    isMark(key) ? ", the mark of the store," : ""
  } cannot be read: it was damaged or changed`;

/** The record of an entry, which names its key as its id; null where nothing is there. Throws a DamagedEntry for any other value. */
export function recordOf<T>({ key, value, versionstamp }: Deno.KvEntryMaybe<T>): T | null {
  if (versionstamp === null) return null;
  if (!isFields(value) || value["id"] !== key.at(-1)) throw new DamagedEntry(key);
  return value as T;
}

/** The value of an entry that cannot be read, for whoever reads around it; it is no record of any kind. */
export const UNREADABLE: unique symbol = Symbol("unreadable");

/** The same KV for a reader that goes on: of an entry that is damaged the value is UNREADABLE, and nothing is thrown. */
export function aroundDamage(kvNow: () => Kv): Kv {
  async function get(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<unknown>> {
    try {
      return await kvNow().get(key);
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      return unreadable(key);
    }
  }
  async function getMany(keys: readonly Deno.KvKey[]): Promise<Deno.KvEntryMaybe<unknown>[]> {
    try {
      return await kvNow().getMany([...keys]);
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      return await Promise.all(keys.map(get));
    }
  }
  const list = (selector: Deno.KvListSelector, options: Deno.KvListOptions = {}) =>
    listAround(kvNow, selector, options);
  return { get, getMany, list, atomic: () => kvNow().atomic() } as unknown as Kv;
}

const unreadable = (key: Deno.KvKey): Deno.KvEntry<unknown> => ({ key, value: UNREADABLE, versionstamp: "" });

async function* listAround(
  kvNow: () => Kv,
  selector: Deno.KvListSelector,
  { limit = Infinity, ...options }: Deno.KvListOptions,
): AsyncGenerator<Deno.KvEntry<unknown>> {
  for (let [left, rest] = [limit, selector]; left > 0;) {
    try {
      const listed = kvNow().list(rest, left === Infinity ? options : { ...options, limit: left });
      for await (const entry of listed) {
        yield entry;
        left--;
      }
      return;
    } catch (error) {
      if (!(error instanceof DamagedEntry)) throw error;
      yield unreadable(error.key);
      left--;
      rest = restOf(selector, error.key, options.reverse === true);
    }
  }
}

/** What of a selector a listing comes to after that key. */
export function restOf(
  selector: Deno.KvListSelector,
  key: Deno.KvKey,
  isReverse: boolean,
): Deno.KvListSelector {
  const { prefix, start, end } = selector as { prefix?: Deno.KvKey; start?: Deno.KvKey; end?: Deno.KvKey };
  if (isReverse) {
    return prefix === undefined || start !== undefined ? { start: start!, end: key } : { prefix, end: key };
  }
  const next = [...key, new Uint8Array()]; // nothing lies between the two
  return prefix === undefined || end !== undefined ? { start: next, end: end! } : { prefix, start: next };
}
