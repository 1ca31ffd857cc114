/** Which sites are ticked of how many there are, and what a form of them says: pages, a filter, a whole project at once. */
import { seen } from "../core/unseen.ts";

/** What stands for all sites, also those to come. */
export const EVERY = "*";
/** So many sites are shown at once; where there are no more than FEW there is no filter. */
export const PAGE_SITES = 25;
export const FEW = 12;
export const QUERY_CHARACTERS_MAX = 200;

/** A site that can be ticked. */
export interface PickSite {
  readonly id: string;
  readonly name: string;
  readonly project_id: string | null;
  /** What is to be known of it before it is ticked. */
  readonly note?: string | undefined;
}

/** What is chosen, and which part of the list is looked at. */
export interface Picked {
  readonly chosen: readonly string[];
  readonly q: string;
  readonly page: number;
  /** Whether only those chosen are listed. */
  readonly only: boolean;
  /** Why a button did not do what it says; null where it did. */
  readonly note: string | null;
}

/** Nothing but what is chosen. */
export const picked = (chosen: readonly string[]): Picked => ({
  chosen,
  q: "",
  page: 0,
  only: false,
  note: null,
});

/** Of what a form says, the names that belong to one picker. */
export const fieldsOf = (name: string) => ({
  kept: `${name}_kept`,
  q: `${name}_q`,
  was: `${name}_was`,
  page: `${name}_page`,
  only: `${name}_only`,
  go: `${name}_go`,
});

/** Whether the form is only to be shown again: a button of a picker was pressed, or Enter in its filter. */
export const isLookedAt = (form: URLSearchParams, ...names: readonly string[]): boolean =>
  form.has("look") ||
  names.map(fieldsOf).some(({ go, q, was }) =>
    form.has(go) || (form.get("do") === "enter" && (form.get(q) ?? "") !== (form.get(was) ?? ""))
  );

/** What can be ticked. */
export interface Offered {
  readonly sites: readonly PickSite[];
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  /** How many can be chosen one by one. */
  readonly most: number;
}

/** What a form says is chosen, with what the button that it was sent with does. */
export function pickedIn(form: URLSearchParams, name: string, offered: Offered): Picked {
  const fields = fieldsOf(name);
  const values = [...form.getAll(name), ...form.getAll(fields.kept)].flatMap((one) => one.split(","))
    .map((one) => one.trim()).filter((one) => one !== "");
  const q = (form.get(fields.q) ?? "").slice(0, QUERY_CHARACTERS_MAX);
  const isNew = q !== (form.get(fields.was) ?? "");
  const state: Picked = {
    chosen: [...new Set(values)].toSorted(),
    q,
    page: isNew ? 0 : Math.max(0, Math.trunc(Number(form.get(fields.page)) || 0)),
    only: !isNew && form.get(fields.only) === "1",
    note: null,
  };
  return after(form.get(fields.go) ?? "", state, offered);
}

/** What a button makes of it: `find`, `page 2`, `only`, `list`, `all <project>`, `none <project>`, `fits`, `clear`. */
function after(go: string, state: Picked, { sites, projects, most }: Offered): Picked {
  const space = go.indexOf(" ");
  const [verb, what] = space < 0 ? [go, ""] : [go.slice(0, space), go.slice(space + 1)];
  const ofProject = () => sites.filter(({ project_id }) => (project_id ?? "") === what).map(({ id }) => id);
  switch (verb) {
    case "page":
      return { ...state, page: Math.max(0, Math.trunc(Number(what) || 0)) };
    case "find":
      return { ...state, page: 0, only: false };
    case "only":
      return { ...state, q: "", page: 0, only: true };
    case "list":
      return { ...state, page: 0, only: false };
    case "clear":
      return { ...state, chosen: [], page: 0, only: false };
    case "none": {
      const gone = new Set(ofProject());
      return { ...state, chosen: state.chosen.filter((id) => !gone.has(id)) };
    }
    case "all":
      return withMore(state, ofProject(), most);
    case "fits":
      return withMore(state, fitting(sites, state.q, namesOf(projects)).map(({ id }) => id), most);
    default:
      return state;
  }
}

function withMore(state: Picked, more: readonly string[], most: number): Picked {
  const chosen = [...new Set([...state.chosen, ...more])].toSorted();
  return chosen.length <= most ? { ...state, chosen } : {
    ...state,
    note:
      `That would be ${chosen.length} sites, and at most ${most} can be chosen one by one. Nothing was added`,
  };
}

/** Those that have every word in their name, id, or their project's. */
export function fitting(
  sites: readonly PickSite[],
  q: string,
  projects: ReadonlyMap<string, string>,
): readonly PickSite[] {
  const words = q.toLowerCase().split(" ").filter((one) => one !== "");
  if (words.length === 0) return sites;
  return sites.filter(({ id, name, project_id }) => {
    const text = `${id} ${name} ${project_id ?? ""} ${projects.get(project_id ?? "") ?? ""}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export const namesOf = (projects: Offered["projects"]) => new Map(projects.map(({ id, name }) => [id, name]));

/** How many are chosen, in words: "12 sites of 3 projects". */
export function pickedWords(
  { chosen }: Pick<Picked, "chosen">,
  sites: readonly Pick<PickSite, "id" | "name" | "project_id">[],
): string {
  if (chosen.length === 0) return "no site";
  const has = new Set(chosen);
  const known = sites.filter(({ id }) => has.has(id));
  if (chosen.length === 1) return `the site ${seen(known[0]?.name ?? chosen[0]!)}`;
  const projects = new Set(known.flatMap(({ project_id }) => project_id ?? [])).size;
  return `${chosen.length} sites${
    projects === 0 ? "" : projects === 1 ? " of one project" : ` of ${projects} projects`
  }`;
}
