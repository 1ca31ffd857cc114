/** What agents ask people for: the inbox, and the page of each request, on which it is approved or rejected. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import { checked } from "../../core/faults.ts";
import type { Site } from "../../core/model.ts";
import { approveBody, rejectBody } from "../../admin/approvals.ts";
import type { ApprovalReport, ShownApproval } from "../../admin/ports.ts";
import { callerOfPerson } from "../../identity/rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { Select } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { visible } from "../text_diff.tsx";
import { ApprovalContent, typedName } from "./approval_page.tsx";
import { asPerson, asSender, type PagesParts, worded } from "./frame.tsx";
import { CEILINGS, time } from "./words.ts";

const PATH = "/admin/approvals";
const HOUR_MS = 3_600_000;
/** A page is to be small; nobody reads more at once. */
const ROWS_MAX = 200;
/** How long a request has waited, by the value of the filter. */
const AGES: Readonly<Record<string, readonly [label: string, ms: number]>> = {
  hour: ["more than an hour", HOUR_MS],
  day: ["more than a day", 24 * HOUR_MS],
  three: ["more than three days", 72 * HOUR_MS],
};

/** A request with what it is filtered and named by. */
interface Row {
  readonly report: ApprovalReport;
  readonly sites: readonly Site[];
  readonly asker: string | null;
}

/** Adds the routes under `/admin/approvals`. */
export function approvalPages(app: Hono, parts: PagesParts): void {
  const { ports: { approvals } } = parts;
  app.get(PATH, (c) => asPerson(parts, c, (person) => inbox(c, person, parts)));
  app.get(`${PATH}/:id`, (c) =>
    asPerson(parts, c, async (person) => {
      const found = await approvals.show(callerOfPerson(person.user), c.req.param("id"));
      return await requestPage(c, person, parts, found);
    }));

  app.post(`${PATH}/:id/approve`, (c) =>
    asSender(parts, c, async (person, form) => {
      const caller = callerOfPerson(person.user);
      const id = c.req.param("id");
      const { shown } = checked(approveBody, { shown: form.get("shown") ?? "" });
      return await decide(c, person, parts, async () => {
        await requireTyped(parts, await approvals.show(caller, id), form.get("typed") ?? "");
        await approvals.approve(caller, id, shown);
      });
    }));

  app.post(`${PATH}/:id/reject`, (c) =>
    asSender(parts, c, async (person, form) => {
      const { words = null } = checked(rejectBody, { words: form.get("words")?.trim() || null });
      return await decide(c, person, parts, async () => {
        await approvals.reject(callerOfPerson(person.user), c.req.param("id"), words);
      });
    }));
}

/** Decides, and leads back to the request; what was refused is said above it as it is now. */
async function decide(
  c: Context,
  person: Person,
  parts: PagesParts,
  act: () => Promise<void>,
): Promise<Response> {
  const id = c.req.param("id")!;
  try {
    await act();
  } catch (thrown) {
    const problem = worded(c, thrown);
    const found = await parts.ports.approvals.show(callerOfPerson(person.user), id);
    return await requestPage(c, person, parts, found, problem);
  }
  return leadTo(c, `${PATH}/${id}`);
}

/** Throws E_BAD_INPUT where visitors get the change at once and the site was not named by hand. */
async function requireTyped(parts: PagesParts, found: ShownApproval, typed: string): Promise<void> {
  const name = typedName(found, await sitesOf(parts, found.approval));
  if (name === null || typed.trim() === name) return;
  throw new GatewayError("E_BAD_INPUT", `The site, typed: type ${name}; nothing was written`);
}

async function sitesOf({ ports }: PagesParts, { sites }: ApprovalReport): Promise<Site[]> {
  const found = await Promise.all(sites.map((id) => ports.store.sites.get(id)));
  return found.filter((one) => one !== null);
}

async function rowOf(parts: PagesParts, report: ApprovalReport): Promise<Row> {
  const { owner_user_id: id } = report;
  const owner = id === null ? null : await parts.ports.store.users.get(id);
  return { report, sites: await sitesOf(parts, report), asker: owner?.email ?? null };
}

