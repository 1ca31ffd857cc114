/** What may never be sent to a CMS: anything beyond a short list of routes, names and states. */
import { HOLD_HEADER } from "../_content/holds.ts";
import { hasLead, parseMoment } from "../../rules/schedule.ts";
import type { PolicyContext } from "../_connector/connector.ts";
import type { Outgoing } from "../_http/request.ts";
import { ROWS_READABLE, ROWS_WRITABLE } from "./companion/stored_rows.ts";
import { PAGE_LIVE_NAMES, PAGE_NAMES, PAGES_READABLE, PAGES_WRITABLE } from "./pages/egress.ts";
import {
  EMBEDDED_LIVE,
  EMBEDDED_TERMS,
  expectedForbids,
  fields,
  guardedTwins,
  isPublicList,
  type Judge,
  only,
  routeOf,
} from "./egress_rules.ts";
import { SEO_PUTTABLE, SEO_READABLE, SEO_REPLACED, SEO_WRITABLE, seoMetaForbids } from "./seo/egress.ts";
import type { Site } from "../../core/model.ts";
import { isContentBase } from "./content_types.ts";
import { type Fields, isFields } from "../../core/values.ts";

/** Routes of the companion plugin for custom schema (docs/upstreams/wordpress.md, "Companion plugin: routes"). */
export const SCHEMA_READABLE: readonly RegExp[] = [/^\/site-ops\/v1\/schema\/entries(\/[1-9]\d*)?$/];

/** Query names of those routes beyond the common ones. */
export const SCHEMA_QUERY_NAMES = ["needle"] as const;

/** What is written there: the value, with the type it is expected to have. */
export const SCHEMA_WRITABLE: readonly (readonly [RegExp, Judge])[] = [
  [/^\/site-ops\/v1\/schema\/entries\/[1-9]\d*$/, fields(judgeEntry)],
];

function judgeEntry(body: Fields, site: Site): string | null {
  const { value, expect_value_type, allow_published } = body;
  const type = typeof value === "string" ? "string" : typeof value === "object" && value ? "array" : null;
  if (type === null || expect_value_type !== type) return "a value goes with the type it is to have";
  if ("allow_published" in body && !(allow_published === true && site.flags.allow_seo_on_published)) {
    return "the schema of a published page is changed only with the site's leave";
  }
  return only(body, ["value", "expect_value_type", "allow_published"]);
}

/** Query names the client uses; `rest_route` is the route itself where permalinks are plain. */
const QUERY_NAMES: ReadonlySet<string> = new Set([
  "rest_route",
  "_fields",
  "_embed",
  "context",
  "status",
  "page",
  "per_page",
  "offset",
  "search",
  "author",
  "slug[]",
  "include[]",
  "roles[]",
  "media_type",
  "mime_type",
  "orderby",
  "order",
  ...SCHEMA_QUERY_NAMES,
  "source",
  "destination",
  "slug",
  "parent",
  "template_id",
  "og_image",
  "twitter_image",
  "live",
  "setback",
  "modified_after",
  "site_ops_changed_by",
  "site_ops_changed_not_by",
  "parts[]",
  "between",
  "below",
  "lang",
]);

/** Of those, what a write carries: a CMS takes any other name of a query for a field that the body does not hold. */
const WRITE_QUERY_NAMES: ReadonlySet<string> = new Set(["rest_route", "_fields"]);
/** The same of a new tag or category, which a plugin for several languages makes in the one that is named. */
const TERM_QUERY_NAMES: ReadonlySet<string> = new Set([...WRITE_QUERY_NAMES, "lang"]);
const TERM_ROUTES: readonly string[] = ["/wp/v2/tags", "/wp/v2/categories"];

const READABLE =
  /^\/?$|^\/wp\/v2\/(users\/me|plugins|themes|types|statuses|(users|posts|pages|media|tags|categories)(\/[1-9]\d*)?)$/;
