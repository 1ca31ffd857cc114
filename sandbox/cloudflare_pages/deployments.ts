/** Projects and their deployments, whose stages go by a clock or, where they are really built, by their builds. */

/** The stages of a deployment, in order. */
export const STAGES = ["queued", "initialize", "clone_repo", "build", "deploy"] as const;
export type StageName = (typeof STAGES)[number];
export type StageStatus = "idle" | "active" | "success" | "failure" | "canceled" | "skipped";

/** How a deployment ends: well, wrongly or stopped in a stage, or not begun at all. */
export type Outcome =
  | { readonly kind: "success" }
  | {
    readonly kind: "failure" | "canceled";
    readonly stage: StageName;
    /** What its build said last. */
    readonly log?: readonly string[];
  }
  | { readonly kind: "skipped"; readonly reason: string };

/** A project, named by its slug. */
export interface Project {
  readonly id: string;
  readonly name: string;
  /** `owner/name`; null for one that is deployed to by hand. */
  readonly repo: string | null;
  readonly production_branch: string;
  /** What its settings say of builds, beside what is usual. */
  readonly builds: Readonly<Record<string, unknown>>;
  /** How deployments to come end, oldest first; the rest end well. */
  readonly outcomes: Outcome[];
  /** Oldest first. */
  readonly deployments: Deployment[];
}

/** How far the build of a deployment is. */
export interface Progress {
  /** Null as long as it is at work, or waits. */
  readonly outcome: Outcome | null;
  /** What it said, oldest first; times in milliseconds. */
  readonly log: readonly { readonly at: number; readonly line: string }[];
  /** The deployment's own address. */
  readonly url: string | null;
  /** That of its branch; null of a production. */
  readonly alias: string | null;
  stages(): Stage[];
}

/** A deployment. */
export interface Deployment {
  readonly id: string;
  readonly project: Project;
  readonly branch: string;
  readonly commit: string;
  readonly message: string;
  readonly trigger: "github:push" | "ad_hoc" | "deploy_hook";
  readonly outcome: Outcome;
  /** In milliseconds. */
  readonly created_at: number;
  /** Of one that is really built, which does not end as `outcome` says but as its build does. */
  readonly run?: Progress;
}

/** A stage at a moment; times in milliseconds. */
export interface Stage {
  readonly name: StageName;
  readonly status: StageStatus;
  readonly started_at: number | null;
  readonly ended_at: number | null;
}

/** From and to, in seconds since the deployment was made. Between the first two nobody is at work on it yet. */
const TIMES: Readonly<Record<StageName, readonly [number, number]>> = {
  queued: [0, 2],
  initialize: [4, 7],
  clone_repo: [7, 10],
  build: [10, 40],
  deploy: [40, 45],
};

/** Seconds until a deployment that goes well is done. */
export const DONE_AFTER_S = TIMES.deploy[1];

/** How a deployment ends, or has ended. One that is still at work has not gone wrong. */
const outcomeOf = ({ run, outcome }: Pick<Deployment, "run" | "outcome">): Outcome =>
  run === undefined ? outcome : run.outcome ?? { kind: "success" };

/** The stages of a deployment at a moment. */
export function stagesOf({ created_at, outcome, run }: Deployment, now: number): Stage[] {
  if (run !== undefined) return run.stages();
  const none = { started_at: null, ended_at: null };
  if (outcome.kind === "skipped") return STAGES.map((name) => ({ name, status: "skipped", ...none }));
  let over = false;
  return STAGES.map((name): Stage => {
    const [from, to] = TIMES[name].map((seconds) => created_at + seconds * 1000) as [number, number];
    if (over || now < from) return { name, status: "idle", ...none };
    if (now < to) return { name, status: "active", started_at: from, ended_at: null };
    over = outcome.kind !== "success" && outcome.stage === name;
    return { name, status: over ? outcome.kind : "success", started_at: from, ended_at: to };
  });
}

/** The stage that counts: the first that is not done, or the last. */
export function latestStage(stages: readonly Stage[]): Stage {
  const broken = stages.find(({ status }) => ["failure", "canceled", "skipped"].includes(status));
  return broken ?? stages.find(({ status }) => status !== "success") ?? stages.at(-1)!;
}

/** The name of a branch's own address: 28 characters of small letters, digits and dashes. */
export function aliasOf(branch: string): string {
  return branch.toLowerCase().replace(/[^a-z0-9-]/g, "-").replace(/^-+|-+$/g, "").slice(0, 28);
}

/** Whether a commit's message asks for no build. */
export function asksToSkip(message: string): boolean {
  return /^\s*\[(?:ci[ -]skip|skip[ -]ci|cf-pages-skip)\]/i.test(message);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

function stageView({ name, status, started_at, ended_at }: Stage) {
  return { name, status, started_on: iso(started_at), ended_on: iso(ended_at) };
}

/** What a project is built from; null for one that is deployed to by hand. */
function sourceView({ repo, production_branch, builds }: Project) {
  if (repo === null) return null;
  const [owner, repo_name] = repo.split("/");
  return {
    type: "github",
    config: {
      owner,
      repo_name,
      production_branch,
      pr_comments_enabled: true,
      deployments_enabled: true,
      production_deployments_enabled: true,
      preview_deployment_setting: "all",
      preview_branch_includes: ["*"],
      preview_branch_excludes: [],
      path_includes: ["*"],
      path_excludes: [],
      ...builds,
    },
  };
}

/** A project as the API shows it; `secret` is the value of one of its variables. */
export function projectView(project: Project, secret: string) {
  return {
    id: project.id,
    name: project.name,
    subdomain: `${project.name}.pages.dev`,
    production_branch: project.production_branch,
    source: sourceView(project),
    deployment_configs: {
      production: { env_vars: { API_SECRET: { type: "secret_text", value: secret } } },
      preview: {},
    },
  };
}

/** A deployment as the API shows it; `secret` is the value of one of its variables. */
export function deploymentView(deployment: Deployment, now: number, secret: string) {
  const { id, project, branch, created_at, run } = deployment;
  const outcome = outcomeOf(deployment);
  const stages = stagesOf(deployment, now);
  const latest = latestStage(stages);
  const preview = branch !== project.production_branch;
  const skipped = outcome.kind === "skipped";
  return {
    id,
    short_id: id.slice(0, 8),
    project_id: project.id,
    project_name: project.name,
    environment: preview ? "preview" : "production",
    url: run?.url ?? `https://${id.slice(0, 8)}.${project.name}.pages.dev`,
    created_on: iso(created_at),
    modified_on: iso(Math.max(...stages.map((one) => one.ended_at ?? one.started_at ?? created_at))),
    latest_stage: stageView(latest),
    deployment_trigger: {
      type: deployment.trigger,
      metadata: {
        branch,
        commit_hash: deployment.commit,
        commit_message: deployment.message,
        commit_dirty: false,
      },
    },
    stages: stages.map(stageView),
    build_config: {
      build_command: "npm run build",
      destination_dir: "dist",
      root_dir: "",
      build_caching: null,
    },
    source: sourceView(project),
    env_vars: {
      SITE_NAME: { type: "plain_text", value: project.name },
      API_SECRET: { type: "secret_text", value: secret },
    },
    aliases: preview ? [run?.alias ?? `https://${aliasOf(branch)}.${project.name}.pages.dev`] : null,
    is_skipped: skipped,
    ...(skipped ? { skip_reason: outcome.reason } : {}),
    uses_functions: false,
  };
}
