/** Misbehaviour on order: what the stand-in can be told to do wrong, for which requests and how often. */
import { json } from "./rest.ts";
import type { Fate } from "../core/server.ts";

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
