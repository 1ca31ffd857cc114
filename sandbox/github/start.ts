/** A stand-in for GitHub's REST API over real bare git repositories: app, installations, files, commits, branches. */
import { Clock } from "../core/clock.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { scratchFolder } from "../core/scratch.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import type { App } from "./app_key.ts";
import { Entry } from "./entry.ts";
import type { GitHubFault } from "./faults.ts";
import { type ContentLimits, ContentWindows, HOURLY } from "./rate.ts";
import {
  accountOf,
  commitFiles,
  type CommitOptions,
  expireTokens,
  filesOf,
  found,
  install,
  type InstallOptions,
  make,
  newState,
  pass,
  rename,
  type RepoOptions,
  setRules,
} from "./setup.ts";
import { type MergeMethod, mergePull } from "./pulls.ts";
import type { BranchRules, Pull, Push, State } from "./state.ts";

export type { App } from "./app_key.ts";
export type { FileContent } from "./bare.ts";
export type { CommonFault, FaultMatch } from "../core/faults.ts";
export type { RecordedRequest } from "../core/recorder.ts";
export type { GitHubFault } from "./faults.ts";
export type { CommitOptions, InstallOptions, RepoOptions } from "./setup.ts";
export type { BranchRules, Pull, Push } from "./state.ts";

/**
 * How a host is set up. Tokens, commits and limits go by its clock. The 5,000 calls an hour of an installation are told in
 * headers and enforced only with `limits.rate`, whose number takes their place (its window is always an hour).
 */
export interface GitHubOptions extends StandInOptions {
  /** Where the repositories are kept, in a folder of the host's own. Default: where scratchFolder makes one. */
  readonly folder?: string;
  /** The secondary limit of writes, as published (`PUBLISHED`) or otherwise. Default: none is enforced. */
  readonly content?: ContentLimits;
}

/** A running host. Every `repo` is `owner/name`; an unknown one throws an Error. */
export interface GitHubStandIn extends Service<RecordedRequest, GitHubFault> {
  readonly app: App;
  /** Everything the host remembers. */
  readonly state: State;
  make(repo: string, options?: RepoOptions): Promise<void>;
  /** Puts the app into an account, or changes how it stands there. */
  install(owner: string, options?: InstallOptions): void;
  /** Takes the app out of an account; its tokens die. */
  uninstall(owner: string): void;
  /** Gives a repository another name; the old one redirects. */
  rename(repo: string, name: string): void;
  /** Ends the life of every token given so far. */
  expireTokens(): void;
  /** The bare repository's folder, for `git clone`. */
  path(repo: string): Promise<string>;
  /** What every branch and tag points at, by their full names (`refs/heads/main`), as the folder has them. */
  refs(repo: string): Promise<Record<string, string>>;
  /** Runs git in the bare repository and answers its output. Throws an Error when git fails. */
  git(repo: string, ...args: string[]): Promise<string>;
  /** Commits files past the API, and answers the commit's name. */
  commit(repo: string, options: CommitOptions): Promise<string>;
  /** Sets what is asked of a branch; null for nothing any more. */
  rules(repo: string, branch: string, asked: BranchRules | null): void;
  /** Has a commit pass a check. */
  pass(repo: string, commit: string, check: string): void;
  /** The pull requests, oldest first. */
  pulls(repo: string): readonly Pull[];
  /** A person merges a pull request; answers the commit that the other branch is at then. */
  merge(repo: string, number: number, method?: MergeMethod): Promise<string>;
  /** The files of a branch (default: the default branch) by path, as text; none where it has no commit. */
  files(repo: string, branch?: string): Promise<Record<string, string>>;
  /** Calls back at every commit that reaches a branch through the API or `commit`; answers what ends that. */
  onPush(listener: (push: Push) => void): () => void;
}

/** Starts a host on a free port of 127.0.0.1; needs `git`. Nothing is left behind when it has stopped. */
export async function startGitHub(options: GitHubOptions = {}): Promise<GitHubStandIn> {
  const clock = new Clock(options.now);
  const hourly = options.limits?.rate;
  const state = newState(clock.now, () => service.base_url, hourly?.requests ?? HOURLY);
  const folder = options.folder
    ? await Deno.realPath(await Deno.makeTempDir({ prefix: "repos-", dir: options.folder }))
    : await scratchFolder("repos-");
  const content = options.content ? new ContentWindows(options.content, clock.now) : null;
  const service = startService(options, new Entry(state, clock, hourly !== undefined, content));
  const { stop: close } = service;
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= close().then(() => Deno.remove(folder, { recursive: true }));
  return Object.assign(service, {
    app: state.app,
    state,
    make: (repo: string, more: RepoOptions = {}) => make(state, folder, repo, more),
    install: (owner: string, more: InstallOptions = {}) => install(state, owner, more),
    uninstall: (owner: string) => void (accountOf(state, owner).installation = null),
    rename: (repo: string, name: string) => rename(state, repo, name),
    expireTokens: () => expireTokens(state),
    path: async (repo: string) => await found(state, repo).bare.path(),
    refs: (repo: string) => found(state, repo).bare.refs("refs"),
    git: async (repo: string, ...args: string[]) => await found(state, repo).bare.git(...args),
    commit: (repo: string, more: CommitOptions) => commitFiles(state, repo, more),
    rules: (repo: string, branch: string, asked: BranchRules | null) =>
      setRules(found(state, repo), branch, asked),
    pass: (repo: string, commit: string, check: string) => pass(found(state, repo), commit, check),
    pulls: (repo: string) => found(state, repo).pulls,
    merge: (repo: string, number: number, method: MergeMethod = "merge") =>
      mergePull(state, found(state, repo), number, method),
    files: async (repo: string, branch = found(state, repo).bare.branch) =>
      await filesOf(found(state, repo), branch),
    onPush(listener: (push: Push) => void) {
      state.listeners.add(listener);
      return () => void state.listeners.delete(listener);
    },
    stop,
    [Symbol.asyncDispose]: stop,
  });
}
