/** How what is written to a CMS is judged: by names of fields, each route with a list of its own. */
import type { Site } from "../../core/model.ts";
import { type Fields, isFields } from "../../core/values.ts";
import type { Outgoing } from "../_http/request.ts";

/** Why a request may not be sent, or null. */
export type Judge = (out: Outgoing, now: number, site: Site) => string | null;

/** What may be asked for along with a record: its terms. */
export const EMBEDDED_TERMS = "wp:term";
/** The same of what goes live: its author too. */
export const EMBEDDED_LIVE = "wp:term,author";

/** Judges the body's fields; a body that has none is refused. */
export function fields(judge: (body: Fields, site: Site) => string | null): Judge {
  return ({ json }, _now, site) => isFields(json) ? judge(json, site) : "its body is not a list of fields";
}

/** Why what a guarded write expects cannot be that, or null: the hashes of parts, of one at least. */
export function expectedForbids(expected: unknown): string | null {
  if (!isFields(expected) || !Object.values(expected).every((hash) => /^[0-9a-f]{64}$/.test(String(hash)))) {
    return "what is expected is hashes by part";
  }
  return Object.keys(expected).length === 0 ? "a guarded write expects something" : null;
}

/** The guarded twins of routes of the companion plugin: judged as those are, with what is expected beside. */
export function guardedTwins(routes: readonly (readonly [RegExp, Judge])[]): (readonly [RegExp, Judge])[] {
  const root = "^\\/site-ops\\/v1\\/";
  return routes.filter(([pattern]) => pattern.source.startsWith(root)).map(([pattern, judge]) => [
    new RegExp(pattern.source.replace(root, `${root}guarded\\/`)),
    (out, now, site) => {
      if (!isFields(out.json)) return "its body is not a list of fields";
      const { expected, ...json } = out.json;
      return expectedForbids(expected) ?? judge({ ...out, json }, now, site);
    },
  ]);
}

/** Refuses every field but these. */
export function only(body: Fields, names: readonly string[]): string | null {
  const stranger = Object.keys(body).find((name) => !names.includes(name));
  return stranger === undefined ? null : `the field "${stranger}" is never set`;
}

/** What is read of a list of posts to see what is public. */
export const PUBLIC_FIELDS = "id,status,link,date_gmt,modified_gmt";
const PUBLIC_STATES: readonly (string | null)[] = ["publish", "publish,future"];
const LIST = /^\/[\w-]{1,80}\/v\d{1,3}\/[\w-]{1,80}$/;

/** Whether it is the list of whatever type of posts, of which nothing is asked but what is public, and where. */
export const isPublicList = (route: string, query: URLSearchParams): boolean =>
  LIST.test(route) && query.get("_fields") === PUBLIC_FIELDS && PUBLIC_STATES.includes(query.get("status")) &&
  !query.has("context");

/** The REST route a WordPress would see: `rest_route` wins over the path; null where neither leads to the API. */
export function routeOf(url: URL): string | null {
  const plain = url.searchParams.get("rest_route");
  if (plain !== null) return /(^|\/)(index\.php)?$/.test(url.pathname) ? plain : null;
  // Of a route nothing is encoded.
  const tail = url.pathname.slice(url.pathname.lastIndexOf("%") + 1);
  const route = /^.*\/wp-json(?:(\/.*)|$)/s.exec(tail)?.[1];
  if (route !== undefined || tail !== url.pathname) return route ?? null;
  const below = /^\/(?:.*\/)?[\w-]+(\/(?:wp\/v2|(?:site-ops|seopress|rankmath)\/v1)\/.*)/s.exec(tail)?.[1];
  return below ?? (isRenamedIndex(url) ? "/" : null);
}

/**
 * Whether it is the API's index under another name than `wp-json` (the filter `rest_url_prefix`): a folder that is none of
 * WordPress's own, asked for fields and nothing else.
 */
function isRenamedIndex({ pathname, searchParams }: URL): boolean {
  const name = pathname.split("/").at(-2) ?? "";
  return pathname.endsWith("/") && name !== "" && !name.startsWith("wp-") &&
    [...searchParams.keys()].join() === "_fields";
}
