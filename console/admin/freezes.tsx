/** Freezes: what an admin stops writes on, and lifts again. */
import type { Context, Hono } from "hono";
import { checked, refuseAny } from "../../core/faults.ts";
import type { Freeze } from "../../core/model.ts";
import { cut } from "../../core/values.ts";
import { Field, Form, Select, Submit } from "../form.tsx";
import { Said } from "../notice.tsx";
import { leadTo, showPage } from "../respond.tsx";
import { pageOf, Pages, Time } from "../parts.tsx";
import { Table } from "../table.tsx";
import { freeze, freezeBody, lift, liftBody, listFreezes, nameOf } from "../../admin/freezes.ts";
import { isOwnSite, managesAllSites } from "../../admin/site_rights.ts";
import type { Person } from "../../identity/visitors.ts";
import { asPerson, asSender, assertAdmin, type PagesParts, worded } from "./frame.tsx";

const PATH = "/admin/freezes";
const DONE: Readonly<Record<string, string>> = {
  frozen: "It is frozen: from now on nothing is written there. Reads go on.",
  lifted: "The freeze is lifted: writes go on.",
};

/** A place as a form says it: `site acme`, `project north`, `all`. */
function placeOf(form: URLSearchParams) {
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
        if (!form.get("place")) {
          refuseAny(["What: choose a site, a project or every site; nothing was frozen"]);
        }
        await freeze(ports, person.caller, checked(freezeBody, { ...placeOf(form), reason }));
      } catch (thrown) {
        return await freezesPage(c, person, parts, worded(c, thrown), form);
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

/** More places than that are found, not listed. */
const LISTED_MAX = 40;
const NAME_SHOWN = 60;
const PAGE_FREEZES = 25;

interface Places {
  readonly options: readonly { readonly value: string; readonly label: string }[];
  /** How many there are, and how many of them fit what is searched for. */
  readonly count: number;
  readonly fits: number;
}

/** What the person may freeze, as far as it fits what is searched for. */
async function placesOf({ ports }: PagesParts, person: Person, q: string, sent: string): Promise<Places> {
  const caller = person.caller;
  const [sites, projects] = await Promise.all([ports.store.sites.list(), ports.store.projects.list()]);
  const ofAll = managesAllSites(caller);
  const all = [
    ...ofAll ? [{ value: "all", label: "every site" }] : [],
    ...(ofAll ? projects : []).map(({ id, name }) => ({
      value: `project ${id}`,
      label: `every site of the project ${cut(name, NAME_SHOWN)}`,
    })),
    ...sites.filter(({ id }) => isOwnSite(caller, id)).map(({ id, name }) => ({
      value: `site ${id}`,
      label: `the site ${cut(name, NAME_SHOWN)} (${id})`,
    })),
  ];
  const words = q.toLowerCase().split(" ").filter((one) => one !== "");
  const fits = all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  // What was chosen before a refusal is listed wherever it stands.
  const chosen = all.filter(({ value }) =>
    value === sent && !fits.slice(0, LISTED_MAX).some((one) => one.value === sent)
  );
  const options = [{ value: "", label: "Choose one" }, ...chosen, ...fits.slice(0, LISTED_MAX)];
  return { options, count: all.length, fits: fits.length };
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
  problem?: { readonly message: string; readonly status: number },
  sent?: URLSearchParams,
): Promise<Response> {
  const freezes = await listFreezes(parts.ports, person.caller);
  const after = c.req.query("after") ?? "";
  const { shown, next } = pageOf(freezes, after, ({ scope, id }) => `${scope} ${id}`, PAGE_FREEZES);
  const done = DONE[c.req.query("done") ?? ""];
  const q = (c.req.query("q") ?? "").trim().slice(0, 200);
  const places = await placesOf(parts, person, q, sent?.get("place") ?? "");
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
      <Said done={done} problem={problem} />
      <Table
        caption="Where nothing is written now"
        columns={["What", "By", "Since", "Why", "Lift"]}
        rows={shown.map(rowOf(person))}
        empty="Nothing is frozen."
      />
      <Pages path={PATH} after={after} next={next} />
      <h2>Freeze</h2>
      <p>Every write there is refused within a second, whoever asks for it. Reads go on.</p>
      {places.count > LISTED_MAX && <FindForm q={q} />}
      <FreezeForm person={person} places={places} sent={sent} />
    </>,
  );
}

/** Where there are too many places to list. */
function FindForm({ q }: { readonly q: string }) {
  return (
    <form method="get" action={`${PATH}#find`} class="filters" role="search" id="find">
      <Field
        name="q"
        label="Find a site or a project"
        value={q}
        required={false}
        autocomplete="off"
        maxlength={200}
      />
      <button type="submit" class="quiet">Find</button>
    </form>
  );
}

/** Why something is frozen. */
export function ReasonField({ value = "" }: { readonly value?: string }) {
  return (
    <Field
      name="reason"
      label="Why"
      hint="Everyone whose write is refused reads it."
      value={value}
      required={false}
      maxlength={200}
    />
  );
}

function FreezeForm(
  { person, places, sent }: {
    readonly person: Person;
    readonly places: Places;
    /** What was chosen before a refusal. */
    readonly sent: URLSearchParams | undefined;
  },
) {
  return (
    <Form visitor={person} action={PATH}>
      <Select
        name="place"
        label="What"
        hint={places.fits > LISTED_MAX
          ? `The first ${LISTED_MAX} of ${places.fits}: find what is missing by its name or id.`
          : undefined}
        value={sent?.get("place") ?? ""}
        options={places.options}
      />
      <ReasonField value={sent?.get("reason") ?? ""} />
      <Submit>Freeze</Submit>
    </Form>
  );
}
