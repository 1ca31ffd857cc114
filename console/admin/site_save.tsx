/** The forms that register and change a site: what was filled in stays whatever is wrong with it, and nobody overwrites another unseen. */
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import { GatewayError } from "../../core/errors.ts";
import type { Site } from "../../core/model.ts";
import {
  type AskedField,
  type AskedGroup,
  askedOf,
  bodyOf,
  faultsOf,
  type Meanwhile,
  mergedForm,
  revisionOf,
  textsOf,
} from "../../admin/site_form.ts";
import { changeSite, registerSite, type SavedSite } from "../../admin/site_changes.ts";
import { assertMayRegister } from "../../admin/site_rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { Form, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { asPerson, assertAdmin, type PagesParts, worded } from "./frame.tsx";
import { asKeeper } from "./kept_form.tsx";
import { SiteFields } from "./site_fields.tsx";
import { ownSite, PROJECTS_LISTED, siteAddress, SITES } from "./sites_list.tsx";
import { sitePage } from "./site_page.tsx";

const STALE = "E_STALE_PREVIEW";
/** What a form is shown with. */
interface ShownForm {
  readonly platform: string;
  /** The site to be changed; null for one to be registered. */
  readonly site: Site | null;
  readonly form?: URLSearchParams;
  readonly faults?: Readonly<Record<string, string>>;
  readonly status?: number;
  /** What somebody else changed while the form was open. */
  readonly meanwhile?: readonly Meanwhile[];
  readonly isAgain?: boolean;
}

const isSecret = (name: string) => name.startsWith("credentials.");

/** Adds `/admin/sites/new` and `/admin/sites/<id>/edit`. */
export function siteForms(app: Hono, parts: PagesParts): void {
  const admin = (show: (c: Context, person: Person) => Promise<Response>) => (c: Context) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, "manages sites");
      return await show(c, person);
    });

  app.get(
    `${SITES}/new`,
    admin(async (c, person) => {
      assertMayRegister(person.caller);
      const platform = c.req.query("platform") ?? "";
      if (parts.ports.connectors.ofKind(platform) === undefined) return await kindsPage(c, person, parts);
      return await formPage(c, person, parts, { platform, site: null });
    }),
  );
  app.post(`${SITES}/new`, (c) =>
    asKeeper(parts, c, isSecret, async (person, form, isAgain) => {
      assertAdmin(person, "manages sites");
      return await add(c, person, parts, { form, isAgain });
    }));

  app.get(
    `${SITES}/:id/edit`,
    admin(async (c, person) => {
      const site = await ownSite(parts, person, c.req.param("id") ?? "");
      return await formPage(c, person, parts, { platform: site.platform, site });
    }),
  );
  app.post(`${SITES}/:id/edit`, (c) =>
    asKeeper(parts, c, isSecret, async (person, form, isAgain) => {
      assertAdmin(person, "manages sites");
      return await change(c, person, parts, { form, isAgain, id: c.req.param("id") });
    }));
}

interface Sent {
  readonly form: URLSearchParams;
  readonly isAgain: boolean;
}

/** Registers what the form says, or shows the form with what is wrong. */
async function add(
  c: Context,
  person: Person,
  parts: PagesParts,
  { form, isAgain }: Sent,
): Promise<Response> {
  const { ports } = parts;
  const platform = form.get("platform") ?? "";
  if (ports.connectors.ofKind(platform) === undefined) return await kindsPage(c, person, parts);
  const groups = groupsFor(parts, person, platform, null);
  if (isAgain) return await formPage(c, person, parts, { platform, site: null, form, isAgain });
  const named = await withIds(parts, form, groups);
  const failed = async (faults: Readonly<Record<string, string>>, status: number) =>
    await formPage(c, person, parts, { platform, site: null, form, faults, status });
  if ("faults" in named) return await failed(named.faults, 400);
  try {
    const body = { platform, ...bodyOf(groups, named.form, blankTexts(parts, platform, groups)) };
    return await saved(c, person, parts, await registerSite(ports, person.caller, body), "added");
  } catch (thrown) {
    const { faults, status } = worded(c, thrown);
    return await failed(faultsOf(faults, namesOf(groups)), status);
  }
}

