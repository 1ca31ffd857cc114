/** A site's own tool servers: what they list, why a tool is held back, what changed in it, and the decisions on it. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { ToolReport, ToolTextReport } from "../../admin/ports.ts";
import { unheldLine } from "../../admin/commands_proxied.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Form, Select, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Tag } from "../parts.tsx";
import { Table } from "../table.tsx";
import { asPerson, asSender, assertMaster, type PagesParts, worded } from "./frame.tsx";
import { ownSite, siteAddress, SITES } from "./sites_list.tsx";
import { time } from "./words.ts";

const EFFECTS = [
  { value: "page", label: "page: changes a page that is named in an argument" },
  { value: "new", label: "new: only adds" },
  { value: "record", label: "record: changes a record" },
  { value: "site", label: "site: touches the whole site" },
];
const CLASSES = [
  { value: "", label: "as it is known" },
  { value: "read", label: "read: it changes nothing" },
  { value: "write", label: "write: it changes something" },
];
const WHAT = "decides on the tools of sites' own servers";

const toolAddress = (site: Site, name: string) => `${siteAddress(site.id)}/tools/${encodeURIComponent(name)}`;

/** The servers and tools of a site; nothing where it has no server. */
export async function toolSection({ ports }: PagesParts, person: Person, site: Site): Promise<Child> {
  const { servers, tools } = await (await ports.proxiedTools()).list({ site_id: site.id });
  if (servers.length === 0) return null;
  const order = ["held", "approved", "offered", "refused", "hidden"];
  const sorted = tools.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state));
  const unheld = servers.find((one) => one.unheld !== null)?.unheld;
  return (
    <section>
      <h2>Tools of the site's own servers</h2>
      {unheld && <p>{seen(unheldLine({ site_id: site.id, because: unheld }))}</p>}
      <Table
        caption="Servers, and when they last answered"
        columns={["Server", "Answered", "Tools"]}
        rows={servers.map(({ server, fetched_at, failure, listed }) => [
          seen(server),
          failure !== null ? seen(failure) : fetched_at === null ? "never" : time(fetched_at),
          String(listed),
        ])}
        empty=""
      />
      <Form visitor={person} action={`${siteAddress(site.id)}/tools/refresh`}>
        <Submit quiet>Ask for the tools now</Submit>
      </Form>
      <p>
        <a href={`/admin/try?${new URLSearchParams({ site: site.id })}`}>Try one of them</a>
      </p>
      <Table
        caption="What they list, held ones first"
        columns={["Tool", "State", "Why"]}
        rows={sorted.map((tool) => [
          <a href={toolAddress(site, tool.name)}>{seen(tool.name)}</a>,
          <Tag tone={tool.state === "held" ? "bad" : "plain"}>{tool.state}</Tag>,
          tool.reason === null ? "" : seen(tool.reason),
        ])}
        empty="They list no tool."
      />
    </section>
  );
}

/** Adds the pages and decisions under `/admin/sites/<id>/tools`. */
export function siteToolPages(app: Hono, parts: PagesParts): void {
  const at = `${SITES}/:id/tools`;
  const { ports } = parts;

  app.post(`${at}/refresh`, (c) =>
    asSender(parts, c, async (person) => {
      assertMaster(person, WHAT);
      const site = await ownSite(parts, person, c.req.param("id"));
      await (await ports.proxiedTools()).refresh(site.id);
      return leadTo(c, `${siteAddress(site.id)}?done=refreshed`);
    }));

  app.get(`${at}/:name`, (c) =>
    asPerson(parts, c, async (person) => {
      assertMaster(person, WHAT);
      return await toolPage(c, person, parts, await ownSite(parts, person, c.req.param("id")));
    }));

  for (const verb of ["approve", "withdraw"] as const) {
    app.post(`${at}/:name/${verb}`, (c) =>
      asSender(parts, c, async (person, form) => {
        assertMaster(person, WHAT);
        const site = await ownSite(parts, person, c.req.param("id"));
        try {
          await decide(parts, site, c.req.param("name"), verb, form);
        } catch (thrown) {
          return await toolPage(c, person, parts, site, worded(c, thrown));
        }
        return leadTo(c, `${siteAddress(site.id)}?done=${verb === "approve" ? "approved" : "withdrawn"}`);
      }));
  }
}

async function decide(
  { ports }: PagesParts,
  site: Site,
  name: string,
  verb: "approve" | "withdraw",
  form: URLSearchParams,
): Promise<void> {
  const tools = await ports.proxiedTools();
  if (verb === "withdraw") return void await tools.withdraw(name, [site.id]);
  const chosen = form.get("class");
  const effect = EFFECTS.find(({ value }) => value === form.get("effect"))?.value;
  const page = form.get("page")?.trim();
  await tools.approve({
    name,
    sites: [site.id],
    hash: form.get("hash") ?? "",
    ...chosen === "read" || chosen === "write" ? { class: chosen } : {},
    ...chosen === "write" && effect ? { effect: effect as "page" | "new" | "record" | "site" } : {},
    ...chosen === "write" && page ? { page } : {},
  });
}

async function toolPage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  site: Site,
  problem?: { readonly message: string; readonly status: number },
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
      {problem && (
        <Notice kind="problem">
          <p>{seen(problem.message)}.</p>
        </Notice>
      )}
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
      <Words tool={tool} />
      <Decisions tool={tool} site={site} person={person} />
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

function Decisions(
  { tool, site, person }: { readonly tool: ToolReport; readonly site: Site; readonly person: Person },
): Child {
  const address = toolAddress(site, tool.name);
  const isOut = tool.state === "refused" || tool.state === "hidden";
  return (
    <>
      {!isOut && tool.state !== "approved" && tool.state !== "offered" && tool.hash !== "" && (
        <section>
          <h2>Let it through</h2>
          <p>
            Callers are shown its own description and texts from then on, on this site. Another text under
            that name is held back again.
          </p>
          <Form visitor={person} action={`${address}/approve`}>
            <input type="hidden" name="hash" value={tool.hash} />
            <Select name="class" label="What it does" options={CLASSES} />
            <Select name="effect" label="Where it writes: what it touches" options={EFFECTS} value="site" />
            <Field
              name="page"
              label="Where it changes a page: the argument that names it"
              required={false}
              autocomplete="off"
            />
            <Submit>Approve as it is shown here</Submit>
          </Form>
        </section>
      )}
      {!isOut && (
        <section>
          <h2>Take it away</h2>
          <Form visitor={person} action={`${address}/withdraw`}>
            <p>Nobody can call it on this site any more, until it is approved again.</p>
            <Submit quiet>Withdraw it</Submit>
          </Form>
        </section>
      )}
    </>
  );
}
