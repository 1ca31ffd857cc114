/** The list of what waits for a person: filtered, in pages, and chosen to be decided together. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ApprovalReport } from "../../admin/ports.ts";
import { approvalFigures } from "../../admin/approval_figures.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Select } from "../form.tsx";
import { titleText } from "../layout.tsx";
import { Empty } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { mayApprove } from "./approval_events.ts";
import {
  APPROVALS,
  askerOf,
  clientOf,
  lasting,
  type Names,
  personOf,
  siteName,
  siteNames,
  stateWord,
  titleOf,
} from "./approval_words.ts";
import { CEILINGS, time } from "./words.ts";

/** Rows of a page, which is also how many can be decided together: each is planned anew to be shown. */
export const TOGETHER_MAX = 20;
/** Where it is told how many wait. */
export const EVENTS = `${APPROVALS}/events`;
const HOUR = 3_600_000;
const WAITS = { "1": "over an hour", "24": "over a day", "72": "over three days" };

/** What the list is narrowed by. */
const FILTERS = ["site", "project", "person", "client", "tier", "waits"] as const;
type Filter = (typeof FILTERS)[number];

/** A list that is shown to somebody. */
export interface Inbox {
  readonly all: readonly ApprovalReport[];
  readonly names: Names;
  readonly projects: ReadonlyMap<string, string>;
  readonly now: number;
}

interface Option {
  readonly value: string;
  readonly label: string;
}

const projectsOf = ({ sites }: ApprovalReport, names: Names): readonly string[] =>
  sites.flatMap((id) => names.sites.get(id)?.project_id ?? []);

/** What a request has for each filter. */
function valuesOf(one: ApprovalReport, { names, now }: Inbox): Readonly<Record<Filter, readonly string[]>> {
  const waited = (now - Date.parse(one.asked_at)) / HOUR;
  return {
    site: one.sites,
    project: projectsOf(one, names),
    person: [one.owner_user_id ?? "-"],
    client: [one.token_id],
    tier: [String(one.tier)],
    waits: Object.keys(WAITS).filter((hours) => waited >= Number(hours)),
  };
}

const LABELS: Readonly<Record<Filter, string>> = {
  site: "Site",
  project: "Project",
  person: "For whom",
  client: "Asked by",
  tier: "Tier",
  waits: "Waits",
};

/** The choices of each filter, by what the requests have. */
function optionsOf(inbox: Inbox): Readonly<Record<Filter, readonly Option[]>> {
  const { all, names, projects } = inbox;
  const options = Object.fromEntries(FILTERS.map((name) => [name, new Map<string, string>()])) as Record<
    Filter,
    Map<string, string>
  >;
  for (const one of all) {
    const values = valuesOf(one, inbox);
    values.site.forEach((id) => options.site.set(id, siteName(id, names)));
    values.project.forEach((id) => options.project.set(id, seen(projects.get(id) ?? id)));
    options.person.set(values.person[0]!, personOf(one, names) ?? "nobody in particular");
    options.client.set(one.token_id, clientOf(one));
    options.tier.set(String(one.tier), `${one.tier}: ${CEILINGS[one.tier]}`);
  }
  for (const [hours, label] of Object.entries(WAITS)) options.waits.set(hours, label);
  const sorted = (map: Map<string, string>) =>
    [...map].map(([value, label]) => ({ value, label })).sort((a, b) => a.label < b.label ? -1 : 1);
  return {
    ...Object.fromEntries(FILTERS.map((name) => [name, sorted(options[name])])) as Record<Filter, Option[]>,
    waits: [...options.waits].map(([value, label]) => ({ value, label })),
  };
}

/** What the address asks for. */
function askedFor(c: Context) {
  const filters = FILTERS.flatMap((name) => {
    const value = c.req.query(name);
    return value ? [[name, value] as const] : [];
  });
  return {
    filters: new Map<Filter, string>(filters),
    decided: c.req.query("state") === "decided",
    page: Math.max(1, Math.floor(Number(c.req.query("page")) || 1)),
    chosen: c.req.query("chosen") === "all",
  };
}
type Asked = ReturnType<typeof askedFor>;

