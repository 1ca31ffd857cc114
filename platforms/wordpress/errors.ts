/** What a CMS's failure is turned into: one sentence with its status and the way out; what it said stands beside. */
import { GatewayError, type GatewayErrorOptions } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerptOf } from "../_content/excerpt.ts";
import { leavesDoubt } from "../_http/failures.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { isFields } from "../../core/values.ts";
import { goneSince } from "../../rules/change.ts";
import { secretsOf } from "../../core/signed_secrets.ts";
import { apiWallOf, type Wall } from "../visitor/walls.ts";

/** An answer of the CMS that is no success. E_UPSTREAM with its status; `reason` is its own code, "" without one. */
export class CmsError extends GatewayError {
  readonly reason: string;
  /** `data` of the error body. */
  readonly data: Readonly<Record<string, unknown>>;
  /** What answered in the place of WordPress, where that is known. */
  readonly wall: Wall | null;

  constructor(
    message: string,
    status: number,
    reason: string,
    data: Readonly<Record<string, unknown>>,
    known: Pick<GatewayErrorOptions, "outcome" | "inDoubt" | "retryAfter" | "gone" | "excerpt"> = {},
    wall: Wall | null = null,
  ) {
    super("E_UPSTREAM", message, { upstream: status, ...known });
    this.reason = reason;
    this.data = data;
    this.wall = wall;
  }

  /** Whether WordPress itself refused, so that nothing was written. */
  get definite(): boolean {
    return this.reason !== "" && this.upstream !== undefined && this.upstream < 500;
  }
}

/** The error of an answer that is no success (docs/upstreams/wordpress.md, "Failures"). */
export function refusal(out: Outgoing, answer: Incoming): CmsError {
  const body = errorBody(answer.json());
  const secrets = sentSecrets(out);
  const between = body === null ? walled(out, answer) : null;
  if (between !== null) return between;
  const code = body?.code ?? "";
  const head = `CMS ${answer.status}${isKnownCode(code) ? ` ${code}` : ""}`;
  const named = body === null ? "" : refusedFields(out, body);
  const inDoubt = leavesDoubt(out, answer);
  const message = `${head}: ${named}${wayOut(out, answer, body?.code, inDoubt)}`;
  const said = excerptOf(body === null ? answer.text() : `${code}: ${body.message}`, secrets);
  const known = { ...askedWait(answer), inDoubt, gone: goneOf(out, answer.status, code), ...said };
  return new CmsError(message, answer.status, body?.code ?? "", body?.data ?? {}, known);
}

/** What a request says of a thing that was there when its plan was made: a write of it was refused for that alone. */
export const refusedWrite = (error: CmsError): GatewayError =>
  error.gone === undefined ? error : goneSince(error.gone, error);

/** WordPress's own code for a post that is not there, and the companion plugin's, which takes one in the bin for none. */
const NOT_THERE: ReadonlySet<string> = new Set([
  "rest_post_invalid_id",
  "site_ops_post_not_found",
  "site_ops_schema_entry_not_found",
  "site_ops_template_not_found",
]);

/** What the segment before an id names. */
const NOUNS: Readonly<Record<string, string>> = {
  pages: "page",
  "code-pages": "page",
};

function goneOf({ url }: Outgoing, status: number, code: string): string | undefined {
  if (status !== 404 || !NOT_THERE.has(code)) return undefined;
  if (code === "site_ops_template_not_found") return "The template";
  if (code === "site_ops_schema_entry_not_found") return "The structured data";
  const { pathname, searchParams } = new URL(url);
  const segments = (searchParams.get("rest_route") ?? pathname).split("/");
  const at = segments.findLastIndex((one) => Number(one) > 0);
  return at < 0 ? "What the call names" : `The ${NOUNS[segments[at - 1] ?? ""] ?? "post"} ${segments[at]}`;
}

/**
 * The error of an answer that is none of the API's: of what stands between the gateway and the site; null where that
 * cannot be told (docs/upstreams/visitors.md, "Walls").
 */
export function walled(out: Outgoing, answer: Incoming): CmsError | null {
  const wall = apiWallOf(answer);
  if (wall === null) return null;
  const isSuccess = answer.status >= 200 && answer.status <= 299;
  const isUnknown = isSuccess ? out.effect === "write" : leavesDoubt(out, answer);
  const isBrief = wall.kind === "maintenance" && out.effect === "read";
  const later = isBrief ? `; try again ${whenAgain(answer, "then")}` : "";
  const after = isUnknown ? "" : later;
  const known = isSuccess && isUnknown ? { outcome: "unknown" as const } : askedWait(answer);
  const status = isSuccess ? 502 : answer.status;
  return new CmsError(
    `CMS ${answer.status}: ${wall.message}; ${wall.next}${after}`,
    status,
    "",
    {},
    { ...known, inDoubt: isUnknown },
    wall,
  );
}

