/** Where a request enters the stand-in: read as WordPress reads it, sent to the REST side or the front, or met by a fault. */
import type { Hono } from "hono";
import type { Clock } from "../core/clock.ts";
import type { RecordedRequest } from "../core/recorder.ts";
import type { Call, Vendor } from "../core/vendor.ts";
import { RestError } from "./errors.ts";
import { type Params, readBody, readQuery } from "./params.ts";
import { type Person, whoAsks } from "./people.ts";
import { errorResponse, json, type RestEnv, restRoot } from "./rest.ts";
import { publishDue, publishNow, type State } from "./state.ts";
import { visitorPage } from "./visitor_page.ts";
import { html, retryAfter } from "../core/answers.ts";
import type { CommonFault, FaultWords } from "../core/faults.ts";

/** The faults every stand-in knows, and those of WordPress's own. */
export type WordPressFault =
  | CommonFault
  /** 401, as some security plugins answer. */
  | { readonly kind: "unauthorized"; readonly code?: string }
  /** Answers truly, and then somebody publishes that post before the next request. */
  | { readonly kind: "publish"; readonly post_id: number }
  /** The site's clock (header and decisions) runs ahead by that many seconds during the request. */
  | { readonly kind: "skew"; readonly seconds: number };

const PAGE = "<!DOCTYPE html>\n<html><head><title>WordPress &rsaquo; Error</title></head><body>" +
  "<p>There has been a critical error on this website.</p></body></html>\n";

/** A PHP fatal's page, or a firewall's; and a host that is too busy, 429 or 503. */
const WORDS: FaultWords = {
  page: (status = 500) => html(PAGE, status),
  busy: ({ status = 429, retry_after }) =>
    json({ code: "busy", message: "Try again later.", data: { status } }, status, retryAfter(retry_after)),
};

/** The answer that stands in for the true one; undefined for a fault that changes the true one. */
function replace(fault: WordPressFault): Response | undefined {
  if (fault.kind !== "unauthorized") return undefined;
  const code = fault.code ?? "incorrect_password";
  return json({ code, message: "The password is not correct.", data: { status: 401 } }, 401);
}

/**
 * One request as WordPress takes it. `_method` and `X-HTTP-Method-Override` count for its effective method; its path is
 * the REST path without prefix (`/wp/v2/posts/7`), or the path of anything else; its query is read as PHP reads it.
 */
export interface WordPressRequest extends RecordedRequest<Params> {
  /** The login the request ran as; null for nobody. */
  readonly login: string | null;
}

interface WordPressCall extends Call {
  readonly method: string;
  /** null for what is not REST. */
  readonly rest: string | null;
  readonly person: Person | null;
}

function recordedBody(bytes: Uint8Array, type: string): unknown {
  if (bytes.length === 0) return null;
  if (type.startsWith("application/json") || type.startsWith("application/x-www-form-urlencoded")) {
    try {
      return readBody(bytes, type);
    } catch {
      return new TextDecoder().decode(bytes);
    }
  }
  return type.startsWith("text/") ? new TextDecoder().decode(bytes) : bytes;
}

/** The stand-in's front door: what the kit asks of a vendor. */
export class Entry implements Vendor<WordPressRequest, WordPressFault> {
  readonly page = WORDS.page;
  readonly busy = WORDS.busy;
  readonly replace = replace;

  constructor(readonly state: State, readonly app: Hono<RestEnv>, readonly clock: Clock) {
    app.notFound(() =>
      errorResponse(
        new RestError("rest_no_route", "No route was found matching the URL and request method.", 404),
      )
    );
    app.onError((thrown) => errorResponse(thrown));
  }

  describe(call: Call): Partial<WordPressRequest> & { login: string | null } {
    const { rest, method, person } = this.#read(call);
    return {
      effective_method: method,
      path: rest ?? call.url.pathname,
      query: readQuery(call.url.searchParams),
      body: recordedBody(call.bytes, call.request.headers.get("content-type") ?? ""),
      login: person?.username ?? null,
    };
  }

  async handle(call: Call, fault: WordPressFault | undefined): Promise<Response> {
    const { state } = this;
    const now = state.now;
    if (fault?.kind === "skew") state.now = () => now() + fault.seconds * 1000;
    try {
      const answer = await this.#answer(this.#read(call));
      this.dress(answer);
      const post = fault?.kind === "publish" ? state.posts.get(fault.post_id) : undefined;
      if (post) publishNow(state, post);
      return answer;
    } finally {
      state.now = now;
    }
  }

  /** The site's clock is told in every answer, once. */
  dress(answer: Response): void {
    if (!answer.headers.has("date")) answer.headers.set("date", new Date(this.state.now()).toUTCString());
  }

  #read(call: Call): WordPressCall {
    const { request, url } = call;
    const asked = url.searchParams.get("rest_route");
    const pretty = !this.state.plain_permalinks && /^(?:\/index\.php)?\/wp-json(\/.*)?$/.exec(url.pathname);
    const rest = asked ?? (pretty ? pretty[1] ?? "/" : null);
    const override = rest === null
      ? null
      : url.searchParams.get("_method") ?? request.headers.get("x-http-method-override");
    const person = this.state.application_passwords
      ? whoAsks(this.state.people, request.headers.get("authorization"))
      : null;
    return {
      ...call,
      method: (override ?? request.method).toUpperCase(),
      rest: rest === null ? null : rest.replace(/\/+$/, "") || "/",
      person,
    };
  }

  async #answer(call: WordPressCall): Promise<Response> {
    if (call.rest === null) return this.#front(call);
    const { bytes, person, request, url } = call;
    let given: Params;
    try {
      given = { ...readQuery(url.searchParams), ...readBody(bytes, request.headers.get("content-type")) };
    } catch (thrown) {
      return errorResponse(thrown);
    }
    const ask = { state: this.state, person, headers: request.headers, query: url.searchParams, bytes };
    const inner = new Request(new URL(call.rest, url.origin), { method: call.method });
    const answer = await this.app.fetch(inner, { carried: { ask, given } });
    const out = new Response(answer.body, answer);
    // As in WordPress, a paging link replaces the one to the root.
    if (!out.headers.has("link")) {
      out.headers.set("link", `<${restRoot(this.state)}>; rel="https://api.w.org/"`);
    }
    return out;
  }

  #front({ url }: WordPressCall): Response {
    const { state } = this;
    const file = [...state.posts.values()].find((post) =>
      post.file !== undefined && url.pathname === `/wp-content/uploads/${post.file.path}`
    )?.file;
    if (file !== undefined) return new Response(file.bytes, { headers: { "content-type": file.mime_type } });
    if (url.pathname === "/wp-cron.php") {
      publishDue(state);
      return new Response(null);
    }
    const headers = {
      "content-type": "text/html; charset=UTF-8",
      link: `<${restRoot(state)}>; rel="https://api.w.org/"`,
    };
    const page = visitorPage(state, url);
    if (page !== undefined) return page;
    const home = url.pathname === "/" || url.pathname === "/index.php";
    const own = state.front.get(url.pathname)?.();
    return new Response(`<!DOCTYPE html><title>${state.name}</title>\n`, {
      status: own ?? (home ? 200 : 404),
      headers,
    });
  }
}
