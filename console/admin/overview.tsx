/** The overview: what needs somebody, what was called and changed lately, and the first steps while nothing is set up. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import {
  type Attention,
  type LastChange,
  type Overview,
  overviewOf,
  type SetUp,
} from "../../admin/overview.ts";
import type { DayCount } from "../../store/store.ts";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import type { Person } from "../../identity/visitors.ts";
import { DaysChart } from "../chart.tsx";
import { hasPage } from "../nav.tsx";
import { Empty, Section, Stats, Tag, Time } from "../parts.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { ToolLink } from "./audit_parts.tsx";
import { asPerson, type PagesParts } from "./frame.tsx";
import { siteAddress } from "./sites_list.tsx";
import { pageWords } from "./words.ts";

const PATH = "/admin";
/** How an operator's commands begin. */
const TASK = "npx -y deno@2.9 task admin";

/** Adds `/admin`. */
export function overviewPages(app: Hono, parts: PagesParts): void {
  app.get(PATH, (c) =>
    asPerson(parts, c, async (person) => {
      return await overviewPage(c, person, await overviewOf(parts.ports, person.caller, parts.recent));
    }));
}

function overviewPage(c: Context, person: Person, overview: Overview): Promise<Response> {
  const { attention, days, changes, setUp } = overview;
  const isSetUp = setUp === null || (setUp.site && setUp.token && setUp.draft);
  return showPage(
    c,
    { title: "Overview", visitor: person, current: PATH, wide: true, times: true },
    <>
      {!isSetUp && <Guide setUp={setUp} isMaster={person.caller.user === null} />}
      <Section id="needs" title="What needs somebody">
        {attention.length === 0
          ? <p>Nothing waits for you now.</p>
          : <ul class="todo">{attention.map((one) => <Need {...one} />)}</ul>}
      </Section>
      <Figures {...overview} />
      {days !== null && days.some(({ calls }) => calls !== 0) && <Days days={days} />}
      <Section
        id="changes"
        title={person.user === null ? "The last changes" : "The last changes in your name"}
      >
        <Changes changes={changes} person={person} />
      </Section>
    </>,
  );
}

/** Where it is mended: a page where there is one, else the command. */
function Mend(
  { title, page, command, sites = [], isStep = false, isNext = false }:
    & Pick<Attention, "title" | "page" | "command" | "sites">
    & { readonly isStep?: boolean; readonly isNext?: boolean },
): Child {
  if (sites.length > 0) {
    return <span class="ways">{sites.map((id) => <a href={siteAddress(id)}>Open {id}</a>)}</span>;
  }
  if (page !== undefined && hasPage(page.split("?")[0]!)) {
    return (
      <a class={isNext ? "button" : undefined} href={page}>
        {isStep ? title : `Open ${title.toLowerCase()}`}
      </a>
    );
  }
  return (command?.split("\n") ?? []).map((one) => <code class="command">{`${TASK} ${one}`}</code>);
}

function Need(one: Attention): Child {
  return (
    <li>
      <Tag tone={one.bad ? "bad" : "wait"}>{one.count}</Tag>
      <div>
        <p>
          <strong>{one.title}</strong>
        </p>
        <p>{seen(pageWords(one.sentence))}</p>
        <Mend {...one} />
      </div>
    </li>
  );
}

function Figures({ figures: { sites, tokens, people } }: Overview): Child {
  const at = (href: string) => hasPage(href) ? { href } : {};
  return (
    <Stats
      all={[
        { label: people === null ? "Sites you may use" : "Sites", value: sites, ...at("/admin/sites") },
        { label: people === null ? "Your tokens" : "Tokens in use", value: tokens, ...at("/admin/tokens") },
        ...people === null ? [] : [{ label: "People", value: people, ...at("/admin/users") }],
      ]}
    />
  );
}

function Days({ days }: { readonly days: readonly DayCount[] }): Child {
  return (
    <Section id="days" title="Calls of the last 14 days">
      <div class="charts">
        <DaysChart
          title="Calls"
          unit={["call", "calls"]}
          days={days.map(({ day, calls }) => ({ day, value: calls }))}
        />
        <DaysChart
          title="Refused calls"
          unit={["refused call", "refused calls"]}
          days={days.map(({ day, refused }) => ({ day, value: refused }))}
          bad
        />
      </div>
    </Section>
  );
}

