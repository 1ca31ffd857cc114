/** How much work one call may cause before it is refused: steps that are counted, not timed. */
import { GatewayError } from "./errors.ts";
import { LIMITS } from "./model.ts";
import { textExcess } from "./json_extent.ts";

/** A counter that is handed down to whatever works in proportion to what a caller sent. */
export class Steps {
  #taken = 0;

  /** Counts so many steps. Throws E_BAD_INPUT once there were more than a call may cause. */
  take(count = 1): void {
    this.#taken += count;
    if (this.#taken > LIMITS.RULE_STEPS) throw tooMuch();
  }
}

const tooMuch = () =>
  new GatewayError(
    "E_BAD_INPUT",
    "arguments: they hold too much to be judged in one call; send less",
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
export function parsedWithin(text: string): unknown {
  const excess = textExcess(text, { nodes: LIMITS.JSON_NODES, depth: LIMITS.NESTING_LEVELS });
  if (excess === "nodes") throw tooMuch();
  if (excess === "depth") throw tooDeep();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
