/** Routes of the app: itself, its installations, their tokens and repositories, the limits. */
import { randomBytes } from "node:crypto";
import {
  asApp,
  type Ask,
  grants,
  may,
  type RepoContext,
  repoOf,
  type Routes,
  sees,
  tokenOf,
} from "./access.ts";
import { invalid, type Json, json, notFound, Refusal } from "./answer.ts";
import { rateOf } from "./rate.ts";
import {
  type Account,
  allRepositories,
  covers,
  type Installation,
  type InstallationToken,
  type Permissions,
  type State,
} from "./state.ts";
import { accountView, installationView, iso, nodeId, repositoryView } from "./views.ts";

const LIFE_MS = 3_600_000;
const REPOSITORIES_MAX = 500;

function installed(state: State): [Account, Installation][] {
  return [...state.accounts.values()].flatMap((account): [Account, Installation][] =>
    account.installation ? [[account, account.installation]] : []
  );
}

/** One page of a list, and the `link` header that leads on. */
function page<T>({ query, state }: Ask, path: string, all: readonly T[]): [T[], Record<string, string>] {
  const per = Math.min(100, Math.max(1, Number(query.get("per_page")) || 30));
  const at = Math.max(1, Number(query.get("page")) || 1);
  const last = Math.max(1, Math.ceil(all.length / per));
  const to = (n: number, rel: string) => `<${state.origin()}${path}?per_page=${per}&page=${n}>; rel="${rel}"`;
  const links = [
    ...(at > 1 ? [to(at - 1, "prev"), to(1, "first")] : []),
    ...(at < last ? [to(at + 1, "next"), to(last, "last")] : []),
  ];
  return [all.slice((at - 1) * per, at * per), links.length > 0 ? { link: links.join(", ") } : {}];
}

/** The ids of the repositories a token is asked for; null for all. */
function chosen(state: State, installation: Installation, body: Json): Set<number> | null {
  const { repositories: names, repository_ids: ids } = body;
  if (names === undefined && ids === undefined) return null;
  const reach = allRepositories(state).filter((repo) => covers(installation, repo));
  const wanted: unknown[] = [...Array.isArray(names) ? names : [], ...Array.isArray(ids) ? ids : []];
  if (wanted.length > REPOSITORIES_MAX) throw invalid("Too many repositories requested.");
  const found = wanted.map((one) =>
    reach.find(({ id, name }) =>
      id === one || (typeof one === "string" && name.toLowerCase() === one.toLowerCase())
    )
  );
  if (found.length === 0 || found.includes(undefined)) {
    throw invalid(
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
    );
  }
  return new Set(found.map((repo) => repo!.id));
}

/** The permissions a token gets: those asked for, never more than the installation has. */
function narrowed(installation: Installation, asked: unknown): Permissions {
  if (asked === undefined) return { ...installation.permissions };
  const out: Record<string, "read" | "write"> = { metadata: "read" };
  for (const [subject, level] of Object.entries(asked as Json)) {
    if (level !== "read" && level !== "write") throw invalid("Invalid request.");
    if (!grants(installation.permissions, subject, level)) {
      throw invalid("The permissions requested are not granted to this installation.");
    }
    out[subject] = level;
  }
  return out;
}

/** Tokens come in two lengths; nobody may rely on either. */
function tokenText(state: State): string {
  const short = state.tokens.size % 2 === 0;
  return short
    ? `ghs_${randomBytes(18).toString("hex")}`
    : `ghs_${state.app.id}_${randomBytes(210).toString("base64url")}`;
}

function issue(ask: Ask, account: Account, installation: Installation): Response {
  const { state } = ask;
  if (installation.suspended_at !== null) throw new Refusal(403, "This installation has been suspended");
  const body = ask.body();
  const repositories = chosen(state, installation, body);
  const permissions = narrowed(installation, body["permissions"]);
  const text = tokenText(state);
  // Life is counted in whole seconds.
  const expires_at = Math.floor((state.now() + LIFE_MS) / 1000) * 1000;
  const token: InstallationToken = { installation, account, repositories, permissions, expires_at };
  state.tokens.set(text, token);
  const listed = repositories && allRepositories(state).filter(({ id }) => repositories.has(id));
  const write = may(token, "contents", "write");
  return json({
    token: text,
    expires_at: iso(expires_at),
    permissions,
    repository_selection: repositories === null ? installation.repository_selection : "selected",
    ...(listed ? { repositories: listed.map((repo) => repositoryView(state, repo, write)) } : {}),
  }, 201);
}

function appView(state: State): Json {
  const { app } = state;
  const owner: Account = { id: 1, login: "agency", type: "Organization", installation: null };
  return {
    id: app.id,
    client_id: app.client_id,
    slug: app.slug,
    node_id: nodeId("Integration", app.id),
    owner: accountView(state, owner),
    name: "Site gateway",
    description: "",
    external_url: "https://example.com/",
    html_url: `https://github.com/apps/${app.slug}`,
    created_at: iso(0),
    updated_at: iso(0),
    permissions: { contents: "write", metadata: "read" },
    events: ["push"],
    installations_count: installed(state).length,
  };
}

function byLogin(c: RepoContext, type: Account["type"], login: string | undefined): Response {
  const { state } = asApp(c);
  const account = state.accounts.get((login ?? "").toLowerCase());
  if (account?.type !== type || account.installation === null) throw notFound();
  return json(installationView(state, account, account.installation));
}

/** Adds the routes. */
export function addApp(app: Routes): void {
  const byId = (c: RepoContext): [Ask, Account, Installation] => {
    const ask = asApp(c);
    const found = installed(ask.state).find(([, { id }]) => String(id) === c.req.param("id"));
    if (found === undefined) throw notFound();
    return [ask, ...found];
  };
  app.get("/app", (c) => json(appView(asApp(c).state)));
  app.get("/app/installations", (c) => {
    const ask = asApp(c);
    const [rows, headers] = page(ask, "/app/installations", installed(ask.state));
    return json(rows.map(([account, one]) => installationView(ask.state, account, one)), 200, headers);
  });
  app.get("/app/installations/:id", (c) => {
    const [{ state }, account, installation] = byId(c);
    return json(installationView(state, account, installation));
  });
  app.post("/app/installations/:id/access_tokens", (c) => issue(...byId(c)));
  app.get("/repos/:owner/:repo/installation", (c) => {
    const { state } = asApp(c);
    const repo = repoOf(state, c);
    const installation = repo?.owner.installation;
    if (!repo || !installation || !covers(installation, repo)) throw notFound();
    return json(installationView(state, repo.owner, installation));
  });
  app.get("/users/:login/installation", (c) => byLogin(c, "User", c.req.param("login")));
  app.get("/orgs/:login/installation", (c) => byLogin(c, "Organization", c.req.param("login")));
  app.get("/installation/repositories", (c) => {
    const { carried: ask } = c.env;
    const token = tokenOf(ask);
    const all = allRepositories(ask.state).filter((repo) => sees(token, repo));
    const [rows, headers] = page(ask, "/installation/repositories", all);
    const write = may(token, "contents", "write");
    return json(
      {
        total_count: all.length,
        repository_selection: token.repositories ? "selected" : token.installation.repository_selection,
        repositories: rows.map((repo) => repositoryView(ask.state, repo, write)),
      },
      200,
      headers,
    );
  });
  app.get("/rate_limit", (c) => {
    const { carried: ask } = c.env;
    const rate = rateOf(ask.state.rate, tokenOf(ask).installation);
    const search = { limit: 30, used: 0, remaining: 30, reset: rate.reset };
    return json({ resources: { core: rate, search }, rate });
  });
}
