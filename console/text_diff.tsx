/** What a change makes of a value, as a person reads it: words that go and words that come within one text. */
import { diffWordsWithSpace } from "diff";
import type { Child } from "hono/jsx";

/** Longer comparisons are given up: then the whole text goes, and the whole text comes. */
const BOUND = { maxEditLength: 1500, timeout: 150 };

/** A text with what nobody sees in it made visible: it could turn the order of the others around, or hide some. */
export function visible(text: string): string {
  return text.split("\n").map((line) =>
    line.replace(
      /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
      (sign) =>
        sign === "\t" ? sign : `⟨U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}⟩`,
    )
  ).join("\n");
}

/** A value in words. */
export function inWords(value: unknown): string {
  if (value === null || value === undefined || value === "") return "nothing";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (typeof value === "string") return visible(value);
  if (Array.isArray(value) && value.every((one) => typeof one !== "object")) {
    return value.length === 0 ? "nothing" : value.map((one) => visible(String(one))).join(", ");
  }
  return visible(JSON.stringify(value, null, 2) ?? "nothing");
}

/** The parts of both; two texts that share little are easier read one after the other than word by word. */
function partsOf(before: string, after: string) {
  const whole = [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ].filter(({ value }) => value !== "");
  const parts = diffWordsWithSpace(before, after, BOUND) ?? whole;
  const shared = parts.filter(({ added, removed }) => !added && !removed)
    .reduce((sum, { value }) => sum + value.trim().length, 0);
  return 4 * shared < Math.max(before.length, after.length) ? whole : parts;
}

/** Both texts as one: what goes is struck through, what comes is underlined, and each says so to who hears it. */
export function TextDiff({ from, to }: { readonly from: string; readonly to: string }): Child {
  const [before, after] = [visible(from), visible(to)];
  const parts = partsOf(before, after);
  return (
    <p class="diff" dir="auto">
      {parts.map(({ value, added, removed }) =>
        added
          ? (
            <ins>
              <span class="heard">comes:</span>
              {value}
            </ins>
          )
          : removed
          ? (
            <del>
              <span class="heard">goes:</span>
              {value}
            </del>
          )
          : value
      )}
    </p>
  );
}