async function requestPage(
  c: Context,
  person: Person,
  parts: PagesParts,
  found: ShownApproval,
  problem?: { readonly message: string; readonly status: number },
): Promise<Response> {
  const { report: approval, sites, asker } = await rowOf(parts, found.approval);
  return await showPage(
    c,
    {
      title: visible(found.preview?.summary ?? approval.summary),
      visitor: person,
      current: PATH,
      ...problem && { status: problem.status },
    },
    <>
      {problem && (
        <Notice kind="problem">
          <p>{visible(problem.message)}.</p>
        </Notice>
      )}
      <ApprovalContent {...{ person, found, sites, asker, path: `${PATH}/${approval.id}` }} />
      <p>
        <a href={PATH}>All requests</a>
      </p>
    </>,
  );
}

/** What the inbox can be narrowed by: the name in its address, the label, what a request has of it. */
const FILTERS: readonly (readonly [name: string, label: string, of: (row: Row) => readonly string[]])[] = [
  ["site", "Site", ({ sites }) => sites.map(({ id }) => id)],
  ["project", "Project", ({ sites }) => sites.flatMap(({ project_id }) => project_id ?? [])],
  ["person", "Person", ({ asker }) => asker === null ? [] : [asker]],
  ["client", "Token or client", ({ report }) => [report.token_name]],
  ["tier", "Tier", ({ report }) => [String(report.tier)]],
];

async function inbox(c: Context, person: Person, parts: PagesParts): Promise<Response> {
  const query = (name: string) => c.req.query(name) ?? "";
  const isAll = query("state") === "all";
  const states = isAll ? undefined : ["pending"] as const;
  const reports = await parts.ports.approvals.list(callerOfPerson(person.user), { states });
  const all = await Promise.all(reports.map((one) => rowOf(parts, one)));
  const now = parts.ports.now();
  const waits = ({ report }: Row) => now - Date.parse(report.asked_at);
  const rows = all.filter((row) =>
    FILTERS.every(([name, , of]) => query(name) === "" || of(row).includes(query(name))) &&
    waits(row) >= (AGES[query("age")]?.[1] ?? 0)
  );
  const count = rows.filter(({ report }) => report.state === "pending").length;
  return await showPage(
    c,
    { title: `Approvals (${count})`, visitor: person, current: PATH },
    <>
      <Table
        caption={isAll ? "What agents asked for" : "What waits for a person, the oldest first"}
        columns={["What", "Where", "Who asks", isAll ? "State" : "Since", "How far it goes"]}
        rows={rows.slice(0, ROWS_MAX).map((row) => cellsOf(row, isAll))}
        empty={all.length === 0 ? "Nothing waits for you." : "Nothing fits what was chosen."}
      />
      {rows.length > ROWS_MAX && (
        <p>{rows.length - ROWS_MAX} more are not shown; narrow the list to find them.</p>
      )}
      <h2>Narrow the list</h2>
      <form method="get" action={PATH}>
        {FILTERS.map(([name, label, of]) => {
          const values = [...new Set(all.flatMap(of))].sort();
          return values.length < 2 && query(name) === ""
            ? null
            : <Select name={name} label={label} value={query(name)} options={optionsOf(values)} />;
        })}
        <Select
          name="age"
          label="Waits"
          value={query("age")}
          options={[ANY, ...Object.entries(AGES).map(([value, [label]]) => ({ value, label }))]}
        />
        <Select
          name="state"
          label="State"
          value={query("state")}
          options={[{ value: "", label: "waits" }, { value: "all", label: "decided ones too" }]}
        />
        <button type="submit" class="quiet">Show</button>
      </form>
    </>,
  );
}

const ANY = { value: "", label: "any" };
const optionsOf = (values: readonly string[]) => [
  ANY,
  ...values.map((value) => ({ value, label: visible(value) })),
];

function cellsOf({ report, sites, asker }: Row, isAll: boolean): Child[] {
  const { id, summary, token_name, asked_at, state, tier } = report;
  return [
    <a href={`${PATH}/${id}`}>{visible(summary)}</a>,
    sites.map(({ name }) => visible(name)).join(", "),
    `${visible(token_name)}${asker === null ? "" : `, for ${visible(asker)}`}`,
    isAll ? state : time(asked_at),
    `${tier}: ${CEILINGS[tier]}`,
  ];
}
