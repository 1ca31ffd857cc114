/** How the gateway does, for its operator: its jobs, its repository app, the days it keeps; /healthz is for anybody. */
import type { Hono } from "hono";
import { decodeTime } from "ulid";
import {
  type Freeze,
  type JobReport,
  LIMITS,
  type Site,
  VERSION,
  type VersionEnding,
  type Webhook,
} from "../core/model.ts";
import type { HeldTool, UnheldSite } from "../registry/proxied_reports.ts";
import { ForeignRecord, type SealedRecord } from "../store/store.ts";
import type { RetentionState } from "../rules/retention.ts";
import { isJobWrong, type Problem } from "../rules/readiness.ts";
import { type Unpreviewed, unpreviewed } from "./confirm_policy.ts";
import { METRICS_TYPE } from "../core/metrics.ts";
import type { AdminGate } from "./session.ts";
import { answer, parameters } from "./exchange.ts";
import type { AdminPorts, ProxyReport, RepoAppReport } from "./ports.ts";
import { z } from "zod";
import { SITE_ID } from "./bodies.ts";
import { closed, expected, refuseAny } from "../core/faults.ts";
import { findSite } from "./sites.ts";

/** What the health page shows. */
export interface HealthReport {
  /** Whether nothing waits for the operator, and nothing fails. */
  readonly ok: boolean;
  /** The version that the process runs that was asked, as GET /healthz says it. */
  readonly gateway_version: string;
  /** The gateway's clock, ISO 8601. */
  readonly clock: string;
  /** What keeps it from carrying out calls, as /readyz says it; with the sentence of a job or key that is below as well. */
  readonly problems: readonly Problem[];
  readonly retention: RetentionState;
  /** What it does on its clocks, as the process that was asked has seen it. */
  readonly jobs: readonly JobReport[];
  /** What is sealed under a key that ENCRYPTION_KEYS lacks; users by their e-mail where they have one. */
  readonly sealed: readonly SealedRecord[];
  /** What of the records is not as the gateway wrote it, a sentence each; what is told of such records is left out then. */
  readonly foreign: readonly string[];
  /** Sites on which one call can change what visitors get without a preview. */
  readonly unpreviewed: readonly Unpreviewed[];
  /** What looks like a proxy that the settings do not name, as that process has seen it; a stranger can look so too. */
  readonly proxies: readonly ProxyReport[];
  /** Sites' own tools that are held back because of what a call of them did. */
  readonly held_tools: readonly HeldTool[];
  /** Sites that do not hold what their own tools write, and why. */
  readonly unheld: readonly UnheldSite[];
  /** Where nothing is written until somebody lifts the freeze. */
  readonly freezes: readonly Freeze[];
  /** What is kept of changes so that they can be taken back, of all sites, and of each that is near its quota. */
  readonly kept_changes: KeptChanges;
  /** Webhooks that do not arrive: turned off by the gateway, failing, or with events left out. Of those off, `ok` is false. */
  readonly webhooks: readonly FailingWebhook[];
  /** Versions of upstreams' APIs that end within 120 days, which is no fault yet, or have ended, which is one where a site uses it. */
  readonly versions: readonly VersionEnding[];
}

/** A webhook that does not arrive, and why. */
type FailingWebhook = Pick<Webhook, "id" | "name" | "project_id" | "off" | "failing_since" | "left_out_at">;

/** One that a person turned off needs nobody. */
const failingWebhooks = (all: readonly Webhook[]): FailingWebhook[] =>
  all.filter(({ off, failing_since, left_out_at }) =>
    off === null ? failing_since !== null || left_out_at !== null : off.by === "gateway"
  ).map(({ id, name, project_id, off, failing_since, left_out_at }) => ({
    ...{ id, name, project_id },
    ...{ off, failing_since, left_out_at },
  }));

/** Room that before-images take. */
interface KeptChanges {
  readonly changes: number;
  readonly bytes: number;
  readonly near_quota: readonly {
    readonly site_id: string;
    readonly bytes: number;
    readonly quota_bytes: number;
    /** When the oldest change was made that can still be taken back, ISO 8601. */
    readonly oldest_at: string;
  }[];
}

/** Of its quota a site has used so much before health names it. */
const NEAR_QUOTA = 0.8;

/**
 * How the gateway does now. Throws where the store does not answer. `foreignRecords` looks for records that it did not write, for
 * which every one is read.
 */
export async function healthReport(
  ports: AdminPorts,
  foreignRecords: () => Promise<readonly string[]> = () => ports.store.foreignRecords(),
): Promise<HealthReport> {
  const problems = await ports.problems();
  await ports.store.ping(); // a store that is damaged or gone may still answer what follows
  const clock = new Date(ports.now()).toISOString();
  const jobs = ports.jobs();
  const tools = await ports.proxiedTools();
  const [retention, foreign, sealed, kept_changes, held_tools, unheld, versions, sites, freezes] =
    await Promise
      .all([
        ports.retention.state(),
        foreignRecords(),
        sealedElsewhere(ports.store),
        keptChanges(ports.store),
        proven(tools.held()),
        proven(tools.unheld()),
        proven(ports.versions()),
        proven(ports.store.sites.list()),
        proven(ports.store.freezes.list()),
      ]);
  const webhooks = failingWebhooks(await proven(ports.store.webhooks.list()));
  const ok = retention.waiting === null && foreign.length === 0 && sealed.length === 0 &&
    held_tools.length === 0 &&
    webhooks.every(({ off }) => off === null) &&
    versions.every(({ days_left, sites }) => days_left > 0 || sites === 0) &&
    !jobs.some((job) => isJobWrong(job, ports.now())) && problems.length === 0;
  return {
    ok,
    gateway_version: VERSION,
    clock,
    problems,
    retention,
    jobs,
    sealed,
    foreign,
    unpreviewed: sites.map(unpreviewed).filter((one) => one !== null),
    proxies: ports.proxies(),
    held_tools,
    unheld,
    freezes,
    kept_changes,
    webhooks,
    versions,
  };
}

