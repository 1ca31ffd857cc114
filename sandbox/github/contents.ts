/** The contents routes: one file, link or folder at a time, and one commit for each write. */
import { asInstallation, type RepoAsk, type RepoContext, type Routes, touchesWorkflows } from "./access.ts";
import { emptyRepository, invalid, type Json, json, missing, notFound, Refusal } from "./answer.ts";
import type { Commit } from "./commits.ts";
import { base64, bot, lines, optionalText, person, text } from "./fields.ts";
import { commitView, linkTarget, type Place, placeView } from "./git_views.ts";
import { checkRules } from "./rules.ts";
import { pushed } from "./state.ts";
import { BadTree, type Change, changedTree, checkTreePath, type Entry } from "./trees.ts";

/** Files up to here come with their content. */
const INLINE_MAX = 1024 * 1024;
/** Files above are not given at all. */
export const BLOB_MAX = 100 * 1024 * 1024;
const ROWS_MAX = 1000;
const HOSTER = { name: "GitHub", email: "noreply@github.com" };

/** The refusal of a file too large to hand out. */
export function tooLarge(): Refusal {
  const words =
    "This API returns blobs up to 100 MB in size. The requested blob is too large to fetch via the API, " +
    "but you can always clone the repository via git in order to obtain it.";
  return new Refusal(403, words, { errors: [{ resource: "Blob", field: "data", code: "too_large" }] });
}

function pathOf(c: RepoContext): string {
  return (c.req.param("path") ?? "").split("/").filter(Boolean).join("/");
}

/** Whether the bytes themselves are asked for. */
export function wantsRaw(headers: Headers): boolean {
  return /application\/vnd\.github(\.v3)?\.raw/.test(headers.get("accept") ?? "");
}

/** The bytes themselves. */
export function rawBytes(bytes: Uint8Array): Response {
  return new Response(new Uint8Array(bytes), {
    headers: { "content-type": "application/vnd.github.raw+json; charset=utf-8" },
  });
}

async function folder(ask: RepoAsk, place: Place): Promise<Response> {
  const rows = (await ask.repo.bare.list(place.sha, false)).slice(0, ROWS_MAX);
  // In a list, version 3 of the API calls a submodule a file.
  const kinds = { tree: "dir", commit: "file", blob: "file" } as const;
  return json(rows.map(({ path, mode, type, sha, size = 0 }) =>
    placeView(ask.state, ask.repo, {
      path: place.path ? `${place.path}/${path}` : path,
      ref: place.ref,
      sha,
      type: mode === "120000" ? "symlink" : kinds[type],
      size,
    })
  ));
}

async function file(ask: RepoAsk, place: Place, mode: Entry["mode"], commit: string): Promise<Response> {
  const { bare } = ask.repo;
  const bytes = await bare.objects.readAs("blob", place.sha);
  if (bytes === null) throw notFound();
  if (mode === "120000") {
    const target = linkTarget(place.path, bytes);
    const behind = target ? await bare.entry(commit, target) : null;
    if (behind === null || behind.mode === "040000" || behind.mode === "160000" || behind.mode === "120000") {
      const link = placeView(ask.state, ask.repo, { ...place, type: "symlink", size: bytes.length });
      return json({ ...link, target: new TextDecoder().decode(bytes) });
    }
    return await file(ask, { ...place, sha: behind.sha }, behind.mode, commit);
  }
  if (bytes.length > BLOB_MAX) throw tooLarge();
  if (wantsRaw(ask.headers)) return rawBytes(bytes);
  const view = placeView(ask.state, ask.repo, { ...place, size: bytes.length });
  const inline = bytes.length <= INLINE_MAX;
  return json({ ...view, content: inline ? lines(bytes) : "", encoding: inline ? "base64" : "none" });
}

async function read(ask: RepoAsk, path: string): Promise<Response> {
  const { bare } = ask.repo;
  if (await bare.empty()) throw new Refusal(404, "This repository is empty.");
  const ref = ask.query.get("ref") ?? bare.branch;
  const commit = await bare.resolve(ref);
  if (commit === null) throw new Refusal(404, `No commit found for the ref ${ref}`);
  const entry = await bare.entry(commit, path);
  if (entry === null) throw notFound();
  const place: Place = { path, ref, sha: entry.sha, type: "file", size: 0 };
  if (entry.mode === "040000") return await folder(ask, { ...place, type: "dir" });
  if (entry.mode !== "160000") return await file(ask, place, entry.mode, commit);
  const url = `https://github.com/${ask.repo.owner.login}/${path.split("/").at(-1)}.git`;
  return json({ ...placeView(ask.state, ask.repo, { ...place, type: "submodule" }), submodule_git_url: url });
}

