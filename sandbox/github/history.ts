/** The history route: which commits touched a path, newest first, with the accounts behind them. */
import type { RepoAsk, Routes } from "./access.ts";
import { type Json, json, notFound } from "./answer.ts";
import type { Signature } from "./commits.ts";
import { bot } from "./fields.ts";
import { asGit } from "./git_data.ts";
import { historyView } from "./git_views.ts";
import { accountView } from "./views.ts";

const PER_PAGE = 30;
const PER_PAGE_MAX = 100;

/** The account of an e-mail address; null for one that no account has. */
function accountOf(ask: RepoAsk, { email }: Signature): Json | null {
  const { name, email: own } = bot(ask);
  if (email !== own) return null;
  return {
    ...accountView(ask.state, { id: ask.state.app.id, login: name, type: "User", installation: null }),
    type: "Bot",
  };
}

async function history(ask: RepoAsk): Promise<Response> {
  const { query, repo, state } = ask;
  const { bare } = repo;
  const start = await bare.resolve(query.get("sha") ?? bare.branch);
  if (start === null) throw notFound();
  const count = Math.min(Number(query.get("per_page") ?? PER_PAGE), PER_PAGE_MAX);
  const path = query.get("path");
  const found = await bare.git(
    "--literal-pathspecs",
    "log",
    "--format=%H",
    `--max-count=${count}`,
    `--skip=${(Number(query.get("page") ?? 1) - 1) * count}`,
    start,
    ...(path === null ? [] : ["--", path]),
  );
  const rows: Json[] = [];
  for (const sha of found.split("\n").filter((line) => line !== "")) {
    const commit = (await bare.commit(sha))!;
    const accounts = { author: accountOf(ask, commit.author), committer: accountOf(ask, commit.committer) };
    rows.push(historyView(state, repo, sha, commit, accounts));
  }
  return json(rows);
}

/** Adds the route. */
export function addHistory(app: Routes): void {
  app.get("/repos/:owner/:repo/commits", async (c) => await history(await asGit(c, "read")));
}
