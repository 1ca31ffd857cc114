/** The comparison of two commits: where they part, the commits between them and the files that differ. */
import type { RepoAsk, Routes } from "./access.ts";
import { type Json, json, notFound, Refusal } from "./answer.ts";
import type { Bare } from "./bare.ts";
import { asGit } from "./git_data.ts";
import { historyView } from "./git_views.ts";
import { fullName } from "./state.ts";
import { repoUrl } from "./views.ts";

/** The most commits, and files, that come with a comparison (docs.github.com/rest/commits/commits, "Compare two commits"). */
const COMMITS_MAX = 250;
const FILES_MAX = 300;

/** The newest commit that both lead to; null where there is none. */
export async function mergeBase(bare: Bare, one: string, other: string): Promise<string | null> {
  const its = new Set(await bare.lineage(other));
  return (await bare.lineage(one)).find((sha) => its.has(sha)) ?? null;
}

/** A file that differs between two commits. */
export interface Differing {
  readonly path: string;
  /** The blobs; null where there is no such file. */
  readonly from: string | null;
  readonly to: string | null;
}

/** The files that differ between two commits, in the order of their paths. */
export async function differing(bare: Bare, from: string, to: string): Promise<Differing[]> {
  const filesOf = async (commit: string) =>
    new Map(
      (await bare.list(commit, true)).flatMap(({ path, type, sha }) => type === "tree" ? [] : [[path, sha]]),
    );
  const [was, is] = [await filesOf(from), await filesOf(to)];
  const paths = [...new Set([...was.keys(), ...is.keys()])].toSorted();
  return paths.map((path) => ({ path, from: was.get(path) ?? null, to: is.get(path) ?? null }))
    .filter((one) => one.from !== one.to);
}

/** What has only another name is shown as renamed, as `git diff -M` finds it where nothing else has changed. */
function filesView({ state, repo }: RepoAsk, rows: readonly Differing[], head: string): Json[] {
  const gone = new Map(rows.filter(({ to }) => to === null).map(({ from, path }) => [from, path]));
  const renamed = new Set<string>();
  const views = rows.map(({ path, from, to }): Json => {
    const previous = from === null ? gone.get(to) : undefined;
    if (previous !== undefined) {
      renamed.add(previous);
      gone.delete(to);
    }
    const status = previous !== undefined
      ? "renamed"
      : from === null
      ? "added"
      : to === null
      ? "removed"
      : "modified";
    const place = `${head}/${path.split("/").map(encodeURIComponent).join("/")}`;
    return {
      sha: to ?? from,
      filename: path,
      ...(previous === undefined ? {} : { previous_filename: previous }),
      status,
      additions: 0,
      deletions: 0,
      changes: 0,
      blob_url: `https://github.com/${fullName(repo)}/blob/${place}`,
      raw_url: `https://github.com/${fullName(repo)}/raw/${place}`,
      contents_url: repoUrl(
        state,
        repo,
        `contents/${path.split("/").map(encodeURIComponent).join("/")}?ref=${head}`,
      ),
    };
  });
  return views.filter(({ filename, status }) => status !== "removed" || !renamed.has(String(filename)))
    .slice(0, FILES_MAX);
}

async function compare(ask: RepoAsk, basehead: string): Promise<Response> {
  const { state, repo } = ask;
  const { bare } = repo;
  const [first = "", second = ""] = basehead.split("...");
  const [base, head] = [await bare.resolve(first), await bare.resolve(second)];
  if (base === null || head === null) throw notFound();
  const shared = await mergeBase(bare, base, head);
  if (shared === null) throw new Refusal(404, `No common ancestor between ${first} and ${second}.`);
  const ahead = (await bare.between(base, head)).reverse();
  const behind = await bare.between(head, base);
  const view = async (sha: string) =>
    historyView(state, repo, sha, (await bare.commit(sha))!, { author: null, committer: null });
  const per = Math.min(COMMITS_MAX, Number(ask.query.get("per_page") ?? COMMITS_MAX));
  const from = (Number(ask.query.get("page") ?? 1) - 1) * per;
  // Without paging the last of a list is the newest of all.
  const shown = ask.query.has("per_page") ? ahead.slice(from, from + per) : ahead.slice(-COMMITS_MAX);
  const web = `https://github.com/${fullName(repo)}/compare/${first}...${second}`;
  return json({
    url: repoUrl(state, repo, `compare/${basehead}`),
    html_url: web,
    permalink_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    base_commit: await view(base),
    merge_base_commit: await view(shared),
    status: ahead.length === 0
      ? behind.length === 0 ? "identical" : "behind"
      : behind.length === 0
      ? "ahead"
      : "diverged",
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: await Promise.all(shown.map(view)),
    ...from === 0 && { files: filesView(ask, await differing(bare, shared, head), head) },
  });
}

/** Adds the route. */
export function addCompare(app: Routes): void {
  app.get(
    "/repos/:owner/:repo/compare/:basehead{.+}",
    async (c) => await compare(await asGit(c, "read"), c.req.param("basehead")),
  );
}