/** Which states the address asks for. */
export const statesOf = (c: Context) =>
  askedFor(c).decided ? ["approved", "rejected", "expired"] as const : ["pending"] as const;

function addressWith({ filters, decided }: Asked, more: Record<string, string>): string {
  const query = new URLSearchParams({
    ...Object.fromEntries(filters),
    ...decided ? { state: "decided" } : {},
    ...more,
  });
  return query.size === 0 ? APPROVALS : `${APPROVALS}?${query}`;
}

function filterForm(inbox: Inbox, { filters, decided }: Asked): Child {
  const options = optionsOf(inbox);
  return (
    <details open={filters.size > 0}>
      <summary>{filters.size > 0 ? `Narrowed by ${filters.size}` : "Narrow the list"}</summary>
      <form method="get" action={APPROVALS} class="filters">
        {decided && <input type="hidden" name="state" value="decided" />}
        {FILTERS.filter((name) => options[name].length > 0).map((name) => (
          <Select
            name={name}
            label={LABELS[name]}
            value={filters.get(name) ?? ""}
            options={[{ value: "", label: "any" }, ...options[name]]}
          />
        ))}
        <button type="submit" class="quiet">Show</button>
      </form>
    </details>
  );
}

/** A request that waits as a row. */
const waitingRow = ({ names, now }: Inbox, chosen: boolean) => (one: ApprovalReport): Child[] => [
  <div class="choice">
    {one.not_yours === null && (
      <input
        type="checkbox"
        name="id"
        value={one.id}
        checked={chosen}
        aria-label={`Choose: ${titleOf(one)}`}
      />
    )}
    <a href={`${APPROVALS}/${one.id}`} dir="auto">{titleOf(one)}</a>
  </div>,
  siteNames(one, names),
  askerOf(one, names),
  lasting(now - Date.parse(one.asked_at)),
  `${one.tier}: ${CEILINGS[one.tier]}`,
];

/** A request that waits no more as a row. */
const decidedRow = ({ names }: Inbox) => (one: ApprovalReport): Child[] => [
  <a href={`${APPROVALS}/${one.id}`} dir="auto">{titleOf(one)}</a>,
  siteNames(one, names),
  askerOf(one, names),
  stateWord(one) + (one.outcome === "unknown" ? ", nobody knows whether it was done" : ""),
  one.decided === null ? "nobody" : `${seen(one.decided.by)}, ${time(one.decided_at ?? one.asked_at)}`,
];

function pagesNav(asked: Asked, page: number, count: number): Child {
  if (count < 2) return null;
  const to = (number: number, label: string) => (
    <a href={addressWith(asked, { page: String(number) })}>{label}</a>
  );
  return (
    <nav aria-label="Pages of the list" class="ways">
      {page > 1 && to(page - 1, "Earlier")}
      <span>{`Page ${page} of ${count}`}</span>
      {page < count && to(page + 1, "Later")}
    </nav>
  );
}

function figuresOf({ all, now }: Inbox): Child {
  const { approved, rejected, expired, median_seconds, rejected_percent, deciders } = approvalFigures(
    all,
    now,
  );
  if (median_seconds === null) return null;
  return (
    <>
      <p>
        {`In the last five weeks: ${approved} approved, ${rejected} rejected (${rejected_percent} %), ${expired} ended undecided. Half of them were decided within ${
          lasting(median_seconds * 1000)
        }.`}
      </p>
      <Table
        caption="Who decided"
        columns={["Who", "Approved", "Rejected", "Half of them within"]}
        rows={deciders.map((
          one,
        ) => [seen(one.by), one.approved, one.rejected, lasting(one.median_seconds * 1000)])}
        empty=""
      />
    </>
  );
}