/** The error of a success whose body is not what WordPress gives. */
export function unreadable(out: Outgoing, answer: Incoming, why: string): CmsError {
  const between = answer.json() === undefined ? walled(out, answer) : null;
  if (between !== null) return between;
  const after = out.effect === "write" ? "" : "; a plugin or a proxy may have changed the answer";
  const said = excerptOf(answer.text(), sentSecrets(out));
  const message = `CMS ${answer.status}: ${why}${
    said.excerpt === undefined ? ", its body is empty" : ""
  }${after}`;
  const known = out.effect === "write" ? { outcome: "unknown", inDoubt: true } as const : {};
  return new CmsError(message, 502, "", {}, { ...known, ...said });
}

/** Codes of WordPress that a message names; the rest are a site's own words, as its texts are. */
const KNOWN_CODES: ReadonlySet<string> = new Set(
  `
  rest_no_route rest_invalid_param rest_missing_callback_param rest_forbidden rest_forbidden_context rest_cannot_access
  rest_not_logged_in rest_cannot_read rest_cannot_view rest_cannot_edit rest_cannot_edit_others rest_cannot_create
  rest_cannot_publish rest_cannot_delete rest_cannot_assign_term rest_cannot_assign_sticky rest_user_cannot_view
  rest_user_invalid_id rest_post_invalid_id rest_post_invalid_page_number rest_post_exists rest_term_invalid
  rest_taxonomy_invalid rest_invalid_author rest_invalid_featured_media rest_invalid_template rest_invalid_field
  rest_invalid_json rest_upload_no_data rest_upload_unknown_error rest_upload_file_too_big rest_upload_sideload_error
  rest_trash_not_supported rest_already_trashed rest_revision_invalid_offset_number term_exists empty_content
  db_insert_error db_update_error incorrect_password invalid_username invalid_email internal_server_error wp_die site_ops_hold_other_key
  site_ops_hold_not_found site_ops_hold_signature site_ops_hold_header site_ops_hold_used site_ops_hold_unsupported
  site_ops_hold_escaped site_ops_held site_ops_stale site_ops_not_allowed site_ops_incomplete
`.trim().split(/\s+/),
);

/** Whether a message may name the code: WordPress's own, or one of the companion plugin's that is known here. */
const isKnownCode = (code: string): boolean => KNOWN_CODES.has(code) || FOUND.has(code);

/** The parameters that WordPress names, of those that were sent; "" where it names none. */
function refusedFields({ url, json }: Outgoing, { data }: ErrorBody): string {
  const params = data["params"];
  if (typeof params !== "object" || params === null) return "";
  const names = Array.isArray(params) ? params : Object.keys(params);
  const sent = new Set([...new URL(url).searchParams.keys(), ...isFields(json) ? Object.keys(json) : []]);
  const named = names.filter((name) => typeof name === "string" && sent.has(name)).slice(0, 5);
  return named.length === 0 ? "" : `it does not take ${named.map((one) => JSON.stringify(one)).join(", ")}; `;
}

/** What the request signed in with: a site that shows requests in its errors gives it back. */
function sentSecrets({ headers = {} }: Outgoing): string[] {
  return secretsOf(
    Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization")?.[1] ?? "",
  );
}

interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Whether something answered in the place of WordPress, of which is known what. */
export const isWalled = (error: unknown): error is CmsError =>
  error instanceof CmsError && error.wall !== null;

/** Whether an answer's body is an error as WordPress words it. */
export const isErrorBody = (json: unknown): boolean => errorBody(json) !== null;

function errorBody(json: unknown): ErrorBody | null {
  if (typeof json !== "object" || json === null) return null;
  const { code, message, data } = json as Record<string, unknown>;
  if (typeof code !== "string" || typeof message !== "string") return null;
  const facts = typeof data === "object" && data !== null ? data as Record<string, unknown> : {};
  const params = facts["params"];
  const which = typeof params === "object" && params !== null ? Object.values(params).join(" ") : "";
  return { code: code.slice(0, 80), message: `${message} ${which}`, data: facts };
}

/** What to do where the application password was not accepted. */
export const BAD_PASSWORD =
  "the application password of the site was not accepted: make a new one in the CMS and set the site's credentials";

/**
 * What to do about a 401, by the code of its body; undefined where the body is not one of WordPress. Only WordPress's
 * own codes speak of the application password (docs/upstreams/wordpress.md, "Requests and answers").
 */
