/** The deployments of a static site's project (Cloudflare Pages, read only; docs/upstreams/cloudflare-pages.md). */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerpt, excerptOf } from "../_content/excerpt.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { Incoming } from "../_http/request.ts";
import { withDeadline } from "../_connector/checks.ts";

/** How far a deployment has come. */
export type DeployStatus = "pending" | "building" | "success" | "failure" | "canceled";

/** A deployment, without anything of its environment. */
export interface Deployment {
  readonly id: string;
  readonly status: DeployStatus;
  /** The host's own name of the step it is at. */
  readonly stage: string;
  /** Why it was not built, where the host says so. */
  readonly note: string | null;
  readonly commit_sha: string | null;
  readonly branch: string | null;
  readonly environment: string;
  readonly url: string | null;
  /** Its own address, which goes on showing this commit; null where the host says none. */
  readonly own_url: string | null;
  readonly log_url: string;
  readonly created_on: string | null;
  readonly modified_on: string | null;
}

/** Where a deployment goes: what visitors get, or an address of its own. */
export type Environment = "production" | "preview";

/** What a project builds by itself. */
export interface BuildSettings {
  /** `owner/name`; null where it is connected to no repository, and builds nothing that is pushed. */
  readonly repo: string | null;
  readonly production_branch: string | null;
  /** Whether pushes to the production branch are built. */
  readonly builds_production: boolean;
  /** Of which other branches pushes are built. */
  readonly builds_previews: "all" | "none" | "some";
  /** Whether a push is built only where it changes certain files. */
  readonly builds_paths: "all" | "some";
}

/** What can be asked about a site's deployments. Every method throws E_HOSTING_PROJECT_MISSING and E_UPSTREAM. */
export interface HostingClient {
  /** The newest, of one environment where it is named; null when there is none. With a limit it has failed by then, in milliseconds. */
  latest(environment?: Environment, limitMs?: number): Promise<Deployment | null>;
  /** The newest of a commit, by the beginning of its name, among the newest hundred; null when there is none. */
  ofCommit(sha: string, environment?: Environment): Promise<Deployment | null>;
  /** The newest of a branch, by its whole name, among the newest hundred; null when there is none. */
  ofBranch(branch: string, environment?: Environment): Promise<Deployment | null>;
  /**
   * The deployment of a commit that was just pushed to a branch that is no production, by its whole name: asked once,
   * among the newest few; null where it is not known yet. Has failed by then.
   */
  pushed(commit_sha: string, limitMs: number): Promise<Pushed | null>;
  /** The last lines of what its build said, the oldest first; none where it said nothing, or the host keeps it no more. */
  logTail(deployment: Pick<Deployment, "id">): Promise<readonly string[]>;
  /** How long builds took lately, in seconds, by the list that was asked for last: the middle of the newest few; null where it tells of none. */
  tookSeconds(): number | null;
  /** What the project builds by itself. */
  builds(): Promise<BuildSettings>;
  /** The newest preview, or that of a commit, if it stands at an address that can be linked; else null. Has failed by then. */
  preview(limitMs: number, commit_sha?: string): Promise<Preview | null>;
}

/** A commit's deployment, at the address that goes on showing it. */
export interface Pushed {
  readonly address: string | null;
  readonly status: DeployStatus;
  /** How long builds took lately, in seconds, by the same list; null where it tells of none. */
  readonly took_seconds: number | null;
}

/** A branch that is no production, as it was deployed. */
export interface Preview {
  readonly address: string;
  readonly branch: string | null;
  readonly commit_sha: string | null;
  readonly created_on: string | null;
}

/** The most the host gives at once; above it refuses. */
const PER_PAGE = 25;
const PAGES = 4;

const text = z.string().nullish().catch(null);
const patterns = z.array(z.string()).nullish().catch(null);
const STAGE = z.object({ name: z.string(), status: z.string(), ended_on: text });
const DEPLOYMENT = z.object({
  id: z.string(),
  environment: z.string(),
  url: text,
  aliases: z.array(z.string()).nullish().catch(null),
  created_on: text,
  modified_on: text,
  is_skipped: z.boolean().nullish().catch(null),
  skip_reason: text,
  latest_stage: STAGE.nullish().catch(null),
  deployment_trigger: z.object({
    metadata: z.object({ branch: text, commit_hash: text }).nullish().catch(null),
  }).nullish().catch(null),
});
type Told = z.infer<typeof DEPLOYMENT>;
/** A page of a project's deployments. */
export const LIST = z.object({ success: z.literal(true), result: z.array(DEPLOYMENT) });
/** A project, without anything of its environment. */
const PROJECT = z.object({
  success: z.literal(true),
  result: z.object({
    production_branch: text,
    source: z.object({
      config: z.object({
        owner: text,
        repo_name: text,
        production_branch: text,
        deployments_enabled: z.boolean().nullish().catch(null),
        production_deployments_enabled: z.boolean().nullish().catch(null),
        preview_deployment_setting: text,
        path_includes: patterns,
        path_excludes: patterns,
      }).nullish().catch(null),
    }).nullish().catch(null),
  }),
});
/** What a build said, line by line. */
const LOG = z.object({
  success: z.literal(true),
  result: z.object({ data: z.array(z.object({ line: z.string() })).nullish().catch(null) }),
});
const LOG_LINES = 20;
const ERRORS = z.object({ errors: z.array(z.object({ code: z.number(), message: z.string() })) });