function waitingList(inbox: Inbox, rows: readonly ApprovalReport[], asked: Asked, page: number): Child {
  const mine = rows.filter(({ not_yours }) => not_yours === null).length;
  return (
    <form method="get" action={`${APPROVALS}/together`}>
      <Table
        caption="What agents ask for, oldest first"
        columns={["Request", "Sites", "Asked by", "Waiting for", "Tier"]}
        rows={rows.map(waitingRow(inbox, asked.chosen))}
        empty={asked.filters.size > 0
          ? "Nothing that waits fits."
          : (
            <Empty title="Nothing waits for a person">
              Where a token or a site asks for a person's yes, each change that an agent wants stands here
              with what it would do, and is made when somebody approves it.
            </Empty>
          )}
      />
      {mine > 1 && (
        <p class="ways">
          {asked.chosen
            ? <a href={addressWith(asked, { page: String(page) })}>Choose none</a>
            : <a href={addressWith(asked, { page: String(page), chosen: "all" })}>Choose all of this page</a>}
        </p>
      )}
      {mine > 0 && <button type="submit">Look at those chosen</button>}
    </form>
  );
}

function countsOf(all: number, mine: number): string {
  const waits = all === 1 ? "1 request waits" : `${all} requests wait`;
  if (mine === 0) return `${waits}; you may decide on none.`;
  return mine === all
    ? `${waits} for a decision of yours, or of others who may.`
    : `${waits}; you may decide on ${mine}.`;
}

const TITLE = "Approvals";

/** Where console/approvals.js says that there are new requests: at the edge of the window, so that nothing moves. */
function newsOf({ all }: Inbox): Child {
  const since = all.reduce((latest, { id }) => id > latest ? id : latest, "");
  const title = titleText(TITLE);
  return (
    <p
      class="news"
      role="status"
      data-news
      data-events={EVENTS}
      data-since={since}
      data-title={title}
    />
  );
}

/** The page; where decided ones are asked for it has their figures as well. */
export async function inboxPage(c: Context, person: Person, inbox: Inbox): Promise<Response> {
  const asked = askedFor(c);
  const fits = (one: ApprovalReport) => {
    const values = valuesOf(one, inbox);
    return [...asked.filters].every(([name, value]) => values[name].includes(value));
  };
  const found = inbox.all.filter(fits);
  const ordered = asked.decided ? found.toReversed() : found;
  const pages = Math.max(1, Math.ceil(ordered.length / TOGETHER_MAX));
  const page = Math.min(asked.page, pages);
  const rows = ordered.slice((page - 1) * TOGETHER_MAX, page * TOGETHER_MAX);
  const mine = inbox.all.filter(({ not_yours }) => not_yours === null).length;
  const isKept = !asked.decided && person.user !== null && mayApprove(person.user);
  return await showPage(
    c,
    {
      title: TITLE,
      visitor: person,
      current: APPROVALS,
      wide: true,
      ...isKept ? { script: "approvals.js" } : {},
      count: asked.decided ? undefined : mine,
    },
    <>
      <p class="ways">
        {asked.decided
          ? <a href={APPROVALS}>What waits</a>
          : <a href={`${APPROVALS}?state=decided`}>What was decided</a>}
      </p>
      {!asked.decided && inbox.all.length > 0 && <p>{countsOf(inbox.all.length, mine)}</p>}
      {inbox.all.length > 0 && filterForm(inbox, asked)}
      {asked.decided
        ? (
          <Table
            caption="What was decided, newest first"
            columns={["Request", "Sites", "Asked by", "What became of it", "By whom"]}
            rows={rows.map(decidedRow(inbox))}
            empty="Nothing was decided in the last five weeks."
          />
        )
        : waitingList(inbox, rows, asked, page)}
      {pagesNav(asked, page, pages)}
      {asked.decided && figuresOf(inbox)}
      {isKept && newsOf(inbox)}
    </>,
  );
}
