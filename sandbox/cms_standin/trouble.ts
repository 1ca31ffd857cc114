/** Misbehaviour on order: what the stand-in can be told to do wrong, for which requests and how often. */
import { json } from "./rest.ts";
import type { Fate } from "../wire.ts";

/** One way to go wrong. */
export type Trouble =
  /** No answer until the client gives up. */
  | { readonly kind: "hang" }
  /** The connection ends without an answer; with `applied` the request is carried out first. */
  | { readonly kind: "reset"; readonly applied?: boolean }
  /** An HTML page, as a PHP fatal or a firewall gives. Default status 500. */
  | { readonly kind: "html"; readonly status?: number }
  /** A JSON body of that many bytes. Default 10 MiB. */
  | { readonly kind: "huge"; readonly bytes?: number }
  /** The first half of the true answer, then the end of the connection; with `length: "true"` no error of HTTP. */
  | { readonly kind: "half"; readonly length?: "promised" | "true" }
  /** Too busy, with `Retry-After`: seconds, or any text. */
  | { readonly kind: "busy"; readonly status: 429 | 503; readonly retry_after?: number | string }
  /** 401, as some security plugins answer. */
  | { readonly kind: "unauthorized"; readonly code?: string }
  /** A redirect. Default status 302. */
  | { readonly kind: "redirect"; readonly to: string; readonly status?: 301 | 302 | 303 | 307 | 308 }
  /** Answers truly, and then somebody publishes that post before the next request. */
  | { readonly kind: "publish"; readonly post_id: number }
  /** The site's clock (header and decisions) runs ahead by that many seconds during the request. */
  | { readonly kind: "skew"; readonly seconds: number };

/** Which requests are meant; all of what is given must fit. */
export interface TroubleFilter {
  /** The effective method, in capitals. */
  readonly method?: string;
  /** Part of the REST path (`/wp/v2/posts`), or a pattern for it. */
  readonly path?: string | RegExp;
  /** How many requests go wrong before the trouble is over. Default 1. */
  readonly times?: number;
}

/** The troubles still to come. */
export class Troubles {
  readonly #waiting: { trouble: Trouble; filter: TroubleFilter; left: number }[] = [];

  /** Adds one; the oldest that fits is used first. */
  add(trouble: Trouble, filter: TroubleFilter): void {
    this.#waiting.push({ trouble, filter, left: filter.times ?? 1 });
  }

  /** The trouble for this request, used up by one; undefined when it shall go well. */
  next(method: string, path: string): Trouble | undefined {
    const at = this.#waiting.findIndex(({ filter }) => {
      const fits = filter.path === undefined ||
        (typeof filter.path === "string" ? path.includes(filter.path) : filter.path.test(path));
      return fits && (filter.method === undefined || filter.method === method);
    });
    const found = this.#waiting[at];
    if (found === undefined) return undefined;
    if (--found.left <= 0) this.#waiting.splice(at, 1);
    return found.trouble;
  }

  /** Forgets what is still to come. */
  clear(): void {
    this.#waiting.length = 0;
  }
}

const PAGE = "<!DOCTYPE html>\n<html><head><title>WordPress &rsaquo; Error</title></head><body>" +
  "<p>There has been a critical error on this website.</p></body></html>\n";

/** The answer of a trouble that does not ask the site at all; undefined for the others. */
export function outright(trouble: Trouble): Response | Fate | undefined {
  switch (trouble.kind) {
    case "hang":
      return "hang";
    case "reset":
      return trouble.applied ? undefined : "reset";
    case "html":
      return new Response(PAGE, {
        status: trouble.status ?? 500,
        headers: { "content-type": "text/html; charset=UTF-8" },
      });
    case "huge": {
      const filler = "x".repeat(Math.max(0, (trouble.bytes ?? 10 * 1024 * 1024) - 14));
      return json({ padding: filler }, 200);
    }
    case "busy": {
      const headers: Record<string, string> = {};
      if (trouble.retry_after !== undefined) headers["retry-after"] = String(trouble.retry_after);
      const body = { code: "busy", message: "Try again later.", data: { status: trouble.status } };
      return json(body, trouble.status, headers);
    }
    case "unauthorized": {
      const code = trouble.code ?? "incorrect_password";
      return json({ code, message: "The password is not correct.", data: { status: 401 } }, 401);
    }
    case "redirect":
      return new Response(null, { status: trouble.status ?? 302, headers: { location: trouble.to } });
    default:
      return undefined;
  }
}

/** The true answer cut in the middle. */
export async function half(answer: Response, length: "promised" | "true"): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  const cut = bytes.slice(0, Math.floor(bytes.length / 2));
  headers.set("content-length", String(length === "true" ? cut.length : bytes.length));
  return new Response(cut, { status: answer.status, headers });
}
