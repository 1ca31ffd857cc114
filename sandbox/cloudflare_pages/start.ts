/** A stand-in for Cloudflare Pages' deployments API: commits become deployments, whose stages go by the clock. */
import { envelope, hostingApi, type HostingState, refusal } from "./api.ts";
import { asksToSkip, type Deployment, type Outcome, type Project } from "./deployments.ts";
import type { RepoHost } from "../github/start.ts";
import { half, type TroubleFilter, Troubles } from "../core/faults.ts";
import { type Fate, serveWire } from "../core/server.ts";

export { DONE_AFTER_S } from "./deployments.ts";
export type { Deployment, Outcome, StageName, StageStatus } from "./deployments.ts";

/** One way to go wrong. */
export type HostingTrouble =
  /** No answer until the client gives up, or the connection's end without one. */
  | { readonly kind: "hang" | "reset" }
  /** The first half of the true answer, as a whole or as the connection's end. */
  | { readonly kind: "half"; readonly length?: "promised" | "true" }
  /** A refusal in the envelope. Default 403, code 10000. */
  | { readonly kind: "refused"; readonly status?: number; readonly code?: number; readonly message?: string }
  /** 429, with `Retry-After` in seconds. */
  | { readonly kind: "busy"; readonly retry_after?: number }
  /** An HTML page. Default status 502. */
  | { readonly kind: "html"; readonly status?: number }
  /** A success whose result is that. */
  | { readonly kind: "garbage"; readonly result: unknown };

/** How the stand-in is set up. */
export interface HostingOptions {
  /** Its commits become deployments of the projects linked to its repositories. */
  readonly host?: RepoHost;
  /** The clock, in milliseconds. Default: the host's, else Date.now. */
  readonly now?: () => number;
  /** Seconds from a commit until its deployment is seen. Default 0. */
  readonly registers_after?: number;
}

/** How a project is set up. */
export interface ProjectOptions {
  /** `owner/name` of the host's repository it is linked to. */
  readonly repo?: string;
  /** Default `main`. */
  readonly production_branch?: string;
}

/** A deployment made by hand; what is left out is made up. */
export interface DeployOptions {
  readonly branch?: string;
  /** 40 hexadecimal digits. */
  readonly commit?: string;
  readonly message?: string;
  readonly outcome?: Outcome;
}