/** The first that fits (docs/upstreams/cloudflare-pages.md, "Status mapping"). */
function statusOf({ is_skipped, latest_stage }: Told): DeployStatus {
  const { name, status } = latest_stage ?? { name: "queued", status: "idle" };
  if (is_skipped || status === "skipped" || status === "canceled") return "canceled";
  if (status === "failure") return "failure";
  if (name === "deploy" && status === "success") return "success";
  if (name === "queued" || (status === "idle" && name === "initialize")) return "pending";
  return "building";
}

const TOOK_OF = 5;

/** The middle of how long the newest that succeeded took, in whole seconds. */
function tookOf(told: readonly Told[]): number | null {
  const all = told.filter((one) => statusOf(one) === "success")
    .map(({ created_on, latest_stage }) =>
      Date.parse(latest_stage?.ended_on ?? "") - Date.parse(created_on ?? "")
    )
    .filter((took) => took >= 0).slice(0, TOOK_OF).toSorted((a, b) => a - b);
  const middle = all[Math.floor(all.length / 2)];
  return middle === undefined ? null : Math.round(middle / 1000);
}

/** Where the host puts previews of its projects (docs/upstreams/cloudflare-pages.md). */
const PREVIEWS = ".pages.dev";

/** An address that can be the preview of a site at `base`: of https, the host's own or below the site's; null for any other. */
export function previewAddress(given: string | null, base: string | null): string | null {
  const url = URL.parse(given ?? "");
  if (url === null || url.protocol !== "https:" || url.port !== "") return null;
  if (url.username !== "" || url.password !== "") return null;
  const own = URL.parse(base ?? "")?.hostname ?? null;
  const isOwn = own !== null && (url.hostname === own || url.hostname.endsWith(`.${own}`));
  return isOwn || url.hostname.endsWith(PREVIEWS) ? url.href : null;
}

/** The settings, by their names. */
export interface HostingSettings extends Readonly<Record<string, string | null>> {
  readonly HOSTING_API_BASE: string;
  readonly HOSTING_API_TOKEN: string | null;
  readonly HOSTING_ACCOUNT_ID: string | null;
}

/** The client of the hosting project that a site names. */
export class Hosting implements HostingClient {
  readonly #account: string;
  readonly #project: string;
  #took: number | null = null;

  constructor(private readonly ctx: SiteContext<HostingSettings>) {
    this.#account = ctx.settings.HOSTING_ACCOUNT_ID ?? "";
    this.#project = ctx.site.hosting_project ?? "";
  }

  async latest(environment?: Environment, limitMs?: number): Promise<Deployment | null> {
    const { ctx } = this;
    if (limitMs !== undefined) {
      return await new Hosting(withDeadline(ctx, ctx.now() + limitMs)).latest(environment);
    }
    const [newest] = await this.#page(1, environment);
    return newest ? this.#shown(newest) : null;
  }

  async preview(limitMs: number, ofCommit?: string): Promise<Preview | null> {
    const hurried = new Hosting(withDeadline(this.ctx, this.ctx.now() + limitMs));
    const found = ofCommit === undefined
      ? await hurried.latest("preview")
      : await hurried.ofCommit(ofCommit, "preview");
    if (found === null || found.status !== "success") return null;
    const address = previewAddress(found.url, this.ctx.site.base_url);
    const { branch, commit_sha, created_on } = found;
    return address === null ? null : { address, branch, commit_sha, created_on };
  }

  async builds(): Promise<BuildSettings> {
    const { result: { production_branch, source } } = await this.#read(PROJECT, "");
    const config = source?.config;
    const previews = config?.preview_deployment_setting;
    const isOn = config?.deployments_enabled !== false;
    const included = config?.path_includes ?? [];
    const isWhole = (included.length === 0 || included.includes("*")) && !config?.path_excludes?.length;
    return {
      repo: config?.owner && config.repo_name ? `${config.owner}/${config.repo_name}` : null,
      production_branch: config?.production_branch ?? production_branch ?? null,
      builds_production: isOn && config?.production_deployments_enabled !== false,
      builds_previews: !isOn || previews === "none" ? "none" : previews === "custom" ? "some" : "all",
      builds_paths: isWhole ? "all" : "some",
    };
  }

