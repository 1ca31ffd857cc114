/** What most connectors name: settings with the vendor's own address as default, secrets, and fields of a site. */
import * as read from "../../core/env_values.ts";
import type { Setting, SiteField } from "./connector.ts";
import { text } from "../../core/fields.ts";

type Reader = (text: string) => string;

/** An address that paths are appended to; a trailing slash is cut. */
export const base = (preset: string, meaning: string): Setting<string> => ({
  default: preset,
  meaning,
  read: read.base,
});

/** An address that is used to the letter. */
export const address = (preset: string, meaning: string): Setting<string> => ({
  default: preset,
  meaning,
  read: read.address,
});

/** What has no default and may stay unset. */
export const given = (meaning: string, reader: Reader = read.line): Setting<null> => ({
  default: null,
  meaning,
  read: reader,
});

/** The same, and never shown. */
export const secret = (meaning: string, reader: Reader = read.line): Setting<null> => ({
  default: null,
  meaning,
  secret: true,
  read: reader,
});

export { base as baseAddress, pem, word } from "../../core/env_values.ts";

/** A text of that form, null while not set; `allowed` says in words which. */
export function textField(allowed: string, pattern: RegExp): SiteField {
  return { schema: text(`${allowed}, or null`, pattern), help: allowed };
}

/** The same, under a name of its own in a form. */
export function labelled(label: string, allowed: string, pattern: RegExp): SiteField {
  return { ...textField(allowed, pattern), label };
}

/** An id as most vendors make them. Most end up in the path of an upstream's address. */
export const idField = textField("an id of letters, digits, - and _", /^[A-Za-z0-9_-]{1,128}$/);

/** A user of the gateway whose account is used. */
export const userField: SiteField = {
  ...textField("a user, by id or e-mail address", /^[A-Za-z0-9_-]{1,64}$/),
  user: true,
};