/** What was read; nothing where a record of it is not as the gateway wrote it, for that is told by itself. */
async function proven<T>(reading: readonly T[] | Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await reading;
  } catch (fault) {
    if (fault instanceof ForeignRecord) return [];
    throw fault;
  }
}

/** Adds the health page. */
export function healthRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/health", async (c) => answer(c, await healthReport(ports)));
}

/** Adds the figures for Prometheus, for whoever has the master token and no METRICS_TOKEN. */
export function metricsRoute(app: Hono, ports: AdminPorts, { check }: Pick<AdminGate, "check">): void {
  app.get(
    "/admin/metrics",
    check,
    async () => new Response(await ports.metrics(), { headers: { "content-type": METRICS_TYPE } }),
  );
}

/** Requests' ids say when they were made. */
async function keptChanges({ changes }: AdminPorts["store"]): Promise<KeptChanges> {
  const rooms = await changes.room();
  const quota_bytes = LIMITS.UNDO_SITE_BYTES;
  const near_quota = rooms.filter(({ bytes }) => bytes >= quota_bytes * NEAR_QUOTA)
    .map(({ site_id, bytes, oldest: { request_id } }) => {
      const oldest_at = new Date(decodeTime(request_id)).toISOString();
      return { site_id, bytes, quota_bytes, oldest_at };
    });
  const sum = (of: "changes" | "bytes") => rooms.reduce((total, one) => total + one[of], 0);
  return { changes: sum("changes"), bytes: sum("bytes"), near_quota };
}

/** People are named as an operator knows them. */
async function sealedElsewhere({ missingKeys, users }: AdminPorts["store"]): Promise<SealedRecord[]> {
  const found: SealedRecord[] = [];
  for (const record of await missingKeys()) {
    const isPersons = record.kind !== "credential" && record.kind !== "webhook";
    const of = isPersons ? await emailOf(users, record.of) : record.of;
    if (of !== undefined) found.push({ ...record, of }); // of a user who was removed nothing is used
  }
  return found;
}

/** Of a person whose record is not as the gateway wrote it, the id. */
async function emailOf(users: AdminPorts["store"]["users"], id: string): Promise<string | undefined> {
  try {
    return (await users.get(id))?.email;
  } catch (fault) {
    if (fault instanceof ForeignRecord) return id;
    throw fault;
  }
}

const DAYS_DEFAULT = 7;
/** Of hundreds of sites more days are too much for one answer. */
const DAYS_OF_ALL_MAX = 31;
const days_error = expected(`a whole number from 1 to ${LIMITS.SNAPSHOT_DAYS_KEPT}`);
const query = closed({
  days: z.string().regex(/^\d{1,4}$/, { error: days_error }).transform(Number)
    .pipe(z.number().min(1, { error: days_error }).max(LIMITS.SNAPSHOT_DAYS_KEPT, { error: days_error }))
    .optional(),
  site_id: z.string().regex(SITE_ID, { error: expected("a site id") }).optional(),
});

/** Adds the page of snapshots. */
export function snapshotRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/snapshots", async (c) => {
    const { days, site_id } = parameters(query, c.req.url);
    if (site_id !== undefined) await findSite(site_id, ports);
    else if (days !== undefined && days > DAYS_OF_ALL_MAX) {
      refuseAny([`days: at most ${DAYS_OF_ALL_MAX} of all sites; name one with site_id for more`]);
    }
    return answer(c, await ports.snapshots(days ?? DAYS_DEFAULT, site_id));
  });
}

/** A site that is linked to a repository, and the installation that covers its owner; null where none does. */
interface LinkedSite extends Pick<Site, "id" | "name" | "platform" | "repo" | "repo_branch" | "repo_prefix"> {
  readonly installation_id: number | null;
}

/** The repository app and the sites that are linked to what it reaches. A host that fails is told of in it, never thrown. */
export async function repoReport(
  ports: AdminPorts,
): Promise<RepoAppReport & { readonly sites: readonly LinkedSite[] }> {
  const report = await ports.overview("repo") as RepoAppReport;
  const owners = new Map(report.installations.map((one) => [one.account.toLowerCase(), one]));
  const linked = (await ports.store.sites.list()).filter((site) => site.repo !== null);
  const sites = linked.map(({ id, name, platform, repo, repo_branch, repo_prefix }) => ({
    id,
    name,
    platform,
    repo,
    repo_branch,
    repo_prefix,
    installation_id: owners.get(repo!.split("/")[0]!.toLowerCase())?.id ?? null,
  }));
  return { ...report, sites };
}

/** Adds the route GET /admin/api/repo. A host that fails is told of in the answer; the sites are shown all the same. */
export function repoRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/repo", async (c) => answer(c, await repoReport(ports)));
}
