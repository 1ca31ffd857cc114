/** The site's folder in Google Drive and the files in it (docs/upstreams/google.md). */
import { GatewayError } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { type FileText, textOf, typesOf } from "./drive_text.ts";
import {
  FILE_REPLY,
  fileOf,
  type FileReply,
  FOLDER,
  type Folder,
  LIST_REPLY,
  LISTED,
  READ,
  type StoredFile,
} from "./drive_shapes.ts";
import { created, type NewFile, type Saved } from "./drive_write.ts";
import { foreign, refusesFor, unreadable } from "./errors.ts";
import { FOLDER_MARK, FOLDER_TYPE, folderOf, marked, quoted, within } from "./routes.ts";
import type { Asked, GoogleWire } from "./wire.ts";

export type { FileText, Folder, NewFile, Saved, StoredFile };

/** One page of the folder's files, newest first. */
export interface FilePage {
  readonly folder_id: string;
  readonly files: readonly StoredFile[];
  readonly next_page_token: string | null;
}

const ALL_DRIVES = { supportsAllDrives: "true" };
const LIST_ALL_DRIVES = { ...ALL_DRIVES, includeItemsFromAllDrives: "true" };
const PAGE_MAX = 1000;

/** The folder of one site. Every method throws E_UPSTREAM, E_STORAGE_NOT_LINKED, E_ANALYTICS_ACCOUNT_NOT_LINKED. */
export class Drive {
  constructor(private readonly wire: GoogleWire) {}

  /** The folder itself. */
  async folder(): Promise<Folder> {
    const id = this.#folder;
    const asked = this.#get(`/files/${id}`, { fields: FOLDER, ...ALL_DRIVES });
    const answer = await this.wire.attempt(asked);
    if (answer.status === 404) throw this.#unseen();
    if (answer.status !== 200) throw this.wire.refused(answer, asked);
    const found = this.wire.shaped(FILE_REPLY, answer, asked);
    if (found.id !== id) throw foreign(this.wire.service, "another folder");
    if (found.mimeType !== FOLDER_TYPE) {
      throw new GatewayError(
        "E_STORAGE_NOT_LINKED",
        `What is linked as the site's folder is no folder; ${this.#next}`,
      );
    }
    if (found.trashed) {
      throw new GatewayError(
        "E_STORAGE_NOT_LINKED",
        `The site's folder "${
          found.name ?? id
        }" is in the bin of Google Drive: restore it there, or ${this.#next}`,
      );
    }
    return { id, name: found.name ?? "", web_view_link: found.webViewLink ?? null };
  }

