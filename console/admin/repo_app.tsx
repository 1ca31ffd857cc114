/** The repository app, for the master token: whether it is set up, who has it installed, and which installation covers which site. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { seen } from "../../core/unseen.ts";
import { repoReport } from "../../admin/health.ts";
import { Notice } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { pageOf, Pages, Section, Tag } from "../parts.tsx";
import { Table } from "../table.tsx";
import type { Person } from "../../identity/visitors.ts";
import { asPerson, assertMaster, type PagesParts } from "./frame.tsx";
import { siteAddress, SITES } from "./sites_list.tsx";

const PATH = "/admin/repo";
/** What sites are linked to by what this page is about. */
const LINK = "repo";

type Report = Awaited<ReturnType<typeof repoReport>>;
type Installation = Report["installations"][number];

interface Told {
  readonly report: Report;
  /** Where the app is, as people call it. */
  readonly product: string;
}

/** Adds `/admin/repo`, which answers at the name of the connector that repositories are reached by, too. */
export function repoAppPages(app: Hono, parts: PagesParts): void {
  const { name = "", product = "The host" } = parts.ports.connectors.links.get(LINK) ?? {};
  for (const at of new Set([PATH, `/admin/${name}`])) {
    app.get(at, (c) =>
      asPerson(parts, c, async (person) => {
        assertMaster(person, "sees the repository app");
        return await repoAppPage(c, person, await repoReport(parts.ports), product);
      }));
  }
}

async function repoAppPage(c: Context, person: Person, report: Report, product: string): Promise<Response> {
  const after = c.req.query("after") ?? "";
  const { shown, next } = pageOf(report.sites, after, ({ id }) => id);
  return await showPage(
    c,
    { title: "Repository app", visitor: person, current: PATH, wide: true },
    <>
      <p>
        With the app the gateway reads and writes the repositories that sites are linked to, where their
        owners have installed it.
      </p>
      <State report={report} product={product} />
      {report.app !== null && <Installations report={report} product={product} />}
      <Section id="sites" title="Linked sites">
        <Table
          caption={report.app === null
            ? "Which repository each site is linked to"
            : "Which repository each site is linked to, and who covers it"}
          columns={["Site", "Repository", "Branch", "Folder", "Installation"]}
          rows={shown.map((site) => [
            <a href={siteAddress(site.id)}>{`${seen(site.name)} (${site.id})`}</a>,
            <RepoName repo={seen(site.repo ?? "")} />,
            seen(site.repo_branch ?? "") || "its default",
            seen(site.repo_prefix ?? "") || "all of it",
            <Coverage report={report} id={site.installation_id} />,
          ])}
          empty="No site is linked to a repository yet. Name one in the settings of a site."
        />
        <Pages path={PATH} after={after} next={next} />
        <p>
          <a href={SITES}>All sites</a>
        </p>
      </Section>
    </>,
  );
}

/** The name of a repository, which may wrap behind its owner. */
function RepoName({ repo }: { readonly repo: string }): Child {
  const [owner, ...rest] = repo.split("/");
  return [`${owner}/`, <wbr />, rest.join("/")];
}

/** Whether the app is set up, in a sentence. */
function State({ report: { configured, app, problem }, product }: Told): Child {
  if (app !== null) {
    return (
      <Notice kind="done">
        <p>
          {"The app "}
          {app.address === null
            ? <strong>{seen(app.name)}</strong>
            : (
              <a href={app.address} rel="noopener noreferrer">
                <strong>{seen(app.name)}</strong>
              </a>
            )}
          {` (number ${app.id}) is set up, and ${product} takes its key.`}
        </p>
      </Notice>
    );
  }
  return (
    <Notice kind={configured ? "problem" : "warning"}>
      <p>
        {configured
          ? "The app is set up here, and it does not work: "
          : "The app is not set up, so nothing reads or writes repositories: "}
        {`${seen(problem ?? "nothing more is known")}.`}
      </p>
    </Notice>
  );
}

function Installations({ report: { app, installations }, product }: Told): Child {
  const address = app?.address ?? null;
  return (
    <Section id="installations" title="Installations">
      <Table
        caption="Who has the app installed"
        columns={["Owner", "Repositories", "May write", "State"]}
        rows={installations.map((one) => [
          seen(one.account),
          one.all_repositories ? "all of them" : "only those that the owner chose",
          one.may_write ? "yes" : "no: it was not given the right to write contents",
          <Tag tone={one.suspended ? "bad" : "good"}>{one.suspended ? "suspended" : "works"}</Tag>,
        ])}
        empty="Nobody has installed it yet."
      />
      {address !== null && (
        <p>
          <a href={`${address}/installations/new`} rel="noopener noreferrer">
            {`Install it, or choose its repositories, at ${product}`}
          </a>
        </p>
      )}
    </Section>
  );
}

/** Whether an installation covers the owner of a site's repository, and what it lacks. */
function Coverage({ report, id }: { readonly report: Report; readonly id: number | null }): Child {
  if (report.app === null) return "not known while the app does not work";
  const found = report.installations.find((one) => one.id === id);
  if (found === undefined) return <Tag tone="bad">the owner has not installed the app</Tag>;
  const lack = lackOf(found);
  return lack === null
    ? `${seen(found.account)}${found.all_repositories ? "" : ", where the owner chose this repository"}`
    : <Tag tone="bad">{`${seen(found.account)}: ${lack}`}</Tag>;
}

const lackOf = ({ suspended, may_write }: Installation): string | null =>
  suspended ? "suspended" : may_write ? null : "may only read";
