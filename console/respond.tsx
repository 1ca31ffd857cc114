/** Answers a page: what a browser may load for it, and who may frame it (nobody). */
import type { Context } from "hono";
import type { Child } from "hono/jsx";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { AdminCaller } from "../identity/rights.ts";
import { seen } from "../core/unseen.ts";
import type { Visitor } from "../identity/visitors.ts";
import { type Asset, assetAddresses } from "./assets.ts";
import { Layout, type LayoutParts } from "./layout.tsx";

/** What a page needs beyond a stylesheet. */
export interface PageNeeds {
  readonly status?: number;
  /** The script of ours that it loads, which asks the gateway for something; of passkeys where only that it does is said. */
  readonly script?: boolean | "approvals.js" | "audit.js" | "docs.js" | "forms.js";
  /** Whether it shows moments, which a script of ours turns into the reader's own time. */
  readonly times?: boolean;
  /** Whether its address is a secret, which no request may name. It has no forms. */
  readonly secretAddress?: boolean;
  /** What it loads of ours beside that: pictures, pages in frames. */
  readonly loads?: { readonly pictures: boolean; readonly frames: boolean };
  /** Stylesheets of ours beside the one of every page; those may have pictures within themselves. */
  readonly styles?: readonly string[];
  /** Origins that the answer to its form may lead on to. */
  readonly leadsTo?: readonly string[];
}

/** The headers of a page. */
export function pageHeaders(
  { script = false, times = false, leadsTo = [], secretAddress = false, loads, styles = [] }: PageNeeds = {},
): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "style-src 'self'",
    ...(script || times ? ["script-src 'self'"] : []),
    ...(script ? ["connect-src 'self'"] : []),
    ...(loads?.pictures ? ["img-src 'self'"] : []),
    ...(loads?.frames ? ["frame-src 'self'"] : []),
    `form-action ${secretAddress ? "'none'" : ["'self'", ...leadsTo].join(" ")}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
    // The mark.
    ...(secretAddress || loads?.pictures
      ? []
      : [styles.length > 0 ? "img-src 'self' data:" : "img-src 'self'"]),
  ];
  return {
    "content-security-policy": policy.join("; "),
    "cache-control": "no-store",
    // With no-referrer a browser would not say of our own forms where they come from.
    "referrer-policy": secretAddress ? "no-referrer" : "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-robots-tag": "noindex",
  };
}

/** What a page is shown with. */
export type PageParts =
  & Pick<LayoutParts, "title" | "visitor" | "current" | "count" | "wide" | "action">
  & PageNeeds;

const WAITING = "waiting";

/** Says how many requests wait for somebody, to every page that is answered from here on. */
export function sayWaiting(c: Context, count: (caller: AdminCaller) => Promise<number>): void {
  c.set(WAITING, count);
}

/** How many wait for who looks at a page; undefined where nobody knows, for a page is shown all the same. */
async function waitingFor(c: Context, visitor: Visitor | null): Promise<number | undefined> {
  const count = c.get(WAITING) as ((caller: AdminCaller) => Promise<number>) | undefined;
  if (count === undefined || !visitor?.caller) return undefined;
  return await count(visitor.caller).catch(() => undefined);
}

/** Answers a page with that content in its frame. */
export async function showPage(c: Context, parts: PageParts, content: Child): Promise<Response> {
  for (const [name, value] of Object.entries(pageHeaders(parts))) c.header(name, value);
  const addresses = await assetAddresses();
  const script = parts.script === true ? "passkeys.js" : parts.script || null;
  const scripts: Asset[] = script === null ? [] : [script];
  if (parts.times) scripts.push("times.js");
  const page = (
    <Layout
      {...parts}
      waiting={await waitingFor(c, parts.visitor)}
      stylesheet={addresses["style.css"]}
      icon={parts.secretAddress ? undefined : addresses["mark.svg"]}
      scripts={scripts.map((one) => addresses[one])}
    >
      {content}
    </Layout>
  );
  return c.html(
    `<!DOCTYPE html>\n${withSeenText(String(page))}`,
    (parts.status ?? 200) as ContentfulStatusCode,
  );
}

/**
 * A page in whose text signs that nobody sees are named by their number: whoever fills in a name may hide something in it, or
 * turn around what follows. What stands in a field stays as it is, for it is sent back. Between its tags a page has no "<",
 * and within them no ">", for both are escaped.
 */
function withSeenText(html: string): string {
  if (seen(html) === html) return html;
  const parts: string[] = [];
  let isField = false;
  for (let at = 0; at < html.length;) {
    const open = html.indexOf("<", at);
    const text = open < 0 ? html.slice(at) : html.slice(at, open);
    parts.push(isField ? text : seen(text));
    if (open < 0) break;
    const end = html.indexOf(">", open) + 1;
    isField = html.startsWith("<textarea", open);
    parts.push(html.slice(open, end));
    at = end;
  }
  return parts.join("");
}

/** Leads on, with GET. */
export function leadTo(c: Context, address: string, needs: PageNeeds = {}): Response {
  for (const [name, value] of Object.entries(pageHeaders(needs))) c.header(name, value);
  return c.redirect(address, 303);
}
