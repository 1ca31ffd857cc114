/** Who changed a file of a repository last, and whether that was this gateway's own app. */
import { z } from "zod";
import { SET_BACK } from "./names.ts";
import type { RepoWire } from "./wire.ts";

const PERSON = z.object({ login: z.string() }).nullish().catch(null);
/** Left out where it is none, for it is repeated to callers. */
const DATE = z.iso.datetime({ offset: true }).optional().catch(undefined);
/** Commits, the newest first. */
export const COMMITS = z.array(z.object({
  sha: z.string(),
  commit: z.object({
    author: z.object({ name: z.string().optional(), date: DATE }).nullish().catch(null),
    message: z.string().catch(""),
  }),
  author: PERSON,
  committer: PERSON,
}));

/** The newest commit that touched a file. */
export interface LastChange {
  readonly commit_sha: string;
  /**
   * Whether the app itself made the commit of its own bytes, and nobody has made another of it since. What a commit only put
   * back may be a person's: of that the gateway itself knows what it wrote.
   */
  readonly own: boolean;
  /** The author's name, as the commit has it; null where it has none. */
  readonly by: string | null;
  /** ISO 8601; null where the commit has none. */
  readonly at: string | null;
}

/** Signs what is committed through the host itself (docs/upstreams/github.md, "Contents, git objects, branches"). */
const HOST = "web-flow";

/** A commit that touched a file. */
export interface FileCommit extends LastChange {
  /** The first line of its message. */
  readonly message: string;
}

/** The newest commit that touched the path, from that commit on; null where the host names none. Throws RepoError. */
export async function lastChange(wire: RepoWire, commit: string, path: string): Promise<LastChange | null> {
  const [found] = await commitsOf(wire, { sha: commit, path, per_page: 1 });
  if (!found) return null;
  const { message: _, ...change } = found;
  return change;
}

/** Commits that touched a path, newest first. Throws RepoError. */
export async function commitsOf(
  wire: RepoWire,
  query: Readonly<Record<string, string | number>>,
): Promise<FileCommit[]> {
  const found = await wire.ask({ method: "GET", path: "/commits", query, schema: COMMITS });
  if (found.length === 0) return [];
  const slug = await wire.appSlug();
  return found.map((one) => changeOf(one, slug));
}

function changeOf({ sha, author, committer, commit }: z.infer<typeof COMMITS>[number], slug: string | null) {
  const isApp = (login: string | undefined) => slug !== null && login === `${slug}[bot]`;
  // Of a commit that a person made anew (an amend, a rebase) the app is the author still, and the person the committer.
  const isOurs = isApp(author?.login) && (isApp(committer?.login) || committer?.login === HOST);
  const own = isOurs && !commit.message.startsWith(SET_BACK);
  const { author: who, message } = commit;
  return {
    commit_sha: sha,
    own,
    by: who?.name ?? author?.login ?? null,
    at: who?.date ?? null,
    message: message.split("\n", 1)[0] ?? "",
  };
}
