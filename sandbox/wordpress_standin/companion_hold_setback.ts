/** What would set a held call back, and writing it back (docs/upstreams/wordpress.md, "Held calls"). */
import { createHmac } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { fault, needs } from "./companion.ts";
import { sha } from "./companion_hold_keys.ts";
import { type HeldRow, type More, type Values, valuesOf, writeValue } from "./companion_hold_rows.ts";
import { type RestEnv, route } from "./rest.ts";
import type { WordPressStandIn } from "./start.ts";
import type { State } from "./state.ts";

/** Effects that nobody has to set back. */
const LEFT = ["cache", "own", "revision"];
/** Effects on posts, and on what belongs to them, that can be. */
const OF_POSTS = ["draft", "live", "structure"];
const COLUMNS = ["post_title", "post_content", "post_excerpt", "post_name", "post_parent"];
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
  { app, state }: Pick<WordPressStandIn, "app" | "state">,
  hold: { readonly middleware: MiddlewareHandler<RestEnv>; readonly more: More; readonly salt: string },
): void {
  const at = "/site-ops/v1/setbacks";
  app.use(at, hold.middleware);
  route(app, ["POST"], at, () => ({ image: { type: "string", required: true } }), (ask) => {
    needs(ask, "edit_posts");
    if (!ask.headers.has("x-site-ops-hold")) {
      throw fault("not_allowed", 403, "What stood there is written back only in a held call");
    }
    writeBack(state, hold.more, hold.salt, String(ask.params["image"]));
    return { body: { set_back: true } };
  });
}

/** Writes back what an image says. Throws 422 `site_ops_setback_unknown`, 409 `site_ops_stale`; then nothing was written. */
function writeBack(state: State, more: More, salt: string, image: string): void {
  const [seal, text] = [image.slice(0, SEAL_CHARACTERS), image.slice(SEAL_CHARACTERS)];
  if (seal !== sealOf(salt, text)) throw fault("setback_unknown", 422, "This site did not make that image");
  const entries: readonly Entry[] = JSON.parse(text);
  const now = valuesOf(state, more);
  for (const { key, before, left } of entries) {
    const value = now.get(key);
    const stands = Array.isArray(before) ? value : value && picked(value, Object.keys(before));
    if (sumOf(stands) !== left) throw fault("stale", 409, `${key} is not as the call left it`);
  }
  for (const { key, before } of entries) {
    writeValue(state, more, key, Array.isArray(before) ? before : [{ ...now.get(key) as object, ...before }]);
  }
}