/** Which fields a row says it changed. */
function fieldsOf({ row: { changes } }: LastChange): string {
  const first = isFields(changes) ? changes["first"] : changes;
  const fields = (Array.isArray(first) ? first : []).flatMap((one) =>
    isFields(one) ? [String(one["field"])] : []
  );
  return seen([...new Set(fields)].slice(0, 4).join(", ").slice(0, 120));
}

function Changes(
  { changes, person }: { readonly changes: readonly LastChange[]; readonly person: Person },
): Child {
  if (changes.length === 0) {
    return (
      <Empty title="Nothing was changed yet" action={{ href: "/admin/tokens", label: "Make a token" }}>
        What agents change stands here, with the way to take it back. Make a token, give it to an agent, and
        ask it for a draft.
      </Empty>
    );
  }
  const rows = changes.map((one) => {
    const { at, token_name, site_id } = one.row;
    return [
      <>
        <ToolLink row={one.row} />
        {one.row.approved_by === undefined ? null : <Tag>approved</Tag>}
      </>,
      site_id !== null && person.user?.role !== "member"
        ? <a href={siteAddress(site_id)}>{site_id}</a>
        : site_id ?? "",
      fieldsOf(one),
      seen(token_name),
      <Time at={at} />,
      <TakeBack change={one} />,
    ];
  });
  return (
    <Table
      caption="The newest first"
      columns={["Tool", "Site", "What", "By", "When", "Take back"]}
      rows={rows}
      empty=""
    />
  );
}

function TakeBack(
  { change: { row: { site_id, request_id, approval_id }, undoable } }: { readonly change: LastChange },
): Child {
  if (!undoable || site_id === null) return <span class="soft">cannot be</span>;
  if (approval_id !== undefined) return <a href={`/admin/approvals/${approval_id}`}>Open the approval</a>;
  return <a href={`/admin/audit/${request_id}`} aria-label={`Take back ${request_id}`}>Take it back</a>;
}

interface Step {
  readonly title: string;
  readonly done: boolean;
  readonly sentence: string;
  readonly page?: string;
  readonly command?: string;
}

/** The way to the first draft; a step that is done is ticked. */
function stepsOf({ person, site, token, draft }: SetUp, isMaster: boolean): readonly Step[] {
  return [
    {
      title: "Keep the secrets",
      done: true,
      sentence:
        "MASTER_TOKEN and ENCRYPTION_KEYS are set. Keep a copy of both apart from the store's backups.",
    },
    ...isMaster
      ? [{
        title: "Invite yourself",
        done: person,
        sentence:
          "Work as a person, so that the audit says who did what. Make it an admin of every site; the page shows a link to sign in with, once.",
        page: "/admin/users",
      }]
      : [],
    {
      title: "Add the first site",
      done: site,
      sentence: "Nothing is sent to it before you test the connection.",
      page: "/admin/sites",
      command: "site add acme --platform cms --base-url https://acme.example",
    },
    {
      title: "Make the first token",
      done: token,
      sentence: "An agent calls tools with it, on the sites and up to the ceiling that you choose.",
      page: "/admin/tokens",
    },
    {
      title: "Have an agent write a draft",
      done: draft,
      sentence: "Ask it for a draft on the site: nothing goes live, and you see the change here.",
    },
  ];
}

function Guide({ setUp, isMaster }: { readonly setUp: SetUp; readonly isMaster: boolean }): Child {
  const steps = stepsOf(setUp, isMaster);
  const next = steps.find(({ done }) => !done);
  return (
    <Section id="guide" title="Set this gateway up">
      <ol class="steps">
        {steps.map((step) => (
          <li>
            <Tag tone={step.done ? "good" : "plain"}>{step.done ? "Done" : "To do"}</Tag>
            <div>
              <p>
                <strong>{step.title}</strong>
              </p>
              <p>{step.sentence}</p>
              {!step.done && (step === next || hasPage(step.page ?? "")) && (
                <Mend {...step} isStep isNext={step === next} />
              )}
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
