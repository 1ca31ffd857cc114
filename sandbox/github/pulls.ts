/** Pull requests: listed, opened and changed through the API, merged by the test's own act. */
import { asInstallation, may, type RepoAsk, type RepoContext, type Routes } from "./access.ts";
import { type Json, json, notAccessible, notFound, Refusal } from "./answer.ts";
import { differing, mergeBase } from "./compare.ts";
import { bot, optionalText, text } from "./fields.ts";
import { fullName, type Pull, pushed, type Repository, type State } from "./state.ts";
import { type Change, changedTree } from "./trees.ts";
import { accountView, iso, nodeId, repositoryView, repoUrl } from "./views.ts";

const HOSTER = { name: "GitHub", email: "noreply@github.com" };

/** What the API says of a pull request that it does not make (gm3dmo/the-power issue 175, tgymnich/fork-sync issue 112). */
const failed = (error: Json) =>
  new Refusal(422, "Validation Failed", { errors: [{ resource: "PullRequest", ...error }] });

/** Lets a token in that may read, or write, pull requests. Throws a Refusal (401, 403, 404). */
function asPulls(c: RepoContext, level: "read" | "write"): RepoAsk {
  const ask = asInstallation(c, "metadata");
  if (!may(ask.token, "pull_requests", level)) throw notAccessible();
  return ask;
}

/** One whose last commit has reached the other branch is merged, however it got there. */
async function settle({ bare, pulls }: Repository, now: number): Promise<void> {
  for (const pull of pulls.filter(({ state }) => state === "open")) {
    const [head, base] = [await bare.head(pull.head), await bare.head(pull.base)];
    if (head !== null) pull.sha = head;
    if (base !== null && await bare.follows(base, pull.sha)) {
      Object.assign(pull, { state: "closed", merged_at: now, closed_at: now, merged_as: pull.sha });
    }
  }
}

async function open(ask: RepoAsk): Promise<Response> {
  const { repo, state } = ask;
  const { bare, pulls, owner } = repo;
  await settle(repo, state.now());
  const body = ask.body();
  const title = text(body, "title");
  const [head, base] = [text(body, "head").replace(`${owner.login}:`, ""), text(body, "base")];
  for (const [field, name] of [["head", head], ["base", base]] as const) {
    if (await bare.head(name) === null) throw failed({ field, code: "invalid" });
  }
  if (pulls.some((one) => one.state === "open" && one.head === head && one.base === base)) {
    throw failed({ code: "custom", message: `A pull request already exists for ${owner.login}:${head}.` });
  }
  const sha = (await bare.head(head))!;
  if ((await bare.between(await bare.head(base), sha)).length === 0) {
    throw failed({ code: "custom", message: `No commits between ${base} and ${head}` });
  }
  const at = state.now();
  const pull: Pull = {
    ...{ number: pulls.length + 1, title, body: optionalText(body, "body") ?? null, head, base, sha },
    ...{ state: "open", created_at: at, updated_at: at, closed_at: null, merged_at: null, merged_as: null },
  };
  pulls.push(pull);
  const view = pullView(ask, pull, true);
  return json(view, 201, { location: String(view["url"]) });
}

async function change(ask: RepoAsk, pull: Pull): Promise<Response> {
  const body = ask.body();
  pull.title = optionalText(body, "title") ?? pull.title;
  pull.body = optionalText(body, "body") ?? pull.body;
  const state = optionalText(body, "state");
  if (state === "closed" || (state === "open" && pull.merged_at === null)) pull.state = state;
  const base = optionalText(body, "base");
  if (base !== undefined && await ask.repo.bare.head(base) === null) {
    throw failed({ field: "base", code: "invalid" });
  }
  pull.base = base ?? pull.base;
  pull.updated_at = ask.state.now();
  return json(pullView(ask, pull, true));
}

async function list(ask: RepoAsk): Promise<Response> {
  const { query, repo } = ask;
  await settle(repo, ask.state.now());
  const wanted = query.get("state") ?? "open";
  const [head, base] = [query.get("head"), query.get("base")];
  const found = repo.pulls.filter((one) =>
    (wanted === "all" || one.state === wanted) && (base === null || one.base === base) &&
    (head === null || `${repo.owner.login}:${one.head}`.toLowerCase() === head.toLowerCase())
  );
  const per = Math.min(100, Number(query.get("per_page") ?? 30));
  const from = (Number(query.get("page") ?? 1) - 1) * per;
  return json(found.toReversed().slice(from, from + per).map((one) => pullView(ask, one, false)));
}

/** Where a pull request is: addresses of its own, and the same as links. */
function addressesOf({ state, repo }: RepoAsk, { number, sha }: Pull): Json {
  const url = repoUrl(state, repo, `pulls/${number}`);
  const issue = repoUrl(state, repo, `issues/${number}`);
  const web = `https://github.com/${fullName(repo)}/pull/${number}`;
  const comment = `${repoUrl(state, repo, "pulls/comments")}{/number}`;
  const statuses = repoUrl(state, repo, `statuses/${sha}`);
  const links = {
    ...{ self: url, html: web, issue, comments: `${issue}/comments`, review_comments: `${url}/comments` },
    ...{ review_comment: comment, commits: `${url}/commits`, statuses },
  };
  return {
    url,
    html_url: web,
    diff_url: `${web}.diff`,
    patch_url: `${web}.patch`,
    issue_url: issue,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: comment,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    _links: Object.fromEntries(Object.entries(links).map(([name, href]) => [name, { href }])),
  };
}

