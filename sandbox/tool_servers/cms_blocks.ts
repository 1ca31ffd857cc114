/** The tools of a post's blocks; those at the top alone, by their place. */
import { type Asked, editable, need, postOf, type Run, SoftFailure } from "./cms_state.ts";

type Args = Readonly<Record<string, unknown>>;

const MARK = /<!--\s*(\/)?wp:([a-z][a-z0-9/-]*)(\s+\{.*?\})?\s*(\/)?-->/gs;

interface Block {
  /** null for text outside of every block. */
  readonly name: string | null;
  readonly attributes: unknown;
  readonly inner: number;
  /** As it stands in the content. */
  readonly text: string;
}

/** The blocks at the top of a content, and what stands between them. */
function blocksOf(content: string): Block[] {
  const found: Block[] = [];
  let [depth, begin, inner, end] = [0, 0, 0, 0];
  const between = (to: number) => {
    const text = content.slice(end, to).trim();
    if (text !== "") found.push({ name: null, attributes: [], inner: 0, text });
  };
  let [name, attributes]: [string, unknown] = ["", []];
  for (const { 0: mark, 1: closing, 2: type, 3: json, 4: alone, index } of content.matchAll(MARK)) {
    if (closing) depth--;
    else if (depth === 0) {
      between(index);
      [begin, inner, name] = [index, 0, type!.includes("/") ? type! : `core/${type}`];
      attributes = json ? JSON.parse(json) : [];
    } else if (depth === 1) inner++;
    if (!closing && !alone) depth++;
    if (depth > 0) continue;
    end = index + mark.length;
    found.push({ name, attributes, inner, text: content.slice(begin, end) });
  }
  between(content.length);
  return found;
}

function top(path: unknown, blocks: readonly Block[]): number {
  const [at, ...deeper] = path as number[];
  if (at === undefined || deeper.length > 0 || blocks[at] === undefined) {
    throw new SoftFailure("path does not resolve to a block. Call get-post-blocks first.");
  }
  return at;
}

/** Where a position points: at the end, at the beginning, or before or after the block at a path. */
function place(position: unknown, blocks: readonly Block[]): number {
  const { mode = "append", path } = (position ?? {}) as { mode?: string; path?: unknown };
  if (mode === "prepend") return 0;
  if (mode === "append") return blocks.length;
  return top(path ?? [], blocks) + (mode === "after" ? 1 : 0);
}

/** Reads a post's blocks, changes them, and stores them a moment later. */
async function edit<T>(args: Args, at: Asked, change: (blocks: Block[]) => T): Promise<T> {
  const post = editable(at, args);
  const blocks = blocksOf(post.content);
  const result = change(blocks);
  await at.gap();
  post.content = blocks.map(({ text }) => text).join("\n\n");
  post.modified = at.ask.state.now();
  return result;
}

const PATTERN =
  "<!-- wp:group --><!-- wp:paragraph --><p>From a pattern.</p><!-- /wp:paragraph --><!-- /wp:group -->";
const KNOWN = ["core/paragraph", "core/heading", "core/image", "core/list", "core/group"];

/** By name without the plugin's prefix. */
export const BLOCK_TOOLS: Readonly<Record<string, Run>> = {
  "list-blocks"({ search = "" }, at) {
    need(at, "edit_posts");
    return { blocks: KNOWN.filter((name) => name.includes(String(search))).map((name) => ({ name })) };
  },
  "get-block-schema"({ name, names = [name] }, at) {
    need(at, "edit_posts");
    const wanted = (names as unknown[]).filter((one) => KNOWN.includes(String(one)));
    return { blocks: wanted.map((one) => ({ name: one, attributes: {} })) };
  },
  "list-patterns"(_, at) {
    need(at, "edit_posts");
    return { patterns: [{ name: "site/plain", title: "Plain", categories: [], description: "" }] };
  },
  "get-post-blocks"(args, at) {
    need(at, "edit_posts");
    const blocks = blocksOf(postOf(at, args).content).map(({ name, attributes, inner }, index) => ({
      path: [index],
      blockName: name,
      attributes,
      innerBlocksCount: inner,
    }));
    return { blocks };
  },
  "add-block": (args, at) =>
    edit(args, at, (blocks) => {
      const more = blocksOf(String(args["markup"]));
      if (more.length === 0) throw new SoftFailure("markup did not parse to any block.");
      blocks.splice(place(args["position"], blocks), 0, ...more);
      return { post_id: postOf(at, args).id, added: more.length, path: [] };
    }),
  "insert-pattern": (args, at) =>
    edit(args, at, (blocks) => {
      if (args["pattern_name"] !== "site/plain") {
        throw new SoftFailure("Pattern not registered. Use list-patterns for valid names.");
      }
      blocks.splice(place(args["position"], blocks), 0, ...blocksOf(PATTERN));
      return { post_id: postOf(at, args).id, added: 1 };
    }),
  "update-block": (args, at) =>
    edit(args, at, (blocks) => {
      blocks.splice(top(args["path"], blocks), 1, ...blocksOf(String(args["markup"])));
      return { post_id: postOf(at, args).id, path: args["path"] };
    }),
  "remove-block": (args, at) =>
    edit(args, at, (blocks) => {
      blocks.splice(top(args["path"], blocks), 1);
      return { post_id: postOf(at, args).id, removed: true };
    }),
  "move-block": (args, at) =>
    edit(args, at, (blocks) => {
      const [from, to] = [top(args["path"], blocks), place(args["position"], blocks)];
      const [block] = blocks.splice(from, 1);
      blocks.splice(to > from ? to - 1 : to, 0, block!);
      return { post_id: postOf(at, args).id, path: [] };
    }),
  "duplicate-block": (args, at) =>
    edit(args, at, (blocks) => {
      const from = top(args["path"], blocks);
      blocks.splice(from + 1, 0, blocks[from]!);
      return { post_id: postOf(at, args).id, path: [from + 1] };
    }),
};
