/** The source file of a page as the tools write it. */
import { GatewayError } from "../../core/errors.ts";
import { fileOfRoute } from "../../rules/route.ts";
import type { View } from "../../platforms/github/client.ts";
import { LAYOUT_FILE, pageSource } from "../../platforms/astro/page.ts";
import { changedWith, inTheWay, pageAt } from "./_routes.ts";

/** A page as a caller gives it. */
export interface PageArgs {
  readonly html: string;
  readonly title?: string;
  readonly description?: string;
}

/** Refuses what no page can be made of: E_FILE_TOO_LARGE, E_BAD_INPUT; `named` tells the argument a part came in. */
export function checkPage(
  route: string,
  { html, title, description }: PageArgs,
  named?: (part: string) => string,
): void {
  pageSource({ file: fileOfRoute(route), html, title, description, layout: false }, named);
}

/** The file of a page that is not there yet. Throws E_ROUTE_EXISTS naming `field` where the route is served already. */
export async function newPage(
  view: View,
  { route, field = "route", ...page }: PageArgs & { readonly route: string; readonly field?: string },
): Promise<{ path: string; bytes: Uint8Array }> {
  const taken = await pageAt(view, route);
  if (taken !== null) {
    throw new GatewayError(
      "E_ROUTE_EXISTS",
      `${field}: ${JSON.stringify(route)} is served by ${JSON.stringify(taken.path)}; change it with ${
        changedWith(taken.path)
      }`,
    );
  }
  const file = await inTheWay(view, route);
  if (file !== null) {
    throw new GatewayError(
      "E_ROUTE_EXISTS",
      `${field}: ${JSON.stringify(route)} cannot be built while there is the file ${
        JSON.stringify(file)
      }; choose another route`,
    );
  }
  const path = fileOfRoute(route);
  return { path, bytes: await pageBytes(view, path, page) };
}

/** The bytes of the page's file. A part of a document stands in the site's layout where it has one. */
export async function pageBytes(
  view: View,
  file: string,
  { html, title, description }: PageArgs,
): Promise<Uint8Array> {
  const layout = await view.find(LAYOUT_FILE) !== null;
  return new TextEncoder().encode(pageSource({ file, html, title, description, layout }));
}