/** Changes what the form says differently; where somebody was there first, shows both. */
async function change(
  c: Context,
  person: Person,
  parts: PagesParts,
  { form, isAgain, id }: Sent & { readonly id: string },
): Promise<Response> {
  const { ports } = parts;
  const site = await ownSite(parts, person, id);
  const { platform } = site;
  const groups = groupsFor(parts, person, platform, site);
  const shown = { platform, site };
  const revision = form.get("revision") ?? "";
  if (revision !== revisionOf(site)) {
    // The same form, sent a second time: what it says is set already.
    const now = await withEmails(parts, textsOf(site, groups), groups);
    const isSet = !isAgain && Object.keys(bodyOf(groups, form, now)).length === 0;
    if (isSet) return leadTo(c, `${siteAddress(id)}?done=same`);
    return await meanwhilePage(c, person, parts, { site, form, groups });
  }
  if (isAgain) return await formPage(c, person, parts, { ...shown, form, isAgain });
  const named = await withIds(parts, form, groups);
  if ("faults" in named) {
    return await formPage(c, person, parts, { ...shown, form, faults: named.faults, status: 400 });
  }
  const body = bodyOf(groups, named.form, textsOf(site, groups));
  if (Object.keys(body).length === 0) return leadTo(c, `${siteAddress(id)}?done=same`);
  try {
    const judge = (stored: Site) => {
      if (revisionOf(stored) !== revision) {
        throw new GatewayError(STALE, "Somebody changed the site meanwhile");
      }
    };
    return await saved(
      c,
      person,
      parts,
      await changeSite(ports, person.caller, site, body, judge),
      "changed",
    );
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.code === STALE) {
      return await meanwhilePage(c, person, parts, { site: await ownSite(parts, person, id), form, groups });
    }
    const { faults: said, status } = worded(c, thrown);
    const faults = faultsOf(said, namesOf(groups));
    return await formPage(c, person, parts, { ...shown, form, faults, status });
  }
}

const namesOf = (groups: readonly AskedGroup[]) =>
  groups.flatMap(({ fields }) => fields).map(({ name }) => name);

const groupsFor = ({ ports }: PagesParts, person: Person, platform: string, site: Site | null) =>
  askedOf({ connectors: ports.connectors, platform, site, withFlags: person.caller.user === null });

/** What a new site has where nothing is filled in. */
function blankTexts({ ports }: PagesParts, platform: string, groups: readonly AskedGroup[]): URLSearchParams {
  const site = {
    ...ports.connectors.blank({ platform }),
    confirm_policy: "flag",
    flags: {},
    credentials: [],
  };
  return textsOf(site as unknown as Site, groups);
}

/** Shows the site's own page; with it what whoever saved it is to know, which no address could say. */
async function saved(
  c: Context,
  person: Person,
  parts: PagesParts,
  { site, warnings }: SavedSite,
  done: "added" | "changed",
): Promise<Response> {
  if (warnings.length === 0) return leadTo(c, `${siteAddress(site.id)}?done=${done}`);
  return await sitePage(c, person, parts, site, { done, warnings });
}

/** People are named by their e-mail address in the form, and by their id in a site's record. */
async function withIds(
  { ports }: PagesParts,
  form: URLSearchParams,
  groups: readonly AskedGroup[],
): Promise<{ readonly form: URLSearchParams } | { readonly faults: Readonly<Record<string, string>> }> {
  const named = new URLSearchParams(form);
  for (const { name } of peopleIn(groups)) {
    const email = form.get(name)?.trim() ?? "";
    if (!email.includes("@")) continue;
    const user = await ports.store.users.byEmail(email);
    if (user === null) return { faults: { [name]: "Nobody here has that e-mail address" } };
    named.set(name, user.id);
  }
  return { form: named };
}

async function withEmails({ ports }: PagesParts, texts: URLSearchParams, groups: readonly AskedGroup[]) {
  for (const { name } of peopleIn(groups)) {
    const user = texts.has(name) ? await ports.store.users.get(texts.get(name)!) : null;
    if (user !== null) texts.set(name, user.email);
  }
  return texts;
}

const peopleIn = (groups: readonly AskedGroup[]): readonly AskedField[] =>
  groups.flatMap(({ fields }) => fields).filter(({ control }) => control.form === "person");

function kindsPage(c: Context, person: Person, { ports }: PagesParts): Promise<Response> {
  return showPage(
    c,
    { title: "Add a site", visitor: person, current: SITES },
    <>
      <p>What is it? The form then asks for what such a site needs. Nothing is sent to it.</p>
      {ports.connectors.kinds.map((kind) => (
        <section class="kind">
          <h2>
            <a href={`${SITES}/new?${new URLSearchParams({ platform: kind })}`}>{titleOf(kind, ports)}</a>
          </h2>
          {needsOf(kind, ports) && <p>{`${needsOf(kind, ports)}.`}</p>}
        </section>
      ))}
    </>,
  );
}

const titleOf = (kind: string, { connectors }: PagesParts["ports"]) =>
  connectors.ofKind(kind)?.form?.title ?? `A ${kind} site (${connectors.ofKind(kind)?.product ?? kind})`;

