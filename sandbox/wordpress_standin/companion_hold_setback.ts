/** What would set a held call back, and writing it back (docs/upstreams/wordpress.md, "Held calls"). */
import { createHmac } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { fault, needs } from "./companion.ts";
import { sha } from "./companion_hold_keys.ts";
import { type HeldRow, type More, type Values, valuesOf, writeValue } from "./companion_hold_rows.ts";
import { can } from "./people.ts";
import { mayEdit } from "./post_view.ts";
import { type Ask, type RestEnv, route } from "./rest.ts";
import type { WordPressStandIn } from "./start.ts";

/*
 * Each rule is the plugin's own, which is in this repository: companion/site-ops/includes/class-hold-setback.php (what has an
 * image), class-hold-restore.php (who may write one back, and what is stale). The plugin itself is tried on MariaDB and SQLite
 * in tests/companion/hold_setback_test.ts and tests/real/held_undo_test.ts, and over TLS in tests/real/held_writes_test.ts.
 */

/** Effects that nobody has to set back: Hold_Setback::LEFT. */
const LEFT = ["cache", "own", "revision"];
/** Effects on posts, and on what belongs to them, that can be: Hold_Setback::LABELS. */
const OF_POSTS = ["draft", "live", "structure"];
/** Of Hold_Setback::COLUMNS those that a post of the stand-in has. */
const COLUMNS = ["post_title", "post_content", "post_excerpt", "post_name", "post_parent"];
/** Hold_Setback::OPTIONS. */
const OPTIONS = [
  ...["blogname", "blogdescription", "date_format", "time_format", "start_of_week", "posts_per_page"],
  ...["site_icon", "site_logo"],
];

/** What the plugin says of setting a call back: `why` not, or an image of what stood there and a sum of what the call left. */
export interface Kept {
  readonly why: string | null;
  readonly image?: string;
  readonly sum?: string;
}

interface Entry {
  readonly key: string;
  /** Of a post the columns that the call changed; of anything else its value, in a list, which is empty where there was none. */
  readonly before: Readonly<Record<string, unknown>> | readonly unknown[];
  readonly left: string;
}

const sumOf = (value: unknown) => sha(JSON.stringify(value ?? null));

const sealOf = (salt: string, text: string) =>
  createHmac("sha256", salt).update(`site_ops_setback ${text}`).digest("hex");
const SEAL_CHARACTERS = 64;

/** What is kept of a call with these effects. */
export function keptOf(salt: string, effects: readonly HeldRow[], before: Values, after: Values): Kept {
  const entries: Entry[] = [];
  for (const effect of effects.filter(({ label }) => !LEFT.includes(label))) {
    const entry = entryOf(effect, before, after);
    if (entry === null) {
      return { why: `${effect.what} was ${effect.change}, which the site does not set back` };
    }
    entries.push(entry);
  }
  if (entries.length === 0) return { why: "it changed nothing that can be set back" };
  const text = JSON.stringify(entries);
  return { why: null, image: sealOf(salt, text) + text, sum: sumOf(entries.map(({ left }) => left)) };
}

function entryOf(
  { label, table, key: id, post, change, fields }: HeldRow,
  was: Values,
  is: Values,
): Entry | null {
  const key = `${table} ${id}`;
  const of = (values: Values) => values.has(key) ? [values.get(key)] : [];
  const entry = { key, before: of(was), left: sumOf(of(is)[0]) };
  if (table === "options") return change === "changed" && OPTIONS.includes(id ?? "") ? entry : null;
  const isThere = post !== null && post.status_before !== null && post.status_after !== null;
  if (!isThere || !OF_POSTS.includes(label)) return null;
  if (table !== "posts") return entry;
  const names = fields.map(({ name }) => name);
  if (!names.every((name) => COLUMNS.includes(name))) return null;
  return { key, before: picked(was.get(key), names), left: sumOf(picked(is.get(key), names)) };
}

const picked = (row: unknown, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, (row as Record<string, unknown>)[name]]));

/** Adds the route that writes an image back, in a held call only. */
export function addSetbacks(
  { app }: Pick<WordPressStandIn, "app">,
  hold: { readonly middleware: MiddlewareHandler<RestEnv>; readonly more: More; readonly salt: string },
): void {
  const at = "/site-ops/v1/setbacks";
  app.use(at, hold.middleware);
  route(app, ["POST"], at, () => ({ image: { type: "string", required: true } }), (ask) => {
    needs(ask, "edit_posts");
    if (!ask.headers.has("x-site-ops-hold")) {
      throw fault("not_allowed", 403, "What stood there is written back only in a held call");
    }
    return { body: { rows: writeBack(ask, hold.more, hold.salt, String(ask.params["image"])) } };
  });
}

/** What a row is called: Hold_Restore::name(). */
function nameOf(key: string): string {
  const [table, id, ...rest] = key.split(" ");
  if (table === "posts") return `Post ${id}`;
  if (table === "options") return `Option ${id}`;
  return table === "term_relationships" ? `Terms of post ${id}` : `Field ${rest[0] ?? table} of post ${id}`;
}

/**
 * Writes back what an image says; answers how many rows that were. Throws 422 `site_ops_setback_unknown`, 403
 * `site_ops_not_allowed`, 409 `site_ops_stale`; then nothing was written.
 */
function writeBack({ state, person }: Ask, more: More, salt: string, image: string): number {
  const [seal, text] = [image.slice(0, SEAL_CHARACTERS), image.slice(SEAL_CHARACTERS)];
  if (seal !== sealOf(salt, text)) throw fault("setback_unknown", 422, "This site did not make that image");
  const entries: readonly Entry[] = JSON.parse(text);
  const now = valuesOf(state, more);
  for (const { key, before, left } of entries) {
    const [table, id] = key.split(" ");
    const post = state.posts.get(Number(id));
    const isOption = table === "options";
    const may = isOption ? can(person, "manage_options") : post !== undefined && mayEdit(person, post);
    if (!may) throw fault("not_allowed", 403, `The account may not change ${nameOf(key)}`);
    const value = table === "posts" && post?.status === "trash" ? undefined : now.get(key);
    const stands = Array.isArray(before) ? value : value && picked(value, Object.keys(before));
    if (sumOf(stands) !== left) throw fault("stale", 409, `${nameOf(key)} is not as that call left it`);
  }
  for (const { key, before } of entries) {
    writeValue(state, more, key, Array.isArray(before) ? before : [{ ...now.get(key) as object, ...before }]);
  }
  return entries.length;
}
