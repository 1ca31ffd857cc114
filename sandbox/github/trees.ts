/** Trees as git stores them: read, written in git's order, and changed path by path. */
import { Buffer } from "node:buffer";
import type { Objects } from "./objects.ts";

/** An entry's mode, as the API writes it. */
export type Mode = "100644" | "100755" | "040000" | "160000" | "120000";

/** What a name of a tree stands for. */
export interface Entry {
  readonly mode: Mode;
  readonly sha: string;
}

/** One change: what a path shall stand for; null takes it away. */
export interface Change {
  readonly path: string;
  readonly entry: Entry | null;
}

/** A change that cannot be made; the message is the API's own. */
export class BadTree extends Error {}

const EMPTY: ReadonlyMap<string, Entry> = new Map();

/** What a mode makes of an entry. */
export function typeOf(mode: Mode): "blob" | "tree" | "commit" {
  return mode === "040000" ? "tree" : mode === "160000" ? "commit" : "blob";
}

/** The entries of a tree's bytes, by name. */
export function readTree(bytes: Uint8Array): Map<string, Entry> {
  const out = new Map<string, Entry>();
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0, at);
    const [mode = "", ...name] = new TextDecoder().decode(bytes.subarray(at, end)).split(" ");
    const sha = Buffer.from(bytes.subarray(end + 1, end + 21)).toString("hex");
    out.set(name.join(" "), { mode: mode.padStart(6, "0") as Mode, sha });
    at = end + 21;
  }
  return out;
}

/** A tree's bytes; git sorts a folder as if its name ended in a slash. */
function writeTree(entries: ReadonlyMap<string, Entry>): Uint8Array {
  const rows = [...entries].map(([name, { mode, sha }]) => ({
    key: Buffer.from(mode === "040000" ? `${name}/` : name),
    bytes: Buffer.concat([
      Buffer.from(`${mode.replace(/^0/, "")} ${name}\0`),
      Buffer.from(sha, "hex"),
    ]),
  }));
  return Buffer.concat(rows.sort((a, b) => Buffer.compare(a.key, b.key)).map(({ bytes }) => bytes));
}

/** The entries of a tree by its name; empty for null. Throws BadTree when it is none. */
async function entriesOf(objects: Objects, sha: string | null): Promise<ReadonlyMap<string, Entry>> {
  if (sha === null) return EMPTY;
  const bytes = await objects.readAs("tree", sha);
  if (bytes === null) throw new BadTree("base_tree is not a valid tree oid");
  return readTree(bytes);
}

/** Refuses a path git would not keep. */
export function checkTreePath(path: string): void {
  if (path.startsWith("/")) throw new BadTree("tree.path cannot start with a slash");
  const bad = path.split("/").some((part) =>
    ["", ".", "..", "git~1"].includes(part.toLowerCase()) || /^\.git[ .]*$/i.test(part) || part.includes("\0")
  );
  if (bad) throw new BadTree("tree.path contains a malformed path component");
}

interface Step {
  readonly parts: readonly string[];
  readonly entry: Entry | null;
}

/** The changes by the first name of their path; what is meant for a folder and for a file at once is refused. */
function byFirst(steps: readonly Step[]): Map<string, Step[]> {
  const out = new Map<string, Step[]>();
  for (const step of steps) {
    const name = step.parts[0] ?? "";
    const group = out.get(name) ?? [];
    const leaf = step.parts.length === 1;
    if (group.length > 0 && (leaf || group.some((one) => one.parts.length === 0))) {
      throw new BadTree("GitRPC::BadObjectState");
    }
    group.push({ parts: step.parts.slice(1), entry: step.entry });
    out.set(name, group);
  }
  return out;
}

async function change(objects: Objects, base: string | null, steps: readonly Step[]): Promise<string | null> {
  const entries = new Map(await entriesOf(objects, base));
  for (const [name, group] of byFirst(steps)) {
    const was = entries.get(name);
    const leaf = group.length === 1 && group[0]!.parts.length === 0 ? group[0] : undefined;
    let entry: Entry | null;
    if (leaf === undefined) {
      const below = was?.mode === "040000" ? was.sha : null;
      const sha = await change(objects, below, group);
      entry = sha === null ? null : { mode: "040000", sha };
    } else {
      if (leaf.entry === null && was === undefined) throw new BadTree("GitRPC::BadObjectState");
      entry = leaf.entry;
    }
    if (entry === null) entries.delete(name);
    else entries.set(name, entry);
  }
  return entries.size === 0 ? null : await objects.write("tree", writeTree(entries));
}

/**
 * Makes the tree that `base` (null for none) becomes by the changes, and answers its name. Folders left empty vanish.
 * Throws BadTree, before anything is written at that level, when a path is malformed or one to delete is absent.
 */
export async function changedTree(
  objects: Objects,
  base: string | null,
  changes: readonly Change[],
): Promise<string> {
  for (const { path } of changes) checkTreePath(path);
  const steps = changes.map(({ path, entry }) => ({ parts: path.split("/"), entry }));
  if (steps.length === 0 && base !== null) {
    await entriesOf(objects, base);
    return base;
  }
  return await change(objects, base, steps) ?? await objects.write("tree", new Uint8Array(0));
}

/** What a path of a tree stands for; the root itself for "". Null when there is nothing. */
export async function entryAt(objects: Objects, tree: string, path: string): Promise<Entry | null> {
  let at: Entry = { mode: "040000", sha: tree };
  for (const part of path.split("/").filter((one) => one !== "")) {
    if (at.mode !== "040000") return null;
    const next: Entry | undefined = (await entriesOf(objects, at.sha)).get(part);
    if (next === undefined) return null;
    at = next;
  }
  return at;
}
