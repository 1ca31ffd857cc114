/** How much work one call may cause before it is refused: steps that are counted, not timed. */
import { GatewayError } from "./errors.ts";
import { LIMITS } from "./model.ts";
import { textExcess } from "./json_extent.ts";

/** A value within a text costs more than a value by itself: it is found, cut out and compared. */
const FOUND_STEPS = 10;

/** A counter that is handed down to whatever works in proportion to what a caller sent. */
export class Steps {
  readonly #most: number;
  #taken = 0;

  constructor(most: number = LIMITS.RULE_STEPS) {
    this.#most = most;
  }

  /** How many were counted. */
  get taken(): number {
    return this.#taken;
  }

  /** Counts so many steps. Throws E_BAD_INPUT once there were more than a call may cause. */
  take(count = 1): void {
    this.#taken += count;
    if (this.#taken > this.#most) throw tooMuch();
  }

  /** Counts each such sign of a text, before it is cut there. */
  takeEach(sign: string, text: string): void {
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + sign.length)) {
      this.take(FOUND_STEPS);
    }
  }

  /** The value of a JSON text; undefined where it is none. Throws as `take` does where it holds too much to be judged. */
  parsed(text: string): unknown {
    return parsedWithin(text, LIMITS.JSON_NODES / 2);
  }

  /** What a pattern finds in a text, each of it counted; the pattern is global. */
  *matches(pattern: RegExp, text: string): Generator<RegExpExecArray> {
    for (const found of text.matchAll(pattern)) {
      this.take(FOUND_STEPS);
      yield found;
    }
  }
}

const tooMuch = () =>
  new GatewayError(
    "E_BAD_INPUT",
    "arguments: their texts hold too much to be judged in one call; send shorter texts, or fewer",
  );

const tooDeep = () =>
  new GatewayError(
    "E_BAD_INPUT",
    `arguments: a text in them holds JSON nested deeper than ${LIMITS.NESTING_LEVELS} levels`,
  );

/**
 * The value of a JSON text that was sent within arguments; undefined where it is none. Throws E_BAD_INPUT where it is
 * wider or deeper than arguments may be.
 */
export function parsedWithin(text: string, nodes: number = LIMITS.JSON_NODES): unknown {
  const excess = textExcess(text, { nodes, depth: LIMITS.NESTING_LEVELS });
  if (excess === "nodes") throw tooMuch();
  if (excess === "depth") throw tooDeep();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
