/** Which files of Google Drive are text, as what Google's own documents are exported, and how much of it is answered. */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import type { StoredFile } from "./drive_shapes.ts";
import { FOLDER_TYPE, NATIVE } from "./routes.ts";

/** The text of a file. */
export interface FileText {
  readonly id: string;
  readonly name: string;
  readonly mime_type: string;
  readonly content: string;
  /** Whether the file holds more. */
  readonly truncated: boolean;
  readonly modified_time: string | null;
}

/** As what Google's own documents are exported, the first that works. */
const EXPORTS: Readonly<Record<string, readonly string[]>> = {
  [`${NATIVE}document`]: ["text/markdown", "text/plain"],
  [`${NATIVE}spreadsheet`]: ["text/csv"],
  [`${NATIVE}presentation`]: ["text/plain"],
};
/** What each can be exported as. */
const EXPORTABLE: Readonly<Record<string, readonly string[]>> = {
  [`${NATIVE}document`]: ["text/markdown", "text/plain", "text/html"],
  [`${NATIVE}spreadsheet`]: ["text/csv", "text/tab-separated-values"],
  [`${NATIVE}presentation`]: ["text/plain"],
};
const TEXT =
  /^text\/|^application\/(json|xml|yaml|x-yaml|javascript|x-ndjson|toml|octet-stream)$|\+(json|xml)$/;

const unsupported = (name: string, what: string) =>
  new GatewayError("E_NOT_SUPPORTED", `file_id: "${name}" ${what}; open it in Google Drive`);

/** The types to export a file as, in turn; null where its bytes are its text. Throws E_NOT_SUPPORTED, E_BAD_INPUT. */
export function typesOf({ name, mime_type }: StoredFile, wanted?: string): readonly string[] | null {
  if (mime_type === FOLDER_TYPE) throw unsupported(name, "is a folder within the site's folder");
  if (!mime_type.startsWith(NATIVE)) {
    if (wanted !== undefined) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `export_mime_type: "${name}" is a file of the type ${mime_type}, which is read as it is; leave it out`,
      );
    }
    if (TEXT.test(mime_type)) return null;
    throw unsupported(name, `is of the type ${mime_type}, which is no text`);
  }
  const usual = EXPORTS[mime_type];
  if (usual === undefined) throw unsupported(name, `is of the type ${mime_type}, which has no text`);
  if (wanted === undefined) return usual;
  const possible = EXPORTABLE[mime_type] ?? [];
  if (possible.includes(wanted)) return [wanted];
  throw new GatewayError(
    "E_BAD_INPUT",
    `export_mime_type: "${name}" can be exported as ${possible.join(", ")}, not as ${wanted}`,
  );
}

/** The beginning of a file as text. Throws E_NOT_SUPPORTED where it is none. */
export function textOf(
  { id, name, size, modified_time }: StoredFile,
  mime_type: string,
  bytes: Uint8Array<ArrayBuffer>,
): FileText {
  const max = LIMITS.STORED_TEXT_BYTES;
  const kept = bytes.length > max ? bytes.subarray(0, max) : bytes;
  const truncated = bytes.length > max || (size !== null && size > bytes.length);
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    // Where the text is cut, a character that is cut in two is left out.
    const content = decoder.decode(kept, { stream: truncated });
    if (content.includes("\0")) throw new TypeError("a text has no NUL");
    return { id, name, mime_type, content, truncated, modified_time };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
    throw unsupported(name, "is no text in UTF-8");
  }
}
