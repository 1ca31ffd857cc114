/** What nobody caught in this process: an error of an event, or a promise that was rejected unheard. */
import assert from "node:assert/strict";
import { onUncaught } from "../gateway/serve.ts";

/** Listens until disposed of; what it hears does not end the process. */
export interface Unheard extends Disposable {
  /** What was heard so far, oldest first. */
  readonly faults: readonly string[];
  /** Fails where there was anything, once what is under way has had its turn. */
  assertNothing(): Promise<void>;
}

/** Turns of the event loop in which what was begun comes to its end. */
const TURNS = 20;

/** Begins to listen. */
export function unheard(): Unheard {
  const faults: string[] = [];
  const listening = onUncaught(({ cause }) => faults.push(cause));
  return {
    faults,
    async assertNothing() {
      for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
      assert.deepEqual(faults, []);
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  };
}
