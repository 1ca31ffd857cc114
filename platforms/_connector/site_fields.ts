/** The site fields most connectors name: a text of a form, an id. */
import { text } from "../../core/fields.ts";
import type { SiteField } from "./connector.ts";

/** A text of that form, null while not set; `allowed` says in words which. */
export function textField(allowed: string, pattern: RegExp): SiteField {
  return { schema: text(`${allowed}, or null`, pattern), help: allowed };
}

/** An id as most vendors make them. Most end up in the path of an upstream's address. */
export const idField = textField("an id of letters, digits, - and _", /^[A-Za-z0-9_-]{1,128}$/);

/** A user of the gateway whose account is used. */
export const userField: SiteField = {
  ...textField("a user id, as deno task admin user list shows it", /^[A-Za-z0-9_-]{1,64}$/),
  user: true,
};
