/** A page's text before and after a tool changed its blocks: whether it is what was asked for. */
import {
  type Block,
  blockAt,
  blocksOf,
  flat,
  inserted,
  isText,
  movedTo,
  type Path,
  replaced,
  reread,
  type Target,
} from "./block_tree.ts";
import { type Found, unknown, wrong } from "./found.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A page's text as it is stored, before and after a call. */
export interface Texts {
  readonly before: string | null;
  readonly now: string | null;
}

const UNREAD = unknown("The page's text could not be read back");
const OTHERS = "Blocks of the page differ from before that the call does not name, so it cannot be compared";

/** What is said of a tool for blocks; null of one whose change is none of those that are known. */
export function comparedBlocks(words: readonly string[], args: Fields, texts: Texts): Found | null {
  if (texts.before === null || texts.now === null) return UNREAD;
  const [before, now] = [blocksOf(texts.before), blocksOf(texts.now)];
  if (before === null || now === null) return unknown("The page's text has blocks that cannot be told apart");
  if (words.includes("pattern")) return ofPattern(before, now);
  const expected = expectedOf(words, args, before);
  if (expected === null) return null;
  if (expected.blocks === undefined) return unknown(`What ${expected.fault} names cannot be told`);
  const wanted = reread(expected.blocks);
  if (same(wanted, now)) return { verified: true };
  if (same(before, now)) return wrong("The page is as it was before, so nothing of the change is stored");
  const [sent, stored] = [flat(wanted), flat(now)];
  if (JSON.stringify(sent) === JSON.stringify(stored)) {
    return wrong(`${expected.place}: the blocks are not where they were to go`);
  }
  const known = new Set([...flat(before), ...stored]);
  return sent.some((one) => !known.has(one))
    ? wrong("markup: the page does not have it as it was sent")
    : unknown(OTHERS);
}

/** What a pattern holds no tool shows; that something of it came is seen. */
function ofPattern(before: readonly Block[], now: readonly Block[]): Found {
  return same(before, now)
    ? wrong("The page is as it was before, so nothing of the change is stored")
    : unknown("What the pattern holds does not show in what the site's own tools read");
}

/** The blocks that must stand; none where an argument cannot be read. */
interface Expected {
  readonly blocks?: readonly Block[];
  /** The argument that says where. */
  readonly place: "position" | "path";
  readonly fault?: string;
}

function expectedOf(words: readonly string[], args: Fields, before: readonly Block[]): Expected | null {
  const verb = ["add", "update", "remove", "move", "duplicate"].find((one) => words.includes(one));
  if (verb === undefined) return null;
  const [path, target] = [pathOf(args.path), targetOf(args.position)];
  const own = path === null ? undefined : blockAt(before, path);
  const sent = typeof args.markup === "string" ? blocksOf(args.markup) : [];
  const unread = (fault: string): Expected => ({ place: "path", fault });
  const isInside = target?.mode === "inside" || (target?.path.length ?? 0) > 1 || (path?.length ?? 0) > 1;
  // Within a block text of no block's is the outer one's own.
  if (sent === null || (isInside && sent.some(isText))) return unread("markup");
  if (verb === "add" || verb === "move") {
    if (target === null || !isThere(target, before)) return unread("position");
    if (verb === "add") return { blocks: inserted(before, sent, target), place: "position" };
  }
  if (path === null || own === undefined) return unread("path");
  if (verb === "move" && path.every((one, n) => target!.path[n] === one)) return unread("position");
  if (verb === "move") return { blocks: movedTo(before, path, target!), place: "position" };
  const by = verb === "update" ? sent : verb === "duplicate" ? [own, own] : [];
  return { blocks: replaced(before, path, by), place: "path" };
}

const same = (one: readonly Block[], other: readonly Block[]) =>
  JSON.stringify(one) === JSON.stringify(other);

const pathOf = (value: unknown): Path | null =>
  Array.isArray(value) && value.length > 0 && value.every((one) => Number.isInteger(one) && one >= 0)
    ? value
    : null;

/** Where blocks were to go; at the end where that is left out. */
function targetOf(position: unknown): Target | null {
  if (position === undefined || position === null) return { mode: "append", path: [] };
  if (!isFields(position)) return null;
  const { mode = "append", path } = position;
  return typeof mode === "string" ? { mode, path: pathOf(path) ?? [] } : null;
}

const isThere = ({ mode, path }: Target, blocks: readonly Block[]) =>
  ["append", "prepend"].includes(mode) || blockAt(blocks, path) !== undefined;
