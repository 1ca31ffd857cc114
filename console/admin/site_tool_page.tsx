/** A tool of a site's own server: what its server says, what changed in it, a dry run, and the decisions on it. */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { cut } from "../../core/values.ts";
import type { ToolReport, ToolTextReport, ToolTrial } from "../../admin/ports.ts";
import type { Person } from "../../identity/visitors.ts";
import { Area, Field, Form, Select, Submit } from "../form.tsx";
import { Notice, Said } from "../notice.tsx";
import { showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import type { PagesParts } from "./frame.tsx";
import { siteAddress, SITES } from "./sites_list.tsx";

/** What a write touches. */
export const EFFECTS = [
  { value: "page", label: "page: changes a page that is named in an argument" },
  { value: "new", label: "new: only adds" },
  { value: "record", label: "record: changes a record" },
  { value: "site", label: "site: touches the whole site" },
] as const;
/** Of a tool of which somebody has said what it does, that can be left as it is. */
const classesOf = ({ class: known }: ToolReport) => [
  { value: "", label: known === null ? "choose one" : "as it is known" },
  { value: "read", label: "read: it changes nothing" },
  { value: "write", label: "write: it changes something" },
];

/** Where a tool's own page is. */
export const toolAddress = (site: Site, name: string): string =>
  `${siteAddress(site.id)}/tools/${encodeURIComponent(name)}`;

/** What the page says beside the tool. */
export interface SaidOfTool {
  readonly problem?: { readonly message: string; readonly status: number };
  readonly trial?: ToolTrial;
  /** What was sent. */
  readonly form?: URLSearchParams;
}

/** The page. */
export async function toolPage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  site: Site,
  { problem, trial, form }: SaidOfTool = {},
): Promise<Response> {
  const name = c.req.param("name") ?? "";
  const { tools } = await (await ports.proxiedTools()).show(name, site.id);
  const [tool] = tools;
  if (tool === undefined) throw new GatewayError("E_NOT_FOUND", "The site lists no such tool");
  return await showPage(
    c,
    {
      title: seen(tool.name),
      visitor: person,
      current: SITES,
      wide: true,
      ...problem && { status: problem.status },
    },
    <>
      <Said problem={problem} />
      <p>
        {"A tool of "}
        <a href={siteAddress(site.id)}>{site.name}</a>
        {`, at ${seen(tool.server)}. It is ${tool.state}${
          tool.reason === null ? "" : `: ${seen(tool.reason)}`
        }.`}
      </p>
      {tool.caution !== null && (
        <Notice kind="warning">
          <p>{seen(tool.caution)}</p>
        </Notice>
      )}
      {(tool.state === "offered" || tool.state === "approved") && (
        <p>
          <a href={`/admin/try?${new URLSearchParams({ site: site.id, tool: tool.name })}`}>Try it</a>
        </p>
      )}
      {trial && <Trial trial={trial} />}
      <Words tool={tool} />
      <Decisions tool={tool} site={site} person={person} form={form} />
    </>,
  );
}

function Words({ tool }: { readonly tool: ToolTextReport }): Child {
  return (
    <>
      {tool.changes && (
        <section>
          <h2>What changed</h2>
          <DiffLines lines={tool.changes} />
        </section>
      )}
      {tool.text !== null && (
        <section>
          <h2>As its server lists it</h2>
          <div class="text">{seen(tool.text)}</div>
        </section>
      )}
      {tool.shown !== null && (
        <section>
          <h2>As callers are shown it</h2>
          <div class="text">{seen(tool.shown.description)}</div>
          <details>
            <summary>Its arguments (JSON Schema)</summary>
            <div class="text">{seen(JSON.stringify(tool.shown.input_schema, null, 2))}</div>
          </details>
        </section>
      )}
    </>
  );
}

/** Lines that begin with - were taken away, those with + are new. */
function DiffLines({ lines }: { readonly lines: readonly string[] }): Child {
  return (
    <div class="text">
      {lines.map((line) => (
        <div>
          {line.startsWith("-")
            ? <del>{seen(line.slice(1))}</del>
            : line.startsWith("+")
            ? <ins>{seen(line.slice(1))}</ins>
            : seen(line)}
        </div>
      ))}
    </div>
  );
}

