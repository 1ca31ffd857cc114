/** The routes of a repository itself, its references and branches: made, moved by compare-and-swap, taken away, read. */
import {
  asInstallation,
  may,
  type RepoAsk,
  type RepoContext,
  type Routes,
  touchesWorkflows,
} from "./access.ts";
import { invalid, json, notAccessible, notFound, Refusal } from "./answer.ts";
import { isRefName } from "./bare.ts";
import { text } from "./fields.ts";
import { asGit } from "./git_data.ts";
import { branchView, refView } from "./git_views.ts";
import { checkRemoval, checkRules } from "./rules.ts";
import { pushed } from "./state.ts";
import { fullRepositoryView } from "./views.ts";

const branchOf = (ref: string) => ref.replace(/^refs\/heads\//, "");

/** Tells of a branch that has moved; other references are nobody's business. */
async function told(ask: RepoAsk, ref: string, sha: string): Promise<void> {
  if (ref.startsWith("refs/heads/")) {
    await pushed(ask.state, ask.repo, ref.slice("refs/heads/".length), sha);
  }
}

/** Refuses a commit that would bring other workflows than the one it is compared with. Throws a Refusal (403). */
async function checkWorkflows(ask: RepoAsk, from: string | null, to: string): Promise<void> {
  const { bare } = ask.repo;
  const treeOf = async (sha: string) => (await bare.commit(sha))?.tree ?? null;
  const was = from === null ? null : await treeOf(from);
  if (await touchesWorkflows(ask, was, (await treeOf(to))!)) throw notAccessible();
}

async function make(ask: RepoAsk): Promise<Response> {
  const { bare } = ask.repo;
  const body = ask.body();
  const ref = text(body, "ref");
  const sha = text(body, "sha");
  if (!/^refs\/[^/]+\/.+$/.test(ref)) {
    throw invalid(
      "Reference name must start with 'refs/' and have at least three slash-separated components.",
    );
  }
  if (!isRefName(ref)) throw invalid(`${ref} is not a valid ref name.`);
  if (await bare.ref(ref) !== null) throw invalid("Reference already exists");
  if (await bare.commit(sha) === null) throw invalid("Object does not exist");
  await checkWorkflows(ask, await bare.head(bare.branch), sha);
  await checkRules(ask.repo, branchOf(ref), sha);
  const failed = await bare.move(ref, sha, null);
  if (failed !== null) {
    throw invalid(await bare.ref(ref) === null ? "Reference update failed" : "Reference already exists");
  }
  await told(ask, ref, sha);
  const view = refView(ask.state, ask.repo, ref, sha);
  return json(view, 201, { location: String(view["url"]) });
}

async function move(ask: RepoAsk, ref: string): Promise<Response> {
  const { bare } = ask.repo;
  const body = ask.body();
  const sha = text(body, "sha");
  const { force = false } = body;
  const was = await bare.ref(ref);
  if (was === null) throw invalid("Reference does not exist");
  if (await bare.commit(sha) === null) throw invalid("Object does not exist");
  if (force !== true && !(await bare.follows(sha, was))) throw invalid("Update is not a fast forward");
  await checkWorkflows(ask, was, sha);
  await ask.within();
  if (sha !== was) await checkRules(ask.repo, branchOf(ref), sha);
  if (await bare.move(ref, sha, was) !== null) throw invalid("Update is not a fast forward");
  if (sha !== was) await told(ask, ref, sha);
  return json(refView(ask.state, ask.repo, ref, sha));
}

async function remove(ask: RepoAsk, ref: string): Promise<Response> {
  const was = await ask.repo.bare.ref(ref);
  if (was === null) throw invalid("Reference does not exist");
  checkRemoval(ask.repo, branchOf(ref));
  if (await ask.repo.bare.move(ref, null, was) !== null) throw invalid("Reference update failed");
  return new Response(null, { status: 204 });
}

async function branch(c: RepoContext): Promise<Response> {
  const ask = asInstallation(c, "read");
  const name = c.req.param("branch") ?? "";
  const sha = await ask.repo.bare.head(name);
  if (sha === null) throw new Refusal(404, "Branch not found");
  const found = (await ask.repo.bare.commit(sha))!;
  return json(branchView(ask.state, ask.repo, name, sha, found));
}

/** Adds the routes. */
export function addRefs(app: Routes): void {
  const at = "/repos/:owner/:repo";
  app.get(at, (c) => {
    const { state, repo, token } = asInstallation(c, "metadata");
    return json(fullRepositoryView(state, repo, may(token, "contents", "write")));
  });
  app.get(`${at}/git/ref/:ref{.+}`, async (c) => {
    const ask = await asGit(c, "read");
    const ref = `refs/${c.req.param("ref")}`;
    const sha = await ask.repo.bare.ref(ref);
    if (sha === null) throw notFound();
    const found = await ask.repo.bare.objects.read(sha);
    return json(refView(ask.state, ask.repo, ref, sha, found?.type));
  });
  // "List matching references" of GitHub's OpenAPI description: what begins so, beyond a slash too; an empty list for none.
  app.get(`${at}/git/matching-refs/:ref{.+}`, async (c) => {
    const { state, repo } = await asGit(c, "read");
    const begins = `refs/${c.req.param("ref")}`;
    const refs = Object.entries(await repo.bare.refs("refs/heads")).filter(([ref]) => ref.startsWith(begins));
    return json(refs.map(([ref, sha]) => refView(state, repo, ref, sha)));
  });
  app.post(`${at}/git/refs`, async (c) => await make(await asGit(c, "write")));
  app.patch(`${at}/git/refs/:ref{.+}`, async (c) => {
    return await move(await asGit(c, "write"), `refs/${c.req.param("ref")}`);
  });
  app.delete(`${at}/git/refs/:ref{.+}`, async (c) => {
    return await remove(await asGit(c, "write"), `refs/${c.req.param("ref")}`);
  });
  app.get(`${at}/branches/:branch{.+}`, branch);
}
