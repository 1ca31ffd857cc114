/** Lists the preview branches of static sites, and deletes those that are merged, for whoever holds the master token. */
import { GatewayError } from "../core/errors.ts";
import { quoted } from "../core/faults.ts";
import { LIMITS, type Site } from "../core/model.ts";
import type { Connector } from "../platforms/_connector/connector.ts";
import type { FoundPreviews, PreviewsSpec, Removal } from "../platforms/_connector/operator.ts";
import type {
  PreviewList,
  PreviewRepository,
  PreviewRow,
  PreviewsCleaned,
  RemovedPreview,
} from "../registry/preview_report.ts";
import { pushedSince } from "../rules/branch.ts";
import type { Store } from "../store/store.ts";
import { type Actor, adminRow, appendOrLog, tookSince } from "./audit/admin_row.ts";
import { makeConnectorContext } from "./connector_context.ts";
import { refuseFrozen } from "./pipeline/freeze.ts";
import type { ReviewPorts } from "./probe.ts";

/** What it is done with. */
export type PreviewPorts = ReviewPorts & {
  readonly store: ReviewPorts["store"] & {
    readonly sites: Pick<Store["sites"], "list">;
    readonly previews: Pick<Store["previews"], "list" | "claim" | "forget">;
    readonly freezes: Pick<Store["freezes"], "of">;
  };
};

/** Who asks, and of which site; of all static sites without one. */
export interface PreviewAsk {
  readonly site_id?: string;
  readonly by: Actor;
}

/** A branch as it was listed. */
export interface ListedPreview {
  readonly branch: string;
  readonly commit: string;
}

/** A repository: its static sites, and one of them for each branch that is deployed. */
interface Group {
  readonly repository: string;
  readonly sites: readonly Site[];
  readonly lookers: readonly Site[];
  /** What any site of the repository is deployed from. */
  readonly deployed: readonly string[];
}

/**
 * What would be deleted, and why the rest stays; nothing is changed. What fails of one repository is said there and stops no
 * other. The audit gets one row with numbers. Throws E_NOT_FOUND, E_REPO_NOT_LINKED for the site that was named.
 */
export async function listPreviews(ports: PreviewPorts, ask: PreviewAsk): Promise<PreviewList> {
  const began = { ...adminRow(ports.newId(), ask.by, ports.now(), "preview.list", {}), site_id: siteOf(ask) };
  const repositories: PreviewRepository[] = [];
  for (const group of await groupsOf(ports, ask.site_id)) repositories.push(await look(ports, group, null));
  const confirm = repositories.flatMap(({ branches }) => branches.filter(({ keep }) => keep === null))
    .slice(0, LIMITS.PREVIEW_REMOVALS_MAX).map(({ branch, commit }) => `${branch}@${commit}`);
  const counts = repositories.map(({ repository, branches, left, problem }) => ({
    repository,
    listed: branches.length,
    merged: branches.filter(({ keep }) => keep === null).length,
    left,
    ...problem === null ? {} : { problem: problem.code },
  }));
  await appendOrLog(ports, {
    ...began,
    arguments: { repositories: counts },
    duration_ms: tookSince(began, ports.now()),
  });
  return { needs_confirmation: true, repositories, confirm };
}

/**
 * Deletes those of the listed branches that are merged still and end where they did, one after another, each with rows of
 * its own in the audit: one before it is sent, one with what became of it. Throws as `listPreviews` does, and E_INTERNAL
 * where a row cannot be written, before anything more is sent.
 */