interface FormParts {
  readonly tool: ToolReport;
  readonly site: Site;
  readonly person: Person;
  /** What was sent, where a form comes back. */
  readonly form: URLSearchParams | undefined;
}

const isOutOf = ({ state }: ToolReport) => state === "refused" || state === "hidden";

/** What a dry run would have changed, and what a call would need. */
function Trial({ trial }: { readonly trial: ToolTrial }): Child {
  const { summary, changes, left_out, warnings, needs, missing } = trial;
  return (
    <section>
      <Notice kind="done">
        <p>{`Run dry; nothing was kept. It would have ${seen(summary)}.`}</p>
      </Notice>
      <Table
        caption="What it would have changed"
        columns={["Field", "Now", "Then"]}
        rows={changes.map(({ field, from, to }) => [
          seen(field),
          shownValue(from),
          shownValue(to),
        ])}
        empty="It would have changed nothing."
      />
      {left_out && <p>{`${seen(left_out)}.`}</p>}
      {warnings.map((one) => <p>{`${seen(one)}.`}</p>)}
      {needs.length > 0 && (
        <p>
          {`Such a call needs ${needs.join(", ")}.`}
          {missing.length > 0 && ` The site does not have ${missing.join(", ")}: `}
          {missing.length > 0 && <a href={`${siteAddress(trial.site_id)}/edit`}>change its settings</a>}
        </p>
      )}
    </section>
  );
}

const VALUE_CHARACTERS = 2000;

function shownValue(value: unknown): Child {
  if (value === null || value === undefined) return "nothing";
  return seen(cut(typeof value === "string" ? value : JSON.stringify(value) ?? "", VALUE_CHARACTERS));
}

/** A dry run and an approval are one form: what it says of the tool holds for both. The dry run stands first, for Enter presses that. */
function Decisions({ tool, site, person, form }: FormParts): Child {
  if (isOutOf(tool)) return null;
  const address = toolAddress(site, tool.name);
  const isOpen = tool.state !== "approved" && tool.state !== "offered" && tool.hash !== "";
  const given = (name: string) => form?.get(name) ?? "";
  return (
    <>
      <section>
        <h2>{isOpen ? "Try it, or let it through" : "Try it"}</h2>
        <p>
          In a dry run the site runs it, shows what it changed, and takes it back: nothing is kept. It needs
          the companion plugin, paired; a tool that only reads cannot be tried.
        </p>
        <Form visitor={person} action={`${address}/${isOpen ? "approve" : "try"}`}>
          <input type="hidden" name="hash" value={tool.hash} />
          <Select name="class" label="What it does" options={classesOf(tool)} value={given("class")} />
          <Select
            name="effect"
            label="Where it writes: what it touches"
            options={EFFECTS}
            value={given("effect") || "site"}
          />
          <Field
            name="page"
            label="Where it changes a page: the argument that names it"
            required={false}
            autocomplete="off"
            value={given("page")}
          />
          <Area
            name="arguments"
            label="Arguments of a dry run, as JSON"
            hint={`Such as {"post_id": 12}; name a draft.${
              isOpen ? " With arguments it is approved only where the dry run succeeds." : ""
            }`}
            value={given("arguments")}
            maxlength={20_000}
          />
          <p>
            <button type="submit" class="quiet" formaction={`${address}/try`}>Run it dry</button>
          </p>
          {isOpen && (
            <p>
              Once it is let through, callers are shown its own description and texts on this site. Another
              text under that name is held back again.
            </p>
          )}
          {isOpen && <Submit>Approve as it is shown here</Submit>}
        </Form>
      </section>
      <section>
        <h2>Take it away</h2>
        <Form visitor={person} action={`${address}/withdraw`}>
          <p>Nobody can call it on this site any more, until it is approved again.</p>
          <Submit quiet>Withdraw it</Submit>
        </Form>
      </section>
    </>
  );
}
