/** The blocks of a text, with values as PHP keeps them, and what it holds once a tool for blocks has changed it. */

/** Whether PHP makes a list of an object. */
const isCounted = (value: object) => Object.keys(value).every((name, at) => name === String(at));

/** A value with lists for the objects that PHP keeps as lists, at whatever depth. */
export function asPhpKeeps(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(asPhpKeeps);
  if (isCounted(value)) return Object.values(value).map(asPhpKeeps);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asPhpKeeps(one)]));
}

/** A block without the blank space that nobody sees; of text outside of every block `inner` is empty. */
export interface Block {
  /** Its name, its attributes and its own markup, without what stands in the blocks in it. */
  readonly own: string;
  readonly inner: readonly Block[];
}

/** Where a block is: its index at the top, then in each block around it. */
export type Path = readonly number[];

/** Where blocks go. */
export interface Target {
  readonly mode: string;
  readonly path: Path;
}

/** What opens or closes a block; attributes end before the next comment, so that no text is gone through again and again. */
const MARK =
  /<!--\s+(\/)?wp:([a-z][a-z0-9_-]*(?:\/[a-z][a-z0-9_-]*)?)\s+(?:(\{(?:(?!<!--)[\s\S])*?\})\s+)?(\/)?-->/g;
const LEVELS_MAX = 64;
const BLOCKS_MAX = 20_000;

interface Open {
  readonly head: string;
  html: string;
  readonly inner: Block[];
}

/** The blocks of a text; null where they are not closed in their order, or are too many, or too deep. */
export function blocksOf(text: string): readonly Block[] | null {
  const top: Open = { head: "", html: "", inner: [] };
  const open = [top];
  let [at, count] = [0, 0];
  for (const { 0: mark, 1: closes, 2: name, 3: attributes, 4: alone, index } of text.matchAll(MARK)) {
    const around = open.at(-1)!;
    put(around, text.slice(at, index), open.length === 1);
    at = index + mark.length;
    if (++count > BLOCKS_MAX || open.length > LEVELS_MAX) return null;
    const head = `${name!.replace(/^core\//, "")} ${sorted(attributes)}`;
    if (closes) {
      if (open.length === 1 || around.head.split(" ")[0] !== name!.replace(/^core\//, "")) return null;
      open.pop();
      open.at(-1)!.inner.push(closed(around));
    } else if (alone) around.inner.push(closed({ head, html: "", inner: [] }));
    else open.push({ head, html: "", inner: [] });
  }
  put(top, text.slice(at), true);
  return open.length === 1 ? top.inner : null;
}

/** Markup between blocks: at the top it is one of its own, within a block it is that one's. */
function put(around: Open, html: string, isTop: boolean): void {
  if (!isTop) around.html += html;
  else if (html.trim() !== "") around.inner.push(closed({ head: "", html, inner: [] }));
}

const closed = ({ head, html, inner }: Open): Block => ({ own: `${head}\n${seen(html)}`, inner });
const seen = (html: string) => html.replace(/\s+/g, " ").replaceAll("> <", "><").trim();

/** Text outside of every block. */
export const isText = ({ own }: Block) => own.startsWith("\n");

/** The same as they are read again: texts outside of every block that stand beside each other are one. */
export function reread(blocks: readonly Block[]): readonly Block[] {
  const all: Block[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (last && isText(last) && isText(block)) {
      all[all.length - 1] = closed({ head: "", html: `${last.own} ${block.own}`, inner: [] });
    } else all.push(block);
  }
  return all;
}

/** Attributes as they are read, however they are spelt. */
function sorted(attributes: string | undefined): string {
  if (attributes === undefined) return "";
  try {
    const read = JSON.stringify(asPhpKeeps(JSON.parse(attributes)));
    return read === "[]" ? "" : read;
  } catch {
    return attributes;
  }
}

/** The block at a path; undefined where there is none. */
export function blockAt(blocks: readonly Block[], [first, ...deeper]: Path): Block | undefined {
  const found = first === undefined ? undefined : blocks[first];
  return found === undefined || deeper.length === 0 ? found : blockAt(found.inner, deeper);
}

/** The same blocks with those that stand beside the one at a path changed. */
function beside(
  blocks: readonly Block[],
  [first, ...deeper]: Path,
  change: (siblings: readonly Block[], at: number) => readonly Block[],
): readonly Block[] {
  if (first === undefined || blocks[first] === undefined) return blocks;
  if (deeper.length === 0) return change(blocks, first);
  return blocks.with(first, { ...blocks[first], inner: beside(blocks[first].inner, deeper, change) });
}

/** With others in place of the one at a path; with none, it is taken out. */
export const replaced = (blocks: readonly Block[], path: Path, by: readonly Block[]) =>
  beside(blocks, path, (siblings, at) => siblings.toSpliced(at, 1, ...by));

/** With more of them where they were to go. */
export function inserted(
  blocks: readonly Block[],
  more: readonly Block[],
  { mode, path }: Target,
): readonly Block[] {
  if (mode === "prepend") return [...more, ...blocks];
  if (mode === "before") return beside(blocks, path, (siblings, at) => siblings.toSpliced(at, 0, ...more));
  if (mode === "after") return beside(blocks, path, (siblings, at) => siblings.toSpliced(at + 1, 0, ...more));
  if (mode !== "inside") return [...blocks, ...more];
  return beside(blocks, path, (siblings, at) => {
    const around = siblings[at]!;
    return siblings.with(at, { ...around, inner: [...around.inner, ...more] });
  });
}

/** With one of them elsewhere, which is not within itself; where it goes is said of the blocks as they stand. */
export function movedTo(blocks: readonly Block[], from: Path, { mode, path }: Target): readonly Block[] {
  const block = blockAt(blocks, from);
  const last = from.length - 1;
  if (block === undefined) return blocks;
  const isBehind = path.length > last && from.slice(0, last).every((one, n) => path[n] === one) &&
    path[last]! > from[last]!;
  const to = isBehind ? path.with(last, path[last]! - 1) : path;
  return inserted(replaced(blocks, from, []), [block], { mode, path: to });
}

/** All of them by themselves, each as JSON, in no order of meaning. */
export const flat = (blocks: readonly Block[]): string[] =>
  blocks.flatMap(({ own, inner }) => [own, ...flat(inner)]).toSorted();
