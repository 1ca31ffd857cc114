/** Reads a store around what cannot be read, and names that by the keys on either side. */
import { aroundDamage, restOf, UNREADABLE } from "./damage.ts";
import { isDamage } from "./database.ts";
import { compareKeys } from "./key_bytes.ts";
import { toPortable } from "./portable.ts";
import { DamagedKey } from "./postgres/keys.ts";
import { messageOf } from "./store_file.ts";

const BATCH = 100;
/** So often is looked for where it reads again. */
const PROBES_MAX = 500;
const RUNGS_MAX = 12;
const RANGES_MAX = 20;
/** Above every character of an id; a text from outside may have others, and is halved less finely. */
const CODE_MAX = 0x80;
const LAST_TEXT = "\x7f";

/** What lies between two keys and cannot be read; null is the beginning, or the end. */
export interface Unreadable {
  readonly after: Deno.KvKey | null;
  readonly before: Deno.KvKey | null;
  readonly why: string;
}

type Entry = Deno.KvEntry<unknown>;

/** One reading of everything. */
export class RangeReading {
  readonly unreadable: Unreadable[] = [];

  readonly #kv: Pick<Deno.Kv, "list">;

  constructor(kv: Deno.Kv) {
    this.#kv = aroundDamage(() => kv);
  }

  /**
   * Every entry that is known by its key, in the order of keys; the value of one that is damaged is UNREADABLE. Afterwards
   * `unreadable` names the rest. Never throws.
   */
  async *entries(selector: Deno.KvListSelector = ALL): AsyncGenerator<Entry> {
    let after: Deno.KvKey | null = null;
    for (;;) {
      let why: string | null = null;
      for (const batchSize of [BATCH, 1]) {
        why = null;
        try {
          for await (const entry of this.#listFrom(selector, after, batchSize)) {
            yield entry;
            after = entry.key;
          }
          break;
        } catch (error) {
          why = messageOf(error);
        }
      }
      const next = await this.#firstBehind(selector, after);
      if (next === undefined && why === null) return;
      const said: string = why ?? "entries are missing from the order of keys";
      this.unreadable.push({ after, before: next?.key ?? null, why: said });
      if (next === undefined || this.unreadable.length === RANGES_MAX) return;
      yield next;
      after = next.key;
    }
  }

  /** Behind that key, without it. */
  #listFrom(selector: Deno.KvListSelector, after: Deno.KvKey | null, batchSize: number) {
    return this.#kv.list(after === null ? selector : restOf(selector, after, false), { batchSize });
  }

  /** The first entry that can be found behind what cannot be read; undefined where there is none. */
  async #firstBehind(selector: Deno.KvListSelector, after: Deno.KvKey | null): Promise<Entry | undefined> {
    let found = await this.#seek(selector, true);
    if (found === undefined || (after !== null && compareKeys(found.key, after) <= 0)) return undefined;
    const end = [...found.key, new Uint8Array()];
    let low: Deno.KvKey = after ?? beginOf(selector);
    let high = found.key;
    for (let probes = 0; probes < PROBES_MAX;) {
      const rungs = rungsBetween(low, high);
      if (rungs.length === 0) break;
      for (const rung of rungs) {
        probes++;
        const entry = await this.#seek({ start: rung, end });
        if (entry === undefined) low = rung;
        else {
          found = entry;
          high = rung;
          break;
        }
      }
    }
    return found;
  }

  async #seek(selector: Deno.KvListSelector, reverse = false): Promise<Entry | undefined> {
    try {
      const [entry] = await Array.fromAsync(this.#kv.list(selector, { limit: 1, batchSize: 1, reverse }));
      return entry;
    } catch {
      return undefined;
    }
  }
}

/** Whether a listing ended at what is damaged, be it a page of a file or a key; an entry whose key is known is a DamagedEntry. */
export const isBroken = (error: unknown): boolean => isDamage(error) || error instanceof DamagedKey;

const ALL: Deno.KvListSelector = { prefix: [] };

/** A key that nothing of a selector comes before. */
function beginOf(selector: Deno.KvListSelector): Deno.KvKey {
  const { prefix, start } = selector as { prefix?: Deno.KvKey; start?: Deno.KvKey };
  return start ?? (prefix === undefined || prefix.length === 0 ? [""] : prefix);
}

/**
 * A KV for a reader that goes on where pages of a file are damaged: what cannot be read is left out of its lists, and is in
 * `unreadable`, a sentence each.
 */
