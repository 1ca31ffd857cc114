/** Whether an answer has the names and types that its client reads; what is said of it holds no value of it. */
import { type Form, type Kind, kindOf, type Shape } from "./answer_shape.ts";

/** What came under a name that the client does not read. */
export interface NewName {
  /** Where the object stands. */
  readonly at: string;
  /** It may be data, such as the name of a custom field: it is for the operator's own eyes. */
  readonly name: string;
  readonly types: readonly Kind[];
}

/** How an answer compares with what its client reads. Places are written as in `rows[].clicks`; `*` is any name of a map. */
export interface AnswerCheck {
  /** Names that the client cannot do without, and that some object lacks. */
  readonly missing: readonly string[];
  readonly other_types: readonly {
    readonly at: string;
    readonly read: readonly Kind[];
    readonly came: readonly Kind[];
  }[];
  /** Names that the client reads where they are there, and that no object had. */
  readonly not_seen: readonly string[];
  /** Lists without an entry, so that nothing below them was compared. */
  readonly empty: readonly string[];
  readonly new_names: readonly NewName[];
  /** The types that came, of names that are known and of the entries of maps. */
  readonly types: Readonly<Record<string, readonly Kind[]>>;
}

/** So many entries of a list, or of a map, are looked at. */
const ENTRIES_MAX = 200;
const NEW_NAMES_MAX = 200;

/** Compares an answer with what is read of it. */
export function checkAnswer(answer: unknown, shape: Shape): AnswerCheck {
  const notes = new Notes();
  look(answer, shape, "", notes);
  return notes.check();
}

/** Whether names or types are other than those that are read. */
export const differs = ({ missing, other_types }: AnswerCheck): boolean =>
  missing.length > 0 || other_types.length > 0;

const sorted = <T>(map: ReadonlyMap<string, T>) =>
  [...map].toSorted(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
const add = <T>(map: Map<string, Set<T>>, at: string, ...some: readonly T[]) => {
  map.set(at, new Set([...map.get(at) ?? [], ...some]));
};

/** What was found so far. */
class Notes {
  readonly types = new Map<string, Set<Kind>>();
  readonly #missing = new Set<string>();
  readonly #other = new Map<string, { read: Set<Kind>; came: Set<Kind> }>();
  /** By its place: whether any object had that name, or any list an entry. */
  readonly #names = new Map<string, boolean>();
  readonly #lists = new Map<string, boolean>();
  readonly #new = new Map<string, { at: string; name: string; types: Set<Kind> }>();

  /** How many differences there are. */
  get faults(): number {
    return this.#missing.size + this.#other.size;
  }

  lacks(at: string, needed: boolean): void {
    if (needed) this.#missing.add(at);
    else this.#names.set(at, this.#names.get(at) ?? false);
  }
  has(at: string): void {
    this.#names.set(at, true);
  }
  list(at: string, isEmpty: boolean): void {
    this.#lists.set(at, this.#lists.get(at) === true || !isEmpty);
  }
  other(at: string, shape: Shape, came: Kind): void {
    const known = this.#other.get(at) ?? { read: new Set(), came: new Set() };
    for (const { kind } of shape) known.read.add(kind);
    known.came.add(came);
    this.#other.set(at, known);
  }
  fresh(at: string, name: string, type: Kind): void {
    const key = JSON.stringify([at, name]);
    if (!this.#new.has(key) && this.#new.size === NEW_NAMES_MAX) return;
    const known = this.#new.get(key) ?? { at: placeOf(at), name, types: new Set() };
    known.types.add(type);
    this.#new.set(key, known);
  }

  check(): AnswerCheck {
    const unseen = (map: ReadonlyMap<string, boolean>) =>
      sorted(map).flatMap(([at, was]) => was ? [] : [placeOf(at)]);
    return {
      missing: [...this.#missing].toSorted(),
      other_types: sorted(this.#other).map(([at, { read, came }]) => ({
        at: placeOf(at),
        read: [...read],
        came: [...came].toSorted(),
      })),
      not_seen: unseen(this.#names),
      empty: unseen(this.#lists),
      new_names: sorted(this.#new).map(([, { types, ...rest }]) => ({
        ...rest,
        types: [...types].toSorted(),
      })),
      types: Object.fromEntries(
        sorted(this.types).map(([at, types]) => [placeOf(at), [...types].toSorted()]),
      ),
    };
  }
}

const placeOf = (at: string) => at === "" ? "the answer" : at;
const under = (at: string, name: string) => at === "" ? name : `${at}.${name}`;

function look(value: unknown, shape: Shape, at: string, notes: Notes): void {
  const kind = kindOf(value);
  add(notes.types, at, kind);
  if (shape.length === 0) return;
  const forms = shape.filter((form) => form.kind === kind);
  if (forms.length === 0) return notes.other(at, shape, kind);
  const form = forms.length === 1 ? forms[0]! : nearest(value, forms);
  if (form.kind === "list") lookAtEntries(value as readonly unknown[], form.items, at, notes);
  if (form.kind === "object") lookAtNames(value as Readonly<Record<string, unknown>>, form, at, notes);
}

/** Of several forms of a list or an object the one that fits best. */
function nearest(value: unknown, forms: readonly Form[]): Form {
  const faults = (form: Form) => {
    const notes = new Notes();
    look(value, [form], "", notes);
    return notes.faults;
  };
  return forms.toSorted((a, b) => faults(a) - faults(b))[0]!;
}

function lookAtEntries(list: readonly unknown[], items: Shape, at: string, notes: Notes): void {
  notes.list(at, list.length === 0);
  for (const one of list.slice(0, ENTRIES_MAX)) look(one, items, `${at}[]`, notes);
}

function lookAtNames(
  value: Readonly<Record<string, unknown>>,
  { names, map }: Extract<Form, { kind: "object" }>,
  at: string,
  notes: Notes,
): void {
  for (const [name, { shape, needed }] of Object.entries(names)) {
    const place = under(at, name);
    if (!Object.hasOwn(value, name)) notes.lacks(place, needed);
    else {
      notes.has(place);
      look(value[name], shape, place, notes);
    }
  }
  const others = Object.entries(value).filter(([name]) => !Object.hasOwn(names, name));
  for (const [name, one] of others.slice(0, ENTRIES_MAX)) {
    if (map === null) notes.fresh(at, name, kindOf(one));
    else look(one, map, under(at, "*"), notes);
  }
}
