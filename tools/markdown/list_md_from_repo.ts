/** list_md_from_repo: the markdown files of a repository, each with what its frontmatter says first. */
import { isBlocked, pathPrefix } from "../../guard/rules/path.ts";
import { LIMITS } from "../../model.ts";
import { type Entry, repo, type View } from "../../platforms/repo/client.ts";
import { tool } from "../../registry/tool.ts";
import { readDocument } from "./_frontmatter.ts";

const IN_FLIGHT = 6;
/** After so long no further file is read, so that an answer still comes. */
const READING_MS_MAX = 40_000;

type Item = { path: string; sha: string } & Record<"title" | "slug" | "type" | "status", string | null>;

/** A value of the frontmatter as a word, null where it is none. */
const word = (value: unknown): string | null =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : null;

/** A file as it is listed; one that cannot be read as markdown has no words. */
async function item(view: View, entry: Entry): Promise<Item> {
  const { path, sha } = entry;
  let found: Readonly<Record<string, unknown>> = {};
  if (entry.size <= LIMITS.STATIC_FILE_BYTES) {
    const text = new TextDecoder().decode(await view.bytes(entry));
    try {
      found = readDocument(text, "path").frontmatter;
    } catch { /* without frontmatter it is listed by its path alone */ }
  }
  const [title, slug, type, status] = [found["title"], found["slug"], found["type"], found["status"]].map(
    word,
  );
  return { path, sha, title: title ?? null, slug: slug ?? null, type: type ?? null, status: status ?? null };
}

export default tool("list_md_from_repo", {
  check: ({ prefix = "" }) => void pathPrefix(prefix, "prefix"),
  async run({ status, prefix = "", limit }, ctx) {
    const view = await (await ctx.use(repo)).view();
    const listed = await view.list(pathPrefix(prefix, "prefix"));
    const files = listed.entries.filter(({ path }) => /\.(md|mdx|markdown)$/i.test(path) && !isBlocked(path));
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
