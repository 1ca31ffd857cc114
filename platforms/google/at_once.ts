/** How many requests of one property are under way at once: Google refuses more than its quota (docs/upstreams/google.md). */
import { ended } from "../../core/async.ts";

/** Google Analytics takes ten of a property at once; the others are for whoever else reads it. */
export const REPORTS_AT_ONCE = 8;

/** A property: how many of its requests are under way, and who waits to be let in, the first come first. */
interface Line {
  running: number;
  readonly waiting: Set<() => void>;
}
const lines = new Map<string, Line>();

/** Does the work as one of at most so many of that name; null, and nothing done, where it would begin after the wait. */
export async function amongFew<T>(
  name: string,
  most: number,
  wait_ms: number,
  work: () => Promise<T>,
): Promise<{ done: T } | null> {
  const line = lines.get(name) ?? { running: 0, waiting: new Set() };
  lines.set(name, line);
  if (line.running < most) line.running++;
  else if (!await letIn(line, wait_ms)) return null;
  try {
    return { done: await work() };
  } finally {
    const [next] = line.waiting;
    if (next !== undefined) next(); // its place goes on to the next one
    else if (--line.running === 0) lines.delete(name);
  }
}

/** Waits for a place; false where none came in time. */
async function letIn(line: Line, wait_ms: number): Promise<boolean> {
  const place = Promise.withResolvers<void>();
  let isIn = false;
  const enter = () => {
    line.waiting.delete(enter);
    isIn = true;
    place.resolve();
  };
  line.waiting.add(enter);
  await ended(place.promise, Math.max(0, wait_ms));
  line.waiting.delete(enter);
  return isIn;
}
