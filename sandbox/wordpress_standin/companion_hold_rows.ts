/** The site as rows of tables: kept as it is now, compared, and each difference under the kind that the plugin gives it. */
import type { Post, State } from "./state.ts";

/** One difference, as the plugin tells it. */
export interface HeldRow {
  readonly label: string;
  readonly what: string;
  readonly change: "made" | "changed" | "removed";
  readonly table: string | null;
  readonly key: string | null;
  readonly post: {
    readonly id: number;
    readonly type: string;
    readonly title: string;
    readonly status_before: string | null;
    readonly status_after: string | null;
    readonly is_new?: boolean;
  } | null;
  readonly fields: readonly { readonly name: string; readonly from: unknown; readonly to: unknown }[];
}

type Columns = Readonly<Record<string, unknown>>;
type Rows = ReadonlyMap<string, Columns>;
/** What the site holds, by table and key. */
export type Values = ReadonlyMap<string, unknown>;
/** Where a post's template stands among its fields. */
const TEMPLATE = "_wp_page_template";
/** Values that others keep: maps, lists. */
export type More = readonly (() => Readonly<Record<string, unknown>>)[];

/** The site as it was. */
export interface Snapshot {
  /** Puts the site back; new ids are not given again. */
  restore(): void;
}

/** Keeps the site as it is now. */
export function takeSnapshot(state: State, more: More): Snapshot {
  const posts = new Map([...state.posts].map(([id, post]) => [id, structuredClone(post)]));
  const terms = new Map([...state.terms].map(([id, term]) => [id, { ...term }]));
  const kept = more.flatMap((part) => Object.values(part())).map((value) => [value, structuredClone(value)]);
  return {
    restore() {
      for (const id of state.posts.keys()) if (!posts.has(id)) state.posts.delete(id);
      for (const [id, post] of posts) {
        const own = (state.posts.get(id) ?? post) as unknown as Record<string, unknown>;
        for (const name of Object.keys(own)) if (!(name in post)) delete own[name];
        state.posts.set(id, Object.assign(own, post) as unknown as Post);
      }
      state.terms.clear();
      for (const [id, term] of terms) state.terms.set(id, term);
      for (const [value, before] of kept) refill(value, before);
    },
  };
}

function refill(value: unknown, before: unknown): void {
  if (value instanceof Map && before instanceof Map) {
    value.clear();
    for (const [key, one] of before) value.set(key, one);
  } else if (Array.isArray(value) && Array.isArray(before)) value.splice(0, value.length, ...before);
}

/** Columns of the table of posts, by what a post of the stand-in calls them. */
const COLUMNS = {
  post_type: "type",
  post_status: "status",
  post_title: "title",
  post_content: "content",
  post_excerpt: "excerpt",
  post_name: "slug",
  post_parent: "parent",
} as const satisfies Readonly<Record<string, keyof Post>>;

/** All of the site, each value by its table and key; of a post its columns. It stays as it is whatever becomes of the site. */
export function valuesOf(state: State, more: More): Values {
  const values = new Map<string, unknown>();
  for (const post of state.posts.values()) {
    const { id, meta, template, categories, tags } = post;
    const columns = Object.entries(COLUMNS).map(([column, name]) => [column, post[name]]);
    values.set(`posts ${id}`, Object.fromEntries(columns));
    for (const [name, value] of Object.entries({ ...meta, [TEMPLATE]: template })) {
      values.set(`postmeta ${id} ${name}`, value);
    }
    values.set(`term_relationships ${id}`, { categories, tags });
  }
  for (const { id, name } of state.terms.values()) values.set(`terms ${id}`, name);
  for (const part of more) {
    for (const [table, of] of Object.entries(part())) {
      const entries = of instanceof Map ? of : new Map((of as unknown[]).entries());
      for (const [key, value] of entries) values.set(`${table} ${key}`, value);
    }
  }
  return structuredClone(values);
}

/** All of the site as rows, as the database has them. */
export const rowsOf = (values: Values): Rows =>
  new Map([...values].map(([key, value]) => [key, rowOf(key.slice(0, key.indexOf(" ")), value)]));

function rowOf(table: string, value: unknown): Columns {
  if (table === "posts") return value as Columns;
  if (table === "postmeta") return { meta_value: textOf(value) };
  if (table === "terms") return { name: value };
  if (table !== "term_relationships") return { value: textOf(value) };
  const { categories, tags } = value as Pick<Post, "categories" | "tags">;
  return { terms: textOf([...categories, ...tags]) };
}

