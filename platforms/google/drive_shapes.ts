/** What Google Drive answers of a file, and what of it the gateway hands on. */
import { z } from "zod";

const text = z.string().nullish();
/** A file; what is not named here is dropped. */
export const FILE_REPLY = z.object({
  id: text,
  name: text,
  mimeType: text,
  size: z.union([z.string(), z.number()]).nullish(),
  createdTime: text,
  modifiedTime: text,
  webViewLink: text,
  parents: z.array(z.string()).nullish(),
  trashed: z.boolean().nullish(),
  sha256Checksum: text,
});
/** One page of a list. */
export const LIST_REPLY = z.object({ files: z.array(FILE_REPLY).nullish(), nextPageToken: text });
export type FileReply = z.output<typeof FILE_REPLY>;

/** The fields asked for of a file in a list. `parents` proves that it is of the folder. */
export const LISTED = "id,name,mimeType,size,createdTime,modifiedTime,webViewLink,parents";
/** The fields asked for of a file that was made. */
export const MADE = "id,name,mimeType,size,createdTime,webViewLink,parents,sha256Checksum";
/** The fields asked for of a file that is read. */
export const READ = "id,name,mimeType,size,modifiedTime,parents,trashed";
/** The fields asked for of a folder. */
export const FOLDER = "id,name,mimeType,webViewLink,trashed";

/** A file of the folder. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly mime_type: string;
  /** Bytes; null of Google's own documents, which have none. */
  readonly size: number | null;
  readonly created_time: string | null;
  readonly modified_time: string | null;
  readonly web_view_link: string | null;
}

/** The site's folder. */
export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly web_view_link: string | null;
}

/** A file as answers show it. */
export function fileOf(reply: FileReply): StoredFile {
  const size = reply.size === null || reply.size === undefined ? null : Number(reply.size);
  return {
    id: reply.id ?? "",
    name: reply.name ?? "",
    mime_type: reply.mimeType ?? "application/octet-stream",
    size: Number.isFinite(size) ? size : null,
    created_time: reply.createdTime ?? null,
    modified_time: reply.modifiedTime ?? null,
    web_view_link: reply.webViewLink ?? null,
  };
}