/** Lists alone: a single revision has an address that also takes a DELETE. */
const REVISIONS = /^\/wp\/v2\/(posts|pages)\/[1-9]\d*\/revisions$/;
/** Routes of the companion plugin that are read (docs/upstreams/wordpress.md, "Companion plugin: routes"). */
const COMPANION_READABLE: readonly RegExp[] = [
  /^\/site-ops\/v1\/(health|find)$/,
  /^\/site-ops\/v1\/(holds\/[0-9a-f]{32}|hold-test\/[1-9]\d*)$/,
  ...PAGES_READABLE,
  ...SCHEMA_READABLE,
  ...SEO_READABLE,
  /^\/site-ops\/v1\/guarded\/((posts|pages|seo\/meta|seo\/schema|schema\/entries)\/[1-9]\d*|seo\/redirects)$/,
  ...ROWS_READABLE,
  /^\/site-ops\/v1\/guarded\/(code-pages|builder\/pages)(\/[1-9]\d*)?$/,
];

/** Writes nothing, for it is always a dry run. */
const HOLD_TEST = /^\/site-ops\/v1\/hold-test$/;
/** Writes what stood there back, in a held call alone; what visitors see of that needs the grant. */
const SETBACKS = /^\/site-ops\/v1\/setbacks$/;
const DRY = /^dry; id=[0-9a-f]{32}$/;
const SET_BACK =
  /^hold; id=[0-9a-f]{32}; allow=draft(,live,structure,site,settings)?,own; expect=[0-9a-f]{32}$/;

/** Why the header of a hold may not go with that request, or null. */
function holdForbids(out: Outgoing, route: string | null): string | null {
  const hold = header(out, HOLD_HEADER);
  const isPost = out.method === "POST" && route !== null;
  if (isPost && SETBACKS.test(route)) {
    if (DRY.test(hold)) return null;
    if (!SET_BACK.test(hold)) return "what stood there is written back in a held call alone";
    return hold.includes("live") && out.grant === undefined
      ? "what visitors see is set back only by a tool that asks for the site's leave"
      : null;
  }
  const isTest = isPost && HOLD_TEST.test(route);
  return (isTest ? DRY.test(hold) : hold === "")
    ? null
    : "only the test of a hold is asked for as a dry run here";
}

const CONTENT_NAMES = [
  "title",
  "content",
  "excerpt",
  "slug",
  "tags",
  "categories",
  "featured_media",
  "author",
] as const;

/** What is changed of what is live: never its state, its date or its address. */
const CONTENT_LIVE_NAMES = ["title", "content", "excerpt", "tags", "categories", "featured_media"] as const;

/** The fields of a draft, and of what is live. */
interface Names {
  readonly draft: readonly string[];
  readonly live: readonly string[];
}
const OF_POSTS: Names = { draft: CONTENT_NAMES, live: CONTENT_LIVE_NAMES };
const OF_PAGES: Names = { draft: PAGE_NAMES, live: PAGE_LIVE_NAMES };

const WRITABLE: readonly (readonly [RegExp, Judge])[] = [
  [/^\/wp\/v2\/posts$/, fields(judgeCreate)],
  [/^\/wp\/v2\/posts\/[1-9]\d*$/, update(OF_POSTS)],
  [/^\/wp\/v2\/pages\/[1-9]\d*$/, update(OF_PAGES)],
  [/^\/site-ops\/v1\/guarded\/posts\/[1-9]\d*$/, guarded(OF_POSTS)],
  [/^\/site-ops\/v1\/guarded\/pages\/[1-9]\d*$/, guarded(OF_PAGES)],
  [/^\/wp\/v2\/(tags|categories)$/, fields((body) => only(body, ["name", "slug", "description", "parent"]))],
  [/^\/wp\/v2\/media$/, judgeUpload],
  [/^\/wp\/v2\/media\/[1-9]\d*$/, fields((body) => only(body, ["alt_text", "title", "caption", "post"]))],
  ...PAGES_WRITABLE,
  ...SCHEMA_WRITABLE,
  ...SEO_WRITABLE,
  [/^\/site-ops\/v1\/gateways$/, fields((body) => only(body, ["name", "code"]))],
  [HOLD_TEST, fields((body) => only(body, []))],
  [SETBACKS, fields((body) => only(body, ["image"]))],
  [/^\/site-ops\/v1\/holds\/[0-9a-f]{32}\/acknowledged$/, fields((body) => only(body, []))],
  ...ROWS_WRITABLE,
  ...guardedTwins([...PAGES_WRITABLE, ...SCHEMA_WRITABLE, ...SEO_REPLACED]),
];

