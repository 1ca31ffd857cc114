/** Sites to tick, by project: a filter, pages, a whole project at once. What is ticked on another page is kept in the form itself. */
import type { Child } from "hono/jsx";
import { seen } from "../core/unseen.ts";
import { cut } from "../core/values.ts";
import { Field } from "./form.tsx";
import { Tag } from "./parts.tsx";
import {
  EVERY,
  FEW,
  fieldsOf,
  fitting,
  namesOf,
  type Offered,
  PAGE_SITES,
  type Picked,
  type PickSite,
  QUERY_CHARACTERS_MAX,
} from "./site_picks.ts";

/**
 * The button that a form is sent with where somebody presses Enter in it; it stands first, and is not seen. With `look`
 * the form is only shown again.
 */
export function EnterButton({ name = "do" }: { readonly name?: "do" | "look" }): Child {
  return (
    <button type="submit" class="default" name={name} value="enter" tabindex={-1} aria-hidden="true"></button>
  );
}

/** Shows the form again, with what it grants in words as it is ticked by now: a script does so by itself. */
export function LookButton(): Child {
  return (
    <button type="submit" class="quiet small" name="look" value="1" formnovalidate>
      Update the summary
    </button>
  );
}

/** What the picker is made of. */
export interface PickerParts extends Offered {
  readonly name: string;
  readonly legend: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  /** What all of them are called, also those to come; null where that cannot be granted. */
  readonly every: string | null;
  readonly picked: Picked;
}

/** A project with what it has. */
interface Group {
  readonly id: string;
  readonly name: string;
  readonly sites: readonly PickSite[];
}

/** By project, in the order of their names; those of none come last. */
function groupsOf(sites: readonly PickSite[], projects: ReadonlyMap<string, string>): Group[] {
  const groups = new Map<string, PickSite[]>();
  for (const site of sites) {
    const id = site.project_id ?? "";
    const group = groups.get(id);
    if (group) group.push(site);
    else groups.set(id, [site]);
  }
  const named = [...groups].map(([id, of]) => ({ id, name: projects.get(id) ?? id, sites: of }));
  return named.toSorted((a, b) => a.id === "" ? 1 : b.id === "" ? -1 : a.name < b.name ? -1 : 1);
}

/** So much of a name tells a site or a project from others; the id stands beside it. */
const NAME_SHOWN = 40;

/** The list as far as it is looked at. */
interface Shown {
  readonly count: number;
  /** How many of those that fit are not chosen. */
  readonly left: number;
  readonly page: number;
  readonly pages: number;
  readonly groups: readonly (Group & { readonly all: number; readonly chosen: number })[];
}

function shownOf({ sites, projects, picked: { chosen, q, page, only } }: PickerParts): Shown {
  const names = namesOf(projects);
  const has = new Set(chosen);
  const counts = new Map<string, { all: number; chosen: number }>();
  for (const { id, project_id } of sites) {
    const count = counts.get(project_id ?? "") ?? { all: 0, chosen: 0 };
    counts.set(project_id ?? "", count);
    count.all++;
    if (has.has(id)) count.chosen++;
  }
  const fits = fitting(only ? sites.filter(({ id }) => has.has(id)) : sites, q, names);
  const pages = Math.max(1, Math.ceil(fits.length / PAGE_SITES));
  const at = Math.min(page, pages - 1);
  let skip = at * PAGE_SITES;
  let room = PAGE_SITES;
  const groups = groupsOf(fits, names).flatMap((group) => {
    const from = Math.min(skip, group.sites.length);
    skip -= from;
    const part = group.sites.slice(from, from + room)
      .map((one) => ({ ...one, name: cut(one.name, NAME_SHOWN) }));
    room -= part.length;
    const name = cut(group.name, NAME_SHOWN);
    return part.length === 0 ? [] : [{ ...group, name, sites: part, ...counts.get(group.id)! }];
  });
  const left = fits.filter(({ id }) => !has.has(id)).length;
  return { count: fits.length, left, page: at, pages, groups };
}

/** The picker. Its buttons send the form, which is shown again with all that was typed and ticked. */
export function SitePicker(parts: PickerParts): Child {
  const { name, legend, hint, error, every, picked: { chosen, q, note } } = parts;
  const known = new Set(parts.sites.map(({ id }) => id));
  // What is chosen and not offered can be taken out as well.
  const strangers = chosen.filter((id) => id !== EVERY && !known.has(id))
    .map((id) => ({ id, name: id, project_id: null, note: "not known here" }));
  const all = { ...parts, sites: [...parts.sites, ...strangers] };
  const shown = shownOf(all);
  const fields = fieldsOf(name);
  const onPage = new Set(shown.groups.flatMap(({ sites }) => sites.map(({ id }) => id)));
  const kept = chosen.filter((id) => id !== EVERY && !onPage.has(id));
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(" ");
  return (
    <fieldset
      class="picker"
      id={`${name}-picker`}
      data-picker={name}
      aria-describedby={described || undefined}
    >
      <legend>{legend}</legend>
      {hint && <p class="hint" id={`${name}-hint`}>{hint}</p>}
      {error && <p class="error" id={`${name}-error`}>{error}</p>}
      {every !== null && <Every name={name} label={every} isChosen={chosen.includes(EVERY)} />}
      <div class="picks">
        <input type="hidden" name={fields.kept} value={kept.join(",")} />
        <input type="hidden" name={fields.was} value={q} />
        <input type="hidden" name={fields.page} value={String(shown.page)} />
        <input type="hidden" name={fields.only} value={parts.picked.only ? "1" : ""} />
        {parts.sites.length > FEW && <Filter parts={all} />}
        {parts.projects.length > 0 && (
          <p class="hint">
            A project's button chooses the sites it has now. A site that is added to a project later is not
            chosen by itself.
          </p>
        )}
        <Said parts={all} shown={shown} />
        {note && <p class="error" role="alert">{`${note}.`}</p>}
        {shown.count > 0 && (
          <div class="box">{shown.groups.map((group) => <GroupOf group={group} parts={all} />)}</div>
        )}
        {shown.count === 0 && parts.sites.length > 0 && (
          <p>
            {parts.picked.only ? "None is chosen." : "No site fits. Try a part of its name, id or project."}
          </p>
        )}
        {shown.pages > 1 && <PagesOf name={name} shown={shown} />}
      </div>
    </fieldset>
  );
}

