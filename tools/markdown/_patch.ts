/** Places in a block of YAML where one key gets another value, or a list one more item: all other bytes stay as they are. */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Scalar,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";

/** A block as it was parsed. */
export interface Source {
  readonly text: string;
  readonly yaml: Document.Parsed;
  readonly newline: "\n" | "\r\n";
}

/**
 * Ways to give a key a value, the best first; at most a few. Which of them reads as it should is for the caller to find out.
 */
export function keySet(source: Source, key: string, value: string | number | boolean): string[] {
  const { text, yaml } = source;
  const plain = stringify(value, { lineWidth: 0 }).trimEnd();
  const quoted = JSON.stringify(value);
  const spot = spotOf(source, key);
  if (spot !== null) {
    return [plain, quoted].map((written) => spliced(text, spot, spot.before + written + spot.after));
  }
  const map = yaml.contents;
  if (isMap(map) && map.flow) {
    return [plain, quoted].map((written) => intoBraces(text, map, `${key}: ${written}`));
  }
  return atEnd(source, `${key}: ${plain}${source.newline}`);
}

/** Ways to give a key whose value is a list one more item. */
export function itemAdded(source: Source, key: string, item: Readonly<Record<string, unknown>>): string[] {
  const { text, yaml, newline } = source;
  const rows = (indent: string) =>
    stringify([item], { lineWidth: 0 }).trimEnd().split("\n").map((row) => indent + row + newline).join("");
  const inline = JSON.stringify(item);
  const map = yaml.contents;
  const list = isMap(map) ? map.get(key, true) : undefined;
  if (isMap(map) && map.flow && !isSeq(list)) {
    const spot = spotOf(source, key);
    if (spot === null) return [intoBraces(text, map, `${key}: [${inline}]`)];
    return [spliced(text, spot, `${spot.before}[${inline}]`)];
  }
  const spot = spotOf(source, key);
  if (spot === null) return atEnd(source, `${key}:${newline}${rows("  ")}`);
  if (!isSeq(list) || (list.flow && list.items.length === 0)) {
    const bare = spliced(text, { start: blanksBefore(text, spot.start), end: spot.end }, "");
    const end = lineAfter(bare, blanksBefore(text, spot.start));
    const inLine = isSeq(list) ? [intoBraces(text, list, inline)] : [];
    return [bare.slice(0, end) + rows("  ") + bare.slice(end), ...inLine];
  }
  if (list.flow) return [intoBraces(text, list, inline)];
  const start = startOf(list);
  const end = lineAfter(text, endOf(list.items.at(-1)));
  const indent = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return [text.slice(0, end) + rows(indent) + text.slice(end)];
}

interface Spot {
  readonly start: number;
  readonly end: number;
  /** What is written before and after the value. */
  readonly before: string;
  readonly after: string;
}

/** The place of a key's value; null when the key is not there. */
function spotOf({ text, yaml }: Source, key: string): Spot | null {
  if (!isMap(yaml.contents)) return null;
  const pair = yaml.contents.items.find((one) => isScalar(one.key) && one.key.value === key);
  if (!pair) return null;
  const value = pair.value as { range?: Range } | null;
  const [start, end] = value?.range ?? [0, 0];
  if (start === end) { // no value: it comes behind the colon, which a key in braces may lack too
    const colon = blanksAfter(text, endOf(pair.key));
    const at = text[colon] === ":" ? colon + 1 : endOf(pair.key);
    return { start: at, end: at, before: text[colon] === ":" ? " " : ": ", after: "" };
  }
  if (!isBlock(value)) return { start, end, before: "", after: "" };
  // A text over lines: its last line end, what is blank behind it, and a comment on its first line stay.
  const whole = text.slice(start, end);
  const [head = ""] = whole.split("\n", 1);
  const comment = head.indexOf("#");
  const after = comment < 0 ? "" : ` ${head.slice(comment).trimEnd()}`;
  return { start, end: start + whole.trimEnd().length, before: "", after };
}

const isBlock = (value: unknown): value is Scalar =>
  isScalar(value) && (value.type === "BLOCK_FOLDED" || value.type === "BLOCK_LITERAL");

const spliced = (text: string, { start, end }: Pick<Spot, "start" | "end">, written: string) =>
  text.slice(0, start) + written + text.slice(end);

/** With one more entry before the bracket that ends what is in brackets. */
function intoBraces(text: string, within: YAMLMap | YAMLSeq, entry: string): string {
  const close = endOf(within) - 1;
  const before = text.slice(startOf(within) + 1, close).trimEnd();
  const lead = within.items.length === 0 ? "" : before.endsWith(",") ? " " : ", ";
  return text.slice(0, close) + lead + entry + text.slice(close);
}

/** With one more key behind the others: behind the last line, or where that is of no use behind the last value. */
function atEnd({ text, yaml }: Source, lines: string): string[] {
  const last = isMap(yaml.contents) ? lineAfter(text, endOf(yaml.contents)) : 0;
  return [text + lines, text.slice(0, last) + lines + text.slice(last)];
}

type Range = [number, number, number];
const rangeOf = (node: unknown): Range => (node as { range?: Range | null }).range ?? [0, 0, 0];
const startOf = (node: unknown): number => rangeOf(node)[0];
const endOf = (node: unknown): number => rangeOf(node)[1];

/** Where the blanks begin that end at that place. */
const blanksBefore = (text: string, at: number): number => {
  let from = at;
  while (text[from - 1] === " " || text[from - 1] === "\t") from--;
  return from;
};

/** Where the blanks end that begin at that place. */
const blanksAfter = (text: string, at: number): number => {
  let to = at;
  while (text[to] === " " || text[to] === "\t") to++;
  return to;
};

/** Where the line ends on which that place is. */
function lineAfter(text: string, at: number): number {
  if (text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
