/** Files of the stand-in's Drive: only those the app made are visible, lists really filter and page, uploads are kept. */
import { json } from "../core/answers.ts";
import { invalid, Refusal, type Strict } from "./refusal.ts";
import type { DriveFile, Holder, World } from "./world.ts";

export const FOLDER = "application/vnd.google-apps.folder";
const NATIVE = "application/vnd.google-apps.";
const EXPORT_MAX = 10 * 1024 * 1024;
const FIELDS = [
  "id",
  "name",
  "mimeType",
  "size",
  "createdTime",
  "modifiedTime",
  "webViewLink",
  "parents",
  "trashed",
  "sha256Checksum",
  "appProperties",
];

/** What the drive is asked with. */
export interface DriveCall {
  readonly world: World;
  readonly strict: Strict;
  readonly holder: Holder;
  readonly params: URLSearchParams;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly now: number;
}

const notFound = (id: string) => new Refusal(404, "", `File not found: ${id}.`, { reason: "notFound" });
const badRequest = (message: string) => new Refusal(400, "", message, { reason: "invalid" });

/** What of a file is shown: the fields that were asked for. */
export async function shown(file: DriveFile, fields: readonly string[]): Promise<object> {
  const { content } = file;
  const digest = content && fields.includes("sha256Checksum")
    ? new Uint8Array(await crypto.subtle.digest("SHA-256", content)).toHex()
    : undefined;
  const all: Record<string, unknown> = {
    id: file.id,
    name: file.name,
    mimeType: file.mimeType,
    size: content ? String(content.length) : undefined,
    createdTime: file.createdTime,
    modifiedTime: file.modifiedTime,
    webViewLink: `https://drive.google.com/file/d/${file.id}/view`,
    parents: file.parents,
    trashed: file.trashed,
    sha256Checksum: digest,
    appProperties: file.appProperties,
  };
  return Object.fromEntries(
    fields.filter((name) => all[name] !== undefined).map((name) => [name, all[name]]),
  );
}

/** The fields that a request names. */
export function fieldsOf(strict: Strict, text: string | undefined): string[] {
  const fields = (text ?? "id,name,mimeType").split(",").map((one) => one.trim());
  const unknown = fields.find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) strict.breach(`Invalid field selection ${unknown}`);
  return fields;
}

/** A file that the app may see. */
export const visible = ({ world, holder }: DriveCall, id: string): DriveFile => {
  const file = world.files.get(id);
  if (!file?.visible || file.owner !== holder.account) throw notFound(id);
  return file;
};

/** The conditions of a query joined by `and`. */
function queryOf(call: DriveCall, text: string): (file: DriveFile) => boolean {
  const string = String.raw`'((?:[^'\\]|\\.)*)'`;
  const forms: [RegExp, (...values: string[]) => (file: DriveFile) => boolean][] = [
    [new RegExp(`^${string} in parents$`), (id) => {
      if (id !== "root") visible(call, id!);
      return (file) => file.parents.includes(id!);
    }],
    [/^trashed = (true|false)$/, (value) => (file) => file.trashed === (value === "true")],
    [new RegExp(`^name = ${string}$`), (name) => (file) => file.name.toLowerCase() === name!.toLowerCase()],
    [
      new RegExp(`^appProperties has \\{ key=${string} and value=${string} \\}$`),
      (key, value) => (file) => file.appProperties?.[key!] === value,
    ],
  ];
  // An "and" within braces or quotes joins nothing.
  const parts = text.match(/(?:'(?:[^'\\]|\\.)*'|\{[^}]*\}|(?! and ).)+/g)?.map((one) =>
    one.replace(/^ ?and /, "").trim()
  );
  const tests = (parts ?? []).filter(Boolean).map((part) => {
    for (const [pattern, test] of forms) {
      const found = pattern.exec(part);
      if (found) return test(...found.slice(1).map((value) => value.replace(/\\(.)/g, "$1")));
    }
    return call.strict.breach(`the query "${part}" is none`);
  });
  if (tests.length === 0) call.strict.breach("the query is empty");
  return (file) => tests.every((test) => test(file));
}

const LIST = [
  "q",
  "orderBy",
  "pageSize",
  "pageToken",
  "fields",
  "supportsAllDrives",
  "includeItemsFromAllDrives",
  "spaces",
  "corpora",
];
const encode = (value: unknown) => `~!!~${btoa(JSON.stringify(value))}`;

