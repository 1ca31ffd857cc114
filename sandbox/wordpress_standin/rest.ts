/** How a request reaches a route of the stand-in and how its value becomes a WordPress answer. */
import type { Context, Hono } from "hono";
import { broke, html, json as plainJson } from "../core/answers.ts";
import { forbidden, refused, RestError } from "./errors.ts";
import { checkParams, type ParamRules, type Params } from "./params.ts";
import { can, type Person } from "./people.ts";
import type { State } from "./state.ts";

/** One request as a route sees it. */
export interface Ask {
  readonly state: State;
  readonly person: Person | null;
  readonly headers: Headers;
  /** The query as sent, for paging links. */
  readonly query: URLSearchParams;
  /** The body as sent. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Checked parameters. Body wins over query, query over path, as in WordPress. */
  readonly params: Params;
}

/** A route's answer before it is JSON. */
export interface Answer {
  readonly body: unknown;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the entry hands to Hono beside the request. */
export interface Carried {
  readonly ask: Omit<Ask, "params">;
  readonly given: Params;
}

/** The Hono environment of the stand-in. */
export interface RestEnv {
  Bindings: { carried: Carried };
}

/** Adds one route: parameters are checked, `run` answers or throws a RestError, `_fields` trims. */
export function route(
  app: Hono<RestEnv>,
  methods: readonly string[],
  path: string,
  rules: (carried: Carried) => ParamRules,
  run: (ask: Ask) => Answer | Promise<Answer>,
): void {
  app.on([...methods], path, async (c: Context<RestEnv>) => {
    const { ask, given } = c.env.carried;
    const named = Object.fromEntries(
      Object.entries(c.req.param()).map(([key, value]) => [key, Number(value)]),
    );
    const sent = { ...named, ...given };
    const params = checkParams(sent, rules({ ask, given: sent }));
    const answer = await run({ ...ask, params });
    const body = trimFields(answer.body, given["_fields"]);
    return json(body, answer.status ?? 200, answer.headers);
  });
}

/** A JSON answer with the headers WordPress puts on each. */
export function json(
  body: unknown,
  status: number,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return plainJson(body, status, {
    "content-type": "application/json; charset=UTF-8",
    "x-robots-tag": "noindex",
    "x-content-type-options": "nosniff",
    "access-control-expose-headers": "X-WP-Total, X-WP-TotalPages, Link",
    ...headers,
  });
}

/** What a thrown thing becomes: a RestError its error body, anything else the HTML page of a PHP fatal. */
export function errorResponse(thrown: unknown): Response {
  if (thrown instanceof RestError) return json(thrown.body(), thrown.status);
  return html(`<!DOCTYPE html><title>The stand-in broke</title><pre>${broke(thrown)}</pre>`, 500);
}

type Tree = { [key: string]: Tree | true };

function pick(value: unknown, tree: Tree): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const out: Params = {};
  for (const [key, below] of Object.entries(tree)) {
    const held = (value as Params)[key];
    if (held !== undefined) out[key] = below === true ? held : pick(held, below);
  }
  return out;
}

function trimFields(body: unknown, asked: unknown): unknown {
  if (asked === undefined || asked === "") return body;
  const names = (Array.isArray(asked) ? asked.map(String) : String(asked).split(/[\s,]+/)).filter((n) =>
    n !== ""
  );
  const tree: Tree = {};
  for (const name of names) {
    const steps = name.split(".");
    let at = tree;
    for (const [index, step] of steps.entries()) {
      if (at[step] === true) break;
      if (index === steps.length - 1) at[step] = true;
      else at = (at[step] ??= {}) as Tree;
    }
  }
  return Array.isArray(body) ? body.map((row) => pick(row, tree)) : pick(body, tree);
}

/** The REST root of the site; with plain permalinks it carries `?rest_route=`. */
export function restRoot(state: State): string {
  return state.plain_permalinks ? `${state.origin()}/index.php?rest_route=/` : `${state.origin()}/wp-json/`;
}

/** One page of rows with WordPress's paging headers; past the end posts are refused, other rows are empty. */
export function paged<T>(ask: Ask, path: string, rows: readonly T[], view: (row: T) => unknown): Answer {
  const page = ask.params["page"] as number;
  const size = ask.params["per_page"] as number;
  const pages = Math.ceil(rows.length / size);
  const headers: Record<string, string> = {
    "x-wp-total": String(rows.length),
    "x-wp-totalpages": String(pages),
  };
  const links: string[] = [];
  const link = (to: number, rel: string) => {
    const url = new URL(restRoot(ask.state).replace(/\/$/, "") + path);
    for (const [key, value] of ask.query) if (key !== "rest_route") url.searchParams.set(key, value);
    url.searchParams.set("page", String(to));
    links.push(`<${url.href}>; rel="${rel}"`);
  };
  if (page > 1) link(Math.min(page - 1, Math.max(pages, 1)), "prev");
  if (page < pages) link(page + 1, "next");
  if (links.length > 0) headers["link"] = links.join(", ");
  const body = rows.slice((page - 1) * size, page * size).map(view).filter((row) => row !== undefined);
  return { body, headers };
}

/** The parameters of every collection. */
export const PAGING: ParamRules = {
  context: { type: "string", enum: ["view", "embed", "edit"], fallback: "view" },
  page: { type: "integer", min: 1, fallback: 1 },
  per_page: { type: "integer", min: 1, max: 100, fallback: 10 },
  search: { type: "string" },
};

/** Refuses unless the asker holds the right; `code` stands for `rest_forbidden` where WordPress has its own. */
export function need(ask: Ask, right: string, code: string, message: string): void {
  if (can(ask.person, right)) return;
  throw code === "rest_forbidden" ? forbidden(ask.person, message) : refused(ask.person, code, message);
}
