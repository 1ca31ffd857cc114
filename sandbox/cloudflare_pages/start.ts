/** A stand-in for Cloudflare Pages' deployments API: commits become deployments, whose stages go by the clock. */
import type { CommonFault } from "../core/faults.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import { type Service, startService } from "../core/service.ts";
import type { StandInOptions } from "../core/vendor.ts";
import type { Builder } from "./builder.ts";
import type { GitHubStandIn } from "../github/start.ts";
import { Run } from "./run.ts";
import { API_BASE, envelope, pagesApi, type PagesState, refusal, tooMany } from "./api.ts";
import { asksToSkip, type Deployment, type Outcome, type Project } from "./deployments.ts";

export { DONE_AFTER_S } from "./deployments.ts";
export type { Deployment, Outcome, StageName, StageStatus } from "./deployments.ts";
export type { RecordedRequest } from "../core/recorder.ts";

/** The vendor's own limit: 1,200 requests in five minutes. */
export const API_RATE = { requests: 1200, window_ms: 300_000 } as const;

/** The faults every stand-in knows, and those of this API's own. */
export type PagesFault =
  | CommonFault
  /** A refusal in the envelope. Default 403, code 10000. */
  | { readonly kind: "refused"; readonly status?: number; readonly code?: number; readonly message?: string }
  /** A success whose result is that. */
  | { readonly kind: "result"; readonly result: unknown };

/** How the stand-in is set up. */
export interface PagesOptions extends StandInOptions {
  /** Its commits become deployments of the projects linked to its repositories; its clock is the default one. */
  readonly host?: GitHubStandIn;
  /** Builds what commits make, really; without it their deployments end well by the clock, and nothing is served. */
  readonly builder?: Pick<Builder, "begin">;
  /** Seconds from a commit until its deployment is seen. Default 0. */
  readonly registers_after?: number;
}

/** How a project is set up. */
export interface ProjectOptions {
  /** `owner/name` of the host's repository it is linked to. */
  readonly repo?: string;
  /** Default `main`. */
  readonly production_branch?: string;
  /** What its settings say of builds, beside what is usual, such as `preview_deployment_setting`. */
  readonly builds?: Readonly<Record<string, unknown>>;
}

/** A deployment made by hand; what is left out is made up. */
export interface DeployOptions {
  readonly branch?: string;
  /** 40 hexadecimal digits. */
  readonly commit?: string;
  readonly message?: string;
  readonly outcome?: Outcome;
}

/** A running stand-in. Its address is `http://127.0.0.1:<port>/client/v4`. */
export interface PagesStandIn extends Service<RecordedRequest, PagesFault> {
  readonly account_id: string;
  readonly api_token: string;
  /** The value of a secret variable that comes with every deployment, and must go no further. */
  readonly secret: string;
  /** Makes a project. */
  project(name: string, options?: ProjectOptions): void;
  /** The deployments of a project, oldest first. Throws an Error where there is no such project. */
  deployments(project: string): readonly Deployment[];
  /** Appends a deployment. Throws an Error where there is no such project. */
  deploy(project: string, options?: DeployOptions): Deployment;
  /** The next deployment made by a commit ends so. Throws an Error where there is no such project. */
  next(project: string, outcome: Outcome): void;
}

function found(state: PagesState, name: string): Project {
  const project = state.projects.get(name);
  if (project === undefined) throw new Error(`The hosting has no project ${name}`);
  return project;
}

function append(
  project: Project,
  at: number,
  trigger: Deployment["trigger"],
  options: DeployOptions,
  run?: Run,
): Deployment {
  const { branch = project.production_branch, message = "Deployed by hand" } = options;
  const commit = options.commit ?? crypto.randomUUID().replaceAll("-", "").padEnd(40, "0");
  const skip: Outcome | undefined = asksToSkip(message)
    ? { kind: "skipped", reason: "The commit message asks for no build." }
    : undefined;
  const outcome = options.outcome ?? skip ?? project.outcomes.shift() ?? { kind: "success" };
  const id = crypto.randomUUID();
  const deployment: Deployment = {
    id,
    project,
    branch,
    commit,
    message,
    trigger,
    outcome,
    created_at: at,
    run,
  };
  if (skip !== undefined) run?.end(skip);
  project.deployments.push(deployment);
  return deployment;
}

function replace(fault: PagesFault): Response | undefined {
  if (fault.kind === "result") return envelope(fault.result);
  if (fault.kind !== "refused") return undefined;
  const { status = 403, code = 10000, message = "Authentication error" } = fault;
  return refusal(status, code, message);
}

/** Starts a stand-in on a free port of 127.0.0.1; a few milliseconds, nothing on disk. */
export function startPages(options: PagesOptions = {}): Promise<PagesStandIn> {
  const { host, builder, registers_after = 0 } = options;
  const state: PagesState = {
    account_id: crypto.randomUUID().replaceAll("-", ""),
    api_token: `pages-${crypto.randomUUID()}`,
    secret: `secret-${crypto.randomUUID()}`,
    now: () => service.clock.now(),
    projects: new Map(),
  };
  const app = pagesApi(state);
  const service = startService<RecordedRequest, PagesFault>(
    { now: host?.clock.now, ...options },
    { handle: ({ request }) => app.fetch(request), replace, busy: tooMany },
  );
  const { now } = service.clock;
  const end = host?.onPush(({ repo, branch, commit, message }) => {
    for (const project of state.projects.values()) {
      if (project.repo?.toLowerCase() !== repo.toLowerCase()) continue;
      const run = builder && new Run(now);
      const at = now() + registers_after * 1000;
      const made = append(project, at, "github:push", { branch, commit, message }, run);
      if (run?.outcome === null) builder?.begin(made, run);
    }
  });
  const { stop: close } = service;
  const stop = () => {
    end?.();
    return close();
  };
  const { account_id, api_token, secret } = state;
  return Promise.resolve(Object.assign(service, {
    base_url: service.base_url + API_BASE,
    account_id,
    api_token,
    secret,
    project(name: string, { repo, production_branch = "main", builds = {} }: ProjectOptions = {}) {
      const id = crypto.randomUUID();
      const empty = { outcomes: [], deployments: [] };
      state.projects.set(name, { id, name, repo: repo ?? null, production_branch, builds, ...empty });
    },
    deployments: (project: string) => found(state, project).deployments,
    deploy: (project: string, more: DeployOptions = {}) =>
      append(found(state, project), now(), "ad_hoc", more),
    next: (project: string, outcome: Outcome) => void found(state, project).outcomes.push(outcome),
    stop,
    [Symbol.asyncDispose]: stop,
  }));
}
