/** Which sites use a connected account: one account bound to many sites at once, by whoever may bind it to each. */
import { Said } from "../notice.tsx";
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import { refuseAny } from "../../core/faults.ts";
import type { Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import type { ConnectionReport } from "../../admin/connection_ports.ts";
import { changeSite, missingSite } from "../../admin/site_changes.ts";
import { isOwnSite } from "../../admin/site_rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { Choices, Field, Form, Submit } from "../form.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { asPerson, asSender, assertAdmin, type PagesParts, type Problem, worded } from "./frame.tsx";

const CONNECTIONS = "/admin/connections";
const PATH = `${CONNECTIONS}/sites`;
/** More sites than that are found, not listed. */
const LISTED_MAX = 100;
const WHAT = "binds accounts to sites";

/** An account, and the settings of a site that say whose is used. */
interface Bound {
  readonly account: ConnectionReport;
  readonly product: string;
  readonly uses: readonly { readonly field: string; readonly label: string }[];
}

/** The address at which that account is bound to sites. */
export const sitesOfAccount = ({ user_id, kind }: Pick<ConnectionReport, "user_id" | "kind">): string =>
  `${PATH}?${new URLSearchParams({ user: user_id, kind })}`;

/** Adds the routes under `/admin/connections/sites`. */
export function connectionSitePages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  app.get(PATH, (c) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, WHAT);
      const [user, kind] = [c.req.query("user") ?? "", c.req.query("kind") ?? ""];
      return await sitesPage(c, person, parts, await boundOf(parts, person, user, kind));
    }));

  app.post(PATH, (c) =>
    asSender(parts, c, async (person, form) => {
      assertAdmin(person, WHAT);
      const bound = await boundOf(parts, person, form.get("user") ?? "", form.get("kind") ?? "");
      try {
        const fields = bound.uses.map(({ field }) => field).filter((one) =>
          form.getAll("uses").includes(one)
        );
        const ids = form.getAll("sites");
        if (fields.length === 0) refuseAny(["What it is used for: choose at least one; nothing was changed"]);
        if (ids.length === 0) refuseAny(["Sites: choose at least one; nothing was changed"]);
        const known = new Map((await ownSites(parts, person)).map((site) => [site.id, site]));
        const sites = ids.map((id) => known.get(id) ?? missing(id, known));
        const change = Object.fromEntries(fields.map((field) => [field, bound.account.user_id]));
        for (const site of sites) await changeSite(ports, person.caller, site, change);
      } catch (thrown) {
        return await sitesPage(c, person, parts, bound, { form, problem: worded(c, thrown) });
      }
      return leadTo(c, `${sitesOfAccount(bound.account)}&done=bound`);
    }, CONNECTIONS));
}

function missing(id: string, known: ReadonlyMap<string, Site>): never {
  throw missingSite(id, [...known.keys()]);
}

const ownSites = async ({ ports }: PagesParts, { caller }: Person) =>
  (await ports.store.sites.list()).filter(({ id }) => isOwnSite(caller, id));

/** The account that is meant: a person's own, with the master token anybody's. Throws E_NOT_FOUND. */
async function boundOf(
  { ports }: PagesParts,
  { caller }: Person,
  user: string,
  kind: string,
): Promise<Bound> {
  const isOwn = caller.user === null ? user !== "" : caller.user.id === user;
  const all = isOwn ? await (await ports.connections()).list(user) : [];
  const account = all.find((one) => one.user_id === user && one.kind === kind);
  const connector = ports.connectors.all.find((one) => one.account?.kind === kind);
  if (account === undefined || connector === undefined) {
    throw new GatewayError("E_NOT_FOUND", "No such account is connected, or it is not yours to bind");
  }
  const uses = Object.entries(connector.siteFields ?? {}).filter(([, { user }]) => user)
    .map(([field, { label }]) => ({ field, label: label ?? field }));
  return { account, product: connector.product, uses };
}

/** A form that was refused. */
interface Refused {
  readonly form: URLSearchParams;
  readonly problem: Problem;
}