export function aroundRanges(
  kv: Deno.Kv,
): { readonly kv: Deno.Kv; readonly unreadable: ReadonlySet<string> } {
  const unreadable = new Set<string>();
  async function* list(
    selector: Deno.KvListSelector,
    { limit = Infinity, reverse }: Deno.KvListOptions = {},
  ) {
    const reading = new RangeReading(kv);
    const { prefix, start } = selector as { prefix?: Deno.KvKey; start?: Deno.KvKey };
    const within = prefix ?? start ?? [];
    const note = () => reading.unreadable.forEach((range) => unreadable.add(rangeText(range, within)));
    let entries = reading.entries(selector);
    if (reverse) entries = backwards(await Array.fromAsync(entries));
    let left = limit;
    for await (const entry of entries) {
      note();
      yield entry;
      if (--left <= 0) return;
    }
    note();
  }
  const get = (key: Deno.KvKey) =>
    kv.get(key).catch((error) => {
      unreadable.add(`${toPortable(key)} cannot be read (${messageOf(error)})`);
      return { key, value: UNREADABLE, versionstamp: "" };
    });
  const getMany = (keys: readonly Deno.KvKey[]) => Promise.all(keys.map(get));
  return { kv: { get, getMany, list } as unknown as Deno.Kv, unreadable };
}

async function* backwards(entries: Entry[]): AsyncGenerator<Entry> {
  yield* entries.reverse();
}

/** Keys between two, the nearest to the first before all others: so a place that reads again is not gone past. */
function rungsBetween(low: Deno.KvKey, high: Deno.KvKey): Deno.KvKey[] {
  const rungs: Deno.KvKey[] = [];
  for (let next = between(low, high); next !== null; next = between(low, next)) {
    rungs.unshift(next);
    if (rungs.length === RUNGS_MAX) break;
  }
  return rungs;
}

/** A sentence about it for operators; `within` is what all keys that were read begin with. */
export function rangeText({ after, before, why }: Unreadable, within: Deno.KvKey = []): string {
  const kind = after !== null && before !== null && after[0] === before[0] ? [after[0]!] : within;
  const of = kind.length > 0 ? `Of ${kind.map(String).join(" ")}, what` : "What";
  const from = after === null ? "the beginning" : toPortable(after);
  const to = before === null ? "the end" : toPortable(before);
  return `${of} lies between ${from} and ${to} cannot be read (${why})`;
}

/**
 * A key behind the first and not behind the other, about in the middle of what is easily named; null where none is found.
 * What the other begins with comes before all of its parts are looked at: so halving comes to the part that tells.
 */
export function between(low: Deno.KvKey, high: Deno.KvKey): Deno.KvKey | null {
  const at = high.findIndex((part, index) => part !== low[index]);
  if (at < 0) return null;
  if (high.length > at + 1) return high.slice(0, at + 1);
  const [one, other] = [low[at] ?? "", high[at]];
  if (typeof one === "number" && typeof other === "number") {
    const middle = (one + other) / 2;
    return middle > one && middle < other ? [...high.slice(0, at), middle] : null;
  }
  const text = typeof one === "string" && typeof other === "string" ? textBetween(one, other) : null;
  if (text !== null) return [...high.slice(0, at), text];
  // Nothing is between the two parts: then it is among the keys that begin as the first does.
  const end = [...low.slice(0, at + 1), LAST_TEXT];
  if (low.length <= at + 1) return null;
  return low[at + 1] !== LAST_TEXT && isText(low[at + 1]) ? end : null;
}

const isText = (part: Deno.KvKeyPart | undefined) => typeof part === "string";

function textBetween(low: string, high: string): string | null {
  let alike = 0;
  while (alike < low.length && low[alike] === high[alike]) alike++;
  const code = (text: string, at: number) => at < text.length ? text.charCodeAt(at) : 0;
  const [from, to] = [code(low, alike), Math.min(code(high, alike), CODE_MAX)];
  if (to - from > 1) return high.slice(0, alike) + String.fromCharCode((from + to) >> 1);
  if (high.length > alike + 1) return high.slice(0, alike + 1);
  if (alike >= low.length) return null; // nothing is easily named between a text and the same with a little more
  const next = (code(low, alike + 1) + CODE_MAX) >> 1;
  return next > code(low, alike + 1) ? low.slice(0, alike + 1) + String.fromCharCode(next) : null;
}
