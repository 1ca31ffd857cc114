/** The git data routes: blobs, trees and commits, stored before any branch moves. */
import { Buffer } from "node:buffer";
import { asInstallation, type Need, type RepoAsk, type RepoContext, type Routes } from "./access.ts";
import { emptyRepository, invalid, type Json, json, notFound } from "./answer.ts";
import { asRefusal, BLOB_MAX, rawBytes, tooLarge, wantsRaw } from "./contents.ts";
import { base64, bot, lines, list, optionalText, person, text } from "./fields.ts";
import { commitView } from "./git_views.ts";
import { isSha } from "./objects.ts";
import { type Change, changedTree, type Mode, typeOf } from "./trees.ts";
import { nodeId, repoUrl } from "./views.ts";

const MODES: ReadonlySet<unknown> = new Set<Mode>(["100644", "100755", "040000", "160000", "120000"]);
/** What one call may bring along as text before it breaks down. */
const INLINE_FILES_MAX = 250;
const INLINE_BYTES_MAX = 2.5 * 1024 * 1024;
const ROWS_MAX = 100_000;
const LISTING_BYTES_MAX = 7 * 1024 * 1024;
const TIMED_OUT =
  "Sorry, your request timed out. It's likely that your input was too large to process. Consider " +
  "building the tree incrementally, or building the commits you need in a local clone of the repository and then " +
  "pushing them to GitHub.";

/** Lets a token in to the git side of a repository that has commits. Throws a Refusal (401, 403, 404, 409). */
export async function asGit(c: RepoContext, need: Need): Promise<RepoAsk> {
  const ask = asInstallation(c, need);
  if (await ask.repo.bare.empty()) throw emptyRepository();
  return ask;
}

async function addBlob(ask: RepoAsk): Promise<Response> {
  const body = ask.body();
  const content = text(body, "content");
  const encoding = optionalText(body, "encoding") ?? "utf-8";
  if (encoding !== "utf-8" && encoding !== "base64") throw invalid(`Unknown encoding ${encoding}`);
  const bytes = encoding === "base64" ? base64(content) : new TextEncoder().encode(content);
  if (bytes.length > BLOB_MAX) throw tooLarge();
  const sha = await ask.repo.bare.objects.write("blob", bytes);
  const url = repoUrl(ask.state, ask.repo, `git/blobs/${sha}`);
  return json({ sha, url }, 201, { location: url });
}

async function blob(ask: RepoAsk, sha: string): Promise<Response> {
  const bytes = await ask.repo.bare.objects.readAs("blob", sha);
  if (bytes === null) throw notFound();
  if (bytes.length > BLOB_MAX) throw tooLarge();
  if (wantsRaw(ask.headers)) return rawBytes(bytes);
  return json({
    sha,
    node_id: nodeId("Blob", sha),
    size: bytes.length,
    url: repoUrl(ask.state, ask.repo, `git/blobs/${sha}`),
    content: lines(bytes),
    encoding: "base64",
  });
}

/** One entry of a new tree. Throws a Refusal (422). */
async function changeOf({ repo: { bare } }: RepoAsk, row: Json): Promise<Change> {
  const path = text(row, "path");
  const mode = row["mode"];
  if (!MODES.has(mode)) throw invalid("Must supply a valid tree.mode");
  const content = optionalText(row, "content");
  const { sha } = row;
  if ((content === undefined) === (sha === undefined)) {
    throw invalid(
      "Must supply either tree.sha or tree.content. Request will be rejected if both are present.",
    );
  }
  if (sha === null) return { path, entry: null };
  const kind = typeOf(mode as Mode);
  if (content !== undefined) {
    if (kind !== "blob") throw invalid("tree.content is for blobs only");
    const made = await bare.objects.write("blob", new TextEncoder().encode(content));
    return { path, entry: { mode: mode as Mode, sha: made } };
  }
  // A submodule's commit is in another repository.
  const there = isSha(sha) && (kind === "commit" || (await bare.objects.read(sha))?.type === kind);
  if (!there) throw invalid(`tree.sha ${String(sha)} is not a valid ${kind}`);
  return { path, entry: { mode: mode as Mode, sha: sha as string } };
}

