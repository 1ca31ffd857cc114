/** A tool is tried: chosen for a site, filled in, shown before it changes anything, run once. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { TrialForm, TrialTool, Trier } from "../../admin/ports.ts";
import { GatewayError } from "../../core/errors.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { cut } from "../../core/values.ts";
import type { Person } from "../../identity/visitors.ts";
import { Field, Form, Select, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { groupWords, inShownOrder } from "../../identity/oauth/group_words.ts";
import { Empty, Section, Tag } from "../parts.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { asPerson, asSender, type PagesParts, trierOf } from "./frame.tsx";
import { againPage, asKeeper } from "./kept_form.tsx";
import { isOwnSite } from "../../admin/site_rights.ts";
import {
  type ArgumentFaults,
  ArgumentFields,
  AS_JSON,
  faultsIn,
  fieldsFrom,
  readArguments,
} from "./try_form.tsx";
import { TRY } from "./change_parts.tsx";
import { trialPage } from "./try_result.tsx";
import { CEILINGS } from "./words.ts";

/** Of more sites than that the id is typed. */
const SITES_LISTED = 100;
const TOOLS_LISTED = 160;
/** Characters of what a tool is for. */
const WORDS_SHOWN = 160;
const MINUTES = LIMITS.TRIAL_MS / 60_000;

/** Adds the pages. */
export function tryPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  app.get(TRY, (c) =>
    asPerson(parts, c, async (person) => {
      const by = await trierOf(parts, c, person);
      return await askedFor(c, person, parts, by) ?? await choosePage(c, person, parts, by);
    }));

  app.post(TRY, (c) =>
    asKeeper(parts, c, () => false, async (person, fields, isAgain) => {
      const by = await trierOf(parts, c, person);
      return await begun(c, person, parts, { by, fields, isAgain });
    }));

  app.get(`${TRY}/:id`, (c) =>
    asPerson(parts, c, async (person) => {
      const by = await trierOf(parts, c, person);
      return await trialPage(c, person, parts, await (await ports.trials()).show(by, c.req.param("id")));
    }));

  app.post(`${TRY}/:id/confirm`, (c) => {
    const { id } = c.req.param();
    return asSender(parts, c, async (person, form) => {
      const by = await trierOf(parts, c, person);
      await (await ports.trials()).confirm(by, id, form.get("confirm_token") ?? "");
      return leadTo(c, `${TRY}/${id}`);
    }, `${TRY}/${id}`);
  });
}

/** The form that the address asks for: of a tool, or of a trial with what was sent then; null where it asks for none. */
async function askedFor(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  by: Trier,
): Promise<Response | null> {
  const trials = await ports.trials();
  const given = (name: string) => c.req.query(name)?.trim() ?? "";
  if (given("from") !== "") {
    const { site_id, tool, arguments: args, max_risk } = await trials.show(by, given("from"));
    const form = await trials.tool(by, site_id, tool);
    const fields = fieldsFrom(form, args);
    fields.set("max_risk", String(max_risk));
    return await formPage(c, person, { site_id, form, fields });
  }
  const [site_id, tool] = [given("site"), given("tool")];
  if (site_id === "" || tool === "") return null;
  const form = await trials.tool(by, site_id, tool);
  return await formPage(c, person, { site_id, form, fields: new URLSearchParams() });
}

/** Runs what a form says and leads to what came of it; what is wrong with it stands in the form. */
async function begun(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  { by, fields, isAgain }: {
    readonly by: Trier;
    readonly fields: URLSearchParams;
    readonly isAgain: boolean;
  },
): Promise<Response> {
  const trials = await ports.trials();
  const [site_id, tool] = [fields.get("site") ?? "", fields.get("tool") ?? ""];
  const form = await trials.tool(by, site_id, tool).catch((thrown) => {
    if (isAgain && thrown instanceof GatewayError) return null;
    throw thrown;
  });
  if (form === null) return await againPage(c, person, fields); // nothing typed is lost where the tool is gone
  const shown = { site_id, form, fields };
  if (isAgain) return await formPage(c, person, shown);
  const { args, faults } = readArguments(form, fields);
  if (Object.keys(faults).length > 0) return await formPage(c, person, { ...shown, faults });
  try {
    const max_risk = Number(fields.get("max_risk") ?? NaN);
    const id = await trials.begin(by, { site_id, tool, arguments: args, max_risk });
    return leadTo(c, `${TRY}/${id}`);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_BAD_INPUT") throw thrown;
    return await formPage(c, person, { ...shown, faults: faultsIn(thrown.faults, form) });
  }
}

/** The sites that somebody may try tools on. */
async function sitesOf({ ports }: PagesParts, { caller }: Person): Promise<readonly Site[]> {
  return (await ports.store.sites.list()).filter(({ id }) => isOwnSite(caller, id));
}

async function choosePage(c: Context, person: Person, parts: PagesParts, by: Trier): Promise<Response> {
  const sites = await sitesOf(parts, person);
  const site_id = c.req.query("site")?.trim() ?? (sites.length === 1 ? sites[0]!.id : "");
  const words = c.req.query("q")?.trim().slice(0, 200) ?? "";
  const trials = await parts.ports.trials();
  const tools = site_id === "" ? null : await trials.tools(by, site_id, words === "" ? undefined : words);
  return await showPage(
    c,
    { title: "Try a tool", visitor: person, current: TRY, wide: true },
    <>
      <p>
        Call a tool on a site, as an agent would: every check is made, and the audit has it in your name. What
        would change something is shown first.
      </p>
      {person.user === null && (
        <Notice kind="note">
          <p>
            The master token is no person: what you try here is tried with a super-admin token that ends after
            {" "}
            {MINUTES} minutes, and stands in the audit without a name.{" "}
            <a href="/admin/users">Invite yourself as a person</a>, to have it under yours.
          </p>
        </Notice>
      )}
      {sites.length === 0
        ? <NoSite person={person} />
        : <Search sites={sites} site_id={site_id} words={words} />}
      {tools !== null && <Tools tools={tools} site_id={site_id} words={words} />}
    </>,
  );
}