/** All sites at once, also those to come. */
function Every(
  { name, label, isChosen }: { readonly name: string; readonly label: string; readonly isChosen: boolean },
): Child {
  return (
    <div class="choice every">
      <input id={`${name}-every`} name={name} value={EVERY} type="checkbox" checked={isChosen} />
      <div>
        <label for={`${name}-every`}>{label}</label>
      </div>
    </div>
  );
}

function Filter({ parts: { name, picked: { q } } }: { readonly parts: PickerParts }): Child {
  const fields = fieldsOf(name);
  return (
    <div class="filters">
      <Field
        name={fields.q}
        label="Find a site"
        value={q}
        required={false}
        autocomplete="off"
        maxlength={QUERY_CHARACTERS_MAX}
      />
      <Go name={name} go="find">Find</Go>
    </div>
  );
}

/** A button of the picker. Nothing has to be filled in for it. */
function Go(
  { name, go, of, children }: {
    readonly name: string;
    readonly go: string;
    /** The id of what it does so with. */
    readonly of?: string;
    readonly children?: Child;
  },
): Child {
  return (
    <button
      type="submit"
      class="quiet small"
      formaction={`#${name}-picker`}
      name={fieldsOf(name).go}
      value={go}
      id={of && `${of}-${go.split(" ")[0]}`}
      aria-labelledby={of && `${of}-${go.split(" ")[0]} ${of}`}
      formnovalidate
    >
      {children}
    </button>
  );
}

/** How many are chosen, and what can be done with all of them. */
function Said({ parts, shown }: { readonly parts: PickerParts; readonly shown: Shown }): Child {
  const { name, sites, picked: { chosen, q, only } } = parts;
  const named = chosen.filter((id) => id !== EVERY);
  const some = named.length > 0;
  return (
    <div class="said">
      <p role="status">
        {`${named.length} of ${sites.length} ${sites.length === 1 ? "site is" : "sites are"} chosen`}
        {q.trim() !== "" && `; ${shown.count} ${shown.count === 1 ? "fits" : "fit"}`}
        {"."}
      </p>
      {sites.length > FEW && some && !only && <Go name={name} go="only">Show those chosen</Go>}
      {only && <Go name={name} go="list">Show all</Go>}
      {!only && shown.count > 1 && shown.left > 0 && (
        <Go name={name} go="fits">
          {q.trim() === "" ? `Choose all ${shown.count}` : "Choose those that fit"}
        </Go>
      )}
      {some && <Go name={name} go="clear">Choose none</Go>}
    </div>
  );
}

/** The sites of a project as far as they are on this page. */
function GroupOf(
  { group, parts }: { readonly group: Shown["groups"][number]; readonly parts: PickerParts },
): Child {
  const { name, projects, picked: { chosen } } = parts;
  const id = `${name}-of-${group.id}`;
  const called = group.id === "" ? "No project" : seen(group.name);
  const hasHead = projects.length > 0;
  return (
    <div class="pick" role="group" aria-labelledby={hasHead ? id : undefined}>
      {hasHead && (
        <div class="head">
          <strong id={id}>{called}</strong>
          <span class="hint">{`${group.chosen} of ${group.all}`}</span>
          {group.chosen < group.all && <Go name={name} go={`all ${group.id}`} of={id}>All</Go>}
          {group.chosen > 0 && <Go name={name} go={`none ${group.id}`} of={id}>None</Go>}
        </div>
      )}
      <ul>
        {group.sites.map((site) => (
          <li class="choice">
            <input
              id={`${name}-${site.id}`}
              name={name}
              value={site.id}
              type="checkbox"
              checked={chosen.includes(site.id)}
            />
            <label for={`${name}-${site.id}`}>
              {seen(site.name)}
              {site.name !== site.id && <span class="hint">{site.id}</span>}
              {site.note && <Tag>{site.note}</Tag>}
            </label>
          </li>
        ))}
      </ul>
    </div>
  );
}

function PagesOf({ name, shown: { page, pages } }: { readonly name: string; readonly shown: Shown }): Child {
  return (
    <div class="said">
      <p>{`Page ${page + 1} of ${pages}; what is ticked on the others stays ticked.`}</p>
      {page > 0 && <Go name={name} go={`page ${page - 1}`}>Page before</Go>}
      {page + 1 < pages && <Go name={name} go={`page ${page + 1}`}>Next page</Go>}
    </div>
  );
}
