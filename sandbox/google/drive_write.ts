/** What is made in the stand-in's Drive: folders, and files uploaded in two parts. */
import { json } from "../core/answers.ts";
import { type DriveCall, fieldsOf, FOLDER, shown, visible } from "./drive.ts";
import { Refusal, type Strict } from "./refusal.ts";
import type { DriveFile } from "./world.ts";

const MULTIPART_MAX = 5 * 1024 * 1024;

/** Makes a folder, which has no content. */
export async function makeFolder(call: DriveCall): Promise<Response> {
  const { strict, bytes } = call;
  const query = strict.query(call.params, ["fields", "supportsAllDrives"], "files.create");
  const body = strict.fields(strict.body(bytes), ["name", "mimeType", "appProperties", "parents"], "file");
  if (body["mimeType"] !== FOLDER) strict.breach("files.create without content is for folders here");
  const made = kept(call, body, null);
  return json(await shown(made, fieldsOf(strict, query["fields"])));
}

/** Keeps an upload of two parts: what the file is, and its bytes. */
export async function upload(call: DriveCall): Promise<Response> {
  const { strict, bytes, headers } = call;
  const query = strict.query(
    call.params,
    ["uploadType", "fields", "supportsAllDrives"],
    "files.create upload",
  );
  if (query["uploadType"] !== "multipart") {
    strict.breach(`uploadType "${query["uploadType"]}" is not known here`);
  }
  const [, boundary] =
    /^multipart\/related; boundary=([\w'()+,./:=?-]{1,70})$/.exec(headers.get("content-type") ?? "") ?? [];
  if (boundary === undefined) {
    return strict.breach("the content type is not multipart/related with a boundary");
  }
  const parts = partsOf(strict, bytes, boundary);
  if (!parts[0]?.type.startsWith("application/json")) strict.breach("the first part is not JSON");
  const body = strict.fields(strict.body(parts[0]!.content), ["name", "parents", "mimeType"], "file");
  if (parts[1]!.content.length > MULTIPART_MAX) {
    throw new Refusal(413, "", "Request too large.", { reason: "uploadTooLarge" });
  }
  const made = kept(call, body, parts[1]!.content);
  return json(await shown(made, fieldsOf(strict, query["fields"])));
}

function kept(call: DriveCall, body: Record<string, unknown>, content: DriveFile["content"]): DriveFile {
  const { world, holder, now } = call;
  const parents = call.strict.list(body["parents"], "parents").map(String);
  if (parents.length > 1) call.strict.breach("a file has one parent");
  for (const id of parents) visible(call, id);
  const time = new Date(now).toISOString();
  const file: DriveFile = {
    id: `file_${crypto.randomUUID().replaceAll("-", "")}`,
    owner: holder.account,
    name: String(body["name"] ?? "Untitled"),
    mimeType: String(body["mimeType"] ?? "application/octet-stream"),
    parents: parents.length > 0 ? parents : ["root"],
    visible: true,
    trashed: false,
    createdTime: time,
    modifiedTime: time,
    ...body["appProperties"] ? { appProperties: body["appProperties"] as Record<string, string> } : {},
    content: content && content.slice(),
  };
  world.files.set(file.id, file);
  return file;
}

const latin1 = new TextDecoder("latin1");

/** The parts of a body, split by bytes so that any content is kept as it is. */
function partsOf(strict: Strict, bytes: Uint8Array<ArrayBuffer>, boundary: string) {
  const text = latin1.decode(bytes);
  const pieces = text.split(`--${boundary}`);
  if (pieces.length !== 4 || pieces[0] !== "" || !pieces[3]!.startsWith("--")) {
    strict.breach("an upload has two parts");
  }
  let at = 0;
  return pieces.flatMap((piece, number) => {
    const start = at;
    at += piece.length + boundary.length + 2;
    if (number === 0 || number === 3) return [];
    const [head = ""] = piece.split("\r\n\r\n", 1);
    const [, type = ""] = /^\r\nContent-Type: ([^\r\n]+)$/i.exec(head) ?? [];
    if (type === "") strict.breach("a part has no Content-Type, or another header");
    return [{ type, content: bytes.slice(start + head.length + 4, start + piece.length - 2) }];
  });
}