function NoSite({ person }: { readonly person: Person }): Child {
  const user = person.caller.user;
  const isAdmin = user === null || user.role === "admin";
  return (
    <Empty
      title="There is no site to try a tool on"
      {...isAdmin ? { action: { href: "/admin/sites", label: "Go to the sites" } } : {}}
    >
      {isAdmin
        ? "Each tool is tried on one site. Register one first."
        : "Each tool is tried on one site, and you may use none yet; ask whoever manages this gateway."}
    </Empty>
  );
}

function Search(
  { sites, site_id, words }: {
    readonly sites: readonly Site[];
    readonly site_id: string;
    readonly words: string;
  },
): Child {
  return (
    <form method="get" action={TRY} role="search">
      <div class="filters">
        {sites.length > SITES_LISTED ? <Field name="site" label="Site (its id)" value={site_id} /> : (
          <Select
            name="site"
            label="Site"
            value={site_id}
            options={sites.map(({ id, name }) => ({
              value: id,
              label: name === id ? id : `${seen(name)} (${id})`,
            }))}
          />
        )}
        <Field name="q" label="What it should do" value={words} required={false} maxlength={200} />
        <button type="submit" class="quiet">Show tools</button>
      </div>
    </form>
  );
}

function Tools(
  { tools, site_id, words }: {
    readonly tools: readonly TrialTool[];
    readonly site_id: string;
    readonly words: string;
  },
): Child {
  const shown = tools.slice(0, TOOLS_LISTED);
  const all = `${TRY}?${new URLSearchParams({ site: site_id })}`;
  if (words !== "") {
    return (
      <Section id="found" title={`Tools for “${seen(words)}”`}>
        {shown.length === 0 && <p>No tool that you may call there is known by these words.</p>}
        <ToolList tools={shown} site_id={site_id} />
        <p>
          <a href={all}>All tools of this site</a>
        </p>
      </Section>
    );
  }
  const groups = [...Map.groupBy(shown, ({ group }) => group)].map(([name, of]) => ({ name, of }));
  return (
    <>
      {inShownOrder(groups).map(({ name, of }) => (
        <Section id={`group-${name}`} title={groupWords(name)}>
          <ToolList tools={of} site_id={site_id} />
        </Section>
      ))}
      {shown.length < tools.length && <p>{`${tools.length - shown.length} more are found by words.`}</p>}
    </>
  );
}

function ToolList(
  { tools, site_id }: { readonly tools: readonly TrialTool[]; readonly site_id: string },
): Child {
  return (
    <ul class="tools">
      {tools.map(({ name, title, description, writes }) => (
        <li>
          <a href={`${TRY}?${new URLSearchParams({ site: site_id, tool: name })}`}>{seen(title)}</a>{" "}
          <code>{seen(name)}</code> {writes && <Tag tone="wait">changes</Tag>}
          <span class="hint" dir="auto">{seen(cut(description, WORDS_SHOWN))}</span>
        </li>
      ))}
    </ul>
  );
}

/** What a form shows. */
interface FormShown {
  readonly site_id: string;
  readonly form: TrialForm;
  readonly fields: URLSearchParams;
  readonly faults?: ArgumentFaults;
}

async function formPage(
  c: Context,
  person: Person,
  { site_id, form, fields, faults = {} }: FormShown,
): Promise<Response> {
  const isWrong = Object.keys(faults).length > 0;
  return await showPage(
    c,
    { title: `Try: ${seen(form.title)}`, visitor: person, current: TRY, ...isWrong ? { status: 400 } : {} },
    <>
      {isWrong && (
        <Notice kind="problem">
          <p>{`Nothing was sent to the site. ${general(faults)}`}</p>
        </Notice>
      )}
      <p>
        <code>{seen(form.name)}</code>
        {` on ${site_id}: `}
        <span dir="auto">{seen(form.whole)}</span>
      </p>
      <Form visitor={person} action={TRY}>
        <input type="hidden" name="site" value={site_id} />
        <input type="hidden" name="tool" value={form.name} />
        <ArgumentFields of={form} form={fields} faults={faults} />
        <Select
          name="max_risk"
          label="At most"
          hint={`It runs with a token of yours that ends after ${MINUTES} minutes, or when you sign out. It is for this tool and this site, and may do no more than that.`}
          error={faults["max_risk"]}
          value={fields.get("max_risk") ?? String(Math.min(form.most, form.tier))}
          options={CEILINGS.slice(0, form.most + 1).map((label, tier) => ({ value: String(tier), label }))}
        />
        <Submit>{form.writes ? "Show what it would change" : "Run it"}</Submit>
      </Form>
      <p>
        <a href={`${TRY}?${new URLSearchParams({ site: site_id })}`}>Another tool</a>
      </p>
    </>,
  );
}

/** What is wrong and belongs to no field that is shown. */
function general(faults: ArgumentFaults): string {
  if (faults[""] !== undefined) return `${seen(faults[""])}.`;
  return faults[AS_JSON] === undefined
    ? "What is wrong stands at each field."
    : "The arguments could not be read.";
}
