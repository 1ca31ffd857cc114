/** Projects, one for each client: made, named, given their sites, what a write on them needs, frozen as a whole. */
import { ReasonField } from "./freezes.tsx";
import { Said } from "../notice.tsx";
import type { Context, Hono } from "hono";
import type { Child } from "hono/jsx";
import type { Freeze, Project, Site } from "../../core/model.ts";
import { seen } from "../../core/unseen.ts";
import { listFreezes } from "../../admin/freezes.ts";
import { changeProject, findProject, groupSites, listProjects, makeProject } from "../../admin/projects.ts";
import { POLICY_WORDS } from "../../admin/site_form.ts";
import { isOwnSite, managesAllSites } from "../../admin/site_rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { Choices, Field, Form, Select, Submit } from "../form.tsx";
import { Empty, fewOf, pageOf, Pages, Section, Tag } from "../parts.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { Table } from "../table.tsx";
import { addressWith } from "./audit_parts.tsx";
import { asPerson, asSender, assertAdmin, type PagesParts, type Problem, worded } from "./frame.tsx";
import { SITES } from "./sites_list.tsx";

const PATH = "/admin/projects";
const DONE: Readonly<Record<string, string>> = {
  made: "The project is made. Put its sites into it.",
  changed: "The project is changed.",
  grouped: "The sites are in the project.",
};
/** More sites than that are put into a project on their own forms. */
const SITES_OFFERED = 100;
const AS_EACH_SITE_SAYS = "";

const addressOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;
const isMaster = (person: Person) => person.caller.user === null;

/** Adds the routes under `/admin/projects`. */
export function projectPages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  const show = (c: Context, act: (person: Person) => Promise<Response>) =>
    asPerson(parts, c, (person) => (assertAdmin(person, "sees projects"), act(person)));
  const send = (c: Context, act: (person: Person, form: URLSearchParams) => Promise<Response>) =>
    asSender(parts, c, (person, form) => (assertAdmin(person, "changes projects"), act(person, form)), PATH);
  const id = (c: Context) => c.req.param("id") ?? "";

  app.get(PATH, (c) => show(c, (person) => listPage(c, person, parts)));
  app.post(PATH, (c) =>
    send(c, async (person, form) => {
      try {
        const { id } = await makeProject(ports, person.caller, {
          id: form.get("id")?.trim() ?? "",
          ...namedIn(form),
        });
        return leadTo(c, `${addressOf(id)}?done=made`);
      } catch (thrown) {
        return await listPage(c, person, parts, { form, problem: worded(c, thrown) });
      }
    }));
  app.get(`${PATH}/:id`, (c) => show(c, (person) => onePage(c, person, parts)));
  app.post(`${PATH}/:id`, (c) =>
    send(c, async (person, form) => {
      try {
        await changeProject(ports, person.caller, id(c), namedIn(form));
      } catch (thrown) {
        return await onePage(c, person, parts, { form, problem: worded(c, thrown) });
      }
      return leadTo(c, `${addressOf(id(c))}?done=changed`);
    }));
  app.post(`${PATH}/:id/sites`, (c) =>
    send(c, async (person, form) => {
      try {
        await groupSites(ports, person.caller, id(c), form.getAll("sites"));
      } catch (thrown) {
        return await onePage(c, person, parts, { form, problem: worded(c, thrown) });
      }
      return leadTo(c, `${addressOf(id(c))}?done=grouped`);
    }));
}

/** The name and the policy that a form says. */
function namedIn(form: URLSearchParams) {
  const policy = form.get("confirm_policy") ?? AS_EACH_SITE_SAYS;
  return {
    name: form.get("name")?.trim() ?? "",
    ...policy === AS_EACH_SITE_SAYS ? {} : { confirm_policy: policy },
  };
}

/** A form that was refused. */
interface Refused {
  readonly form: URLSearchParams;
  readonly problem: Problem;
}

async function listPage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  refused?: Refused,
): Promise<Response> {
  const [projects, sites, freezes] = await Promise.all([
    listProjects(ports, person.caller),
    ports.store.sites.list(),
    listFreezes(ports, person.caller),
  ]);
  const after = c.req.query("after") ?? "";
  const { shown, next } = pageOf(projects, after, ({ id }) => id);
  const counts = Map.groupBy(
    sites.filter((site) => isOwnSite(person.caller, site.id)),
    ({ project_id }) => project_id,
  );
  return await showPage(
    c,
    { title: "Projects", visitor: person, current: PATH, ...refused && { status: refused.problem.status } },
    <>
      <Said problem={refused?.problem} />
      <p>
        A project holds the sites of one client. What a write needs can be said for all of them at once, and
        they can be frozen together.
      </p>
      {projects.length === 0
        ? (
          <Empty title="There is no project yet">
            Make one for each client below, then put the client's sites into it.
          </Empty>
        )
        : (
          <Table
            caption="Who has which sites"
            columns={["Project", "Sites", "The least that a write needs"]}
            rows={shown.map((project) => [
              <>
                <a href={addressOf(project.id)}>{seen(project.name)}</a>
                <span class="hint">{project.id}</span>
                {isFrozen(project, freezes) && <Tag tone="bad">frozen</Tag>}
              </>,
              String(counts.get(project.id)?.length ?? 0),
              project.confirm_policy ?? <span class="soft">as each site says</span>,
            ])}
            empty=""
          />
        )}
      <Pages path={PATH} after={after} next={next} />
      {managesAllSites(person.caller) && <MakeForm person={person} form={refused?.form} />}
    </>,
  );
}

