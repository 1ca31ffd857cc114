/** Which names and values of sites' own tools give no orders, so that they are shown before anybody has read them; and what schemas hold. */

/** As names and values are written: no sentence is put together of what is joined. */
const WORD = /^[\w.:/#%+@$[\]-]{0,48}$/;
const PARTS_MAX = 6;
const FORMATS: ReadonlySet<string> = new Set([
  ...[
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "url",
  ],
  ...[
    "uuid",
    "regex",
    "hex-color",
    "color",
    "html",
    "json",
    "binary",
    "byte",
    "int32",
    "int64",
    "float",
    "double",
  ],
]);

/** Whether it is one word, of a few parts. */
export function isOneWord(text: string): boolean {
  if (!WORD.test(text)) return false;
  const parts = text.replace(/([a-z0-9])([A-Z])/g, "$1 $2").split(/[^A-Za-z0-9]+/).filter((one) =>
    one !== ""
  );
  return parts.length <= PARTS_MAX;
}

/** Whether schemas call a format so. */
export const isFormat = (format: string): boolean => FORMATS.has(format);

/** Whether it is a regular expression of schemas, and not of another language. */
export function isPattern(text: string): boolean {
  try {
    return new RegExp(text, "u") instanceof RegExp;
  } catch {
    return false;
  }
}
