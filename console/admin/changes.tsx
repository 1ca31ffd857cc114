/** What calls have changed, for who has signed in: filtered, those in doubt first, with the way back of each. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { type Asked, auditPageFor, auditQueryOf } from "../../admin/audit_pages.ts";
import { type ChangeRow, mayUndo } from "../../admin/ports.ts";
import type { AuditRow } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { Said } from "../notice.tsx";
import { Empty, Section, Tag, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { addressWith, askedBy, Filters, ToolLink, Ways, whose } from "./audit_parts.tsx";
import { CHANGES, UndoForm, UndoWay } from "./change_parts.tsx";
import { UNDO_AT_ONCE, undoRoute } from "./change_undo.tsx";
import { changesFile, fieldsOf } from "./changes_file.ts";
import { asPerson, type PagesParts, worded } from "./frame.tsx";

const FILE = `${CHANGES}/file.csv`;
const PAGE_ROWS = 30;
const DOUBTED_ROWS = 10;
const FIELDS_NAMED = 4;
const FIELDS_CHARACTERS = 120;

/** A row, and what is known of its way back. */
interface Told {
  readonly row: AuditRow;
  readonly change: ChangeRow;
}

/** Adds the routes under `/admin/changes`. */
export function changePages(app: Hono, parts: PagesParts): void {
  app.get(CHANGES, (c) => asPerson(parts, c, (person) => listPage(c, person, parts)));
  app.get(FILE, (c) =>
    asPerson(parts, c, async (person) => {
      const { status: _, outcome: __, ...asked } = askedBy(c);
      return await changesFile(c, parts.ports, person, asked);
    }));
  undoRoute(app, parts);
}

interface Found {
  readonly made: readonly Told[];
  readonly doubted: readonly Told[];
  readonly next: string | null;
}

async function found(
  { ports }: PagesParts,
  { caller }: Person,
  asked: Asked,
  cursor: string | undefined,
): Promise<Found> {
  const { store } = ports;
  const query = await auditQueryOf(store, asked);
  const told = (rows: readonly AuditRow[]) =>
    Promise.all(rows.map(async (row) => ({ row, change: await ports.changeOf(row) })));
  const [made, doubted] = await Promise.all([
    auditPageFor(store, caller, { ...query, outcome: "made" }, { limit: PAGE_ROWS, cursor }),
    cursor === undefined
      ? auditPageFor(store, caller, { ...query, outcome: "unknown" }, { limit: DOUBTED_ROWS })
      : null,
  ]);
  return { made: await told(made.rows), doubted: await told(doubted?.rows ?? []), next: made.next_cursor };
}

async function listPage(c: Context, person: Person, parts: PagesParts): Promise<Response> {
  const { status: _, outcome: __, ...asked } = askedBy(c);
  const cursor = c.req.query("cursor");
  let problem: { readonly message: string; readonly status: number } | undefined;
  let all: Found = { made: [], doubted: [], next: null };
  try {
    all = await found(parts, person, asked, cursor);
  } catch (thrown) {
    problem = worded(c, thrown);
  }
  return await showPage(
    c,
    {
      ...{ title: "Changes", visitor: person, current: CHANGES, wide: true, times: true },
      ...problem && { status: problem.status },
    },
    <>
      <Said problem={problem} />
      <p>{whose(person, "change")}</p>
      <Filters action={CHANGES} asked={asked} />
      {all.doubted.length > 0 && (
        <Section id="doubted" title="Nobody knows whether these were made">
          <p>Look at the site; the row says how to record what you found.</p>
          <Changes told={all.doubted} person={person} caption="In doubt, the newest first" />
        </Section>
      )}
      {asked.set !== undefined && <WholeSet set_id={asked.set} made={all.made} person={person} />}
      {problem === undefined && <Made all={all} asked={asked} person={person} />}
      <Ways path={CHANGES} asked={asked} isFirst={cursor === undefined} next={all.next}>
        {all.made.length + all.doubted.length > 0 && (
          <a href={addressWith(FILE, asked)} download="changes.csv">Take these changes as a file (CSV)</a>
        )}
      </Ways>
    </>,
  );
}

function Made(
  { all: { made, next }, asked, person }: {
    readonly all: Found;
    readonly asked: Asked;
    readonly person: Person;
  },
): Child {
  if (made.length === 0 && next !== null) {
    return <p>None of the changes that were looked at is one that you look for. Older ones may be.</p>;
  }
  if (made.length === 0 && Object.keys(asked).length === 0) {
    return (
      <Empty title="Nothing was changed yet" action={{ href: "/admin/tokens", label: "Make a token" }}>
        What agents change stands here, with the way to take it back. Make a token, give it to an agent, and
        ask it for a draft.
      </Empty>
    );
  }
  return <Changes told={made} person={person} caption="Open a change for what stood there before" />;
}

/** The first fields that a row says it changed. */
const fieldsShown = (row: AuditRow): string =>
  seen(fieldsOf(row).slice(0, FIELDS_NAMED).join(", ").slice(0, FIELDS_CHARACTERS));

function Changes(
  { told, person, caption }: {
    readonly told: readonly Told[];
    readonly person: Person;
    readonly caption: string;
  },
): Child {
  return (
    <Table
      caption={caption}
      columns={["Tool", "Site", "What", "By", "When", "Take back"]}
      rows={told.map(({ row, change }) => [
        <>
          <ToolLink row={row} />
          {change["live"] === true && <Tag tone="good">live</Tag>}
          {row.approved_by !== undefined && <Tag>approved</Tag>}
          {row.set_id !== undefined && (
            <span class="hint">
              <a href={addressWith(CHANGES, { set: row.set_id })}>
                {row.item === undefined ? "a set" : `item ${row.item} of a set`}
              </a>
            </span>
          )}
        </>,
        row.site_id === null ? <span class="soft">several</span> : seen(row.site_id),
        fieldsShown(row),
        seen(row.token_name),
        <Time at={row.at} />,
        <UndoWay row={row} change={change} person={person} />,
      ])}
      empty="No change fits. Leave a filter out, or look further back."
    />
  );
}

/** A set that was opened: what of it goes back together, site by site. */
function WholeSet(
  { set_id, made, person }: {
    readonly set_id: string;
    readonly made: readonly Told[];
    readonly person: Person;
  },
): Child {
  const mine = made.filter(({ row, change }) => change.undoable && mayUndo(person.caller, row));
  const sites = [...Map.groupBy(mine, ({ row }) => row.site_id)].flatMap(([id, of]) =>
    id === null ? [] : [{ id, request_ids: of.slice(0, UNDO_AT_ONCE).map(({ row }) => row.request_id) }]
  );
  return (
    <Section id="whole-set" title="This change set">
      <p>
        <a href={addressWith("/admin/audit", { set: set_id })}>All its rows in the audit</a>
      </p>
      {sites.length === 0 && made.length > 0 && <p>Nothing of it can be taken back now.</p>}
      {sites.map(({ id, request_ids }) => (
        <UndoForm person={person} request_ids={request_ids} label={`Take back all of the set on ${id}`}>
          {`Take back all of it on ${seen(id)} (${request_ids.length})`}
        </UndoForm>
      ))}
    </Section>
  );
}
