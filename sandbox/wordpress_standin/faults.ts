/** What a WordPress does wrong in its own way, and the words it refuses with when it is too busy or has failed. */
import { html, retryAfter } from "../core/answers.ts";
import type { CommonFault, FaultWords } from "../core/faults.ts";
import { json } from "./rest.ts";

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
export const WORDS: FaultWords = {
  page: (status = 500) => html(PAGE, status),
  busy: ({ status = 429, retry_after }) =>
    json({ code: "busy", message: "Try again later.", data: { status } }, status, retryAfter(retry_after)),
};

/** The answer that stands in for the true one; undefined for a fault that changes the true one. */
export function replace(fault: WordPressFault): Response | undefined {
  if (fault.kind !== "unauthorized") return undefined;
  const code = fault.code ?? "incorrect_password";
  return json({ code, message: "The password is not correct.", data: { status: 401 } }, 401);
}
