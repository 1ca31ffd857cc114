/** A gateway whose sites' pages are what a test says they are, and what was asked of them. */
import { gateway, type Kit, type KitOptions, site } from "../kit.ts";

/** What a site answers a visitor at an address; a text is a page of HTML. */
export type Pages = Readonly<
  Record<string, (asked: URL, method: string, signal?: AbortSignal | null) => Response | string>
>;

/** An address of the public internet. */
export const PUBLIC = "93.184.216.34";

/** A page of HTML. */
export const html = (body: string, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(body, { status, headers: { "content-type": "text/html; charset=utf-8", ...headers } });

/** A redirect. */
export const to = (location: string, status = 301): Response =>
  new Response(null, { status, headers: { location } });

/** What a request carried. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The world: "acme" (cms), "files" (static) and "builder" (sitebuilder), each at https://<id>.example. */
export async function visited(pages: Pages, options: KitOptions = {}): Promise<Kit & { asked: Asked[] }> {
  const asked: Asked[] = [];
  const answer = (given: URL | RequestInfo, init?: RequestInit) => {
    const url = new URL(String(given));
    const method = init?.method ?? "GET";
    asked.push({ method, url: url.href, headers: init?.headers as Record<string, string> });
    const page = pages[url.pathname] ?? pages["*"];
    const made = page === undefined ? html("<title>Not found</title>", 404) : page(url, method, init?.signal);
    return Promise.resolve(typeof made === "string" ? html(made) : made);
  };
  const kit = await gateway({
    sites: [site("acme", "cms"), site("files", "static"), site("builder", "sitebuilder")],
    fetch: answer as typeof fetch,
    ...options,
    http: { lookup: () => Promise.resolve([PUBLIC]), ...options.http },
  });
  return Object.assign(kit, { asked });
}
