/** What the store asks of a KV, and how two of them are compared. */
import assert from "node:assert/strict";

/** Of the numbers that choose what is asked. */
const SEED = 20_261_121;
const STEPS = 1500;

/** Numbers that are the same in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

const PARTS: readonly Deno.KvKeyPart[] = [
  ...["", "a", "ab", "a\0b", "b", "é", "\u{10000}", "\uffff", "z"],
  ...[-Infinity, -1.5, 0, 2, 300, true, false, new Uint8Array([0, 255]), new Uint8Array([1])],
];
const VALUES: readonly unknown[] = [
  null,
  "text",
  "\ud83d\ude00",
  12.5,
  10n,
  new Deno.KvU64(3n),
  new Uint8Array([0, 1, 255]),
  { a: [1, { b: undefined }], date: new Date(0), map: new Map([["k", new Set([1])]]) },
];

/** Something to ask of a KV. */
export type Ask = (kv: Deno.Kv) => Promise<unknown>;

/** Something to ask of a KV, the same of both; `known` has entries that were read, by KV. */
function askOf(below: (count: number) => number, known: (kv: Deno.Kv) => Deno.KvEntryMaybe<unknown>[]): Ask {
  const pick = <T>(all: readonly T[]) => all[below(all.length)]!;
  const key = (longest = 3): Deno.KvKey => Array.from({ length: 1 + below(longest) }, () => pick(PARTS));
  const sorted = (kv: Deno.Kv) => known(kv).map((entry) => entry.key);
  switch (below(6)) {
    case 0:
    case 1: {
      const [checked, sets, deletes, sums] = [below(3), below(4), below(2), below(2)].map((count) =>
        Array.from({ length: count }, () => [key(), pick(VALUES), below(1 << 20)] as const)
      );
      return async (kv) => {
        const change = kv.atomic();
        const entries = known(kv);
        for (const [fresh, , at] of checked!) {
          change.check(entries[at % entries.length] ?? { key: fresh, versionstamp: null });
        }
        for (const [at, value] of sets!) change.set(at, value);
        for (const [at] of deletes!) change.delete(at);
        // Only where nothing but numbers is: of a sum that cannot be Deno's keeps a part, and nobody relies on it.
        for (const [at, , by] of sums!) change.sum([...at, "sum"], 2n ** 63n + BigInt(by));
        return await change.commit();
      };
    }
    case 2: {
      const [at, chosen] = [key(), below(1 << 20)];
      return async (kv) => {
        const keys = sorted(kv);
        const entry = await kv.get(keys[chosen % keys.length] ?? at);
        known(kv).push(entry);
        return entry;
      };
    }
    case 3: {
      const keys = Array.from({ length: below(5) }, () => key());
      return (kv) => kv.getMany(keys);
    }
    default: {
      const [one, other, form] = [key(2), key(2), below(4)];
      const options = {
        ...below(2) === 0 && { limit: below(8) },
        ...below(2) === 0 && { batchSize: 1 + below(4) },
        reverse: below(2) === 0,
      };
      return async (kv) => {
        const selector = [
          { prefix: [] },
          { prefix: one.slice(0, 1) },
          { prefix: one.slice(0, 1), start: one.length > 1 ? one : [...one, 0] },
          { start: one, end: other },
        ][form]!;
        const entries = await Array.fromAsync(kv.list(selector, options));
        known(kv).push(...entries.slice(0, 2));
        return entries;
      };
    }
  }
}

/** What a KV answers, refusals too; of versions only which are the same, for nothing else is asked of them. */
class Asked {
  readonly entries: Deno.KvEntryMaybe<unknown>[] = [];
  readonly #versions: string[] = [];

