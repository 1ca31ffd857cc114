/** The name that a document is saved under. */
import { GatewayError } from "../../core/errors.ts";

const SLUG_MAX = 80;
/** What the usual name ends in, by what the content is. */
const ENDINGS: Readonly<Record<string, string>> = {
  "text/markdown": "md",
  "text/plain": "txt",
  "text/html": "html",
  "text/csv": "csv",
  "application/json": "json",
};

/** A title in letters, digits and dashes; letters of every script stay. */
function slug(title: string): string {
  const plain = title.normalize("NFKD").replace(/\p{M}+/gu, "").normalize("NFC").toLowerCase();
  const words = plain.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|(?<!-)-+$/g, "");
  return [...words].slice(0, SLUG_MAX).join("").replace(/(?<!-)-+$/, "") || "document";
}

/** The given name, or the day and the title. Throws E_BAD_INPUT for a name that is a path or cannot be shown. */
export function filenameOf(
  { title, filename, mime_type }: { title: string; filename?: string; mime_type: string },
  now: number,
): string {
  if (filename === undefined) {
    return `${new Date(now).toISOString().slice(0, 10)}-${slug(title)}.${ENDINGS[mime_type] ?? "md"}`;
  }
  const name = filename.trim();
  // Marks that turn the direction of writing show another name than the one that is saved.
  if (name !== "" && !/[\/\\\p{Cc}\u202a-\u202e\u2066-\u2069]|^\.+$/u.test(name)) return name;
  throw new GatewayError(
    "E_BAD_INPUT",
    `filename: expected a name without a slash, a backslash or control characters, such as "2026-11-21-audit.md"`,
  );
}
