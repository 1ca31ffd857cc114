/** The companion plugin's guarded routes beside those of posts, on the stand-in: each is the twin of a route of its own. */
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { fault, refuseLive } from "./companion.ts";
import { wallTime } from "./dates.ts";
import { invalidParams } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { type Answer, type Ask, type RestEnv, route } from "./rest.ts";

/** A route that is written, and what its guard compares. */
export interface Twin {
  /** Below the plugin's namespace, `:id` for the number of a post. */
  readonly path: string;
  /** The arguments of GET and of POST. */
  readonly asks: ParamRules;
  readonly takes: ParamRules;
  /** What a request finds; refuses who may not ask. */
  state(ask: Ask): Record<string, unknown>;
  /** The same in parts. */
  parts(ask: Ask): Record<string, unknown>;
  /** Further parts, as hashes. */
  hashed?(ask: Ask): Record<string, string>;
  write(ask: Ask): Answer;
  /** What stands after a write that makes something, by its answer. */
  after?(ask: Ask, written: Record<string, unknown>): Record<string, unknown>;
}

/** Rows as they are stored: what each belongs to, and its texts. */
export interface StoredRows {
  readonly plugin: string;
  readonly rows: Readonly<Record<string, { readonly of: string; readonly values: readonly string[] }>>;
}

/** Texts by the names of rows. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/** The route that sets rows back (companion/site-ops/includes/class-stored-rows.php). */
export function rowsTwin(subject: string, { stored, post, put, live = true }: {
  stored(ask: Ask): StoredRows;
  /** The post with its SEO, as `seo/meta` answers it. */
  post(ask: Ask): Record<string, unknown>;
  put(ask: Ask, rows: Rows): void;
  /** Whether what visitors see is changed where that was allowed. */
  readonly live?: boolean;
}): Twin {
  const id = { id: { type: "integer" } } as const;
  return {
    path: `stored/${subject}/:id`,
    asks: id,
    takes: {
      ...id,
      rows: { type: "object", required: true },
      allow_published: { type: "boolean", fallback: false },
    },
    state: (ask) => ({ stored: stored(ask), post: post(ask) }),
    parts(ask) {
      const { plugin, rows } = stored(ask);
      const { post_status: status, date_gmt } = post(ask);
      const each = Object.entries(rows).map(([name, { values }]) => [`row:${name}`, values]);
      return { status, date_gmt, plugin, ...Object.fromEntries(each) };
    },
    write(ask) {
      const { allow_published, rows } = ask.params;
      const found = ask.state.posts.get(ask.params["id"] as number);
      if (found && !(live && allow_published === true)) refuseLive(ask, found);
      const stranger = Object.keys(rows as Rows).find((name) => stored(ask).rows[name] === undefined);
      if (stranger !== undefined) {
        throw invalidParams(new Map([["rows", { code: "x", message: `There is no row ${stranger}` }]]));
      }
      put(ask, rows as Rows);
      return { body: { post_id: ask.params["id"] } };
    },
  };
}

const EXPECTED: ParamRules = { expected: { type: "object", required: true } };

function hashes(twin: Twin, ask: Ask): Record<string, string> {
  const hash = (value: unknown) => createHash("sha256").update(JSON.stringify(value ?? "")).digest("hex");
  const parts = Object.entries(twin.parts(ask)).map(([name, value]) => [name, hash(value)]);
  return { ...twin.hashed?.(ask), ...Object.fromEntries(parts) };
}

/** Installs the guarded twins of routes. */
export function addTwins(app: Hono<RestEnv>, twins: readonly Twin[]): void {
  for (const twin of twins) {
    const path = `/site-ops/v1/guarded/${twin.path.replace(":id", ":id{[0-9]+}")}`;
    route(app, ["GET"], path, () => twin.asks, (ask) => ({
      body: { state: twin.state(ask), parts: hashes(twin, ask), changed: changed(ask), editing: null },
    }));
    route(app, ["POST"], path, () => ({ ...twin.takes, ...EXPECTED }), (ask) => write(twin, ask));
  }
}

function changed({ params, state }: Ask): unknown {
  const post = state.posts.get(params["id"] as number);
  return post ? { by: null, at: wallTime(post.modified, "UTC") } : null;
}

function write(twin: Twin, ask: Ask): Answer {
  twin.state(ask);
  const expected = ask.params["expected"] as Record<string, string>;
  if (Object.keys(expected).length === 0) {
    throw invalidParams(new Map([["expected", { code: "x", message: "nothing is expected" }]]));
  }
  const now = hashes(twin, ask);
  const differ = Object.keys(expected).filter((name) => now[name] !== expected[name]);
  if (differ.length > 0) {
    throw fault("stale", 409, `Not as expected any more: ${differ.join(", ")}`, {
      differ,
      changed: changed(ask),
    });
  }
  const written = twin.write(ask).body as Record<string, unknown>;
  return { body: { written, state: twin.after?.(ask, written) ?? twin.state(ask) } };
}