async function sitesPage(
  c: Context,
  person: Person,
  parts: PagesParts,
  { account, product, uses }: Bound,
  refused?: Refused,
): Promise<Response> {
  const q = (c.req.query("q") ?? "").trim().slice(0, 200);
  const words = q.toLowerCase().split(" ").filter((one) => one !== "");
  const all = await ownSites(parts, person);
  const fits = all.filter(({ id, name, project_id }) =>
    words.every((word) => `${id} ${name} ${project_id ?? ""}`.toLowerCase().includes(word))
  );
  const { form } = refused ?? {};
  return await showPage(
    c,
    {
      ...{ title: "Sites that use an account", visitor: person, current: CONNECTIONS },
      ...refused && { status: refused.problem.status },
    },
    <>
      <Said
        done={c.req.query("done") === "bound" ? "The sites use the account from now on." : undefined}
        problem={refused?.problem}
      />
      <p>
        <strong>{seen(account.account)}</strong>
        {` at ${product}, connected by ${
          account.email ?? account.user_id
        }. Which property, folder or ad account of it is a
        site's is chosen on the site's own form.`}
      </p>
      {all.length > LISTED_MAX && <FindForm q={q} account={account} fits={fits.length} />}
      <UseForm {...{ person, account, uses, form }} sites={fits.slice(0, LISTED_MAX)} />
      <p>
        <a href={CONNECTIONS}>Connected accounts</a>
      </p>
    </>,
  );
}

/** What an account is used for, and the sites that are to use it. */
function UseForm(
  { person, account, uses, sites, form }: Pick<Bound, "account" | "uses"> & {
    readonly person: Person;
    readonly sites: readonly Site[];
    readonly form: URLSearchParams | undefined;
  },
): Child {
  const has = (site: Site) => uses.filter(({ field }) => userOf(site, field) === account.user_id);
  const hint = (site: Site) => {
    const own = has(site);
    const others = uses.filter(({ field }) => ![null, account.user_id].includes(userOf(site, field)));
    const said = [
      ...own.length > 0 ? [`has it (${own.map(({ label }) => label).join(", ")})`] : [],
      ...others.length > 0 ? ["has another person's account, which this one takes the place of"] : [],
    ];
    return [site.id, ...said].join(": ");
  };
  return (
    <Form visitor={person} action={PATH}>
      <input type="hidden" name="user" value={account.user_id} />
      <input type="hidden" name="kind" value={account.kind} />
      <Choices
        name="uses"
        legend="What it is used for"
        choices={uses.map(({ field, label }, at) => ({
          ...{ value: field, label },
          checked: form === undefined ? at === 0 : form.getAll("uses").includes(field),
        }))}
      />
      <Choices
        name="sites"
        legend="Sites that are to use it"
        choices={sites.map((site) => ({
          ...{ value: site.id, label: seen(site.name), hint: hint(site) },
          checked: form?.getAll("sites").includes(site.id) ?? false,
        }))}
      />
      <Submit>Use it for these sites</Submit>
    </Form>
  );
}

/** Whom that setting of a site names. */
const userOf = (site: Site, field: string) =>
  ((site as unknown as Readonly<Record<string, unknown>>)[field] as string | null | undefined) ?? null;

/** Where there are too many sites to list. */
function FindForm(
  { q, account, fits }: { readonly q: string; readonly account: ConnectionReport; readonly fits: number },
): Child {
  return (
    <form method="get" action={PATH} class="filters" role="search">
      <input type="hidden" name="user" value={account.user_id} />
      <input type="hidden" name="kind" value={account.kind} />
      <Field
        name="q"
        label="Find sites by name, id or project"
        {...fits > LISTED_MAX && { hint: `The first ${LISTED_MAX} of ${fits} are listed.` }}
        value={q}
        required={false}
        autocomplete="off"
        maxlength={200}
      />
      <button type="submit" class="quiet">Find</button>
    </form>
  );
}