/**
 * Why a request may never be sent to a cms site, or null. Reads are GET, writes POST (PUT where an SEO plugin has only
 * that), both to known routes with digits for ids; content is made as a draft, scheduled with enough lead, published
 * only under a grant; nothing is put into the bin, deleted or forced; credentials go to the site's own origin alone.
 */
export function cmsPolicy(out: Outgoing, { site, now }: PolicyContext): string | null {
  if (!site) return "no site is named";
  const url = new URL(out.url);
  const signed = Object.keys(out.headers ?? {}).some((name) => name.toLowerCase() === "authorization");
  if (signed && url.origin !== URL.parse(site.base_url ?? "")?.origin) {
    return "credentials go to the site alone";
  }
  if (out.method === "HEAD") {
    return out.effect === "read" && !signed
      ? null
      : "a HEAD asks for the front page only, without credentials";
  }
  const route = routeOf(url);
  const unheld = holdForbids(out, route);
  if (unheld !== null) return unheld;
  const isDry = DRY.test(header(out, HOLD_HEADER));
  if (out.effect !== (out.method === "GET" || isDry ? "read" : "write")) {
    return "a read is a GET and a write a POST";
  }
  if (route === null) return "the address is not one of the site's REST API";
  const names = [...url.searchParams.keys()];
  const written = TERM_ROUTES.includes(route) ? TERM_QUERY_NAMES : WRITE_QUERY_NAMES;
  const known = out.method === "GET" ? QUERY_NAMES : written;
  const stranger = names.find((name, at) =>
    !known.has(name) || (!name.endsWith("[]") && names.indexOf(name) !== at)
  );
  if (stranger !== undefined) return `its query names "${stranger}"`;
  const along = url.searchParams.get("_embed");
  if (along !== null && along !== EMBEDDED_TERMS && along !== EMBEDDED_LIVE) {
    return `its query asks for "${along}" along with a record`;
  }
  if (out.method === "GET") {
    const readable = [READABLE, REVISIONS, ...COMPANION_READABLE].some((pattern) => pattern.test(route)) ||
      isPublicList(route, url.searchParams) || typedContent(route) !== null || isGuardedType(route);
    return readable ? null : `the route "${route}" is not read`;
  }
  const writable = out.method === "POST" ? WRITABLE : out.method === "PUT" ? SEO_PUTTABLE : [];
  const typed = out.method === "POST" ? typedContent(route) : null;
  const judge = writable.find(([pattern]) => pattern.test(route))?.[1] ??
    (typed === null || typed === "revisions" ? null : TYPED[typed]) ??
    (out.method === "POST" && isGuardedType(route) ? GUARDED_TYPE : null);
  return judge ? judge(out, now, site) : `${out.method} "${route}" is never sent`;
}

/**
 * Whether a route is that of the content of a type of the site's own, all of it, one by its number, or the list of the
 * revisions of one; null for anything else. What stands at the other places, and the types that are not for writers, are none (content_types.ts).
 */
function typedContent(route: string): "all" | "one" | "revisions" | null {
  const [start, wp, version, base = "", id, part, ...more] = route.split("/");
  if (start !== "" || wp !== "wp" || version !== "v2" || more.length > 0 || !isContentBase(base)) return null;
  if (id === undefined) return "all";
  if (String(Number(id)) !== id || !Number.isSafeInteger(Number(id)) || Number(id) <= 0) return null;
  return part === undefined ? "one" : part === "revisions" ? "revisions" : null;
}

const TYPES_GUARDED = "/site-ops/v1/guarded/types/";

