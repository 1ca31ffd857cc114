/** Accounts, installations and repositories as the API shows them. */
import type { Json } from "./answer.ts";
import { type Account, fullName, type Installation, type Repository, type State } from "./state.ts";

/** ISO 8601 in whole seconds, of milliseconds. */
export function iso(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** The opaque name every thing has beside its id. */
export function nodeId(kind: string, id: string | number): string {
  return btoa(`${kind}:${id}`);
}

/** Endings of an account's addresses, by field. */
const ACCOUNT_URLS = {
  followers_url: "followers",
  following_url: "following{/other_user}",
  gists_url: "gists{/gist_id}",
  starred_url: "starred{/owner}{/repo}",
  subscriptions_url: "subscriptions",
  organizations_url: "orgs",
  repos_url: "repos",
  events_url: "events{/privacy}",
  received_events_url: "received_events",
};

/** An account, as in `owner`. */
export function accountView(state: State, { id, login, type }: Account): Json {
  const name = encodeURIComponent(login); // a bot's has brackets
  const url = `${state.origin()}/users/${name}`;
  const urls = Object.entries(ACCOUNT_URLS).map(([field, end]) => [field, `${url}/${end}`]);
  return {
    login,
    id,
    node_id: nodeId(type, id),
    avatar_url: `${state.origin()}/avatars/${id}`,
    gravatar_id: "",
    url,
    html_url: `https://github.com/${name}`,
    ...Object.fromEntries(urls),
    type,
    site_admin: false,
  };
}

/** An installation of the app. */
export function installationView(state: State, account: Account, installation: Installation): Json {
  const api = state.origin();
  const { app } = state;
  return {
    id: installation.id,
    client_id: app.client_id,
    account: accountView(state, account),
    repository_selection: installation.repository_selection,
    access_tokens_url: `${api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${api}/installation/repositories`,
    html_url: `https://github.com/settings/installations/${installation.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions: installation.permissions,
    events: ["push"],
    created_at: iso(installation.created_at),
    updated_at: iso(installation.suspended_at ?? installation.created_at),
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: installation.suspended_at === null ? null : iso(installation.suspended_at),
  };
}

/** Endings of a repository's addresses, by field. */
const REPOSITORY_URLS = {
  archive_url: "{archive_format}{/ref}",
  assignees_url: "assignees{/user}",
  blobs_url: "git/blobs{/sha}",
  branches_url: "branches{/branch}",
  collaborators_url: "collaborators{/collaborator}",
  comments_url: "comments{/number}",
  commits_url: "commits{/sha}",
  compare_url: "compare/{base}...{head}",
  contents_url: "contents/{+path}",
  contributors_url: "contributors",
  deployments_url: "deployments",
  downloads_url: "downloads",
  events_url: "events",
  forks_url: "forks",
  git_commits_url: "git/commits{/sha}",
  git_refs_url: "git/refs{/sha}",
  git_tags_url: "git/tags{/sha}",
  hooks_url: "hooks",
  issue_comment_url: "issues/comments{/number}",
  issue_events_url: "issues/events{/number}",
  issues_url: "issues{/number}",
  keys_url: "keys{/key_id}",
  labels_url: "labels{/name}",
  languages_url: "languages",
  merges_url: "merges",
  milestones_url: "milestones{/number}",
  notifications_url: "notifications{?since,all,participating}",
  pulls_url: "pulls{/number}",
  releases_url: "releases{/id}",
  stargazers_url: "stargazers",
  statuses_url: "statuses/{sha}",
  subscribers_url: "subscribers",
  subscription_url: "subscription",
  tags_url: "tags",
  teams_url: "teams",
  trees_url: "git/trees{/sha}",
};

const NOTHING = {
  description: null,
  fork: false,
  mirror_url: null,
  homepage: null,
  language: null,
  license: null,
  forks: 0,
  forks_count: 0,
  stargazers_count: 0,
  watchers: 0,
  watchers_count: 0,
  open_issues: 0,
  open_issues_count: 0,
  has_issues: true,
  has_projects: true,
  has_wiki: true,
  has_pages: false,
  has_downloads: true,
  has_discussions: false,
  archived: false,
  disabled: false,
  visibility: "private",
  private: true,
};

/** The address of a repository's part in the API. */
export function repoUrl(state: State, repo: Repository, rest = ""): string {
  return `${state.origin()}/repos/${fullName(repo)}${rest && `/${rest}`}`;
}

/** A repository, as in a list; `write` says whether the one who asks may push. */
export function repositoryView(state: State, repo: Repository, write: boolean): Json {
  const name = fullName(repo);
  const web = `https://github.com/${name}`;
  const urls = Object.entries(REPOSITORY_URLS).map(([field, end]) => [field, repoUrl(state, repo, end)]);
  return {
    id: repo.id,
    node_id: nodeId("Repository", repo.id),
    name: repo.name,
    full_name: name,
    owner: accountView(state, repo.owner),
    html_url: web,
    url: repoUrl(state, repo),
    ...Object.fromEntries(urls),
    git_url: `git://github.com/${name}.git`,
    ssh_url: `git@github.com:${name}.git`,
    clone_url: `${web}.git`,
    svn_url: web,
    ...NOTHING,
    size: Math.ceil(repo.bare.objects.written / 1024),
    default_branch: repo.bare.branch,
    permissions: { admin: false, maintain: false, push: write, triage: false, pull: true },
    created_at: iso(repo.created_at),
    updated_at: iso(repo.pushed_at),
    pushed_at: iso(repo.pushed_at),
  };
}

/** A repository asked for by name. */
export function fullRepositoryView(state: State, repo: Repository, write: boolean): Json {
  return { ...repositoryView(state, repo, write), network_count: 0, subscribers_count: 0 };
}