const isFrozen = ({ id }: Project, freezes: readonly Freeze[]) =>
  freezes.some((one) => one.scope === "all" || (one.scope === "project" && one.id === id));

function MakeForm(
  { person, form }: { readonly person: Person; readonly form: URLSearchParams | undefined },
): Child {
  return (
    <Section id="make" title="Make a project">
      <Form visitor={person} action={PATH}>
        <Field
          name="name"
          label="Name"
          value={form?.get("name") ?? ""}
          hint="The client's, as people say it."
        />
        <Field
          name="id"
          label="Id"
          value={form?.get("id") ?? ""}
          hint="What calls name the project by: a-z, 0-9 and -. It cannot be changed later."
          autocomplete="off"
          maxlength={64}
        />
        {isMaster(person) && <PolicySelect value={form?.get("confirm_policy") ?? AS_EACH_SITE_SAYS} isNew />}
        <Submit>Make the project</Submit>
      </Form>
    </Section>
  );
}

function PolicySelect({ value, isNew = false }: { readonly value: string; readonly isNew?: boolean }): Child {
  return (
    <Select
      name="confirm_policy"
      label="The least that a write needs"
      hint="On every site of the project. Where a site or a token says something stricter, that holds."
      value={value}
      options={[
        ...isNew || value === AS_EACH_SITE_SAYS
          ? [{ value: AS_EACH_SITE_SAYS, label: "as each site says" }]
          : [],
        ...Object.entries(POLICY_WORDS).map(([name, words]) => ({ value: name, label: `${name}: ${words}` })),
      ]}
    />
  );
}

async function onePage(
  c: Context,
  person: Person,
  { ports }: PagesParts,
  refused?: Refused,
): Promise<Response> {
  const { caller } = person;
  const project = await findProject(ports, c.req.param("id") ?? "");
  const known = await listProjects(ports, caller);
  const [sites, freezes] = await Promise.all([ports.store.sites.list(), listFreezes(ports, caller)]);
  // To an admin of some sites a project of none of them is as one that does not exist.
  if (!known.some(({ id }) => id === project.id)) await findProject(ports, "");
  const own = sites.filter(({ id }) => isOwnSite(caller, id));
  const within = own.filter(({ project_id }) => project_id === project.id);
  const free = own.filter(({ project_id }) => project_id === null);
  const form = refused?.form;
  return await showPage(
    c,
    {
      title: seen(project.name),
      visitor: person,
      current: PATH,
      ...refused && { status: refused.problem.status },
    },
    <>
      <Said done={DONE[c.req.query("done") ?? ""]} problem={refused?.problem} />
      <p class="ways">
        <a href={addressWith(SITES, { project: project.id })}>{`Its sites (${within.length})`}</a>
        <a href={PATH}>All projects</a>
      </p>
      <p>{`Project ${project.id}: ${seen(fewOf(within.map(({ id }) => id), "no site yet"))}.`}</p>
      {managesAllSites(caller) && <SitesForm person={person} project={project} free={free} form={form} />}
      {isMaster(person)
        ? (
          <Section id="settings" title="Settings">
            <Form visitor={person} action={addressOf(project.id)}>
              <Field name="name" label="Name" value={form?.get("name") ?? project.name} />
              <PolicySelect
                value={form?.get("confirm_policy") ?? project.confirm_policy ?? AS_EACH_SITE_SAYS}
              />
              <p class="hint">
                Four eyes, where who approves must be another person than who asked, is set on each site's
                form.
              </p>
              <Submit>Save</Submit>
            </Form>
          </Section>
        )
        : <p class="hint">Only the master token changes its name and what a write needs.</p>}
      {managesAllSites(caller) && <FreezeSection person={person} project={project} freezes={freezes} />}
    </>,
  );
}

function SitesForm(
  { person, project, free, form }: {
    readonly person: Person;
    readonly project: Project;
    readonly free: readonly Site[];
    readonly form: URLSearchParams | undefined;
  },
): Child {
  const more = free.length - SITES_OFFERED;
  return (
    <Section id="sites" title="Put sites into it">
      {free.length === 0
        ? <p>Every site is in a project. A site changes its project on its own form.</p>
        : (
          <Form visitor={person} action={`${addressOf(project.id)}/sites`}>
            <Choices
              name="sites"
              legend="Sites that are in no project"
              {...more > 0 &&
                { hint: `The first ${SITES_OFFERED}; ${more} more come once these are in one.` }}
              choices={free.slice(0, SITES_OFFERED).map(({ id, name }) => ({
                ...{ value: id, label: seen(name), hint: id },
                checked: form?.getAll("sites").includes(id) ?? false,
              }))}
            />
            <Submit quiet>Put them into it</Submit>
          </Form>
        )}
    </Section>
  );
}

/** The page of freezes takes both forms, and says what came of them. */
function FreezeSection(
  { person, project, freezes }: {
    readonly person: Person;
    readonly project: Project;
    readonly freezes: readonly Freeze[];
  },
): Child {
  const own = freezes.some(({ scope, id }) => scope === "project" && id === project.id);
  return (
    <Section id="freeze" title="Freeze">
      <Form visitor={person} action={own ? "/admin/freezes/lift" : "/admin/freezes"}>
        <input type="hidden" name="place" value={`project ${project.id}`} />
        {own
          ? <p>Nothing is written on its sites now. Reads go on.</p>
          : <p>Every write on its sites is refused within a second, whoever asks for it. Reads go on.</p>}
        {!own && <ReasonField />}
        <Submit quiet>{own ? "Lift the freeze" : "Freeze all of its sites"}</Submit>
      </Form>
    </Section>
  );
}