/** Breaks down as the API does under more text than it can take in one call. */
function checkWeight(rows: readonly Json[]): Response | undefined {
  const texts = rows.map(({ content }) => content).filter((one) => typeof one === "string");
  if (texts.length > INLINE_FILES_MAX) throw invalid(TIMED_OUT);
  const bytes = texts.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (bytes <= INLINE_BYTES_MAX) return undefined;
  return new Response("<html><body>Bad Gateway</body></html>", {
    status: 502,
    headers: { "content-type": "text/html; charset=utf-8" },
  });
}

async function addTree(ask: RepoAsk): Promise<Response> {
  const { bare } = ask.repo;
  const body = ask.body();
  const rows = list(body, "tree") as readonly Json[];
  if (rows.length === 0) throw invalid("Invalid tree info");
  const broken = checkWeight(rows);
  if (broken) return broken;
  const base = optionalText(body, "base_tree");
  // A commit does for its tree.
  const from = base === undefined ? null : (await bare.commit(base))?.tree ?? base;
  const changes: Change[] = [];
  for (const row of rows) changes.push(await changeOf(ask, row));
  const sha = await changedTree(bare.objects, from, changes);
  return json(await treeView(ask, sha, false), 201, {
    location: repoUrl(ask.state, ask.repo, `git/trees/${sha}`),
  });
}

async function treeView(ask: RepoAsk, sha: string, deep: boolean): Promise<Json> {
  const all = await ask.repo.bare.list(sha, deep);
  const part = { blob: "blobs", tree: "trees", commit: "commits" };
  const rows: Json[] = [];
  let bytes = 0;
  for (const row of all) {
    const shown = {
      ...row,
      ...(row.type === "commit"
        ? {}
        : { url: repoUrl(ask.state, ask.repo, `git/${part[row.type]}/${row.sha}`) }),
    };
    bytes += JSON.stringify(shown).length;
    if (rows.length >= ROWS_MAX || bytes > LISTING_BYTES_MAX) break;
    rows.push(shown);
  }
  const url = repoUrl(ask.state, ask.repo, `git/trees/${sha}`);
  return { sha, url, tree: rows, truncated: rows.length < all.length };
}

async function tree(ask: RepoAsk, name: string): Promise<Response> {
  const { bare } = ask.repo;
  const commit = await bare.resolve(name);
  const sha = commit === null ? name : (await bare.commit(commit))!.tree;
  if (commit === null && await bare.objects.readAs("tree", sha) === null) throw notFound();
  // Whatever its value: even "0" and "false" ask for everything below.
  return json(await treeView(ask, sha, ask.query.has("recursive")));
}

async function addCommit(ask: RepoAsk): Promise<Response> {
  const { bare } = ask.repo;
  const body = ask.body();
  const message = text(body, "message");
  if (message.includes("\0")) throw invalid("message cannot hold NUL");
  const treeSha = text(body, "tree");
  if (await bare.objects.readAs("tree", treeSha) === null) throw invalid("Tree SHA does not exist");
  const parents = body["parents"] === undefined ? [] : list(body, "parents").map(String);
  for (const sha of parents) {
    if (await bare.commit(sha) === null) {
      throw invalid("Parent SHA does not exist or is not a commit object");
    }
  }
  const author = person(body, "author", bot(ask));
  const committer = person(body, "committer", author);
  const commit = { tree: treeSha, parents, author, committer, message };
  const sha = await bare.addCommit(commit);
  const view = commitView(ask.state, ask.repo, sha, commit);
  return json(view, 201, { location: String(view["url"]) });
}

async function commit(ask: RepoAsk, sha: string): Promise<Response> {
  const found = await ask.repo.bare.commit(sha);
  if (found === null) throw notFound();
  return json(commitView(ask.state, ask.repo, sha, found));
}

/** Adds the routes. */
export function addGitData(app: Routes): void {
  const at = "/repos/:owner/:repo/git";
  app.post(`${at}/blobs`, async (c) => await addBlob(await asGit(c, "write")));
  app.get(`${at}/blobs/:sha`, async (c) => await blob(await asGit(c, "read"), c.req.param("sha")));
  app.post(`${at}/trees`, async (c) => {
    const ask = await asGit(c, "write");
    try {
      return await addTree(ask);
    } catch (thrown) {
      throw asRefusal(thrown);
    }
  });
  app.get(`${at}/trees/:sha{.+}`, async (c) => await tree(await asGit(c, "read"), c.req.param("sha")));
  app.post(`${at}/commits`, async (c) => await addCommit(await asGit(c, "write")));
  app.get(`${at}/commits/:sha`, async (c) => await commit(await asGit(c, "read"), c.req.param("sha")));
}