/** What nothing is said of here. */
const NOBODY = {
  locked: false,
  labels: [],
  milestone: null,
  assignee: null,
  assignees: [],
  requested_reviewers: [],
  requested_teams: [],
  author_association: "CONTRIBUTOR",
  auto_merge: null,
  draft: false,
};

/** What only one that is asked for alone says. */
const ALONE = {
  mergeable: null,
  rebaseable: null,
  mergeable_state: "unknown",
  merged_by: null,
  comments: 0,
  review_comments: 0,
  maintainer_can_modify: false,
  commits: 1,
  additions: 0,
  deletions: 0,
  changed_files: 1,
};

/** A pull request as a list shows it, or alone, which says more. */
function pullView(ask: RepoAsk, pull: Pull, alone: boolean): Json {
  const { state, repo } = ask;
  const { name: login } = bot(ask);
  const account = accountView(state, { id: state.app.id, login, type: "User", installation: null });
  const side = (ref: string) => ({
    label: `${repo.owner.login}:${ref}`,
    ref,
    sha: pull.sha,
    user: accountView(state, repo.owner),
    repo: repositoryView(state, repo, false),
  });
  const at = (ms: number | null) => ms === null ? null : iso(ms);
  return {
    ...addressesOf(ask, pull),
    ...NOBODY,
    id: repo.id * 1000 + pull.number,
    node_id: nodeId("PullRequest", pull.number),
    number: pull.number,
    state: pull.state,
    title: pull.title,
    user: { ...account, type: "Bot" },
    body: pull.body,
    created_at: at(pull.created_at),
    updated_at: at(pull.updated_at),
    closed_at: at(pull.closed_at),
    merged_at: at(pull.merged_at),
    merge_commit_sha: pull.merged_as,
    head: side(pull.head),
    base: side(pull.base),
    ...alone && { ...ALONE, merged: pull.merged_at !== null },
  };
}

/** How a person merges a pull request. */
export type MergeMethod = "merge" | "squash";

/** A person merges it at the host; answers the commit that the other branch is at then. Throws an Error where it cannot be. */
export async function mergePull(
  state: State,
  repo: Repository,
  number: number,
  method: MergeMethod,
): Promise<string> {
  const { bare } = repo;
  await settle(repo, state.now());
  const pull = repo.pulls.find((one) => one.number === number && one.state === "open");
  if (pull === undefined) throw new Error(`There is no open pull request ${number}`);
  const base = (await bare.head(pull.base))!;
  const shared = await mergeBase(bare, base, pull.sha);
  const mine = await differing(bare, shared!, pull.sha);
  const theirs = new Map((await differing(bare, shared!, base)).map((one) => [one.path, one.to]));
  const clash = mine.find(({ path, to }) => theirs.has(path) && theirs.get(path) !== to);
  if (clash !== undefined) throw new Error(`${clash.path} was changed on both sides`);
  const changes = mine.filter(({ path }) => !theirs.has(path)).map(({ path, to }): Change => (
    { path, entry: to === null ? null : { mode: "100644", sha: to } }
  ));
  const tree = await changedTree(bare.objects, (await bare.commit(base))!.tree, changes);
  const by = { ...HOSTER, at: Math.floor(state.now() / 1000) };
  const parents = method === "merge" ? [base, pull.sha] : [base];
  const line = method === "merge" ? `Merge pull request #${number}` : `${pull.title} (#${number})`;
  const sha = await bare.addCommit({ tree, parents, author: by, committer: by, message: line });
  const moved = await bare.move(`refs/heads/${pull.base}`, sha, base);
  if (moved !== null) throw new Error(moved);
  const at = state.now();
  Object.assign(pull, { state: "closed", merged_at: at, closed_at: at, merged_as: sha });
  await pushed(state, repo, pull.base, sha);
  return sha;
}

/** Adds the routes. */
export function addPulls(app: Routes): void {
  const at = "/repos/:owner/:repo/pulls";
  const one = async (c: RepoContext, level: "read" | "write"): Promise<[RepoAsk, Pull]> => {
    const ask = asPulls(c, level);
    await settle(ask.repo, ask.state.now());
    const found = ask.repo.pulls.find(({ number }) => String(number) === c.req.param("number"));
    if (found === undefined) throw notFound();
    return [ask, found];
  };
  app.get(at, async (c) => await list(asPulls(c, "read")));
  app.post(at, async (c) => await open(asPulls(c, "write")));
  app.get(`${at}/:number`, async (c) => {
    const [ask, pull] = await one(c, "read");
    return json(pullView(ask, pull, true));
  });
  app.patch(`${at}/:number`, async (c) => await change(...await one(c, "write")));
}
