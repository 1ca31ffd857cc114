/** What a caller is told of a failure, as one text to match: the gateway's message, and what the upstream said beside it. */
import assert from "node:assert/strict";

/** A failure as a caller gets it. */
interface Failure {
  readonly message: string;
  readonly excerpt?: string | undefined;
}

/**
 * The message alone, the message with the excerpt behind it, and the message with the excerpt behind what begins it ("CMS
 * 400", "the host answered 401"): a test says what of both is told, and in which order a person would read it.
 */
function readings({ message, excerpt }: Failure): string[] {
  if (excerpt === undefined) return [message];
  const [, head = message, rest = ""] = /^(.*?\b\d{3}(?: [a-z_]+)?|[^;]*)([:;] .*)?$/s.exec(message) ?? [];
  const way = rest.replace(/^[:;] /, "");
  const bare = excerpt.replace(/^[\w.-]+: /, "");
  const within = [
    `${head} ${excerpt}`,
    `${head}: ${excerpt}`,
    `${head}: ${bare}`,
    `${head}: ${JSON.stringify(bare)}`,
  ];
  return [message, `${message} | ${excerpt}`, ...within.map((one) => way === "" ? one : `${one}; ${way}`)];
}

/** Everything of it as one text, to look for what must not be told. */
export const told = (failure: Failure): string => readings(failure)[1] ?? failure.message;

/** Asserts what is told. */
export function assertTold(failure: Failure, says: RegExp, what = ""): void {
  if (readings(failure).some((text) => says.test(text))) return;
  assert.match(told(failure), says, what === "" ? undefined : `${what}: ${told(failure)}`);
}
