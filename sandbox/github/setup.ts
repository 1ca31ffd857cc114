/** Setting the host up: accounts, installations, repositories and what is in them. */
import { RateWindows } from "../core/limits.ts";
import { theApp } from "./app_key.ts";
import { HOUR_MS } from "./rate.ts";
import { Bare, type FileContent } from "./bare.ts";
import {
  type Account,
  allRepositories,
  type BranchRules,
  fullName,
  type Permissions,
  pushed,
  type Repository,
  type State,
} from "./state.ts";

/** How a repository is made. */
export interface RepoOptions {
  /** The default branch. Default `main`. */
  readonly branch?: string;
  /** The first commit's files. Default: a README; none with `empty`. */
  readonly files?: Readonly<Record<string, FileContent>>;
  /** Leaves it without a commit. Default false. */
  readonly empty?: boolean;
  /** Whether the app reaches it. Default true. */
  readonly installed?: boolean;
}

/** How the app stands in an account. */
export interface InstallOptions {
  /** Default `User`, or what the account is already. */
  readonly type?: "User" | "Organization";
  /** Default `contents` and `metadata`, to write and to read. */
  readonly permissions?: Permissions;
  /** `all`, or the names of the repositories it is for. Default `all`. */
  readonly repositories?: "all" | readonly string[];
  readonly suspended?: boolean;
}

/** A commit made past the API. */
export interface CommitOptions {
  /** Default: the default branch. An absent one begins at that one's head. */
  readonly branch?: string;
  readonly files: Readonly<Record<string, FileContent>>;
  readonly message?: string;
}

const PERMISSIONS: Permissions = { contents: "write", metadata: "read" };
const SOMEBODY = { name: "Somebody", email: "somebody@example.com" };

/** An empty host, where an installation may make that many calls an hour. */
export function newState(now: () => number, origin: () => string, hourly: number): State {
  return {
    app: theApp(),
    now,
    origin,
    accounts: new Map(),
    repositories: new Map(),
    tokens: new Map(),
    listeners: new Set(),
    next: 1001,
    rate: new RateWindows(hourly, HOUR_MS, now),
  };
}

/** An account; made where there is none of that name. */
export function accountOf(state: State, login: string): Account {
  const key = login.toLowerCase();
  const account = state.accounts.get(key) ?? { id: state.next++, login, type: "User", installation: null };
  state.accounts.set(key, account);
  return account;
}

/** A repository by its name. Throws an Error where there is none. */
export function found(state: State, name: string): Repository {
  const repo = state.repositories.get(name.toLowerCase());
  if (repo === undefined) throw new Error(`The host has no repository ${name}`);
  return repo;
}

/** Puts the app into an account, or changes how it stands there. */
export function install(state: State, owner: string, options: InstallOptions): void {
  const account = accountOf(state, owner);
  const { type = account.type, permissions = PERMISSIONS, repositories = "all", suspended = false } = options;
  account.type = type;
  const one = account.installation ??= {
    id: state.next++,
    created_at: state.now(),
    permissions,
    repository_selection: "all",
    repositories: new Set(),
    suspended_at: null,
  };
  one.permissions = permissions;
  one.suspended_at = suspended ? state.now() : null;
  one.repository_selection = repositories === "all" ? "all" : "selected";
  one.repositories.clear();
  for (const name of repositories === "all" ? [] : repositories) {
    one.repositories.add(found(state, `${owner}/${name}`).id);
  }
}

/** Puts a new repository within or beyond the app's reach. */
function reach(state: State, repo: Repository, installed: boolean): void {
  const { owner } = repo;
  if (installed && owner.installation === null) install(state, owner.login, {});
  const one = owner.installation;
  if (one === null) return;
  if (installed) one.repositories.add(repo.id);
  else if (one.repository_selection === "all") {
    one.repository_selection = "selected";
    for (const other of allRepositories(state)) {
      if (other.owner === owner && other !== repo) one.repositories.add(other.id);
    }
  }
}

/** Makes a repository in a folder. */
export async function make(state: State, folder: string, name: string, options: RepoOptions): Promise<void> {
  const {
    branch = "main",
    empty = false,
    files = empty ? {} : { "README.md": "# Site\n" },
    installed = true,
  } = options;
  const [login = "", short = ""] = name.split("/");
  if (state.repositories.has(name.toLowerCase())) {
    throw new Error(`The host has a repository ${name} already`);
  }
  const owner = accountOf(state, login);
  const id = state.next++;
  const bare = new Bare(`${folder}/${id}.git`, branch);
  const now = state.now();
  const none = { rules: new Map(), passed: new Map(), pulls: [] };
  const repo: Repository = { id, owner, name: short, bare, created_at: now, pushed_at: now, ...none };
  state.repositories.set(name.toLowerCase(), repo);
  reach(state, repo, installed);
  if (!empty) await bare.put(branch, files, { ...SOMEBODY, at: state.now() / 1000 }, "First commit");
}

/** The files of a branch by path, as text. */
export async function filesOf({ bare }: Repository, branch: string): Promise<Record<string, string>> {
  const head = await bare.head(branch);
  if (head === null) return {};
  const out: Record<string, string> = {};
  for (const { path, type, sha } of await bare.list(head, true)) {
    if (type !== "blob") continue;
    out[path] = new TextDecoder().decode((await bare.objects.readAs("blob", sha))!);
  }
  return out;
}

/** Commits files past the API, tells the listeners, and answers the commit's name. */
export async function commitFiles(state: State, name: string, options: CommitOptions): Promise<string> {
  const repo = found(state, name);
  const { branch = repo.bare.branch, files, message = "Somebody's change" } = options;
  const sha = await repo.bare.put(branch, files, { ...SOMEBODY, at: state.now() / 1000 }, message);
  await pushed(state, repo, branch, sha);
  return sha;
}

/** Sets what is asked of a branch; null for nothing any more. */
export function setRules({ rules }: Repository, branch: string, asked: BranchRules | null): void {
  if (asked === null) rules.delete(branch);
  else rules.set(branch, asked);
}

/** Has a commit pass a check. */
export function pass({ passed }: Repository, commit: string, check: string): void {
  passed.set(commit, (passed.get(commit) ?? new Set()).add(check));
}

/** Gives a repository another name, and keeps the old one. */
export function rename(state: State, from: string, name: string): void {
  const repo = found(state, from);
  repo.name = name;
  state.repositories.set(fullName(repo).toLowerCase(), repo);
}

/** Ends the life of every token. */
export function expireTokens(state: State): void {
  for (const token of state.tokens.values()) token.expires_at = Math.min(token.expires_at, state.now());
}
