/** A site's own tool as an operator reads it before approving: every character to be seen, and what changed. */
import { structuredPatch } from "diff";
import { commonEnds } from "../../core/common_ends.ts";
import { LIMITS } from "../../core/model.ts";
import type { ListedTool } from "../../store/store.ts";

const CONTEXT_LINES = 3;
/** Texts are compared with a bound on the work; what differs in more is shown as one part. */
const BOUND = { context: CONTEXT_LINES, maxEditLength: 500, timeout: 20 } as const;
const LINE_CHARACTERS = 120;

/** A tool in lines of ASCII; whatever is not seen, or looks like something else, stands as its code. */
export function readable({ name, title, description, input_schema, hints }: ListedTool): string {
  return [
    `name: ${quoted(name)}`,
    `title: ${title === undefined ? "-" : quoted(title)}`,
    "description:",
    ...wrapped(quoted(description)).map((line) => `  ${line}`),
    `hints: ${quoted(hints)}`,
    "input_schema:",
    ...escaped(JSON.stringify(input_schema, null, 2)).split("\n").map((line) => `  ${line}`),
  ].join("\n");
}

const quoted = (value: unknown) => escaped(JSON.stringify(value));

const escaped = (text: string) =>
  text.replace(/[^\x20-\x7e\n]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Lines of some length, broken between words. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/(?<= )/)) {
    if (line !== "" && line.length + word.length > LINE_CHARACTERS) {
      lines.push(line);
      line = "";
    }
    line += word;
  }
  return [...lines, line];
}

/** What changed, in lines that begin with `+`, `-` or a blank; nothing where both read the same. */
export function changesOf(before: ListedTool, after: ListedTool): string[] {
  const [from, to] = [readable(before), readable(after)];
  const patch = structuredPatch("", "", from, to, "", "", BOUND);
  if (!patch) return asOnePart(from.split("\n"), to.split("\n"));
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => [
    placeOf(oldStart, newStart),
    ...lines.filter((line) => !line.startsWith("\\")),
  ]);
}

const placeOf = (oldStart: number, newStart: number) => `@@ -${oldStart} +${newStart} @@`;

/** All lines between those that both begin and end with. */
function asOnePart(from: readonly string[], to: readonly string[]): string[] {
  const { start, end } = commonEnds(from, to);
  return [
    placeOf(start + 1, start + 1),
    ...from.slice(Math.max(0, start - CONTEXT_LINES), start).map((line) => ` ${line}`),
    ...from.slice(start, from.length - end).map((line) => `-${line}`),
    ...to.slice(start, to.length - end).map((line) => `+${line}`),
  ];
}

/** So many of them as a list of tools shows. */
export function shortened(lines: readonly string[]): string[] {
  const shown: string[] = [];
  let left = LIMITS.PREVIEW_FIELD_BYTES;
  for (const line of lines) {
    left -= line.length;
    if (left < 0) return [...shown, `… and ${lines.length - shown.length} lines more`];
    shown.push(line);
  }
  return shown;
}
