/** Snapshots: which days are kept of which site, what failed and what follows, and when it was run; opening it asks nobody anything. */
import { counted } from "../../core/one_line.ts";
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { SnapshotDay, SnapshotReport, SnapshotRun, SnapshotSite } from "../../core/model.ts";
import { LIMITS } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { isOwnSite } from "../../admin/site_rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { dayText } from "../chart.tsx";
import { Field, Select } from "../form.tsx";
import { Empty, Section, Stats, Tag, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { asPerson, assertAdmin, type PagesParts } from "./frame.tsx";
import { siteAddress, SITES } from "./sites_list.tsx";

/** Where the page is. */
export const SNAPSHOTS = "/admin/snapshots";
const DAYS = [
  { value: "7", label: "7 days" },
  { value: "31", label: "31 days" },
];
const DAYS_OF_ONE = [...DAYS, { value: String(LIMITS.SNAPSHOT_DAYS_KEPT), label: "all that is kept" }];
/** More sites than that are not listed at once; those that lack something come first. */
const SITES_SHOWN = 50;
const RUNS_SHOWN = 20;
/** Of one site, whose days are listed each. */
const DAYS_LISTED = 60;

/** Adds the page. */
export function snapshotPages(app: Hono, parts: PagesParts): void {
  app.get(SNAPSHOTS, (c) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, "sees what is kept of sites by the day");
      return await snapshotsPage(c, person, parts);
    }));
}

interface Asked {
  readonly days: string;
  readonly site: string;
}

const isKept = ({ status }: SnapshotDay) => status === "ok" || status === "empty";
const isUnlinked = ({ status }: SnapshotDay) => status === "unlinked";
const newestOf = ({ days }: SnapshotSite) => days.at(-1)!;

/** The report of the person's own sites. */
async function ownReport(
  { ports }: PagesParts,
  { caller }: Person,
  { days, site }: Asked,
): Promise<SnapshotReport> {
  const isOne = site !== "" && await ports.store.sites.get(site) !== null;
  const report = await ports.snapshots(Number(days), isOne ? site : undefined);
  const sites = report.sites.filter(({ site_id }) =>
    isOwnSite(caller, site_id) && (site === "" || site_id.includes(site))
  );
  return {
    ...report,
    sites,
    complete: sites.every((one) => isKept(newestOf(one)) || isUnlinked(newestOf(one))),
  };
}

function askedBy(c: Context): Asked {
  const site = c.req.query("site")?.trim().toLowerCase() ?? "";
  const days = c.req.query("days") ?? "";
  const offered = site === "" ? DAYS : DAYS_OF_ONE;
  return { site, days: offered.some(({ value }) => value === days) ? days : DAYS[0]!.value };
}

async function snapshotsPage(c: Context, person: Person, parts: PagesParts): Promise<Response> {
  const asked = askedBy(c);
  const report = await ownReport(parts, person, asked);
  const products = new Map(parts.ports.connectors.all.map(({ name, product }) => [name, product]));
  const [only, ...others] = report.sites;
  const isOne = only !== undefined && others.length === 0 && asked.site !== "";
  return await showPage(
    c,
    { title: "Snapshots", visitor: person, current: SNAPSHOTS, wide: true, times: true },
    <>
      <p>
        Some services show a site's figures of the last few days only. Each night, from 01:30 UTC on, the
        gateway keeps the day that is over. What failed is tried again at half past each hour of that day;
        later that day's figures can no longer be had.
      </p>
      {report.sites.length === 0 && asked.site === "" ? <NothingLinked parts={parts} /> : (
        <>
          <SearchForm asked={asked} />
          <Summary report={report} />
          <Sites sites={report.sites} dates={report.dates} products={products} />
          {isOne ? <DaysOfOne site={only} /> : <ByDay {...report} />}
          <Runs runs={report.runs} products={products} />
        </>
      )}
    </>,
  );
}

