/** list_md_from_repo: the markdown files of a repository, each with what its frontmatter says first. */
import { isMarkdown } from "../../platforms/astro/block.ts";
import { readAt } from "../../rules/branch.ts";
import { isBlocked, pathPrefix } from "../../rules/path.ts";
import { LIMITS } from "../../core/model.ts";
import type { Entry, View } from "../../platforms/github/client.ts";
import github from "../../platforms/github/connector.ts";
import { tool } from "../../registry/tool.ts";

const IN_FLIGHT = 6;
/** After so long no further file is read, so that an answer still comes. */
const READING_MS_MAX = 40_000;

type Words = Readonly<Record<"title" | "slug" | "type" | "status", string | null>>;
type Item = { readonly path: string; readonly sha: string } & Words;

/**
 * What files said that were read before, by git's name of their bytes, which never say anything else: a repository is
 * listed again for a request or two instead of one for each file.
 */
const KNOWN = new Map<string, Words>();
const KNOWN_MAX = 5000;
const WORDS_CHARACTERS_MAX = 1000;

/** A value of the frontmatter as a word, null where it is none. */
const word = (value: unknown): string | null =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : null;

/** A file as it is listed; one that cannot be read as markdown has no words. */
async function item(view: View, entry: Entry): Promise<Item> {
  const { path, sha } = entry;
  return { path, sha, ...KNOWN.get(sha) ?? await read(view, entry) };
}

async function read(view: View, entry: Entry): Promise<Words> {
  let found: Readonly<Record<string, unknown>> = {};
  if (entry.size <= LIMITS.STATIC_FILE_BYTES) {
    const { readDocument } = await import("./_frontmatter.ts"); // its package is large, and not needed to start
    const text = new TextDecoder().decode(await view.bytes(entry));
    try {
      found = readDocument(text, "path").frontmatter;
    } catch { /* without frontmatter it is listed by its path alone */ }
  }
  const words = {
    title: word(found["title"]),
    slug: word(found["slug"]),
    type: word(found["type"]),
    status: word(found["status"]),
  };
  const [oldest] = KNOWN.keys();
  if (KNOWN.size >= KNOWN_MAX && oldest !== undefined) KNOWN.delete(oldest);
  if (JSON.stringify(words).length <= WORDS_CHARACTERS_MAX) KNOWN.set(entry.sha, words);
  return words;
}

export default tool("list_md_from_repo", {
  check: ({ prefix = "" }) => void pathPrefix(prefix, "prefix"),
  async run({ status, prefix = "", limit, ref }, ctx) {
    const named = await readAt(ref, ctx.previews);
    const view = await (await ctx.use(github)).view(named);
    const listed = await view.list(pathPrefix(prefix, "prefix"));
    const files = listed.entries.filter(({ path }) => isMarkdown(path) && !isBlocked(path));
    const items: Item[] = [];
    const until = ctx.now() + READING_MS_MAX;
    let at = 0;
    while (at < files.length && items.length < limit && ctx.now() < until) {
      const some = files.slice(
        at,
        at + Math.min(IN_FLIGHT, status === undefined ? limit - items.length : IN_FLIGHT),
      );
      const read = await Promise.all(some.map((entry) => item(view, entry)));
      items.push(...read.filter((one) => status === undefined || one.status === status));
      at += some.length;
    }
    const more = listed.truncated || at < files.length || items.length > limit;
    const slow = at < files.length && items.length < limit
      ? { note: `Only the first ${at} of ${files.length} files were read; narrow it with prefix` }
      : {};
    return { items: items.slice(0, limit), truncated: more, total_files: files.length, ...slow };
  },
});
