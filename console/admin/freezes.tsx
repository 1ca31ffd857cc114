/** Freezes: what an admin stops writes on, and lifts again. */
import type { Context, Hono } from "hono";
import { checked } from "../../core/faults.ts";
import type { Freeze } from "../../core/model.ts";
import { Field, Form, Select, Submit } from "../form.tsx";
import { Notice } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { pageOf, Pages, Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import { freeze, freezeBody, lift, liftBody, listFreezes, nameOf } from "../../admin/freezes.ts";
import { isOwnSite, managesAllSites } from "../../admin/site_rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { asPerson, asSender, assertAdmin, type PagesParts, worded } from "./frame.tsx";

const PATH = "/admin/freezes";
/** More places than that are named by their ids. */
const PLACES_LISTED = 100;
const DONE: Readonly<Record<string, string>> = {
  frozen: "It is frozen: from now on nothing is written there. Reads go on.",
  lifted: "The freeze is lifted: writes go on.",
};

/** A place as a form says it: `site acme`, `project north`, `all`; or by two fields, where there are too many to choose from. */
function placeOf(form: URLSearchParams) {
  const kind = form.get("scope");
  if (kind !== null) return { scope: kind, ...kind === "all" ? {} : { id: form.get("id")?.trim() ?? "" } };
  const [scope, id] = (form.get("place") ?? "").split(" ");
  return { scope, ...id === undefined ? {} : { id } };
}

/** Adds the routes under `/admin/freezes`. */
export function freezePages(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  app.get(PATH, (c) =>
    asPerson(parts, c, async (person) => {
      assertAdmin(person, "freezes sites");
      return await freezesPage(c, person, parts);
    }));

  app.post(PATH, (c) =>
    asSender(parts, c, async (person, form) => {
      assertAdmin(person, "freezes sites");
      const reason = form.get("reason")?.trim() || null;
      try {
        await freeze(ports, person.caller, checked(freezeBody, { ...placeOf(form), reason }));
      } catch (thrown) {
        return await freezesPage(c, person, parts, { ...worded(c, thrown), form });
      }
      return leadTo(c, `${PATH}?done=frozen`);
    }));

  app.post(`${PATH}/lift`, (c) =>
    asSender(parts, c, async (person, form) => {
      assertAdmin(person, "freezes sites");
      await lift(ports, person.caller, checked(liftBody, placeOf(form)));
      return leadTo(c, `${PATH}?done=lifted`);
    }));
}

/** What the person may freeze. */
async function placesOf({ ports }: PagesParts, person: Person) {
  const caller = person.caller;
  const [sites, projects] = await Promise.all([ports.store.sites.list(), ports.store.projects.list()]);
  const ofAll = managesAllSites(caller);
  return [
    ...sites.filter(({ id }) => isOwnSite(caller, id)).map(({ id, name }) => ({
      value: `site ${id}`,
      label: `the site ${name} (${id})`,
    })),
    ...(ofAll ? projects : []).map(({ id, name }) => ({
      value: `project ${id}`,
      label: `every site of the project ${name}`,
    })),
    ...ofAll ? [{ value: "all", label: "every site" }] : [],
  ];
}

interface PlaceParts {
  readonly places: Awaited<ReturnType<typeof placesOf>>;
  /** What was filled in, where it was refused. */
  readonly form: URLSearchParams | undefined;
}

/** What to freeze: chosen, or named by its id where there is too much to choose from. */
function Place({ places, form }: PlaceParts) {
  if (places.length <= PLACES_LISTED) {
    return <Select name="place" label="What" value={form?.get("place") ?? ""} options={places} />;
  }
  const kinds = [
    { value: "site", label: "a site" },
    { value: "project", label: "every site of a project" },
    { value: "all", label: "every site" },
  ];
  const offered = kinds.filter(({ value }) => places.some((one) => one.value.split(" ")[0] === value));
  return (
    <>
      <Select name="scope" label="What" value={form?.get("scope") ?? ""} options={offered} />
      <Field
        name="id"
        label="Its id"
        hint="As the list of sites has it; for every site leave it blank."
        value={form?.get("id") ?? ""}
        required={false}
        autocomplete="off"
        maxlength={63}
      />
    </>
  );
}

const rowOf = (person: Person) => (one: Freeze) => [
  nameOf(one),
  one.by,
  <Time at={one.since} />,
  one.reason ?? "",
  <Form visitor={person} action={`${PATH}/lift`}>
    <input type="hidden" name="place" value={one.scope === "all" ? "all" : `${one.scope} ${one.id}`} />
    <Submit quiet label={`Lift the freeze of ${nameOf(one)}`}>Lift</Submit>
  </Form>,
];

async function freezesPage(
  c: Context,
  person: Person,
  parts: PagesParts,
  problem?: { readonly message: string; readonly status: number; readonly form: URLSearchParams },
): Promise<Response> {
  const after = c.req.query("after") ?? "";
  const { shown, next } = pageOf(
    await listFreezes(parts.ports, person.caller),
    after,
    ({ scope, id }) => `${scope} ${id}`,
  );
  const done = DONE[c.req.query("done") ?? ""];
  return await showPage(
    c,
    {
      title: "Freezes",
      visitor: person,
      times: true,
      current: PATH,
      ...problem && { status: problem.status },
    },
    <>
      {done && (
        <Notice kind="done">
          <p>{done}</p>
        </Notice>
      )}
      {problem && (
        <Notice kind="problem">
          <p>{problem.message}.</p>
        </Notice>
      )}
      <Table
        caption="Where nothing is written now"
        columns={["What", "By", "Since", "Why", "Lift"]}
        rows={shown.map(rowOf(person))}
        empty="Nothing is frozen."
      />
      <Pages path={PATH} after={after} next={next} />
      <h2>Freeze</h2>
      <p>Every write there is refused within a second, whoever asks for it. Reads go on.</p>
      <Form visitor={person} action={PATH}>
        <Place places={await placesOf(parts, person)} form={problem?.form} />
        <Field
          name="reason"
          label="Why"
          hint="Everyone whose write is refused reads it."
          value={problem?.form.get("reason") ?? ""}
          required={false}
          maxlength={200}
        />
        <Submit>Freeze</Submit>
      </Form>
    </>,
  );
}