/** Whether a route is the guarded one of content of such a type, one by its number. */
const isGuardedType = (route: string): boolean =>
  route.startsWith(TYPES_GUARDED) && typedContent(`/wp/v2/${route.slice(TYPES_GUARDED.length)}`) === "one";

const GUARDED_TYPE = guarded(OF_POSTS);

const TYPED = { all: fields(judgeCreate), one: update(OF_POSTS) } as const;

function judgeCreate(body: Fields): string | null {
  if (body["status"] !== "draft") return "content is made as a draft only";
  return only(body, [...CONTENT_NAMES, "status"]);
}

function update(names: Names): Judge {
  return (out, now, site) =>
    fields((body) => "meta" in body ? seoMetaForbids(body) : judgeUpdate(body, names, out, now))(
      out,
      now,
      site,
    );
}

/** A guarded write is judged by its fields as the same write past the plugin; its marker is that of a grant. */
function guarded(names: Names): Judge {
  return (out, now, site) =>
    fields(({ expected, fields: written, allow_publish, ...more }) => {
      const stranger = Object.keys(more)[0];
      if (stranger !== undefined) return `the field "${stranger}" is never set`;
      const unexpected = expectedForbids(expected);
      if (unexpected !== null) return unexpected;
      if (!isFields(written) || Object.keys(written).length === 0) {
        return "its fields are not a list of fields";
      }
      const marked = written["status"] === "publish" || out.live ? true : undefined;
      if (allow_publish !== marked) {
        return "the marker of a publish goes with a publish and with what is live, and with nothing else";
      }
      return judgeUpdate(written, names, out, now);
    })(out, now, site);
}

function judgeUpdate(body: Fields, names: Names, out: Outgoing, now: number): string | null {
  if ("status" in body && out.live) return "the state of what is live is never changed";
  switch (body["status"]) {
    case undefined:
      return "status" in body ? "a status without a value is never set" : judgeFields(body, names, out);
    case "draft":
      return dateIsCleared(body) ?? only(body, ["status", "date"]);
    case "publish":
      if (out.grant === undefined) return "publishing needs the site's leave and a tool that asks for it";
      return dateIsCleared(body) ?? only(body, ["status", "date"]);
    case "future":
      return judgeSchedule(body, now) ?? only(body, ["status", "date_gmt"]);
    default:
      return `the status ${JSON.stringify(body["status"])} is never set`;
  }
}

/** What a change of fields relies on: whether visitors see it is told, and of what they see only a grant's call changes. */
function judgeFields(body: Fields, { draft, live }: Names, out: Outgoing): string | null {
  if (out.live === undefined) return "a change says whether it is of what visitors see";
  if (!out.live) return out.grant === undefined ? only(body, draft) : "a right to publish changes no draft";
  return out.grant === undefined
    ? "what is live is changed only with the site's leave and by a tool that asks for it"
    : only(body, live);
}

function dateIsCleared(body: Fields): string | null {
  return (body["date"] ?? null) === null ? null : "a date is set with a schedule only";
}

/**
 * A `future` without a date, or with one too close, would publish at once (docs/upstreams/wordpress.md, "Dates and
 * states").
 */
function judgeSchedule(body: Fields, now: number): string | null {
  const text = body["date_gmt"];
  if (typeof text !== "string") return "a schedule needs its date";
  try {
    return hasLead(parseMoment(text).at, now)
      ? null
      : "a schedule less than 60 s ahead would publish at once";
  } catch {
    return "the date of a schedule cannot be read";
  }
}

const header = ({ headers = {} }: Outgoing, wanted: string) =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";

function judgeUpload(out: Outgoing): string | null {
  if (!(out.body instanceof Uint8Array)) return "an upload is bytes";
  if (!/^image\/(png|jpeg|gif|webp)$/.test(header(out, "content-type"))) return "only images are uploaded";
  return /^attachment; filename="[\w.-]+"$/.test(header(out, "content-disposition"))
    ? null
    : "its file name is not plain";
}