export async function cleanPreviews(
  ports: PreviewPorts,
  ask: PreviewAsk,
  listed: readonly ListedPreview[],
): Promise<PreviewsCleaned> {
  const only = new Set(listed.map(({ branch }) => branch));
  const removed: RemovedPreview[] = [];
  const found = new Set<ListedPreview>();
  for (const group of await groupsOf(ports, ask.site_id)) {
    const shown = await look(ports, group, only);
    let wait: number | null = null;
    for (const one of listed) {
      const row = shown.branches.find(({ branch }) => branch === one.branch);
      if (row === undefined) continue;
      found.add(one);
      const refused = wait === null
        ? refusalOf(one, row)
        : `not tried: the host asks to be left alone for ${wait} s`;
      const removal: Removal = refused === null
        ? await remove(ports, { group, row, ask })
        : { outcome: "left", reason: refused };
      wait ??= removal.wait ?? null;
      removed.push({
        ...one,
        repository: group.repository,
        outcome: removal.outcome,
        reason: removal.reason,
      });
    }
    for (const one of shown.problem === null ? [] : listed.filter((other) => !found.has(other))) {
      found.add(one);
      removed.push({ ...one, repository: null, outcome: "left", reason: shown.problem!.message });
    }
  }
  const reason = "no repository of these sites has such a branch";
  for (const one of listed.filter((other) => !found.has(other))) {
    removed.push({ ...one, repository: null, outcome: "left", reason });
  }
  return { removed };
}

const siteOf = ({ site_id }: PreviewAsk) => site_id ?? null;

/** Why a branch is not even tried; null where nothing stands against it. */
function refusalOf({ commit }: ListedPreview, row: PreviewRow): string | null {
  return row.commit === commit ? row.keep : pushedSince(row.commit);
}

/** The repositories that are to be looked at, each once. */
async function groupsOf({ store, connectors }: PreviewPorts, site_id: string | undefined): Promise<Group[]> {
  const all = await store.sites.list();
  const { kinds = [] } = specOf(connectors.all).connector;
  const isOf = (site: Site) => kinds.includes(site.platform) && site.repo !== null;
  const asked = site_id === undefined ? undefined : all.find(({ id }) => id === site_id);
  if (site_id !== undefined && asked === undefined) {
    throw new GatewayError("E_NOT_FOUND", `No site ${quoted(site_id)}; list the sites to find it`);
  }
  if (asked !== undefined && !isOf(asked)) {
    throw new GatewayError(
      "E_REPO_NOT_LINKED",
      `Site "${asked.id}" is no static site with a repository, so it has no preview branches`,
    );
  }
  const named = Map.groupBy(all.filter(({ repo }) => repo !== null), ({ repo }) => repo!.toLowerCase());
  return [...named].flatMap(([name, some]) => {
    const sites = some.filter(isOf);
    if (sites.length === 0 || (asked !== undefined && asked.repo!.toLowerCase() !== name)) return [];
    const lookers = [...new Map(sites.map((site) => [site.repo_branch, site])).values()];
    const deployed = some.flatMap(({ repo_branch }) => repo_branch ?? []);
    return [{ repository: sites[0]!.repo!, sites, lookers, deployed }];
  });
}

function specOf(all: readonly Connector[]): { connector: Connector; spec: PreviewsSpec } {
  const connector = all.find(({ previews }) => previews !== undefined);
  if (connector === undefined) throw new GatewayError("E_NOT_SUPPORTED", "No connector has preview branches");
  return { connector, spec: connector.previews! };
}

/** Looks at a repository; where sites are deployed from several branches a preview must have come to each of them. */
async function look(
  ports: PreviewPorts,
  { repository, sites, lookers, deployed: others }: Group,
  only: ReadonlySet<string> | null,
): Promise<PreviewRepository> {
  const { connector, spec } = specOf(ports.connectors.all);
  const looks: FoundPreviews[] = [];
  let problem: PreviewRepository["problem"] = null;
  try {
    await refuseFrozen(ports.store.freezes, sites);
  } catch (thrown) {
    problem = problemOf(thrown);
  }
  const isFrozen = problem !== null;
  for (const site of lookers) {
    const deadline = ports.now() + LIMITS.CALL_DEADLINE_MS;
    const ctx = makeConnectorContext(ports, { site, caller: null, deadline }, connector);
    try {
      looks.push(await spec.look(ctx, { only, deployed: others }));
    } catch (thrown) {
      problem ??= problemOf(thrown);
    }
  }
  const ended = looks.find((one) => one.problem !== null)?.problem;
  if (ended) problem ??= problemOf(ended);
  const remembered = (await ports.store.previews.list())
    .filter(({ site_id }) => sites.some(({ id }) => id === site_id));
  const currentFor = (branch: string) =>
    remembered.filter((one) => one.branch === branch).map(({ token_id, site_id }) =>
      `${token_id} on ${site_id}`
    );
  const isWhole = looks.length === lookers.length;
  const branches = joined(looks, lookers.length).map((one): PreviewRow => ({
    ...one,
    keep: isFrozen ? problem!.message : isWhole ? one.keep : one.keep ?? problem!.message,
    current_for: currentFor(one.branch),
  }));
  return {
    repository,
    sites: sites.map(({ id }) => id),
    deployed: [...new Set(looks.flatMap(({ deployed }) => deployed ?? []))],
    branches,
    left: Math.max(0, ...looks.map(({ left }) => left)),
    problem,
  };
}

