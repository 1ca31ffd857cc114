/** Counts what a function does, not how long it takes: blocks that ran, by V8's coverage, and what built-ins went over. */
import { Buffer } from "node:buffer";
import { Session } from "node:inspector";

/** What a built-in went over, by what it was called on, with and what it gave; at least one step each. */
type Cost = (self: unknown, given: readonly unknown[], result: unknown) => number;

const size = (of: unknown): number =>
  typeof of === "string" || Array.isArray(of) || ArrayBuffer.isView(of)
    ? (of as { length: number }).length
    : 0;
const own: Cost = (self) => size(self);
const made: Cost = (_, __, result) => size(result);
const both: Cost = (self, _, result) => size(self) + size(result);
const keys: Cost = (_, [of]) => typeof of === "object" && of !== null ? Object.keys(of).length : 1;
const first: Cost = (_, [of]) => size(of);
/** A search ends where it finds something; of what it does not find it has seen all that is left. */
const found: Cost = (self, [, from], at) =>
  (typeof at === "number" && at >= 0 ? at : size(self)) -
  (typeof from === "number" ? Math.min(from, size(self)) : 0);

const { prototype: text } = String;
const { prototype: list } = Array;
/** Of typed arrays of every kind. */
const bytes = Object.getPrototypeOf(Uint8Array.prototype);
const ITERATORS = [[], "", new Map(), new Set()].map((of) =>
  Object.getPrototypeOf((of as Iterable<unknown>)[Symbol.iterator]())
);

const foundBehind: Cost = (self, _, at) => size(self) - Math.max(0, at as number);

/** An expression that is tried at one place: it begins with `^`, or is sticky. */
const isFixed = ({ source, sticky, multiline }: RegExp) => sticky || (!multiline && beginsFixed(source));

/** What is known of sources, for one is tried thousands of times. */
const fixed: Record<string, boolean> = Object.create(null);
const beginsFixed = (source: string) =>
  fixed[source] ??= /^\^(?:[^|()]|\\.|\((?!\?<?[=!])[^()]*\))*$/.test(source);

/** What `exec` went over: up to the end of what it found, else all that is left, where it may begin anywhere. */
function scanned(self: unknown, from: number, [given]: readonly unknown[], result: unknown): number {
  const pattern = self as RegExp;
  const begin = pattern.global || pattern.sticky ? from : 0;
  const match = result as RegExpExecArray | null;
  if (match !== null) return match.index + match[0].length - begin;
  return isFixed(pattern) ? 1 : Math.max(0, size(given) - begin);
}

type Owner = Record<PropertyKey, (...given: unknown[]) => unknown>;

const COSTS: readonly (readonly [owner: object, names: string, cost: Cost])[] = [
  [text, "indexOf includes search", found],
  [text, "startsWith endsWith", first],
  [text, "split replace replaceAll match trim trimStart trimEnd normalize toLowerCase toUpperCase", both],
  [text, "isWellFormed toWellFormed localeCompare", own],
  [text, "repeat padEnd padStart concat", made],
  [list, "indexOf includes", found],
  [text, "lastIndexOf", foundBehind],
  [list, "lastIndexOf", foundBehind],
  [bytes, "indexOf includes", found],
  [bytes, "lastIndexOf", foundBehind],
  [bytes, "set", first],
  [bytes, "slice fill", made],
  [list, "splice", (self, [from], result) => size(self) + size(result) - Math.min(Number(from), size(self))],
  [list, "shift unshift reverse fill toReversed toSpliced with", own],
  [list, "slice concat flat join", both],
  [Array, "from", made],
  [Object, "keys values entries assign fromEntries freeze getOwnPropertyNames", keys],
  [JSON, "parse", first],
  [JSON, "stringify", made],
  [TextEncoder.prototype, "encode", first],
  [TextDecoder.prototype, "decode", first],
  [Buffer, "from concat", made],
  [Buffer.prototype, "toString", made],
  [URL, "parse canParse", first],
  [globalThis, "decodeURIComponent encodeURIComponent encodeURI", first],
];

/** What calls back what it is given: each call counts, for V8 does not count those of a function it has compiled. */
const CALLING =
  "map filter flatMap some every find findIndex findLast findLastIndex forEach reduce reduceRight sort toSorted";

/** Maps that were written to: of those of modules, what was made once of a name. */
const kept = new Set<Map<unknown, unknown>>();