export function signInWayOut(code: string | undefined): string {
  if (refusesCredentials(401, code ?? "")) return BAD_PASSWORD;
  return code === undefined
    ? "this is not an answer of WordPress itself: the web server or a firewall in front of it asks for a sign-in of " +
      "its own; let the gateway pass there"
    : "a plugin or a setting of the site refuses its REST API, whatever the application password: allow the REST " +
      "API there for the account that the gateway uses";
}

/** Ways on from what the companion plugin finds on the site, which no other argument changes. */
const FOUND: ReadonlyMap<string, string> = new Map([
  ["site_ops_published", "it went live since it was looked at, and nothing was changed: read it again"],
  [
    "site_ops_visual_inactive",
    "its visual builder (Elementor) is not active: activate it under Plugins there, or make the page with page_builder block",
  ],
  ["site_ops_seo_provider_missing", "its SEO plugin does not offer that: set it up in the SEO plugin there"],
  [
    "site_ops_schema_provider_missing",
    "it has no plugin for structured data: activate one under Plugins there",
  ],
  [
    "site_ops_seo_not_shown",
    "its SEO plugin would not show that to visitors: leave it out, or change its settings there",
  ],
  ["site_ops_value_type", "the value is of another kind than the entry's: read the entry and send its kind"],
  ["site_ops_invalid_json", "the text is no structured data: send a JSON object or list with @type"],
  ["site_ops_redirect_loop", "the redirect would lead in a circle: choose another destination"],
  ["site_ops_redirect_target", "its SEO plugin does not take that destination or status: choose another"],
  ["site_ops_template_data", "the layout that is stored for the template cannot be read"],
  ["site_ops_missing_placeholder", "variables do not cover every placeholder of the template"],
  ["site_ops_too_large", "what was sent is too large for it: send less"],
  ["site_ops_disallowed", "the content holds what may not be put on a page there"],
  ["site_ops_busy", "somebody else is saving there: try again in a moment"],
  ["site_ops_post_not_found", "check the id"],
  ["site_ops_template_not_found", "check the template's name"],
  ["site_ops_schema_entry_not_found", "check the entry_id"],
  [
    "site_ops_pairing_code",
    'press "Connect a gateway" under Tools, Site Ops there, then run deno task admin site pair with the site\'s id and its code',
  ],
]);

/** How WordPress's own codes of a 401 begin: of a sign-in that failed, and of a right that nobody has. */
const OWN_401 = ["incorrect_password", "invalid_", "empty_", "application_password", "rest_not_logged_in"]
  .concat(["rest_forbidden", "rest_cannot_", "rest_user_cannot"]);

/**
 * Whether WordPress itself says that it did not accept the credentials, by status and code: it takes wrong ones for
 * nobody's, and words that as a missing right of nobody's (docs/upstreams/wordpress.md, "Requests and answers").
 */
export const refusesCredentials = (status: number | undefined, code: string): boolean =>
  status === 401 && code !== "rest_cannot_access" && OWN_401.some((start) => code.startsWith(start));

function wayOut(out: Outgoing, answer: Incoming, code: string | undefined, unknown: boolean): string {
  const { status } = answer;
  if (status === 401) return signInWayOut(code);
  if (code === undefined) {
    const foreign =
      "this is not an answer of WordPress itself: a firewall or a fault of the site came between";
    if (unknown) return foreign;
    return askedWait(answer).retryAfter === undefined
      ? foreign
      : `${foreign}; try again ${whenAgain(answer, "later")}`;
  }
  if (status === 403 && !FOUND.has(code)) {
    return "the site's account lacks that right: give it a role that has it";
  }
  if (code === "rest_no_route") return "the site does not have this part of the REST API";
  if (status === 404) return "check the id";
  if (status === 429) {
    return out.effect === "write"
      ? "the site is busy and refused the write"
      : `the site is busy: try again ${whenAgain(answer, "later")}`;
  }
  // Also an error that WordPress itself words can come after the write: of a plugin, or of what answers for it.
  if (unknown) return "look at the site's error log";
  if (status === 503) return `the site is busy: try again ${whenAgain(answer, "later")}`;
  if (status >= 500) return "look at the site's error log";
  return FOUND.get(code) ?? "change what was sent";
}

/** Null in the place of a list that the site does not show its account; a pause that it asks for, and faults, are thrown on. */
export function unseen(thrown: unknown): null {
  if (thrown instanceof GatewayError && thrown.code === "E_UPSTREAM" && thrown.upstream !== 429) return null;
  throw thrown;
}
