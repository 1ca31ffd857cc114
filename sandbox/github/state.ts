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

/** A repository. */
export interface Repository {
  readonly id: number;
  readonly owner: Account;
  name: string;
  readonly bare: Bare;
  readonly created_at: number;
  pushed_at: number;
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