function problemOf(thrown: unknown): NonNullable<PreviewRepository["problem"]> {
  if (thrown instanceof GatewayError) return { code: thrown.code, message: thrown.message };
  throw thrown;
}

/** One row for each branch: what keeps it of one deployed branch keeps it. */
function joined(looks: readonly FoundPreviews[], count: number): FoundPreviews["branches"] {
  const all = Map.groupBy(looks.flatMap(({ branches }) => branches), ({ branch }) => branch);
  return [...all.values()].map((some) => {
    const one = some.find(({ keep }) => keep !== null) ?? some[0]!;
    const keep = some.some(({ commit }) => commit !== one.commit)
      ? "somebody pushed to it while it was looked at"
      : some.length < count
      ? "it was not compared with every branch that is deployed"
      : null;
    return { ...one, keep: one.keep ?? keep };
  });
}

/** Forgets who writes to it, deletes it, and remembers again where it stayed. */
async function remove(
  ports: PreviewPorts,
  { group, row, ask }: { readonly group: Group; readonly row: PreviewRow; readonly ask: PreviewAsk },
): Promise<Removal> {
  const { repository, sites } = group;
  const { branch, commit, merged } = row;
  const { store: { previews } } = ports;
  const site = sites.find(({ id }) => id === ask.site_id) ?? sites[0]!;
  const what = { repository, branch, commit, merged };
  const began = {
    ...adminRow(ports.newId(), ask.by, ports.now(), "preview.delete", what),
    site_id: site.id,
  };
  await appendOrLog(ports, { ...began, status: "started" });
  const ended = (more: object) =>
    appendOrLog(ports, { ...began, duration_ms: tookSince(began, ports.now()), ...more });
  const of = (await previews.list())
    .filter((one) => one.branch === branch && sites.some(({ id }) => id === one.site_id));
  for (const { token_id, site_id } of of) await previews.forget(token_id, site_id, branch);
  let removal: Removal | null = null;
  try {
    const { connector, spec } = specOf(ports.connectors.all);
    const deadline = ports.now() + LIMITS.CALL_DEADLINE_MS;
    const call = { site, caller: null, deadline, cleaning: true } as const;
    removal = await spec.remove(makeConnectorContext(ports, call, connector), { branch, commit });
  } catch (thrown) {
    const { code, message, retryAfter } = asFailure(ports, began.id, thrown);
    removal = { outcome: "left", reason: message, ...retryAfter === undefined ? {} : { wait: retryAfter } };
    await ended({ status: "error", error: code, arguments: { ...what, outcome: "left" } });
    return removal;
  } finally {
    if (removal?.outcome === "left") {
      for (const { token_id, site_id } of of) await previews.claim(token_id, site_id, branch);
    }
  }
  const { outcome, reason } = removal;
  const isDone = outcome === "deleted";
  await ended({
    arguments: isDone ? what : { ...what, outcome, reason },
    ...isDone ? {} : { status: "error", error: "E_UPSTREAM" },
  });
  return removal;
}

function asFailure(ports: PreviewPorts, id: string, thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  ports.report(id, thrown);
  return new GatewayError("E_INTERNAL", "Something failed inside the gateway; its log says what");
}