interface Written {
  readonly sha: string;
  readonly commit: Commit;
}

/** Commits one change onto a branch that was at `head`. Throws a Refusal (403, 409, 422). */
async function commitOne(
  ask: RepoAsk,
  body: Json,
  change: Change,
  branch: string,
  head: string | null,
): Promise<Written> {
  const { bare } = ask.repo;
  const base = head === null ? null : (await bare.commit(head))?.tree ?? null;
  const tree = await changedTree(bare.objects, base, [change]);
  if (await touchesWorkflows(ask, base, tree)) {
    throw new Refusal(403, "Resource not accessible by integration");
  }
  const author = bot(ask);
  const committer = person(body, "committer", { ...HOSTER, at: author.at });
  const by = person(body, "author", body["committer"] ? committer : author);
  const parents = head === null ? [] : [head];
  const commit = { tree, parents, author: by, committer, message: text(body, "message") };
  const sha = await bare.addCommit(commit);
  await ask.within();
  await checkRules(ask.repo, branch, sha, "Could not update file");
  if (await bare.move(`refs/heads/${branch}`, sha, head) !== null) {
    const expected = head ?? "0".repeat(40);
    const said = ask.words === "is at"
      ? `is at ${await bare.head(branch)} but expected ${expected}`
      : `refs/heads/${branch} expected to be at ${expected}`;
    throw new Refusal(409, said);
  }
  await pushed(ask.state, ask.repo, branch, sha);
  return { sha, commit };
}

/** The branch a write is for, and its head. Throws a Refusal (404). */
async function target({ repo: { bare } }: RepoAsk, body: Json): Promise<[string, string | null]> {
  const branch = (optionalText(body, "branch") ?? bare.branch).replace(/^refs\/heads\//, "");
  // In this order: somebody may begin the branch between the two looks.
  const begins = branch === bare.branch && await bare.empty();
  const head = await bare.head(branch);
  if (head === null && !begins) {
    throw new Refusal(404, `Branch ${branch} not found`);
  }
  return [branch, head];
}

async function put(ask: RepoAsk, path: string): Promise<Response> {
  const { bare } = ask.repo;
  const body = ask.body();
  text(body, "message");
  const content = base64(text(body, "content"));
  const given = optionalText(body, "sha");
  const [branch, head] = await target(ask, body);
  checkTreePath(path);
  const was = head === null ? null : await bare.entry(head, path);
  if (was !== null && was.mode === "040000") throw invalid(`${path} is a directory`);
  if (was !== null && given === undefined) throw missing("sha");
  if (was !== null && given !== was.sha) throw new Refusal(409, `${path} does not match ${given}`);
  const sha = await bare.objects.write("blob", content);
  const entry: Entry = { mode: was?.mode === "100755" ? "100755" : "100644", sha };
  const written = await commitOne(ask, body, { path, entry }, branch, head);
  const place: Place = { path, ref: branch, sha, type: "file", size: content.length };
  return json({
    content: placeView(ask.state, ask.repo, place),
    commit: commitView(ask.state, ask.repo, written.sha, written.commit),
  }, was === null ? 201 : 200);
}

async function remove(ask: RepoAsk, path: string): Promise<Response> {
  const { bare } = ask.repo;
  const body = ask.body();
  text(body, "message");
  const given = text(body, "sha");
  if (await bare.empty()) throw emptyRepository();
  const [branch, head] = await target(ask, body);
  const was = head === null ? null : await bare.entry(head, path);
  if (was === null || was.mode === "040000") throw notFound();
  if (was.sha !== given) throw new Refusal(409, `${path} does not match ${given}`);
  const { sha, commit } = await commitOne(ask, body, { path, entry: null }, branch, head);
  return json({ content: null, commit: commitView(ask.state, ask.repo, sha, commit) });
}

/** A tree that cannot be made, as the API says it. */
export function asRefusal(thrown: unknown): unknown {
  return thrown instanceof BadTree ? invalid(thrown.message) : thrown;
}

/** Adds the routes. */
export function addContents(app: Routes): void {
  const write = async (c: RepoContext, how: (ask: RepoAsk, path: string) => Promise<Response>) => {
    try {
      return await how(asInstallation(c, "write"), pathOf(c));
    } catch (thrown) {
      throw asRefusal(thrown);
    }
  };
  app.get("/repos/:owner/:repo/contents", (c) => read(asInstallation(c, "read"), ""));
  app.get("/repos/:owner/:repo/contents/:path{.*}", (c) => read(asInstallation(c, "read"), pathOf(c)));
  app.put("/repos/:owner/:repo/contents/:path{.+}", (c) => write(c, put));
  app.delete("/repos/:owner/:repo/contents/:path{.+}", (c) => write(c, remove));
}
