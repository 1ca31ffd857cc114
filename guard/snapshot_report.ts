/** What an operator sees of the snapshots: which days each linked site has, what failed and why, and when it was run. */
import type {
  Site,
  Snapshot,
  SnapshotDay,
  SnapshotFigures,
  SnapshotReport,
  SnapshotRun,
  SnapshotSite,
} from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import { dayOf, daysUpTo, dueAt, isForeign, newestDate } from "../rules/snapshot_days.ts";
import type { Store } from "../store/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What it depends on. */
export interface SnapshotReportPorts {
  readonly store: Pick<Store, "snapshots" | "sites">;
  readonly connectors: Connectors;
  now(): number;
}

/** The report over so many days; of one site where it is named. */
async function snapshotReport(
  { store, connectors, now }: SnapshotReportPorts,
  days: number,
  site_id?: string,
): Promise<SnapshotReport> {
  const newest = newestDate(now());
  const dates = daysUpTo(newest, days);
  const all = (await store.sites.list()).filter(({ id }) => site_id === undefined || id === site_id);
  const runs: SnapshotRun[] = [];
  const sites: SnapshotSite[] = [];
  for (const { name, daily } of connectors.all) {
    if (!daily) continue;
    runs.push(...await store.snapshots.runs(name, dates[0]!, newest));
    for (const site of all) {
      const source = daily.source(site);
      if (source !== null) sites.push(await siteShown({ store, now }, name, site, source, dates));
    }
  }
  const isThere = ({ days }: SnapshotSite) => ["ok", "empty", "unlinked"].includes(days.at(-1)!.status);
  const due = dueAt(now());
  return {
    next_due: new Date(due > now() ? due : due + DAY_MS).toISOString(),
    dates,
    complete: sites.every(isThere),
    runs,
    sites,
  };
}

async function siteShown(
  { store, now }: Pick<SnapshotReportPorts, "store" | "now">,
  connector: string,
  site: Site,
  source: string,
  dates: readonly string[],
): Promise<SnapshotSite> {
  const kept = await store.snapshots.list(connector, site.id, dates[0]!, dates.at(-1)!);
  const own = new Map(kept.filter((one) => !isForeign(one, source, now())).map((one) => [one.date, one]));
  const before = own.has(dates[0]!) ? null : await store.snapshots.before(connector, site.id, dates[0]!);
  const isOlder = before !== null && !isForeign(before, source, now());
  const since = isOlder ? dates[0]! : firstOwed(site, [...own.keys()].sort()[0]);
  // Only yesterday's can still be had: the upstream has no other day by itself.
  const last = dayOf(now() - DAY_MS);
  const days = dates.map((date) => {
    const one = own.get(date);
    return one === undefined
      ? dayWithout(date, date < since ? "unlinked" : "missing", date === last)
      : dayShown(one, date === last, site.credentials_version);
  });
  const count = (...of: SnapshotDay["status"][]) => days.filter(({ status }) => of.includes(status)).length;
  return {
    ...{ site_id: site.id, connector, source },
    snapshot_count: count("ok", "empty"),
    days_missing: count("failed", "missing"),
    days,
  };
}

/**
 * The first day that is owed of a site of which nothing older is kept. When it was linked is not stored: not after its record
 * was last changed, and not after the first day that is kept. On the day of the link the day before can still be had.
 */
function firstOwed({ updated_at }: Site, first_kept: string | undefined): string {
  const changed = dayOf(Date.parse(updated_at) - DAY_MS);
  return first_kept !== undefined && first_kept < changed ? first_kept : changed;
}

/** A day of which nothing is kept. */
const dayWithout = (date: string, status: "missing" | "unlinked", isLast: boolean): SnapshotDay => ({
  ...{ date, status, late: false, attempts: 0, error: null },
  to_come: status === "missing" && isLast,
});

function dayShown(kept: Snapshot, isLast: boolean, credentials_version: number): SnapshotDay {
  const { date, status, late, attempts, error, retry } = kept;
  const isRetried = status === "failed" && (retry || kept.credentials_version !== credentials_version);
  return { date, status, late, attempts, error, to_come: isLast && isRetried };
}

/** Both, for the admin side. */
export const snapshotViews = (ports: SnapshotReportPorts) => ({
  snapshots: (days: number, site_id?: string) => snapshotReport(ports, days, site_id),
  figures: (site: Site, days: number) => snapshotFigures(ports, site, days),
});

/** What is kept of a site for its last days, as a chart draws it; of days without a snapshot nothing. */
async function snapshotFigures(
  { store, connectors, now }: SnapshotReportPorts,
  site: Site,
  days: number,
): Promise<SnapshotFigures[]> {
  const dates = daysUpTo(newestDate(now()), days);
  const found: SnapshotFigures[] = [];
  for (const { name, product, daily } of connectors.all) {
    const source = daily?.source(site) ?? null;
    if (source === null) continue;
    const kept = await store.snapshots.list(name, site.id, dates[0]!, dates.at(-1)!);
    const own = kept.filter((one) => one.status !== "failed" && !isForeign(one, source, now()));
    const byDate = new Map(own.map((one) => [one.date, numbersOf(one.metrics ?? {})]));
    found.push({ product, days: dates.map((date) => ({ date, figures: byDate.get(date) ?? null })) });
  }
  return found;
}

const numbersOf = (metrics: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(metrics).filter((one): one is [string, number] => typeof one[1] === "number"),
  );
