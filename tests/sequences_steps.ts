/** Steps by a seed, the shortest part of them that fails, and the test that plays many. */
import { type Trouble, TROUBLES } from "./sequences_gate.ts";
import { Dice } from "./tools/_crm_dice.ts";

const ACTS = {
  show: 6,
  write: 4,
  confirm: 8,
  person: 3,
  undo: 4,
  decide: 2,
  list: 1,
} as const;
/** A step: what is done, and the seed of all that is chosen for it. */
export interface Step {
  readonly act: keyof typeof ACTS;
  readonly seed: number;
  /** What goes wrong in it. */
  readonly trouble?: Trouble;
}

/** The steps of a seed. `troubled` of them go wrong. */
export function stepsOf(seed: number, count: number, troubled: number): Step[] {
  const dice = new Dice(seed, 0, "UTC");
  const acts = Object.entries(ACTS).flatMap(([act, weight]) =>
    Array.from({ length: weight }, () => act as keyof typeof ACTS)
  );
  return dice.times(count, () => {
    const step = { act: dice.pick(acts), seed: dice.int(1, 1e9) };
    const what = dice.pick(TROUBLES);
    const trouble = {
      what,
      of: dice.pick(["any", "writes", "writes"] as const),
      nth: dice.pick([0, 0, 1, 2]),
    };
    return dice.chance(troubled) ? { ...step, trouble } : step;
  });
}

/** The shortest part of the steps that still fails, as far as leaving out runs of them leads there. */
export async function shortest(
  steps: readonly Step[],
  fails: (steps: readonly Step[]) => Promise<boolean>,
): Promise<readonly Step[]> {
  let left = steps;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < left.length;) {
      const fewer = left.toSpliced(at, size);
      if (await fails(fewer)) left = fewer;
      else at += size;
    }
  }
  return left;
}

/** How many seeds are played where nobody asks for another number, of how many steps, and which part of them goes wrong. */
export interface Playing {
  readonly runs: number;
  readonly steps: number;
  readonly troubled: number;
}

/** The numbers in a failure are another's each time: by the rest of its first line two are known as the same. */
const kindOf = (thrown: unknown) =>
  (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 60).replace(/[0-9A-Z]{26}|\d+/g, "");

/**
 * Plays seeds from 1 on, or FUZZ_RUNS of them from FUZZ_SEED on; answers how often each thing came about. Throws an Error
 * with the shortest part of a seed's steps that fails alike, which can be played by themselves.
 */
export async function playSeeds(
  { runs, steps, troubled }: Playing,
  play: (steps: readonly Step[], told: string[]) => Promise<Readonly<Record<string, number>>>,
): Promise<Readonly<Record<string, number>>> {
  const first = Number(Deno.env.get("FUZZ_SEED") ?? 1);
  const count = Number(Deno.env.get("FUZZ_RUNS") ?? runs);
  const all: Record<string, number> = {};
  for (let seed = first; seed < first + count; seed++) {
    const whole = stepsOf(seed, steps, troubled);
    const thrown = await play(whole, []).then((counts) => {
      for (const [what, times] of Object.entries(counts)) all[what] = (all[what] ?? 0) + times;
    }, (thrown: unknown) => thrown);
    if (thrown === undefined) continue;
    const short = await shortest(whole, async (some) => {
      const again: unknown = await play(some, []).then(() => undefined, (again: unknown) => again);
      return again !== undefined && kindOf(again) === kindOf(thrown);
    });
    const told: string[] = [];
    await play(short, told).catch(() => {});
    throw new Error(`seed ${seed}, reduced to:\n${told.join("\n")}\n${thrown}`, { cause: thrown });
  }
  return all;
}
