/** A gateway at a stand-in whose pages are answered to visitors as a test says, and the addresses that they asked. */
import assert from "node:assert/strict";
import type { Args } from "../cms_kit.ts";
import { type SeoOptions, type SeoWorld, seoWorld } from "./_seo.ts";

/** The name of the mark by which a page is asked past its caches. */
export const MARK = "site-ops-check";

/** A page of HTML in the place of the true answer. */
export const page = (body: string, status = 200, headers: Record<string, string> = {}) =>
  new Response(body, { status, headers: { "content-type": "text/html", ...headers } });

/** A world in which visitors' requests may be answered otherwise; undefined for as they are. */
export async function seen(
  instead: (url: URL) => Response | undefined | Promise<Response | undefined>,
  options: SeoOptions = {},
  ask: typeof fetch = fetch,
): Promise<SeoWorld & { visits: URL[] }> {
  const visits: URL[] = [];
  const answer = async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input));
    if (url.pathname.startsWith("/wp-json") || init?.method === "HEAD") return await ask(input, init);
    visits.push(url);
    const headers = Object.keys(init?.headers ?? {}).sort();
    assert.deepEqual(headers, ["accept", "user-agent"], "no credentials and no cookie");
    return await instead(url) ?? await fetch(input, init);
  };
  const at = await seoWorld({ fetch: answer, ...options });
  at.published.slug = "live";
  return Object.assign(at, { visits });
}

/** Every page as it is. */
export const asIs = () => undefined;
/** A call for the published post. */
export const fields = (at: SeoWorld, more: Args = {}) => ({
  site_id: "live",
  post_id: at.published.id,
  ...more,
});