/** One request as it came in. */
export interface HostingRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** A running stand-in. */
export interface HostingSandbox extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/client/v4`, without a trailing slash. */
  readonly base_url: string;
  readonly account_id: string;
  readonly api_token: string;
  /** The value of a secret variable that comes with every deployment, and must go no further. */
  readonly secret: string;
  /** Every request so far, oldest first. */
  readonly requests: readonly HostingRequest[];
  /** The clock, and what sets it ahead by that many seconds more. */
  readonly clock: { now(): number; advance(seconds: number): void };
  /** Makes a project. */
  project(name: string, options?: ProjectOptions): void;
  /** The deployments of a project, oldest first. Throws an Error where there is no such project. */
  deployments(project: string): readonly Deployment[];
  /** Appends a deployment. Throws an Error where there is no such project. */
  deploy(project: string, options?: DeployOptions): Deployment;
  /** The next deployment made by a commit ends so. Throws an Error where there is no such project. */
  next(project: string, outcome: Outcome): void;
  /** Goes wrong for the next request (or `times` requests) that fits the filter. */
  misbehave(trouble: HostingTrouble, filter?: TroubleFilter): void;
  /** Forgets requests and troubles to come; the deployments stay. */
  forget(): void;
  /** Leaves no connection behind; safe to call twice. */
  stop(): Promise<void>;
}

function found(state: HostingState, name: string): Project {
  const project = state.projects.get(name);
  if (project === undefined) throw new Error(`The hosting has no project ${name}`);
  return project;
}

function append(
  project: Project,
  at: number,
  trigger: Deployment["trigger"],
  options: DeployOptions,
): Deployment {
  const { branch = project.production_branch, message = "Deployed by hand" } = options;
  const commit = options.commit ?? crypto.randomUUID().replaceAll("-", "").padEnd(40, "0");
  const skip: Outcome | undefined = asksToSkip(message)
    ? { kind: "skipped", reason: "The commit message asks for no build." }
    : undefined;
  const outcome = options.outcome ?? skip ?? project.outcomes.shift() ?? { kind: "success" };
  const id = crypto.randomUUID();
  const deployment = { id, project, branch, commit, message, trigger, outcome, created_at: at };
  project.deployments.push(deployment);
  return deployment;
}

async function troubled(trouble: HostingTrouble, truly: () => Promise<Response>): Promise<Response | Fate> {
  switch (trouble.kind) {
    case "hang":
    case "reset":
      return trouble.kind;
    case "half":
      return await half(await truly(), trouble.length ?? "promised");
    case "refused": {
      const { status = 403, code = 10000, message = "Authentication error" } = trouble;
      return refusal(status, code, message);
    }
    case "busy": {
      const answer = refusal(429, 971, "Please wait and consider throttling your request speed");
      if (trouble.retry_after !== undefined) answer.headers.set("retry-after", String(trouble.retry_after));
      return answer;
    }
    case "html":
      return new Response("<!DOCTYPE html><title>Bad gateway</title>\n", {
        status: trouble.status ?? 502,
        headers: { "content-type": "text/html; charset=UTF-8" },
      });
    case "garbage":
      return envelope(trouble.result);
  }
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startHosting(options: HostingOptions = {}): Promise<HostingSandbox> {
  const { host, registers_after = 0 } = options;
  const clock = options.now ?? host?.clock.now ?? Date.now;
  let ahead = 0;
  const now = () => clock() + ahead * 1000;
  const state: HostingState = {
    account_id: crypto.randomUUID().replaceAll("-", ""),
    api_token: `pages-${crypto.randomUUID()}`,
    secret: `secret-${crypto.randomUUID()}`,
    now,
    projects: new Map(),
  };
  const app = hostingApi(state);
  const troubles = new Troubles<HostingTrouble>();
  const requests: HostingRequest[] = [];
  const wire = serveWire(async (request) => {
    const url = new URL(request.url);
    const query = Object.fromEntries(url.searchParams);
    const headers = Object.fromEntries(request.headers);
    requests.push({ method: request.method, path: url.pathname, query, headers });
    const truly = async () => await app.fetch(request);
    const trouble = troubles.next(request.method, url.pathname);
    return trouble === undefined ? await truly() : await troubled(trouble, truly);
  });
  const end = host?.onPush(({ repo, branch, commit, message }) => {
    for (const project of state.projects.values()) {
      if (project.repo?.toLowerCase() !== repo.toLowerCase()) continue;
      append(project, now() + registers_after * 1000, "github:push", { branch, commit, message });
    }
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    end?.();
    return stopped ??= wire.stop();
  };
  return Promise.resolve({
    base_url: `http://127.0.0.1:${wire.port}/client/v4`,
    account_id: state.account_id,
    api_token: state.api_token,
    secret: state.secret,
    requests,
    clock: { now, advance: (seconds) => void (ahead += seconds) },
    project(name, { repo = undefined, production_branch = "main" } = {}) {
      const id = crypto.randomUUID();
      const empty = { outcomes: [], deployments: [] };
      state.projects.set(name, { id, name, repo: repo ?? null, production_branch, ...empty });
    },
    deployments: (project) => found(state, project).deployments,
    deploy: (project, more = {}) => append(found(state, project), now(), "ad_hoc", more),
    next: (project, outcome) => void found(state, project).outcomes.push(outcome),
    misbehave: (trouble, filter = {}) => troubles.add(trouble, filter),
    forget() {
      requests.length = 0;
      troubles.clear();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  });
}
