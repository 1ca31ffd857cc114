/** The source file of a page as the tools write it. */
import { fileOfRoute } from "../../rules/route.ts";
import type { View } from "../../platforms/github/client.ts";
import { LAYOUT_FILE, pageSource } from "../../platforms/astro/page.ts";

/** A page as a caller gives it. */
export interface PageArgs {
  readonly html: string;
  readonly title?: string;
  readonly description?: string;
}

/** Refuses what no page can be made of: E_FILE_TOO_LARGE, E_BAD_INPUT. */
export function checkPage(route: string, { html, title, description }: PageArgs): void {
  pageSource({ file: fileOfRoute(route), html, title, description, layout: false });
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
