/** What the host remembers: accounts, installations, tokens and repositories. */
import type { App } from "./app_key.ts";
import type { Bare } from "./bare.ts";
import type { RateWindows } from "../core/limits.ts";

/** What an installation or token may do, by subject. */
export type Permissions = Readonly<Record<string, "read" | "write">>;

/** The app in one account. */
export interface Installation {
  readonly id: number;
  readonly created_at: number;
  permissions: Permissions;
  /** `all` repositories of the account, or `selected` ones. */
  repository_selection: "all" | "selected";
  /** Ids of the selected ones. */
  readonly repositories: Set<number>;
  /** In milliseconds; null while it works. */
  suspended_at: number | null;
}

/** An owner of repositories. */
export interface Account {
  readonly id: number;
  readonly login: string;
  type: "User" | "Organization";
  installation: Installation | null;
}

/** What is asked of a branch. */
export interface BranchRules {
  /** `ruleset`, which everybody may read; `classic`, of which the app only learns that there is one. Default `ruleset`. */
  readonly by?: "ruleset" | "classic";
  readonly pull_request?: boolean;
  readonly linear_history?: boolean;
  /** Names of checks that the commit must have passed. */
  readonly status_checks?: readonly string[];
  /** Further rules of a ruleset by their type, without parameters; nothing is refused for them. */
  readonly more?: readonly string[];
}

/** A repository. */
export interface Repository {
  readonly id: number;
  readonly owner: Account;
  name: string;
  readonly bare: Bare;
  readonly created_at: number;
  pushed_at: number;
  /** What is asked of its branches, by their names. */
  readonly rules: Map<string, BranchRules>;
  /** Names of the checks that a commit has passed. */
  readonly passed: Map<string, Set<string>>;
  /** Oldest first; the first has the number 1. */
  readonly pulls: Pull[];
}

/** A pull request; times in milliseconds. */
export interface Pull {
  readonly number: number;
  title: string;
  body: string | null;
  readonly head: string;
  base: string;
  /** The last commit of `head`. */
  sha: string;
  state: "open" | "closed";
  readonly created_at: number;
  updated_at: number;
  closed_at: number | null;
  merged_at: number | null;
  /** The commit that it was merged as. */
  merged_as: string | null;
}

/** An installation's token. */
export interface InstallationToken {
  readonly installation: Installation;
  readonly account: Account;
  /** Ids it is narrowed to; null for all of the installation. */
  readonly repositories: ReadonlySet<number> | null;
  readonly permissions: Permissions;
  expires_at: number;
}

/** A branch that has moved. */
export interface Push {
  /** `owner/name`. */
  readonly repo: string;
  readonly branch: string;
  readonly commit: string;
  readonly message: string;
  /** In milliseconds. */
  readonly at: number;
}

/** The host's memory. */
export interface State {
  readonly app: App;
  /** In milliseconds. */
  readonly now: () => number;
  readonly origin: () => string;
  /** By login in small letters. */
  readonly accounts: Map<string, Account>;
  /** By `owner/name` in small letters; a renamed one also under its old names. */
  readonly repositories: Map<string, Repository>;
  readonly tokens: Map<string, InstallationToken>;
  readonly listeners: Set<(push: Push) => void>;
  next: number;
  /** Calls counted against the hourly limit, by the id of the installation. */
  readonly rate: RateWindows;
}

/** `owner/name` as it is now. */
export function fullName(repo: Repository): string {
  return `${repo.owner.login}/${repo.name}`;
}

/** Whether an installation reaches a repository. */
export function covers(installation: Installation, repo: Repository): boolean {
  return repo.owner.installation === installation &&
    (installation.repository_selection === "all" || installation.repositories.has(repo.id));
}

/** Every repository once, oldest first. */
export function allRepositories(state: State): Repository[] {
  return [...new Set(state.repositories.values())].sort((a, b) => a.id - b.id);
}

/** Tells the listeners that a branch has moved. */
export async function pushed(state: State, repo: Repository, branch: string, commit: string): Promise<void> {
  repo.pushed_at = state.now();
  const message = (await repo.bare.commit(commit))?.message ?? "";
  const push = { repo: fullName(repo), branch, commit, message, at: repo.pushed_at };
  for (const listener of state.listeners) listener(push);
}
