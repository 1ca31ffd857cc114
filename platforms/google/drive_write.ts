/** A file added to the site's folder in one request, and what was proven of it. */
import { GatewayError } from "../../core/errors.ts";
import { type Compared, joined } from "../_content/compared.ts";
import { FILE_REPLY, type FileReply, MADE } from "./drive_shapes.ts";
import type { FileText } from "./drive_text.ts";
import { unreadable } from "./errors.ts";
import type { Asked, GoogleWire } from "./wire.ts";

/** A text to keep. */
export interface NewFile {
  readonly name: string;
  readonly mime_type: string;
  readonly content: string;
}

/** What was stored of it, and where that differs from what was sent. */
export interface Saved extends Compared {
  readonly id: string;
  readonly name: string;
  readonly web_view_link: string | null;
  readonly created_time: string | null;
}

const utf8 = new TextEncoder();

/** What a new file is, beside its bytes. */
export function fileRequest(name: string, folder: string, mime_type: string) {
  return { name, parents: [folder], mimeType: mime_type };
}

/** The two parts of an upload: what the file is, and its bytes. */
function multipart(head: object, mime_type: string, bytes: Uint8Array) {
  const boundary = `part-${crypto.randomUUID()}`;
  const part = (type: string) => `--${boundary}\r\nContent-Type: ${type}\r\n\r\n`;
  const before = `${part("application/json; charset=UTF-8")}${JSON.stringify(head)}\r\n${part(mime_type)}`;
  const pieces = [utf8.encode(before), bytes, utf8.encode(`\r\n--${boundary}--\r\n`)];
  const body = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    body.set(piece, at);
    at += piece.length;
  }
  return { body, type: `multipart/related; boundary=${boundary}` };
}

/** Adds the file; where the answer does not show its content, it is read back. */
export async function created(
  wire: GoogleWire,
  folder: string,
  file: NewFile,
  read: (id: string) => Promise<FileText>,
): Promise<Saved> {
  const bytes = utf8.encode(file.content);
  const { body, type } = multipart(fileRequest(file.name, folder, file.mime_type), file.mime_type, bytes);
  const query = new URLSearchParams({ uploadType: "multipart", fields: MADE, supportsAllDrives: "true" });
  const asked: Asked = {
    method: "POST",
    url: `${wire.ctx.settings.STORAGE_UPLOAD_BASE}/files?${query}`,
    headers: { "content-type": type },
    body,
    effect: "write",
    what: `the file "${file.name}"`,
  };
  const made = await wire.read(FILE_REPLY, asked);
  const { id } = made;
  if (!id) throw unreadable(wire.service, asked, "it names no file");
  return {
    id,
    name: made.name ?? file.name,
    web_view_link: made.webViewLink ?? null,
    created_time: made.createdTime ?? null,
    ...joined(
      { differences: differencesOf(made, file, folder) },
      await contentOf(made, bytes) ?? await readBack(file, () => read(id)),
    ),
  };
}

function differencesOf(made: FileReply, { name, mime_type }: NewFile, folder: string): string[] {
  const stands = (field: string, value: string) => `${field}: is "${value}" now`;
  return [
    ...made.name && made.name !== name ? [stands("name", made.name)] : [],
    ...made.mimeType && made.mimeType !== mime_type ? [stands("mime_type", made.mimeType)] : [],
    ...made.parents && !made.parents.includes(folder) ? ["folder: the file is in another folder"] : [],
  ];
}

/** Whether the answer's checksum is that of the content; null where it has none. */
async function contentOf(
  { sha256Checksum }: FileReply,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<Compared | null> {
  if (!sha256Checksum) return null;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  const same = digest === sha256Checksum.toLowerCase();
  return { differences: same ? [] : ["content: differs from what was sent"] };
}

async function readBack({ content }: NewFile, read: () => Promise<FileText>): Promise<Compared> {
  try {
    const found = await read();
    const same = found.truncated ? content.startsWith(found.content) : content === found.content;
    if (!same) return { differences: ["content: differs from what was sent"] };
    const rest = "Only the beginning of the file could be compared";
    return { differences: [], ...(found.truncated ? { uncompared: rest } : {}) };
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    return { differences: [], uncompared: `The file could not be read back: ${thrown.message}` };
  }
}
