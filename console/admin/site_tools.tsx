/** A site's own tool servers: what they list, why a tool is held back, and what is decided of one by a button. */
import type { Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import { isFields } from "../../core/values.ts";
import { seen } from "../../core/unseen.ts";
import { unheldLine } from "../../admin/commands_proxied.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { leadTo } from "../respond.tsx";
import { Tag } from "../parts.tsx";
import { Table } from "../table.tsx";
import { asPerson, asSender, assertMaster, type PagesParts, type Problem, worded } from "./frame.tsx";
import { EFFECTS, toolAddress, toolPage } from "./site_tool_page.tsx";
import { ownSite, siteAddress, SITES } from "./sites_list.tsx";
import { pageWords, time } from "./words.ts";

const WHAT = "decides on the tools of sites' own servers";

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
      {unheld && <p>{seen(pageWords(unheldLine({ site_id: site.id, because: unheld })))}</p>}
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

  app.post(`${at}/:name/try`, (c) =>
    asSender(parts, c, async (person, form) => {
      assertMaster(person, WHAT);
      const site = await ownSite(parts, person, c.req.param("id"));
      try {
        const trial = await (await ports.proxiedTools()).try({
          name: c.req.param("name"),
          site_id: site.id,
          ...classOf(form),
          arguments: argumentsOf(form.get("arguments") ?? ""),
        });
        return await toolPage(c, person, parts, site, { trial, form });
      } catch (thrown) {
        return await toolPage(c, person, parts, site, { problem: inLabels(worded(c, thrown)), form });
      }
    }));

  for (const verb of ["approve", "withdraw"] as const) {
    app.post(`${at}/:name/${verb}`, (c) =>
      asSender(parts, c, async (person, form) => {
        assertMaster(person, WHAT);
        const site = await ownSite(parts, person, c.req.param("id"));
        try {
          await decide(parts, site, c.req.param("name"), verb, form);
        } catch (thrown) {
          return await toolPage(c, person, parts, site, { problem: inLabels(worded(c, thrown)), form });
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
  const text = form.get("arguments")?.trim() ?? "";
  await tools.approve({
    name,
    sites: [site.id],
    hash: form.get("hash") ?? "",
    ...classOf(form),
    ...text === "" ? {} : { arguments: argumentsOf(text) },
  });
}

/** The fields of the form by the names that refusals have for them. */
const LABELS: Readonly<Record<string, string>> = {
  class: "What it does",
  effect: "Where it writes",
  page: "Where it changes a page",
};

/** A refusal in the words of the form. */
function inLabels({ message, status, wrong }: Problem): Problem {
  const label = wrong && LABELS[wrong.name];
  if (label === undefined) return { message, status };
  const { name, how, says } = wrong!;
  if (how === "missing") {
    return { status, message: `${label}: nobody has said so far; choose whether it reads or writes` };
  }
  const way = how !== "needless" ? "" : name === "class" ? '; choose "as it is known"' : "; leave it out";
  return { status, message: `${label}: ${says}${way}` };
}

/** What a form says that a tool does. */
function classOf(form: URLSearchParams) {
  const chosen = form.get("class");
  const effect = EFFECTS.find(({ value }) => value === form.get("effect"))?.value;
  const page = form.get("page")?.trim();
  return {
    ...chosen === "read" || chosen === "write" ? { class: chosen } as const : {},
    ...chosen === "write" && effect ? { effect } : {},
    ...chosen === "write" && page ? { page } : {},
  };
}

/** The arguments of a dry run. Throws E_BAD_INPUT. */
function argumentsOf(text: string): Record<string, unknown> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    given = null;
  }
  if (isFields(given)) return given;
  throw new GatewayError(
    "E_BAD_INPUT",
    'arguments: expected an object of JSON, such as {"post_id": 12}; nothing was run',
  );
}
