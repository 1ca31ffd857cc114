/** Twice the input, at most twice the work: measured with every hostile text or value at once, and told of the worst. */
import assert from "node:assert/strict";
import { BEGINNINGS, PIECES, textOf, VALUES } from "./hostile_texts.ts";
import { StepsTaken } from "./steps_taken.ts";

/** What reads a text, or a value; it may refuse it. */
export type Reader<Given> = (given: Given) => unknown;

/** One input, by how long it is. */
type Input<Given> = readonly [what: string, of: (size: number, mark: string) => Given];

let marks = 0;
/** A mark that was given to nothing yet: what is kept of names by their readers is of others. */
const newMark = () => `n${`${marks++}`.padStart(6, "0")}x`;

/** Every piece by itself, and every beginning with the pieces that go on as it began. */
const TEXTS: readonly Input<string>[] = [
  ...PIECES.map((piece) => ["", piece] as const),
  ...BEGINNINGS.slice(1).flatMap((beginning) =>
    ["a", "a=1&", "[", '\\"', "status: draft\n"].map((piece) => [beginning, piece] as const)
  ),
].map(([beginning, piece]) => [
  JSON.stringify(beginning + piece),
  (size: number) => textOf(beginning, piece, size),
]);
/** What goes on to the end but for a letter. */
const INNER: readonly Input<string>[] = [" ", ".", "/", "-", "%20", "{"].map((piece) => [
  JSON.stringify(`a${piece}…x`),
  (size: number) => `${textOf("a", piece, size)}x`,
]);
const WIDE: readonly Input<unknown>[] = Object.entries(VALUES);

/**
 * What sizes are compared with the same twice: small ones, and such as a reader may refuse by what it made of them. Of
 * most pieces a text of that length and one of twice that hold whole ones.
 */
const TEXT_SIZES = [504];
const VALUE_SIZES = [120, 400];
/** Beyond twice, for what grows a little faster, as sorting does; and for what is read once where it was refused unread. */
const SLACK = 1.05;
const READ_ONCE = 4;
const SHOWN = 5;

/** So many inputs are counted together: few enough that one of them alone would show. */
const TOGETHER = 25;

/** Counts a reader's steps for inputs of that size and of twice that. */
class Doubling<Given> {
  constructor(
    readonly steps: StepsTaken,
    readonly read: Reader<Given>,
    readonly size: number,
  ) {}

  /** The inputs for which twice the size is more than twice the steps, worst first. */
  async faults(inputs: readonly Input<Given>[]): Promise<string[]> {
    await this.#taken(inputs, 10); // what is made once is made
    const faults: (readonly [excess: number, what: string])[] = [];
    for (let at = 0; at < inputs.length; at += TOGETHER) {
      const some = inputs.slice(at, at + TOGETHER);
      if (await this.#excess(some) === 0) continue;
      for (const one of some) {
        const excess = await this.#excess([one]);
        if (excess > 0) faults.push([excess, one[0]]);
      }
    }
    return faults.toSorted(([a], [b]) => b - a).map(([excess, what]) => `${what} ×${excess.toFixed(2)}`);
  }

  /** How many times the steps twice the size takes, 0 where that is fine. */
  async #excess(some: readonly Input<Given>[]): Promise<number> {
    const twice = await this.#taken(some, 2 * this.size);
    const fine = READ_ONCE * this.size;
    if (twice <= fine) return 0; // it was refused unread, whatever half of it takes
    const once = await this.#taken(some, this.size);
    return twice <= 2 * SLACK * once + fine ? 0 : twice / once;
  }

  async #taken(some: readonly Input<Given>[], size: number): Promise<number> {
    const given = some.map(([, of]) => of(size, newMark()));
    return await this.steps.of(given.map((one) => () => this.read(one)));
  }
}

/** Holds that work on twice as much takes at most twice the steps, where no text or value that is made here is what matters. */
export async function assertTwice(
  steps: StepsTaken,
  work: (size: number) => unknown,
  size: number,
  what: string,
): Promise<void> {
  const taken = (of: number) => steps.of([() => work(of)]);
  await taken(size); // what is made once is made
  const [once, twice] = [await taken(size), await taken(2 * size)];
  assert.ok(once > size / SHOWN, `${what}: ${once} steps for ${size} are none that count`);
  assert.ok(
    twice <= 2 * SLACK * once + READ_ONCE,
    `${what}: ${once} steps for ${size}, ${twice} for twice that`,
  );
}

/** Holds that of each reader; `texts` and `values` by the reader's name. */
export async function assertDoubles(
  texts: Readonly<Record<string, Reader<string>>>,
  values: Readonly<Record<string, Reader<unknown>>>,
): Promise<void> {
  using steps = await StepsTaken.started();
  const faults: string[] = [];
  const judge = async <Given>(name: string, doubling: Doubling<Given>, inputs: readonly Input<Given>[]) => {
    const found = await doubling.faults(inputs);
    if (found.length > 0) faults.push(`${name}, ${doubling.size}: ${found.slice(0, SHOWN).join(", ")}`);
  };
  for (const [name, read] of Object.entries(texts)) {
    for (const size of TEXT_SIZES) await judge(name, new Doubling(steps, read, size), [...TEXTS, ...INNER]);
  }
  for (const [name, read] of Object.entries(values)) {
    for (const size of VALUE_SIZES) await judge(name, new Doubling(steps, read, size), WIDE);
  }
  assert.deepEqual(faults, [], "steps for twice the input, where they are more than twice as many");
}