/** One page of a list. A page's token carries its query: it goes on with that one, whatever else is asked. */
export async function list(call: DriveCall): Promise<Response> {
  const { world, strict, holder, params } = call;
  const query = strict.query(params, LIST, "files.list");
  if (query["supportsAllDrives"] !== "true" || query["includeItemsFromAllDrives"] !== "true") {
    strict.breach("files.list without supportsAllDrives and includeItemsFromAllDrives");
  }
  const size = Number(query["pageSize"] ?? 100);
  if (!(size >= 1 && size <= 1000)) {
    throw invalid(`Invalid value '${size}'. Values must be within the range: [1, 1000]`);
  }
  if (query["orderBy"] !== undefined && query["orderBy"] !== "modifiedTime desc") {
    strict.breach(`orderBy "${query["orderBy"]}" is not known here`);
  }
  const [, top, inner] = /^(nextPageToken,)?files\(([^()]+)\)$/.exec(query["fields"] ?? "") ?? [];
  const fields = fieldsOf(strict, inner);
  let [q, from] = [query["q"] ?? "", 0];
  if (query["pageToken"] !== undefined) {
    try {
      ({ q, from } = JSON.parse(atob(query["pageToken"].replace(/^~!!~/, ""))));
    } catch {
      throw badRequest("Invalid Value");
    }
  }
  const test = queryOf(call, q);
  const found = [...world.files.values()]
    .filter((file) => file.visible && file.owner === holder.account && test(file))
    .sort((a, b) =>
      a.modifiedTime < b.modifiedTime ? 1 : a.modifiedTime > b.modifiedTime ? -1 : a.id < b.id ? -1 : 1
    );
  const files = await Promise.all(found.slice(from, from + size).map((file) => shown(file, fields)));
  const more = from + size < found.length && top !== undefined;
  return json({ files, ...more ? { nextPageToken: encode({ q, from: from + size }) } : {} });
}

/** A file, or what is in it. */
export async function get(call: DriveCall, id: string): Promise<Response> {
  const { strict, params, headers } = call;
  const query = strict.query(params, ["fields", "alt", "supportsAllDrives", "acknowledgeAbuse"], "files.get");
  if (query["supportsAllDrives"] !== "true") strict.breach("files.get without supportsAllDrives");
  const file = visible(call, id);
  if (query["alt"] === undefined) return json(await shown(file, fieldsOf(strict, query["fields"])));
  if (query["alt"] !== "media") strict.breach(`alt "${query["alt"]}" is unknown`);
  if (file.content === null) {
    throw new Refusal(
      403,
      "",
      "Only files with binary content can be downloaded. Use Export with Docs Editors files.",
      {
        reason: "fileNotDownloadable",
      },
    );
  }
  const [, last] = /^bytes=0-(\d+)$/.exec(headers.get("range") ?? "") ?? [];
  const type = { "content-type": file.mimeType };
  if (last === undefined) return new Response(file.content, { headers: type });
  const part = file.content.slice(0, Number(last) + 1);
  const range = `bytes 0-${part.length - 1}/${file.content.length}`;
  return new Response(part, { status: 206, headers: { ...type, "content-range": range } });
}

/** A document of Google's own as another type. */
export function exported(call: DriveCall, id: string): Response {
  const query = call.strict.query(call.params, ["mimeType"], "files.export");
  const file = visible(call, id);
  if (file.content !== null) {
    throw new Refusal(403, "", "Export only supports Docs Editors files.", { reason: "fileNotExportable" });
  }
  const text = file.exports?.[query["mimeType"] ?? ""];
  if (text === undefined) throw badRequest("The requested conversion is not supported.");
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > EXPORT_MAX) {
    throw new Refusal(403, "", "This file is too large to be exported.", {
      reason: "exportSizeLimitExceeded",
    });
  }
  return new Response(bytes, { headers: { "content-type": query["mimeType"]! } });
}

/** Puts a file there as a person, or the app, would have. */
export function placed(
  world: World,
  file: Partial<DriveFile> & Pick<DriveFile, "owner" | "name">,
  now: number,
): DriveFile {
  const time = new Date(now).toISOString();
  const whole: DriveFile = {
    id: `file_${crypto.randomUUID().replaceAll("-", "")}`,
    mimeType: "text/markdown",
    parents: ["root"],
    visible: true,
    trashed: false,
    createdTime: time,
    modifiedTime: time,
    content: file.mimeType?.startsWith(NATIVE) ? null : new TextEncoder().encode(file.name),
    ...file,
  };
  world.files.set(whole.id, whole);
  return whole;
}
