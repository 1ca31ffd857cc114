/** A site's own tool as an operator reads it before approving: every character to be seen, and what changed. */
import { structuredPatch } from "diff";
import { LIMITS } from "../model.ts";
import type { ListedTool } from "../store/store.ts";

/** Texts are compared with a bound on the work. */
const BOUND = { context: 3, maxEditLength: 4000, timeout: 500 } as const;
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
  const patch = structuredPatch("", "", readable(before), readable(after), "", "", BOUND);
  if (!patch) return ["These differ in more than can be compared; read both whole"];
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => [
    `@@ -${oldStart} +${newStart} @@`,
    ...lines.filter((line) => !line.startsWith("\\")),
  ]);
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
