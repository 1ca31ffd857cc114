/** A stand-in for GitHub's REST API over real bare git repositories: app, installations, files, commits, branches. */
import type { App } from "./app_key.ts";
import { Entry, type RecordedExchange } from "./entry.ts";
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
  rename,
  type RepoOptions,
} from "./setup.ts";
import type { Push, State } from "./state.ts";
import type { RepoTrouble } from "./faults.ts";
import { scratchFolder } from "../core/scratch.ts";
import type { TroubleFilter } from "../core/faults.ts";
import { serveWire } from "../core/server.ts";

export type { App } from "./app_key.ts";
export type { FileContent } from "./bare.ts";
export type { RecordedExchange } from "./entry.ts";
export type { CommitOptions, InstallOptions, RepoOptions } from "./setup.ts";
export type { Push } from "./state.ts";
export type { RepoTrouble } from "./faults.ts";
export type { TroubleFilter } from "../core/faults.ts";

/** How a host is set up. */
export interface RepoHostOptions {
  /** The clock, in milliseconds; tokens, commits and limits go by it. Default Date.now. */
  readonly now?: () => number;
  /** Where the repositories are kept, in a folder of the host's own. Default: where scratchFolder makes one. */
  readonly folder?: string;
}

/** A running host. Every `repo` is `owner/name`; an unknown one throws an Error. */
export interface RepoHost extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a trailing slash. */
  readonly base_url: string;
  readonly app: App;
  /** Every request so far and its answer, oldest first. */
  readonly exchanges: readonly RecordedExchange[];
  /** Those that asked for a change: all but reads and the making of tokens. */
  readonly writes: readonly RecordedExchange[];
  /** The clock, and what sets it ahead by that many seconds more. */
  readonly clock: { now(): number; advance(seconds: number): void };
  /** Everything else the host remembers. */
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
  path(repo: string): string;
  /** What every branch and tag points at, by their full names (`refs/heads/main`), as the folder has them. */
  refs(repo: string): Promise<Record<string, string>>;
  /** Runs git in the bare repository and answers its output. Throws an Error when git fails. */
  git(repo: string, ...args: string[]): Promise<string>;
  /** Commits files past the API, and answers the commit's name. */
  commit(repo: string, options: CommitOptions): Promise<string>;
  /** The files of a branch (default: the default branch) by path, as text; none where it has no commit. */
  files(repo: string, branch?: string): Promise<Record<string, string>>;
  /** Calls back at every commit that reaches a branch through the API or `commit`; answers what ends that. */
  onPush(listener: (push: Push) => void): () => void;
  /** Goes wrong for the next request (or `times` requests) that fits the filter. */
  misbehave(trouble: RepoTrouble, filter?: TroubleFilter): void;
  /** Forgets exchanges and troubles to come; the repositories stay. */
  forget(): void;
  /** Leaves no connection or folder behind; safe to call twice. */
  stop(): Promise<void>;
}

function isWrite({ method, path }: RecordedExchange): boolean {
  return method !== "GET" && method !== "HEAD" && !path.startsWith("/app/");
}

/** Starts a host on a free port of 127.0.0.1; needs `git`. */
export async function startRepoHost(options: RepoHostOptions = {}): Promise<RepoHost> {
  const clock = options.now ?? Date.now;
  let ahead = 0;
  let base = "";
  const state = newState(() => clock() + ahead * 1000, () => base);
  const folder = options.folder
    ? await Deno.realPath(await Deno.makeTempDir({ prefix: "repos-", dir: options.folder }))
    : await scratchFolder("repos-");
  const entry = new Entry(state);
  const wire = serveWire((request) => entry.answer(request));
  base = `http://127.0.0.1:${wire.port}`;
  let stopped: Promise<void> | undefined;
  const stop = () => stopped ??= wire.stop().then(() => Deno.remove(folder, { recursive: true }));
  return {
    base_url: base,
    app: state.app,
    state,
    clock: { now: state.now, advance: (seconds) => void (ahead += seconds) },
    get exchanges() {
      return entry.exchanges;
    },
    get writes() {
      return entry.exchanges.filter(isWrite);
    },
    make: (repo, more = {}) => make(state, folder, repo, more),
    install: (owner, more = {}) => install(state, owner, more),
    uninstall: (owner) => void (accountOf(state, owner).installation = null),
    rename: (repo, name) => rename(state, repo, name),
    expireTokens: () => expireTokens(state),
    path: (repo) => found(state, repo).bare.path,
    refs: (repo) => found(state, repo).bare.refs("refs"),
    git: async (repo, ...args) => await found(state, repo).bare.git(...args),
    commit: (repo, more) => commitFiles(state, repo, more),
    files: async (repo, branch) =>
      await filesOf(found(state, repo), branch ?? found(state, repo).bare.branch),
    onPush(listener) {
      state.listeners.add(listener);
      return () => void state.listeners.delete(listener);
    },
    misbehave: (trouble, filter = {}) => state.troubles.add(trouble, filter),
    forget() {
      entry.exchanges.length = 0;
      state.troubles.clear();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