  async ofCommit(sha: string, environment?: Environment): Promise<Deployment | null> {
    return await this.#first(environment, (one) => {
      const hash = one.deployment_trigger?.metadata?.commit_hash?.toLowerCase();
      return hash !== undefined && hash !== "" && hash.startsWith(sha.toLowerCase());
    });
  }

  async ofBranch(branch: string, environment?: Environment): Promise<Deployment | null> {
    return await this.#first(environment, (one) => one.deployment_trigger?.metadata?.branch === branch);
  }

  async pushed(commit_sha: string, limitMs: number): Promise<Pushed | null> {
    const { ctx } = this;
    const hurried = new Hosting(withDeadline(ctx, ctx.now() + limitMs));
    const [told] = await hurried.#newest("preview", commit_sha);
    if (told === undefined) return null;
    return { address: told.url ?? null, status: statusOf(told), took_seconds: hurried.#took };
  }

  /** Those of a commit on the first page. */
  async #newest(environment: Environment, commit_sha: string): Promise<Told[]> {
    const told = await this.#page(1, environment);
    return told.filter((one) => one.deployment_trigger?.metadata?.commit_hash === commit_sha);
  }

  async logTail({ id }: Pick<Deployment, "id">): Promise<readonly string[]> {
    const { result } = await this.#read(LOG, `/deployments/${encodeURIComponent(id)}/history/logs`);
    const secrets = [this.ctx.settings.HOSTING_API_TOKEN ?? ""].filter((secret) => secret !== "");
    return (result.data ?? []).slice(-LOG_LINES).map(({ line }) => excerpt(line, secrets)).filter((line) =>
      line !== ""
    );
  }

  /** The newest that fits, among the newest hundred. */
  async #first(
    environment: Environment | undefined,
    fits: (one: Told) => boolean,
  ): Promise<Deployment | null> {
    for (let page = 1; page <= PAGES; page++) {
      const told = await this.#page(page, environment);
      const found = told.find(fits);
      if (found) return this.#shown(found);
      if (told.length < PER_PAGE) return null;
    }
    return null;
  }

  #shown(told: Told): Deployment {
    const { metadata } = told.deployment_trigger ?? {};
    const account = encodeURIComponent(this.#account);
    return {
      id: told.id,
      status: statusOf(told),
      stage: told.latest_stage?.name ?? "queued",
      note: told.is_skipped || told.latest_stage?.status === "skipped" ? told.skip_reason ?? null : null,
      commit_sha: metadata?.commit_hash || null,
      branch: metadata?.branch || null,
      environment: told.environment,
      url: told.aliases?.[0] ?? told.url ?? null,
      own_url: told.url ?? null,
      log_url: `https://dash.cloudflare.com/${account}/pages/view/${this.#project}/${
        encodeURIComponent(told.id)
      }`,
      created_on: told.created_on ?? null,
      modified_on: told.modified_on ?? null,
    };
  }

  async #page(page: number, environment?: Environment): Promise<Told[]> {
    const env = environment === undefined ? "" : `&env=${environment}`;
    const { result } = await this.#read(LIST, `/deployments?per_page=${PER_PAGE}&page=${page}${env}`);
    if (page === 1) this.#took = tookOf(result);
    return result;
  }

  tookSeconds(): number | null {
    return this.#took;
  }

  /** What the host says of the project at that path. */
  async #read<T>(shape: z.ZodType<T>, path: string): Promise<T> {
    const { HOSTING_API_BASE: base, HOSTING_API_TOKEN: token } = this.ctx.settings;
    const answer = await this.ctx.send({
      method: "GET",
      url: `${base}/accounts/${encodeURIComponent(this.#account)}/pages/projects/${this.#project}${path}`,
      headers: {
        accept: "application/json",
        authorization: `Bearer ${token}`,
      },
      effect: "read",
    });
    const read = shape.safeParse(answer.json());
    if (answer.status === 200 && read.success) return read.data;
    throw this.#refusal(answer);
  }

  #refusal(answer: Incoming): GatewayError {
    const [first] = ERRORS.safeParse(answer.json()).data?.errors ?? [];
    if (answer.status === 404) {
      return new GatewayError(
        "E_HOSTING_PROJECT_MISSING",
        `The hosting account has no project "${this.#project}"; check the site's hosting_project and HOSTING_ACCOUNT_ID`,
        { upstream: 404 },
      );
    }
    const secrets = [this.ctx.settings.HOSTING_API_TOKEN ?? ""].filter((secret) => secret !== "");
    const said = excerptOf(first ? `${first.message} (${first.code})` : answer.text(), secrets);
    const way = [400, 401, 403].includes(answer.status)
      ? "check that HOSTING_API_TOKEN may read Pages of the account"
      : `try again ${whenAgain(answer, "later")}`;
    const what = answer.status === 200 ? "an answer that cannot be read" : `${answer.status}`;
    return new GatewayError("E_UPSTREAM", `Hosting answered ${what}; ${way}`, {
      ...said,
      upstream: answer.status === 200 ? 502 : answer.status,
      ...askedWait(answer),
    });
  }
}