function NothingLinked({ parts }: { readonly parts: PagesParts }): Child {
  const names = parts.ports.connectors.all.flatMap(({ product, daily }) => daily ? [product] : []);
  return (
    <Empty
      title="No site is linked to what snapshots are kept of"
      action={{ href: SITES, label: "Open sites" }}
    >
      {`Link one to ${
        names.join(" or ")
      }: open it, and fill that part of its settings in. The first day is kept in the night after.`}
    </Empty>
  );
}

function SearchForm({ asked: { site, days } }: { readonly asked: Asked }): Child {
  return (
    <form method="get" action={SNAPSHOTS} class="filters" role="search">
      <Field
        name="site"
        label="Site (its id, or a part)"
        value={site}
        required={false}
        autocomplete="off"
        maxlength={100}
      />
      <Select name="days" label="Days" value={days} options={site === "" ? DAYS : DAYS_OF_ONE} />
      <button type="submit" class="quiet">Show</button>
    </form>
  );
}

function Summary({ report: { sites, next_due } }: { readonly report: SnapshotReport }): Child {
  const newest = sites.map(newestOf);
  const failed = newest.filter(({ status }) => status === "failed").length;
  const missing = newest.filter(({ status }) => status === "missing").length;
  const kept = newest.filter(isKept).length;
  return (
    <>
      <Stats
        all={[
          { label: "Sites linked", value: sites.length },
          { label: "Have the newest day", value: kept },
          { label: "Failed", value: failed },
          { label: "Missing", value: missing },
        ]}
      />
      <p>
        {"The next day's are due at "}
        <Time at={next_due} />.
      </p>
    </>
  );
}

/** Those that lack the newest day first, failed before missing, then by how many days they lack. */
function byTrouble(one: SnapshotSite, other: SnapshotSite): number {
  const rank = (site: SnapshotSite) => ["failed", "missing"].indexOf(newestOf(site).status);
  const [first, second] = [rank(one), rank(other)].map((at) => at === -1 ? 2 : at) as [number, number];
  return first - second || other.days_missing - one.days_missing;
}

const TONES = { ok: "good", empty: "plain", failed: "bad", missing: "wait", unlinked: "plain" } as const;
const STATUS_WORDS = {
  ok: "kept",
  empty: "kept, without visits",
  failed: "failed",
  missing: "missing",
  unlinked: "not linked yet",
} as const;

function State({ status, late }: SnapshotDay): Child {
  return <Tag tone={TONES[status]}>{`${STATUS_WORDS[status]}${late ? ", late" : ""}`}</Tag>;
}

/** Why a day is not there, and what follows. */
function Why({ day, site_id }: { readonly day: SnapshotDay; readonly site_id: string }): Child {
  const { status, error, attempts, to_come } = day;
  if (status === "unlinked") return "The site was linked later.";
  if (status === "missing") {
    return to_come
      ? "Nobody has asked yet: the next run does, at half past the hour."
      : "Nobody asked on that day, and it can no longer be had.";
  }
  if (status !== "failed") {
    return day.late ? "Taken late: part of it belongs to the day after." : "nothing to do";
  }
  const times = attempts > 1 ? ` It was tried ${attempts} times.` : "";
  const next = to_come ? " It is tried again at half past the hour." : "";
  return (
    <>
      {`${seen(error ?? "")}.${times}${next} `}
      {!to_come && <a href={`${siteAddress(site_id)}/edit`}>Change its settings</a>}
    </>
  );
}

