/** A site's own page: what it is, what it is linked to, what may be done there, and what is kept of it; opening it asks nobody anything. */
import { ReasonField } from "./freezes.tsx";
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { addressWith, ToolName } from "./audit_parts.tsx";
import { CHANGES } from "./change_parts.tsx";
import type { Freeze, Site, SnapshotFigures } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { listFreezes } from "../../admin/freezes.ts";
import type { ChangeRow } from "../../admin/ports.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Form, Submit } from "../form.tsx";
import { Notice, Said } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { DaysChart, dayText } from "../chart.tsx";
import { Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { PagesParts } from "./frame.tsx";
import { freezeLine, siteAddress, SITES } from "./sites_list.tsx";
import { type Tested, TestResults } from "./site_test.tsx";
import { Connections, Facts, Permitted } from "./site_facts.tsx";
import { type FoundGaps, GapsSection } from "./site_gaps.tsx";
import { toolSection } from "./site_tools.tsx";
import { pageWords } from "./words.ts";

const CHART_DAYS = 30;
/** The figures that are drawn, and what they are called. */
const CHARTS = {
  sessions: { title: "Visits", unit: ["visit", "visits"] },
  distinct_users: { title: "Visitors", unit: ["visitor", "visitors"] },
} as const;

const DONE: Readonly<Record<string, string>> = {
  added: "The site is registered. Nothing was sent to it yet: test the connection below.",
  changed: "The site is changed; the next call finds it so.",
  same: "Nothing was changed: the form said what is set already.",
  frozen: "The site is frozen: from now on nothing is written there. Reads go on.",
  lifted: "The freeze is lifted: writes go on.",
  paired: "The site is paired: what its own tools write is held until it is judged.",
  approved: "The tool is let through on this site.",
  withdrawn: "The tool is taken away on this site.",
  refreshed: "The site's tool servers were asked for their tools.",
};

/** What a page says beside the site. */
export interface SaidOfSite {
  readonly done?: string;
  readonly warnings?: readonly string[];
  readonly problem?: { readonly message: string; readonly status: number };
  readonly tested?: Tested;
  readonly gaps?: FoundGaps;
}

/** The page. */
export async function sitePage(
  c: Context,
  person: Person,
  parts: PagesParts,
  site: Site,
  said: SaidOfSite = {},
): Promise<Response> {
  const { ports } = parts;
  const isMaster = person.caller.user === null;
  const [people, freezes, figures, changes, tools] = await Promise.all([
    ports.store.users.list(),
    listFreezes(ports, person.caller),
    ports.figures(site, CHART_DAYS),
    isMaster ? ports.changes({ site_id: site.id }) : null,
    isMaster ? toolSection(parts, person, site) : null,
  ]);
  const done = DONE[said.done ?? c.req.query("done") ?? ""];
  const status = said.problem?.status;
  return await showPage(
    c,
    {
      title: site.name,
      visitor: person,
      current: SITES,
      wide: true,
      times: true,
      action: { href: `${siteAddress(site.id)}/edit`, label: "Change its settings" },
      ...status === undefined ? {} : { status },
    },
    <>
      <SaidOf done={done} said={said} />
      <p class="ways">
        <a href={`/admin/try?${new URLSearchParams({ site: site.id })}`}>Try a tool on this site</a>
        <a href={SITES}>All sites</a>
      </p>
      <Frozen site={site} freezes={freezes} />
      <Facts site={site} parts={parts} />
      <TestSection site={site} person={person} tested={said.tested} />
      <GapsSection site={site} person={person} found={said.gaps} />
      {isMaster && <Pairing site={site} person={person} parts={parts} />}
      <Connections site={site} parts={parts} people={people} />
      <Permitted site={site} />
      {changes !== null && <Changes site={site} rows={changes.rows} />}
      {tools}
      {figures.map((one) => <History figures={one} />)}
      <FreezeSection site={site} person={person} freezes={freezes} />
      {isMaster ? <RemoveSection site={site} /> : <MasterOnly site={site} />}
    </>,
  );
}

function SaidOf({ done, said }: { readonly done: string | undefined; readonly said: SaidOfSite }): Child {
  return (
    <>
      <Said done={done} problem={said.problem} />
      {said.warnings && said.warnings.length > 0 && (
        <Notice kind="warning">
          {said.warnings.map((one) => <p>{`${seen(pageWords(one))}.`}</p>)}
        </Notice>
      )}
    </>
  );
}

const holdsSite = (site: Site) => ({ scope, id }: Freeze) =>
  scope === "all" || (scope === "site" ? id === site.id : id === site.project_id);

function Frozen({ site, freezes }: { readonly site: Site; readonly freezes: readonly Freeze[] }): Child {
  return freezes.filter(holdsSite(site)).map((one) => (
    <Notice kind="warning">
      <p>{`${seen(freezeLine(one))} Nothing is written here.`}</p>
    </Notice>
  ));
}

function TestSection(
  { site, person, tested }: {
    readonly site: Site;
    readonly person: Person;
    readonly tested: Tested | undefined;
  },
): Child {
  return (
    <section id="test">
      <h2>Connection</h2>
      {tested && <TestResults tested={tested} settings={`${siteAddress(site.id)}/edit`} />}
      <Form visitor={person} action={`${siteAddress(site.id)}/test`}>
        <p class="hint">
          Asks the site whether it answers and takes its credentials, and then what works there. It only
          reads, and is over within seconds.
        </p>
        <Submit quiet>{tested ? "Test again" : "Test the connection"}</Submit>
      </Form>
    </section>
  );
}

/** Where sites of its kind are paired: by an administrator's account, or by a code that the site shows. */
function Pairing(
  { site, person, parts }: { readonly site: Site; readonly person: Person; readonly parts: PagesParts },
): Child {
  const pairing = parts.ports.connectors.ofKind(site.platform)?.pairing;
  if (pairing === undefined) return null;
  const isPaired = (site.credentials as readonly string[]).includes(pairing.credential);
  return (
    <details class="part">
      <summary>{isPaired ? "The companion plugin is paired" : "Pair the companion plugin"}</summary>
      <Form visitor={person} action={`${siteAddress(site.id)}/pair`}>
        <p>
          With a pairing the site holds what its own tools write until it is judged.
          {isPaired && " A new key takes the place of the one there is."}
        </p>
        <Field
          name="code"
          label="Code"
          hint="As Tools, Site Ops shows it on the site. An administrator's account needs none."
          required={false}
          autocomplete="off"
          maxlength={9}
        />
        <Submit quiet>{isPaired ? "Pair it again" : "Pair it"}</Submit>
      </Form>
    </details>
  );
}

function Changes({ site, rows }: { readonly site: Site; readonly rows: readonly ChangeRow[] }): Child {
  const all = addressWith(CHANGES, { site: site.id });
  return (
    <section>
      <h2>Last changes</h2>
      <Table
        caption="What calls have changed here, newest first"
        columns={["Tool", "By", "When", "Take back"]}
        rows={rows.map(({ request_id, at, tool, by, undoable, undone_by }) => [
          <ToolName tool={tool} row={request_id} />,
          seen([by.person, by.client, by.token].filter((one) => one !== undefined).join(", ")),
          <Time at={at} />,
          undone_by !== undefined
            ? <a href={`/admin/audit/${undone_by}`}>taken back</a>
            : undoable
            ? <a href={`/admin/audit/${request_id}`} aria-label={`Take back ${request_id}`}>Take it back</a>
            : <span class="soft">cannot be</span>,
        ])}
        empty="No call has changed anything here."
      />
      <p class="ways">
        {rows.length > 0 && <a href={all}>All changes of this site</a>}
        <a href={addressWith("/admin/audit", { site: site.id })}>Every call on this site</a>
      </p>
    </section>
  );
}

function History({ figures: { product, days } }: { readonly figures: SnapshotFigures }): Child {
  return (
    <section>
      <h2>{`${product}, the last ${CHART_DAYS} days`}</h2>
      <div class="charts">
        {Object.entries(CHARTS).map(([name, { title, unit }]) => (
          <DaysChart
            title={title}
            unit={unit}
            last={dayText(days.at(-1)?.date ?? "")}
            days={days.map(({ date, figures }) => ({ day: date, value: figures?.[name] ?? null }))}
          />
        ))}
      </div>
    </section>
  );
}

function FreezeSection(
  { site, person, freezes }: {
    readonly site: Site;
    readonly person: Person;
    readonly freezes: readonly Freeze[];
  },
): Child {
  const own = freezes.find(({ scope, id }) => scope === "site" && id === site.id);
  return (
    <section>
      <h2>Freeze</h2>
      {own
        ? (
          <Form visitor={person} action={`${siteAddress(site.id)}/lift`}>
            <Submit quiet>Lift the freeze</Submit>
          </Form>
        )
        : (
          <Form visitor={person} action={`${siteAddress(site.id)}/freeze`}>
            <p>Every write here is refused within a second, whoever asks for it. Reads go on.</p>
            <ReasonField />
            <Submit quiet>Freeze the site</Submit>
          </Form>
        )}
    </section>
  );
}

function RemoveSection({ site }: { readonly site: Site }): Child {
  return (
    <section>
      <h2>Remove</h2>
      <p>
        Its settings, credentials, what stood before changes and snapshots are deleted from the gateway, and
        never come back. Its rows of the audit stay. Nothing is changed at the site itself.
      </p>
      <p>
        <a href={`${siteAddress(site.id)}/remove`}>See what would go</a>
      </p>
    </section>
  );
}

function MasterOnly({ site }: { readonly site: Site }): Child {
  return (
    <p class="hint">
      {`Whoever signs in with the master token also sees the last changes and the tools of the site's own servers, sets what
      may be done here, and can remove ${site.name}.`}
    </p>
  );
}