/** Puts a value where `valuesOf` has it; the list is empty where there is to be none. */
export function writeValue(state: State, more: More, key: string, value: readonly unknown[]): void {
  const [table = "", id = "", ...rest] = key.split(" ");
  const [one] = structuredClone(value);
  const post = state.posts.get(Number(id));
  if (table === "posts") {
    const named = Object.entries(COLUMNS).map(([column, name]) => [name, (one as Columns)[column]]);
    Object.assign(post!, Object.fromEntries(named));
  } else if (table === "term_relationships") Object.assign(post!, one);
  else if (table === "postmeta") {
    const [name = ""] = rest;
    if (name === TEMPLATE) Object.assign(post!, { template: one });
    else if (value.length > 0) (post!.meta as Record<string, unknown>)[name] = one;
    else delete (post!.meta as Record<string, unknown>)[name];
  } else {
    const of = more.map((part) => part()[table]).find((found) => found !== undefined) as Map<
      unknown,
      unknown
    >;
    const own = [...of.keys()].find((known) => String(known) === id) ?? (/^\d+$/.test(id) ? Number(id) : id);
    if (value.length > 0) of.set(own, one);
    else of.delete(own);
  }
}

const textOf = (value: unknown) => typeof value === "string" ? value : JSON.stringify(value);

const DRAFTS: readonly string[] = ["draft", "pending", "auto-draft"];

/** The differences between the two, under the plugin's labels. */
export function labelled(
  before: Rows,
  after: Rows,
  { own }: { readonly own: readonly string[] },
  ownTables: readonly string[],
): HeldRow[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const found = keys.flatMap((key): HeldRow[] => {
    const [was, is] = [before.get(key), after.get(key)];
    const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])];
    const fields = names.filter((name) =>
      was?.[name] !== is?.[name] && !(was === undefined && isBlank(is?.[name]))
    )
      .map((name) => ({ name, from: was?.[name] ?? null, to: is?.[name] ?? null }));
    if (fields.length === 0 && was !== undefined) return [];
    const [table = "", id = "", ...rest] = key.split(" ");
    const change = was === undefined ? "made" : is === undefined ? "removed" : "changed";
    const post = POSTS_OF.includes(table) ? postOf(id, before, after) : null;
    const label = labelOf(table, post, change);
    const what = post === null ? `${table} ${id}` : whatOf(table, rest[0], post);
    return [{ label, what, change, table, key: [id, ...rest].join(" "), post, fields }];
  });
  const touched = found.length === 0 ? [] : ownTables.map((table): HeldRow => ({
    label: own.includes(table) ? "own" : "other",
    what: table,
    change: "made",
    table,
    key: "1",
    post: null,
    fields: [],
  }));
  return [...found, ...touched];
}

/** What a new row has without being given it: the plugin lists no such value (class-hold-fields.php, BLANK). */
const isBlank = (value: unknown) => value === "" || value === null || value === 0;

/** What was changed in the plugin's words, which name a post by its label and its states (class-hold-effects.php). */
function whatOf(table: string, field: string | undefined, post: NonNullable<HeldRow["post"]>): string {
  const states = [...new Set([post.status_before, post.status_after].filter((one) => one !== null))];
  const label = post.type.charAt(0).toUpperCase() + post.type.slice(1);
  const name = `${label} ${post.id} "${post.title}" (${states.join(" → ")})`;
  if (table === "posts") return name;
  if (table === "term_relationships") return `Terms of ${name}`;
  return `Field ${table === "elements" ? "_elementor_data" : field} of ${name}`;
}

const POSTS_OF = ["posts", "postmeta", "term_relationships", "elements"];

function postOf(id: string, before: Rows, after: Rows): HeldRow["post"] {
  const [was, is] = [before.get(`posts ${id}`), after.get(`posts ${id}`)];
  const text = (row: Columns | undefined, name: string) => row === undefined ? null : String(row[name]);
  return {
    id: Number(id),
    type: text(is ?? was, "post_type") ?? "",
    title: text(is ?? was, "post_title") ?? "",
    status_before: text(was, "post_status"),
    status_after: text(is, "post_status"),
    is_new: was === undefined,
  };
}

function labelOf(table: string, post: HeldRow["post"], change: HeldRow["change"]): string {
  if (post === null) return { terms: "structure", options: "settings", files: "files" }[table] ?? "site";
  const { status_before: was, status_after: is, type } = post;
  if (type === "attachment") return "files";
  if (is === null || is === "trash") return "delete";
  if (is === "future" && was !== "future") return "schedule";
  const [wasHidden, isHidden] = [was === null || DRAFTS.includes(was), DRAFTS.includes(is)];
  if (wasHidden && isHidden) return "draft";
  return wasHidden && (table === "posts" || change === "made") ? "publish" : "live";
}