let counted = 0;
/** Whether built-ins count: not while their cost is worked out, which takes some itself. */
let counting = false;

/** The built-ins themselves. */
const { max } = Math;
const { apply } = Reflect;

function add(cost: Cost, self: unknown, given: readonly unknown[], result: unknown): void {
  counting = false;
  counted += max(1, cost(self, given, result));
  counting = true;
}

const once: Cost = () => 1;

type Method = Owner[string];

/** A built-in that counts what it goes over, also where it throws. */
function counter(real: Method, cost: Cost): Method {
  if (cost === once) {
    return function (this: unknown, ...given) {
      if (counting) counted++;
      return apply(real, this, given);
    };
  }
  return function (this: unknown, ...given) {
    if (!counting) return apply(real, this, given);
    let result: unknown;
    try {
      return result = apply(real, this, given);
    } finally {
      if (counting) add(cost, this, given, result);
    }
  };
}

/** One that counts the calls of what it is given, else what it goes over. */
function callingCounter(real: Method): Method {
  return function (this: unknown, ...given) {
    if (!counting) return apply(real, this, given);
    const [call] = given;
    if (typeof call === "function") {
      given[0] = function (this: unknown, ...more: unknown[]) {
        if (counting) counted++;
        return apply(call, this, more);
      };
    } else add(own, this, given, undefined);
    return apply(real, this, given);
  };
}

/** Puts counting ones in the place of built-ins; what it answers puts them back. */
function patched(): () => void {
  const back: (() => void)[] = [];
  const put = (owner: object, name: PropertyKey, by: (real: Method) => Method) => {
    const was = Object.getOwnPropertyDescriptor(owner, name);
    if (was?.value === undefined) return;
    Object.defineProperty(owner, name, { ...was, value: by(was.value) });
    back.push(() => Object.defineProperty(owner, name, was));
  };
  for (const [owner, names, cost] of COSTS) {
    for (const name of names.split(" ")) put(owner, name, (real) => counter(real, cost));
  }
  for (const one of ITERATORS) put(one, "next", (real) => counter(real, once));
  for (const name of CALLING.split(" ")) put(list, name, callingCounter);
  put(Map.prototype, "set", (real) =>
    function (this: unknown, ...given: unknown[]) {
      if (counting) kept.add(this as Map<unknown, unknown>);
      return apply(real, this, given);
    });
  put(RegExp.prototype, "exec", (real) =>
    function (this: unknown, ...given: unknown[]) {
      const from = (this as RegExp).lastIndex;
      const result = apply(real, this, given);
      if (counting) add((self, of, match) => scanned(self, from, of, match), this, given, result);
      return result;
    });
  return () => back.forEach((one) => one());
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

const TESTS = new URL(".", import.meta.url).href;

/** Counts the steps of what it is given; one at a time, for the counts are the process's. */
export class StepsTaken implements Disposable {
  readonly #session = new Session();
  readonly #restore = patched();

  /** A counter that counts from now on what is loaded and what is yet to be. */
  static async started(): Promise<StepsTaken> {
    const one = new StepsTaken();
    one.#session.connect();
    await one.#post("Profiler.enable");
    await one.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    await one.#blocks();
    return one;
  }

  #post(method: string, params: object = {}): Promise<{ result: readonly Script[] }> {
    return new Promise((done, fail) =>
      this.#session.post(
        method,
        params,
        (error: Error | null, result: unknown) =>
          error ? fail(error) : done(result as { result: readonly Script[] }),
      )
    );
  }

  /** How many blocks within functions ran since it was asked last, in modules of files that are no tests. */
  async #blocks(): Promise<number> {
    const { result } = await this.#post("Profiler.takePreciseCoverage");
    return result.filter(({ url }) => url.startsWith("file:") && !url.startsWith(TESTS))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges.slice(1)))
      .reduce((sum, { count }) => sum + count, 0);
  }

  /** The steps of those functions together, each of which begins without what the ones before kept in maps. */
  async of(works: readonly (() => unknown)[]): Promise<number> {
    counted = works.length;
    for (const work of works) {
      counting = true;
      try {
        await work();
      } catch {
        // It refuses what it is given.
      }
      counting = false;
      for (const one of kept) one.clear();
      kept.clear();
    }
    return counted + await this.#blocks();
  }

  [Symbol.dispose](): void {
    this.#restore();
    this.#session.disconnect();
  }
}
