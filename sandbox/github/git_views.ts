/** Commits, references and files as the API shows them. */
import { Buffer } from "node:buffer";
import type { Json } from "./answer.ts";
import type { Commit, Signature } from "./commits.ts";
import type { ObjectType } from "./objects.ts";
import { fullName, type Repository, type State } from "./state.ts";
import { accountView, iso, nodeId, repoUrl } from "./views.ts";

const UNSIGNED = { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null };

function signed({ name, email, at }: Signature): Json {
  return { name, email, date: iso(at * 1000) };
}

function web(repo: Repository): string {
  return `https://github.com/${fullName(repo)}`;
}

function parentsView(state: State, repo: Repository, commit: Commit, part: string): Json[] {
  return commit.parents.map((sha) => ({
    sha,
    url: repoUrl(state, repo, `${part}/${sha}`),
    html_url: `${web(repo)}/commit/${sha}`,
  }));
}

/** A commit of the git data routes. */
export function commitView(state: State, repo: Repository, sha: string, commit: Commit): Json {
  return {
    sha,
    node_id: nodeId("Commit", sha),
    url: repoUrl(state, repo, `git/commits/${sha}`),
    html_url: `${web(repo)}/commit/${sha}`,
    author: signed(commit.author),
    committer: signed(commit.committer),
    tree: { sha: commit.tree, url: repoUrl(state, repo, `git/trees/${commit.tree}`) },
    message: commit.message,
    parents: parentsView(state, repo, commit, "git/commits"),
    verification: UNSIGNED,
  };
}

/** Who stands behind a commit's author and committer, as accounts; null for whom the host does not know. */
export interface Accounts {
  readonly author: Json | null;
  readonly committer: Json | null;
}

/** A commit of the history routes. */
export function historyView(
  state: State,
  repo: Repository,
  sha: string,
  commit: Commit,
  { author, committer }: Accounts,
): Json {
  const fields = commitView(state, repo, sha, commit);
  return {
    sha,
    node_id: nodeId("Commit", sha),
    commit: {
      author: fields["author"],
      committer: fields["committer"],
      message: fields["message"],
      tree: fields["tree"],
      url: repoUrl(state, repo, `git/commits/${sha}`),
      comment_count: 0,
      verification: UNSIGNED,
    },
    url: repoUrl(state, repo, `commits/${sha}`),
    html_url: `${web(repo)}/commit/${sha}`,
    comments_url: repoUrl(state, repo, `commits/${sha}/comments`),
    author,
    committer,
    parents: parentsView(state, repo, commit, "commits"),
  };
}

/** A branch with its last commit. */
export function branchView(state: State, repo: Repository, name: string, sha: string, commit: Commit): Json {
  const account = accountView(state, repo.owner);
  const url = repoUrl(state, repo, `branches/${name}`);
  const own = repo.rules.get(name);
  const contexts = own?.status_checks ?? [];
  return {
    name,
    commit: historyView(state, repo, sha, commit, { author: account, committer: account }),
    _links: { self: url, html: `${web(repo)}/tree/${name}` },
    protected: own !== undefined,
    protection: {
      enabled: own?.by === "classic",
      required_status_checks: {
        enforcement_level: contexts.length === 0 ? "off" : "everyone",
        contexts,
        checks: contexts.map((context) => ({ context, app_id: null })),
      },
    },
    protection_url: `${url}/protection`,
  };
}

/** A reference to a commit, or to an annotated tag. */
export function refView(
  state: State,
  repo: Repository,
  ref: string,
  sha: string,
  type: ObjectType = "commit",
): Json {
  return {
    ref,
    node_id: nodeId("Ref", `${repo.id}:${ref}`),
    url: repoUrl(state, repo, `git/${ref}`),
    object: { sha, type, url: repoUrl(state, repo, `git/${type}s/${sha}`) },
  };
}

/** What a path of the contents routes is, and where. */
export interface Place {
  readonly path: string;
  readonly ref: string;
  readonly sha: string;
  readonly type: "file" | "dir" | "symlink" | "submodule";
  readonly size: number;
}

const encoded = (path: string) => path.split("/").map(encodeURIComponent).join("/");

/** A file, folder, link or submodule without its content. */
export function placeView(state: State, repo: Repository, { path, ref, sha, type, size }: Place): Json {
  const part = type === "dir" ? "trees" : "blobs";
  const url = repoUrl(state, repo, `contents/${encoded(path)}?ref=${encodeURIComponent(ref)}`);
  const outside = type === "submodule";
  const git_url = outside ? null : repoUrl(state, repo, `git/${part}/${sha}`);
  const html_url = outside
    ? null
    : `${web(repo)}/${type === "dir" ? "tree" : "blob"}/${encoded(ref)}/${encoded(path)}`;
  const raw = `https://raw.githubusercontent.com/${fullName(repo)}/${encoded(ref)}/${encoded(path)}`;
  return {
    name: path.split("/").at(-1),
    path,
    sha,
    size,
    url,
    html_url,
    git_url,
    download_url: type === "file" || type === "symlink" ? raw : null,
    type,
    _links: { self: url, git: git_url, html: html_url },
  };
}

/** What a symbolic link points at, as a path of the repository; null when that is outside. */
export function linkTarget(path: string, target: Uint8Array): string | null {
  const text = Buffer.from(target).toString();
  if (text.startsWith("/")) return null;
  const out = path.split("/").slice(0, -1);
  for (const part of text.split("/")) {
    if (part === "..") {
      if (out.pop() === undefined) return null;
    } else if (part !== "" && part !== ".") out.push(part);
  }
  return out.join("/");
}
