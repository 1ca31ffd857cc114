/** The audit, for who has signed in: rows by filters in the address, how many are newer, one row opened. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { type Asked, auditPageFor, auditQueryOf } from "../../admin/audit_pages.ts";
import { rowFor } from "../../admin/audit_row.ts";
import { seen } from "../../core/unseen.ts";
import { assertOwnPages } from "../../identity/origin.ts";
import type { Person } from "../../identity/visitors.ts";
import type { AuditPage, AuditQuery } from "../../store/store.ts";
import { Said } from "../notice.tsx";
import { Empty, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { addressWith, askedBy, AUDIT, Filters, StatusTags, ToolLink, Ways, whose } from "./audit_parts.tsx";
import { resolveRoute } from "./audit_resolve.tsx";
import { rowPage } from "./audit_row.tsx";
import { asPerson, type PagesParts, worded } from "./frame.tsx";

const PAGE_ROWS = 50;
/** Adds the routes under `/admin/audit`. */
export function auditPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  app.get(AUDIT, (c) => asPerson(parts, c, (person) => listPage(c, person, parts)));

  app.get(`${AUDIT}/newer`, async (c) => {
    assertOwnPages(c, ports.baseUrl, false);
    const person = await parts.visitors.signedIn(c.req.raw);
    // No way to the sign-in: it is a script that asks.
    if (person === null) return c.body(null, 401, { "cache-control": "no-store" });
    const query = await auditQueryOf(ports.store, askedBy(c));
    const { rows } = await auditPageFor(ports.store, person.caller, query, { limit: PAGE_ROWS });
    const since = c.req.query("since");
    const at = rows.findIndex(({ id }) => id === since);
    c.header("Cache-Control", "no-store");
    return c.json({ count: at < 0 ? rows.length : at, most: PAGE_ROWS });
  });

  app.get(`${AUDIT}/:id`, (c) =>
    asPerson(parts, c, async (person) => {
      return await rowPage(c, person, parts, await rowFor(ports.store, person.caller, c.req.param("id")));
    }));
  resolveRoute(app, parts, (c, person, row, finding) => rowPage(c, person, parts, row, finding));
}

async function listPage(c: Context, person: Person, { ports }: PagesParts): Promise<Response> {
  const asked = askedBy(c);
  const cursor = c.req.query("cursor");
  let problem: { readonly message: string; readonly status: number } | undefined;
  let query: AuditQuery | null = null;
  let page: AuditPage = { rows: [], next_cursor: null };
  try {
    query = await auditQueryOf(ports.store, asked);
    page = await auditPageFor(ports.store, person.caller, query, { limit: PAGE_ROWS, cursor });
  } catch (thrown) {
    problem = worded(c, thrown);
  }
  const isFirst = cursor === undefined && problem === undefined;
  return await showPage(
    c,
    {
      ...{ title: "Audit", visitor: person, current: AUDIT, wide: true, times: true },
      ...isFirst ? { script: "audit.js" } : {},
      ...problem && { status: problem.status },
    },
    <>
      <Said problem={problem} />
      <p>{whose(person, "row")}</p>
      <Filters action={AUDIT} asked={asked} isAudit />
      {problem === undefined && <Rows asked={asked} page={page} />}
      <Ways path={AUDIT} asked={asked} isFirst={cursor === undefined} next={page.next_cursor}>
        {person.caller.user === null && query !== null && <Export query={query} />}
      </Ways>
      {isFirst && (
        <p
          class="news"
          role="status"
          data-newer={addressWith(`${AUDIT}/newer`, { ...asked, since: page.rows[0]?.id ?? "none" })}
        />
      )}
    </>,
  );
}

/** The API has the same rows as lines of JSON, but for those of a token that is asked for by its name. */
function Export({ query: { token_name, ...query } }: { readonly query: AuditQuery }): Child {
  if (token_name !== undefined) return null;
  const href = addressWith("/admin/api/audit.ndjson", { ...query });
  return <a href={href} download="audit.ndjson">Export these rows (NDJSON)</a>;
}

function Rows(
  { asked, page: { rows, next_cursor } }: { readonly asked: Asked; readonly page: AuditPage },
): Child {
  if (rows.length === 0 && next_cursor !== null) {
    return <p>None of the rows that were looked at is one that you look for. Older ones may be.</p>;
  }
  if (rows.length === 0 && Object.keys(asked).length === 0) {
    return (
      <Empty title="Nothing was called yet" action={{ href: "/admin/tokens", label: "Make a token" }}>
        Every call of a tool stands here, and all that is done on these pages. Make a token, and give it to an
        agent.
      </Empty>
    );
  }
  return (
    <Table
      caption="Open a row for its arguments, and what came of it"
      columns={["Tool", "Site", "By", "Status", "When"]}
      rows={rows.map((row) => [
        <ToolLink row={row} />,
        row.site_id === null ? <span class="soft">none</span> : seen(row.site_id),
        seen(row.token_name),
        <StatusTags row={row} />,
        <Time at={row.at} />,
      ])}
      empty="No row fits. Leave a filter out, or look further back."
    />
  );
}