  async answer(kv: Deno.Kv, ask: Ask): Promise<unknown> {
    let answer: unknown;
    try {
      answer = await ask(kv);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return this.#ranked(answer);
  }

  #ranked(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#ranked(each));
    if (typeof value !== "object" || value === null || !("versionstamp" in value)) return value;
    const { versionstamp } = value;
    if (typeof versionstamp !== "string") return value;
    if (!this.#versions.includes(versionstamp)) this.#versions.push(versionstamp);
    return { ...value, versionstamp: this.#versions.indexOf(versionstamp) };
  }
}

const long = (length: number) => "k".repeat(length);
const many = <T>(count: number, of: (at: number) => T) => Array.from({ length: count }, (_, at) => of(at));
const changes = (count: number, size: number): Ask => async (kv) => {
  const change = kv.atomic();
  for (let at = 0; at < count; at++) change.set(["n", at], new Uint8Array(size));
  return (await change.commit()).ok;
};
const checks = (count: number): Ask => async (kv) => {
  const change = kv.atomic();
  for (let at = 0; at < count; at++) change.check({ key: ["none", at], versionstamp: null });
  return (await change.commit()).ok;
};

/** What is at a limit or beyond it, and what no KV takes. */
const EDGES: Readonly<Record<string, Ask>> = {
  "an empty key is read": (kv) => kv.get([]),
  "an empty key is set": (kv) => kv.set([], 1),
  "the longest key": async (kv) => (await kv.set([long(2046)], 1)).ok,
  "a longer key is set": (kv) => kv.set([long(2047)], 1),
  "a longer key is deleted": (kv) => kv.delete([long(2047)]),
  "a longer key is read": (kv) => kv.get([long(2048)]),
  "a longer key is checked": (kv) => kv.atomic().check({ key: [long(2048)], versionstamp: null }).commit(),
  "the most bytes": async (kv) => (await kv.set(["v"], new Uint8Array(65_536))).ok,
  "a byte more": (kv) => kv.set(["v"], new Uint8Array(65_537)),
  "the largest record": async (kv) => (await kv.set(["v"], { a: "x".repeat(65_524) })).ok,
  "a record with a letter more": (kv) => kv.set(["v"], { a: "x".repeat(65_525) }),
  "a value that cannot be kept": (kv) => kv.set(["v"], () => 1).catch((error) => Promise.reject(error.name)),
  "1,000 changes": changes(1000, 1),
  "1,001 changes": changes(1001, 1),
  "changes of 780,000 bytes": changes(13, 60_000),
  "changes of 840,000 bytes": changes(14, 60_000),
  "100 checks": checks(100),
  "101 checks": checks(101),
  "ten keys at once": (kv) => kv.getMany(many(10, (at) => ["n", at])),
  "eleven keys at once": (kv) => kv.getMany(many(11, (at) => ["n", at])),
  "a sum onto a text": async (kv) => (await kv.set(["t"], "1"), await kv.atomic().sum(["t"], 1n).commit()),
  "a change that is made twice": async (kv) => {
    const change = kv.atomic().sum(["twice"], 1n);
    await change.commit();
    await change.commit();
    return (await kv.get(["twice"])).value;
  },
  "a key that is set and deleted in one change": async (kv) => {
    await kv.atomic().set(["both"], 1).delete(["both"]).commit();
    return (await kv.get(["both"])).value;
  },
  "what was given is changed afterwards": async (kv) => {
    const value = { list: [1] };
    await kv.set(["own"], value);
    value.list.push(2);
    return (await kv.get(["own"])).value;
  },
  "it is read once it is closed": (kv) => (kv.close(), kv.get(["n"])),
  "it is changed once it is closed": (kv) => kv.set(["n"], 1),
  "it is listed once it is closed": (kv) => kv.list({ prefix: [] }).next(),
  "it is closed twice": (kv) => Promise.resolve().then(() => kv.close()),
};

/** Asserts that a KV answers what another one does, to as many random things as that. */
export async function assertAlike(real: Deno.Kv, other: Deno.Kv, steps = STEPS): Promise<void> {
  const asked = new Map([[real, new Asked()], [other, new Asked()]]);
  const below = random(SEED);
  for (let step = 0; step < steps; step++) {
    const ask = askOf(below, (kv) => asked.get(kv)!.entries);
    const expected = await asked.get(real)!.answer(real, ask);
    assert.deepEqual(await asked.get(other)!.answer(other, ask), expected, `step ${step}`);
  }
}

/** Asserts that its limits and refusals are those of another one, to the word; both are closed then. */
export async function assertSameLimits(
  real: Deno.Kv,
  other: Deno.Kv,
  but: readonly string[] = [],
): Promise<void> {
  const asked = new Map([[real, new Asked()], [other, new Asked()]]);
  for (const [what, ask] of Object.entries(EDGES)) {
    if (but.includes(what)) continue;
    const expected = await asked.get(real)!.answer(real, ask);
    assert.deepEqual(await asked.get(other)!.answer(other, ask), expected, what);
  }
}