const needsOf = (kind: string, { connectors }: PagesParts["ports"]) => connectors.ofKind(kind)?.form?.needs;

/** Says what changed while the form was open; the form has it, and what was typed here stays. */
async function meanwhilePage(
  c: Context,
  person: Person,
  parts: PagesParts,
  { site, form, groups }: {
    readonly site: Site;
    readonly form: URLSearchParams;
    readonly groups: readonly AskedGroup[];
  },
): Promise<Response> {
  const now = await withEmails(parts, textsOf(site, groups), groups);
  const merged = mergedForm(groups, form, new URLSearchParams(form.get("was") ?? ""), now);
  return await formPage(c, person, parts, { platform: site.platform, site, status: 409, ...merged });
}

const shownValues = (values: readonly string[]) => values.length === 0 ? "nothing" : values.join(", ");

function MeanwhileNotice(
  { meanwhile, site }: { readonly meanwhile: readonly Meanwhile[]; readonly site: Site },
): Child {
  return (
    <Notice kind="problem">
      <p>
        Somebody else changed this site while you had the form open. Nothing of yours is saved yet. Look at
        what changed, and save again if your changes are still right.
      </p>
      <ul>
        {meanwhile.map(({ field, was, now, mine }) => (
          <li>
            {`${field.label}: was ${shownValues(was)}, is ${shownValues(now)}.`}
            {mine !== null && ` You have ${shownValues(mine)}, which would take its place.`}
          </li>
        ))}
        {meanwhile.length === 0 && <li>Something that this form does not show, such as a password.</li>}
      </ul>
      <p>
        <a href={siteAddress(site.id)}>See the site as it is now</a>
      </p>
    </Notice>
  );
}

async function formPage(c: Context, person: Person, parts: PagesParts, shown: ShownForm): Promise<Response> {
  const { ports } = parts;
  const { platform, site, faults = {}, status } = shown;
  const groups = groupsFor(parts, person, platform, site);
  const now = site === null ? blankTexts(parts, platform, groups) : textsOf(site, groups);
  const was = await withEmails(parts, now, groups);
  const projects = await ports.store.projects.list();
  const needs = site === null ? needsOf(platform, ports) : undefined;
  const address = site === null ? `${SITES}/new` : `${siteAddress(site.id)}/edit`;
  const title = site === null ? titleOf(platform, ports).replace("A ", "Add a ") : `Change ${site.name}`;
  return await showPage(
    c,
    { title, visitor: person, current: SITES, ...status === undefined ? {} : { status } },
    <>
      <Said shown={shown} known={namesOf(groups)} />
      {needs && <p>{`It needs: ${needs.charAt(0).toLowerCase()}${needs.slice(1)}.`}</p>}
      <Form visitor={person} action={address} class="site">
        <input type="hidden" name="platform" value={platform} />
        {site && <input type="hidden" name="revision" value={revisionOf(site)} />}
        {site && <input type="hidden" name="was" value={String(was)} />}
        <SiteFields
          groups={groups}
          form={shown.form ?? was}
          faults={faults}
          projects={projects.length <= PROJECTS_LISTED ? projects : []}
          held={site?.credentials ?? []}
        />
        {person.caller.user !== null && (
          <p class="hint">
            What may be published there, and what a write needs, is set with the master token.
          </p>
        )}
        <p class="hint">Saving sends nothing to the site. On its page a button tests the connection.</p>
        <Submit>{site === null ? "Add the site" : "Save"}</Submit>
      </Form>
      <p>
        <a href={site === null ? SITES : siteAddress(site.id)}>Leave it as it is</a>
      </p>
    </>,
  );
}

/** What stands above a form that was sent before: what is wrong, that it is back, or what somebody else changed. */
function Said({ shown, known }: { readonly shown: ShownForm; readonly known: readonly string[] }): Child {
  const { site, faults = {}, meanwhile, isAgain = false } = shown;
  const general = Object.entries(faults).filter(([name]) => !known.includes(name)).map(([, one]) => one);
  return (
    <>
      {Object.keys(faults).length > 0 && (
        <Notice kind="problem">
          {general.length > 0
            ? general.map((one) => <p>{one}.</p>)
            : <p>Nothing was saved: see below what is wrong.</p>}
          <p>What you typed is still here, but for passwords and tokens: type those once more.</p>
        </Notice>
      )}
      {isAgain && (
        <Notice kind="note">
          <p>You are signed in again, and what you typed is here. Type passwords and tokens once more.</p>
        </Notice>
      )}
      {meanwhile && site && <MeanwhileNotice meanwhile={meanwhile} site={site} />}
    </>
  );
}
