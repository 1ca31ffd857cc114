/** Where a request enters the stand-in: recorded, troubled on order, and sent to the REST side or the front. */
import type { Hono } from "hono";
import { half, Troubles } from "../core/faults.ts";
import type { Fate } from "../core/server.ts";
import { RestError } from "./errors.ts";
import { type Params, readBody, readQuery } from "./params.ts";
import { type Person, whoAsks } from "./people.ts";
import { errorResponse, type RestEnv, restRoot } from "./rest.ts";
import { publishDue, publishNow, type State } from "./state.ts";
import { outright, type Trouble } from "./faults.ts";

/** One request as it came in. */
export interface RecordedRequest {
  readonly method: string;
  /** What WordPress takes the method to be: `_method` and `X-HTTP-Method-Override` count. */
  readonly effective_method: string;
  /** The REST path without prefix (`/wp/v2/posts/7`), or the path of anything else. */
  readonly path: string;
  /** The request line's target, byte for byte. */
  readonly target: string;
  readonly query: Params;
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON or form; text of other texts; bytes of the rest; null when empty. */
  readonly body: unknown;
  /** By the site's clock, in milliseconds. */
  readonly at: number;
  /** The login the request ran as; null for nobody. */
  readonly login: string | null;
}

interface Call {
  readonly request: Request;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly url: URL;
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

/** The stand-in's front door. */
export class Entry {
  readonly requests: RecordedRequest[] = [];
  readonly troubles = new Troubles<Trouble>();

  constructor(readonly state: State, readonly app: Hono<RestEnv>) {
    app.notFound(() =>
      errorResponse(
        new RestError("rest_no_route", "No route was found matching the URL and request method.", 404),
      )
    );
    app.onError((thrown) => errorResponse(thrown));
  }

  /** Answers one request, or says how its connection shall end. */
  async answer(request: Request, target: string): Promise<Response | Fate> {
    const call = await this.#read(request);
    const path = call.rest ?? call.url.pathname;
    this.#record(call, path, target);
    const trouble = this.troubles.next(call.method, path);
    const ready = trouble && outright(trouble);
    if (ready instanceof Response) ready.headers.set("date", this.#date());
    if (ready !== undefined) return ready;
    return await this.#troubled(call, trouble);
  }

  async #troubled(call: Call, trouble: Trouble | undefined): Promise<Response | Fate> {
    const { state } = this;
    const clock = state.now;
    if (trouble?.kind === "skew") state.now = () => clock() + trouble.seconds * 1000;
    try {
      const answer = await this.#truly(call);
      answer.headers.set("date", this.#date());
      if (trouble?.kind === "reset") return "reset";
      if (trouble?.kind === "half") return await half(answer, trouble.length ?? "promised");
      if (trouble?.kind === "publish") {
        const post = state.posts.get(trouble.post_id);
        if (post) publishNow(state, post);
      }
      return answer;
    } finally {
      state.now = clock;
    }
  }

  #date(): string {
    return new Date(this.state.now()).toUTCString();
  }

  async #read(request: Request): Promise<Call> {
    const url = new URL(request.url);
    const bytes = new Uint8Array(await request.arrayBuffer());
    const asked = url.searchParams.get("rest_route");
    const pretty = !this.state.plain_permalinks && /^(?:\/index\.php)?\/wp-json(\/.*)?$/.exec(url.pathname);
    const rest = asked ?? (pretty ? pretty[1] ?? "/" : null);
    const smuggled = rest === null
      ? null
      : url.searchParams.get("_method") ?? request.headers.get("x-http-method-override");
    const person = this.state.application_passwords
      ? whoAsks(this.state.people, request.headers.get("authorization"))
      : null;
    return {
      request,
      bytes,
      url,
      method: (smuggled ?? request.method).toUpperCase(),
      rest: rest === null ? null : rest.replace(/\/+$/, "") || "/",
      person,
    };
  }

  #record(call: Call, path: string, target: string): void {
    const { request, url, person } = call;
    this.requests.push({
      method: request.method,
      effective_method: call.method,
      path,
      target,
      query: readQuery(url.searchParams),
      headers: Object.fromEntries(request.headers),
      body: recordedBody(call.bytes, request.headers.get("content-type") ?? ""),
      at: this.state.now(),
      login: person?.username ?? null,
    });
  }

  async #truly(call: Call): Promise<Response> {
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

  #front({ url }: Call): Response {
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
    const home = url.pathname === "/" || url.pathname === "/index.php";
    return new Response(`<!DOCTYPE html><title>${state.name}</title>\n`, {
      status: home ? 200 : 404,
      headers,
    });
  }
}