  /** A page of its files, newest first. */
  async list(page_size: number, page_token?: string): Promise<FilePage> {
    const { files, next } = await this.#page(within(this.#folder), page_size, page_token);
    return { folder_id: this.#folder, files: files.map(fileOf), next_page_token: next };
  }

  /** The files of that very name, newest first. */
  async named(name: string): Promise<StoredFile[]> {
    const { files } = await this.#page(`${within(this.#folder)} and name = ${quoted(name)}`, PAGE_MAX);
    return files.filter((one) => one.name === name).map(fileOf);
  }

  /** The text of a file of the folder. Throws E_NOT_FOUND, E_NOT_SUPPORTED, E_FILE_TOO_LARGE, E_BAD_INPUT. */
  async read(file_id: string, export_mime_type?: string): Promise<FileText> {
    return await this.text(await this.#own(file_id), export_mime_type);
  }

  /** The same of a file that a list of the folder named. */
  async text(file: StoredFile, export_mime_type?: string): Promise<FileText> {
    const types = typesOf(file, export_mime_type);
    if (types === null) return await this.#download(file);
    for (const type of types) {
      const asked = {
        ...this.#get(`/files/${file.id}/export`, { mimeType: type }),
        max_bytes: LIMITS.EXPORT_BYTES,
      };
      const answer = await this.wire.attempt(asked);
      if (answer.status === 200) return textOf(file, type, answer.bytes);
      if (refusesFor(answer, "exportSizeLimitExceeded")) {
        throw new GatewayError(
          "E_FILE_TOO_LARGE",
          `file_id: Google Drive exports no more than 10 MB of a document, and "${file.name}" is larger; split it`,
        );
      }
      if (answer.status !== 400 || type === types.at(-1)) throw this.wire.refused(answer, asked);
    }
    throw new GatewayError("E_NOT_SUPPORTED", `file_id: "${file.name}" cannot be exported as text`);
  }

  /** Adds a file, once. A failure that leaves doubt says so. */
  async create(file: NewFile): Promise<Saved> {
    return await created(this.wire, this.#folder, file, (id) => this.read(id));
  }

  /** Makes the site's folder, or answers the one that was made for it before. */
  async makeFolder(name: string): Promise<Folder> {
    const { site } = this.wire.ctx;
    const query = {
      q: marked(site?.id ?? ""),
      pageSize: "1",
      fields: `files(${FOLDER})`,
      ...LIST_ALL_DRIVES,
    };
    const [known] = (await this.wire.read(LIST_REPLY, this.#get("/files", query))).files ?? [];
    if (known?.id) {
      return { id: known.id, name: known.name ?? name, web_view_link: known.webViewLink ?? null };
    }
    const { settings } = this.wire.ctx;
    const asked: Asked = {
      method: "POST",
      url: `${settings.STORAGE_API_BASE}/files?${new URLSearchParams({ fields: FOLDER, ...ALL_DRIVES })}`,
      json: folderRequest(name, site?.id ?? ""),
      effect: "write",
      what: "the folder of a site",
    };
    const made = await this.wire.read(FILE_REPLY, asked);
    if (!made.id) throw unreadable(this.wire.service, asked, "it names no folder");
    return { id: made.id, name: made.name ?? name, web_view_link: made.webViewLink ?? null };
  }

  get #folder(): string {
    return folderOf(this.wire.ctx.site);
  }

  get #next(): string {
    return `its operator can make one with deno task admin site storage-folder ${this.wire.ctx.site?.id}`;
  }

  /** The folder is not there for this account: it was made by another one, or typed in. */
  #unseen(): GatewayError {
    return new GatewayError(
      "E_STORAGE_NOT_LINKED",
      `Google Drive shows no folder "${this.#folder}" to the gateway, which sees only what it made itself with this ` +
        `account; ${this.#next}`,
    );
  }

  #get(path: string, query: Record<string, string>): Asked {
    const url = `${this.wire.ctx.settings.STORAGE_API_BASE}${path}?${new URLSearchParams(query)}`;
    return { method: "GET", url, effect: "read" };
  }

  /** One page of a list, in which every file is of the folder, whatever the page's token was made for. */
  async #page(q: string, size: number, page_token?: string) {
    const asked = this.#get("/files", listRequest(q, size, page_token));
    const answer = await this.wire.attempt(asked);
    if (answer.status === 404) throw this.#unseen();
    if (answer.status === 400 && page_token !== undefined) {
      throw new GatewayError(
        "E_BAD_INPUT",
        "page_token: Google Drive does not know it any more; begin again without one",
      );
    }
    if (answer.status !== 200) throw this.wire.refused(answer, asked);
    const { files, nextPageToken } = this.wire.shaped(LIST_REPLY, answer, asked);
    const foreigner = (files ?? []).some((one) => !this.#holds(one));
    if (foreigner) throw foreign(this.wire.service, "files of another folder");
    return { files: files ?? [], next: nextPageToken ?? null };
  }

  /** A shared drive's files name their folder too; a file that names none is of no folder. */
  #holds({ parents }: FileReply): boolean {
    return (parents ?? []).includes(this.#folder);
  }

  async #own(file_id: string): Promise<StoredFile> {
    const asked = this.#get(`/files/${file_id}`, { fields: READ, ...ALL_DRIVES });
    const answer = await this.wire.attempt(asked);
    if (answer.status !== 404 && answer.status !== 200) throw this.wire.refused(answer, asked);
    const found = answer.status === 200 ? this.wire.shaped(FILE_REPLY, answer, asked) : null;
    if (found?.id === file_id && this.#holds(found) && !found.trashed) return fileOf(found);
    throw new GatewayError(
      "E_NOT_FOUND",
      `file_id: there is no file "${file_id}" in the site's folder; storage_list_site_files shows those that are`,
    );
  }

  async #download(file: StoredFile): Promise<FileText> {
    const large = file.size !== null && file.size > LIMITS.STORED_TEXT_BYTES;
    const asked: Asked = {
      ...this.#get(`/files/${file.id}`, { alt: "media", ...ALL_DRIVES }),
      ...large ? { headers: { range: `bytes=0-${LIMITS.STORED_TEXT_BYTES - 1}` } } : {},
      max_bytes: LIMITS.EXPORT_BYTES,
    };
    return textOf(file, file.mime_type, (await this.wire.ask(asked)).bytes);
  }
}

/** The body that makes a site's folder. */
export function folderRequest(name: string, site_id: string) {
  return { name, mimeType: FOLDER_TYPE, appProperties: { [FOLDER_MARK]: site_id } };
}

/** The query of one page of a list. */
export function listRequest(q: string, size: number, page_token?: string) {
  return {
    q,
    orderBy: "modifiedTime desc",
    pageSize: String(size),
    fields: `nextPageToken,files(${LISTED})`,
    ...LIST_ALL_DRIVES,
    ...(page_token === undefined ? {} : { pageToken: page_token }),
  };
}
