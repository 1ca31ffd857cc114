/** What may be sent to Duda: the routes of `routes.ts`, with known fields and states, and nothing published unasked. */
import { type Fields, isFields } from "../../core/values.ts";
import { hasLead } from "../../rules/schedule.ts";
import type { PolicyContext } from "../_connector/connector.ts";
import type { Outgoing } from "../_http/request.ts";
import { utc } from "./dates.ts";
import { type DudaSettings, type RouteName, routeOf } from "./routes.ts";

/** Judges a body; answers why it may not be sent. */
type Judge = (body: Fields, out: Outgoing, now: number) => string | null;

const PAGE_FIELDS = ["title", "path", "seo", "header_html", "draft_status"];
const POST_FIELDS = ["title", "description", "path", "tags"];
/** What is changed of a post that is live: never its address. */
const LIVE_FIELDS = ["title", "description", "tags"];
const NEEDS_GRANT = "publishing needs the site's leave and a tool that asks for it";

/** The body of each route that has one. A route of `POST` and its like that is not here has none. */
const BODIES: Partial<Record<RouteName, Judge>> = {
  create_page: ({ page, ...more }) => only(more, []) ?? (isFields(page) ? newPage(page) : "it has no page"),
  change_page: changePage,
  duplicate_page: newPage,
  add_element: (body) =>
    body["type"] === "SECTION" ? only(body, ["type", "element_source_id"]) : "only sections are added",
  import_post: (body) =>
    isBase64(body["content"]) ? only(body, ["title", "description", "content"]) : "its content is not Base64",
  change_post: changePost,
};

/**
 * Why a request may never be sent to Duda, or null: only listed routes of the site's own alias; pages are made as DRAFT,
 * and PUBLISHED or published only under a grant; a schedule has its lead. Nothing is deleted, reset or unpublished as a
 * site, for there is no such route.
 */
export function dudaPolicy(
  out: Outgoing,
  { site, settings, now }: PolicyContext<DudaSettings>,
): string | null {
  if (!site || site.site_alias === null) return "no site alias is named";
  const route = routeOf(out, site, settings);
  if (route === null) return `${out.method} ${new URL(out.url).pathname} is not one of its requests`;
  if (out.effect !== (out.method === "GET" ? "read" : "write")) return "only a GET is a read";
  const names = [...new URL(out.url).searchParams.keys()];
  const known = route === "posts" ? ["limit", "offset"] : [];
  const stranger = names.find((name, at) => !known.includes(name) || names.indexOf(name) !== at);
  if (stranger !== undefined) return `its query names "${stranger}"`;
  if (out.body !== undefined) return "its body is not JSON";
  if (route === "publish_post" && out.grant === undefined) return NEEDS_GRANT;
  const judge = BODIES[route];
  if (judge === undefined) return out.json === undefined ? null : "it has a body, where none belongs";
  return isFields(out.json) ? judge(out.json, out, now) : "its body is not a list of fields";
}

function only(body: Fields, names: readonly string[]): string | null {
  const stranger = Object.keys(body).find((name) => !names.includes(name));
  return stranger === undefined ? null : `the field "${stranger}" is never set`;
}

function newPage(page: Fields): string | null {
  return page["draft_status"] === "DRAFT" ? only(page, PAGE_FIELDS) : "a page is made as DRAFT only";
}

/** A state goes with every change of a page: left out, the platform chooses one that goes live with the site. */
function changePage(body: Fields, { grant }: Outgoing): string | null {
  switch (body["draft_status"]) {
    case "DRAFT":
    case "STAGED_DRAFT":
      return only(body, PAGE_FIELDS);
    case "PUBLISHED":
      return grant === undefined ? NEEDS_GRANT : only(body, ["draft_status"]);
    default:
      return `the draft status ${JSON.stringify(body["draft_status"])} is never set`;
  }
}

function changePost(body: Fields, { grant }: Outgoing, now: number): string | null {
  if (grant !== undefined) return only(body, LIVE_FIELDS);
  if (!("schedule_publish_date" in body)) return only(body, POST_FIELDS);
  const date = body["schedule_publish_date"];
  if (date !== null) {
    const at = Date.parse((typeof date === "string" ? utc(date) : null) ?? "");
    if (Number.isNaN(at)) return "the date of a schedule cannot be read";
    if (!hasLead(at, now)) return "a schedule less than 60 s ahead might publish at once";
  }
  return only(body, ["schedule_publish_date"]);
}

function isBase64(text: unknown): boolean {
  return typeof text === "string" && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
