/** The settings a connector names: addresses with the vendor's own as default, what may be given, secrets. */
import * as read from "../../core/env_values.ts";
import type { Setting } from "./connector.ts";

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
