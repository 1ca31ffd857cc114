/** The fields of a page as the platform takes them, and as they should be afterwards. */
import { GatewayError } from "../../core/errors.ts";
import type { PageFields } from "../_content/page.ts";
import type { PageRead } from "./read.ts";

/** A slug without what a path here never begins with. */
export const plainPath = (slug: string | undefined) => slug?.replace(/^\/+/, "");

/** Refuses what can be no path below a site: E_BAD_INPUT. */
export function checkPath(slug: string | undefined): void {
  const parts = plainPath(slug)?.split("/") ?? [];
  if (parts.every((part) => /^[^\s?#%\\]+$/.test(part) && !/^\.+$/.test(part))) return;
  throw new GatewayError(
    "E_BAD_INPUT",
    `slug: expected a path such as "team" or "about/team", with no blanks, ?, #, % or \\ in it, not ${
      JSON.stringify(slug)
    }`,
  );
}

/** Without what is not given. */
export function defined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Fields in the platform's words; `seo` is sent whole, with the present values where none are given. */
export function bodyOf(
  { title, slug, seo, header_html }: PageFields,
  now?: PageRead,
): Record<string, unknown> {
  const whole = seo && { ...defined(now?.record.seo ?? {}), ...seo };
  return defined({ title, path: plainPath(slug), seo: whole, header_html });
}

/** The same in the words of arguments, as they should be afterwards. */
export function sentParts(
  { title, slug, seo, header_html }: PageFields,
  now?: PageRead,
): Record<string, unknown> {
  const none = { title: null, description: null, no_index: null, og_image: null };
  const whole = seo && { ...none, ...now?.record.seo, ...seo };
  return defined({ title, slug: plainPath(slug), seo: whole, header_html });
}