function Sites(
  { sites, dates, products }: Pick<SnapshotReport, "sites" | "dates"> & {
    readonly products: ReadonlyMap<string, string>;
  },
): Child {
  const shown = sites.toSorted(byTrouble).slice(0, SITES_SHOWN);
  const more = sites.length > shown.length ? `, ${shown.length} shown: search for others` : "";
  const rows = shown.map((site) => {
    const last = site.days.findLast(isKept);
    const day = newestOf(site);
    return [
      <a href={siteAddress(site.site_id)}>{site.site_id}</a>,
      `${products.get(site.connector) ?? site.connector} (${seen(site.source)})`,
      last === undefined ? "none of these days" : dayText(last.date),
      `${site.snapshot_count} of ${dates.length - site.days.filter(isUnlinked).length}`,
      <State {...day} />,
      <Why day={day} site_id={site.site_id} />,
    ];
  });
  return (
    <Section id="sites" title="By site">
      <Table
        caption={`${sites.length} linked${more}; the newest day is ${dayText(dates.at(-1) ?? "")}`}
        columns={["Site", "From", "Last kept", "Days kept", "Newest day", "Why, and what follows"]}
        rows={rows}
        empty="No linked site of yours fits. Search for a part of its id."
      />
    </Section>
  );
}

function ByDay({ sites, dates }: SnapshotReport): Child {
  if (sites.length === 0) return null;
  const rows = dates.toReversed().map((date) => {
    const of = sites.map((site) => ({ ...site, day: site.days.find((day) => day.date === date)! }));
    const count = (is: (day: SnapshotDay) => boolean) => of.filter(({ day }) => is(day)).length;
    const late = count((day) => day.late);
    const linked = sites.length - count(isUnlinked);
    if (linked === 0) return [dayText(date), "no site was linked yet", "0", "0", "none"];
    const lacking = of.filter(({ day }) => !isKept(day) && !isUnlinked(day));
    const names = lacking.slice(0, 5).map(({ site_id }) => site_id).join(", ");
    return [
      dayText(date),
      `${count(isKept)} of ${linked}${late > 0 ? ` (${late} late)` : ""}`,
      String(count(({ status }) => status === "failed")),
      String(count(({ status }) => status === "missing")),
      lacking.length === 0 ? "none" : lacking.length > 5 ? `${names} and ${lacking.length - 5} more` : names,
    ];
  });
  return (
    <Section id="days" title="By day">
      <Table
        caption="The newest first, days in UTC"
        columns={["Day", "Kept", "Failed", "Missing", "Sites without it"]}
        rows={rows}
        empty=""
      />
    </Section>
  );
}

function DaysOfOne({ site }: { readonly site: SnapshotSite }): Child {
  const first = site.days.findIndex(isKept);
  const since = site.days.slice(first === -1 ? -DAYS_LISTED : first);
  const shown = since.toReversed().slice(0, DAYS_LISTED);
  return (
    <Section id="days" title={`Each day of ${site.site_id}`}>
      <Table
        caption={`${counted(shown.length, "day")}, the newest first, in UTC`}
        columns={["Day", "State", "Why, and what follows"]}
        rows={shown.map((day) => [
          dayText(day.date),
          <State {...day} />,
          <Why day={day} site_id={site.site_id} />,
        ])}
        empty=""
      />
    </Section>
  );
}

function Runs(
  { runs, products }: {
    readonly runs: readonly SnapshotRun[];
    readonly products: ReadonlyMap<string, string>;
  },
): Child {
  const newest = runs.toSorted((one, other) => one.started_at < other.started_at ? 1 : -1);
  return (
    <Section id="runs" title="Runs">
      <Table
        caption="Of all sites, the newest first; there is one of its own only where something was due"
        columns={["Begun", "Ended", "For", "Due", "With figures", "Without visits", "Failed"]}
        rows={newest.slice(0, RUNS_SHOWN).map((run) => [
          <Time at={run.started_at} />,
          run.ended_at === null ? "cut off, or under way" : <Time at={run.ended_at} />,
          `${dayText(run.date)}, ${products.get(run.connector) ?? run.connector}`,
          String(run.due),
          String(run.ok),
          String(run.empty),
          String(run.failed),
        ])}
        empty="No run in these days. Each begins by itself; nothing has to be started."
      />
    </Section>
  );
}
