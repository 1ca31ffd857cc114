/** How long work takes, over several rounds. */
import { cpuUsage } from "node:process";

/** The one in the middle. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

/** Milliseconds that one piece of work takes. */
export async function timed(work: () => unknown): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/**
 * Medians in milliseconds of several contenders that take turns, each once a round, in the order given; a round that
 * does not count comes first, so that nobody pays for what is done once. Each is told the number of the round.
 */
export async function inTurn<Name extends string>(
  rounds: number,
  contenders: Readonly<Record<Name, (round: number) => Promise<unknown>>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(contenders) as Name[];
  const times = names.map((): number[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [at, name] of names.entries()) {
      const took = await timed(() => contenders[name](round));
      if (round > 0) times[at]!.push(took);
    }
  }
  return Object.fromEntries(names.map((name, at) => [name, median(times[at]!)])) as Record<Name, number>;
}

/**
 * How many requests were sent one after another, at an upstream that answers each after so long: the longest chain in
 * which each was sent once the one before it had its answer. Counted in time, so for figures only; tests count causes.
 */
export function stepsOf(requests: readonly { readonly at: number }[], latencyMs: number): number {
  let steps = 0;
  let answered = -Infinity;
  for (const { at } of requests) {
    if (at < answered) continue;
    steps++;
    answered = at + latencyMs;
  }
  return steps;
}

/** The median of so many rounds, ms, and what one takes of the processors, ms; a round before them does not count in the median. */
export async function worked(
  rounds: number,
  run: () => Promise<unknown>,
): Promise<{ readonly took: number; readonly work: number }> {
  const times: number[] = [];
  const before = cpuUsage();
  for (let round = 0; round <= rounds; round++) {
    const took = await timed(run);
    if (round > 0) times.push(took);
  }
  const { user, system } = cpuUsage(before);
  return { took: median(times), work: (user + system) / 1000 / (rounds + 1) };
}
