/** A caller's words in a pull request: shown as they are, and nothing in them acts on people, issues or the page. */
import { seen } from "../core/unseen.ts";

/** Nobody sees it, and nobody reads a name, a number or an address across it. */
const JOINER = "\u2060";

/**
 * Beginnings by which the host reads a name to tell, or an issue to close once the request is merged, also in the message of
 * a commit that is made of the text (docs/upstreams/github.md).
 */
const ACTING = ["@", "#", "GH-", "Gh-", "gH-", "gh-", "/issues/", "/pull/"];

/** The text with what nobody sees made visible, and no name, number or address in it that the host acts on. */
export const quietText = (text: string): string =>
  ACTING.reduce((rest, sign) => rest.replaceAll(sign, sign + JOINER), seen(text));

/** The longest run of backticks in a text. */
function longestRun(text: string): number {
  let [longest, run] = [0, 0];
  for (const sign of text) {
    run = sign === "`" ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

/** A text as the body of a pull request: as code, so that no mark, link or picture is made of it. */
export function pullBody(text: string): string {
  const quiet = quietText(text).trimEnd();
  const fence = "`".repeat(Math.max(3, longestRun(quiet) + 1));
  return quiet === "" ? "" : `${fence}text\n${quiet}\n${fence}`;
}
