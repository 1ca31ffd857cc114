/** Names in a repository: branches and commits that the gateway makes, files as git names them, and names taken for one another. */
import { createHash } from "node:crypto";
import { delay } from "../../core/async.ts";

/** Preview branches begin with it. */
export const PREVIEW_PREFIX = "mcp/";

/** Whether a branch is called as the gateway calls a preview branch: `mcp/<token>/<unix>`. */
export const isPreviewName = (branch: string): boolean => /^mcp\/[a-z0-9-]{1,12}\/\d{9,11}$/.test(branch);

/** A commit's message: its first line, and the id of the token it is made with. */
export const commitMessage = (line: string, tokenId: string): string =>
  `${line}\n\nX-Gateway-Token: ${tokenId}\n`;

/** How the message of a commit begins that puts back what stood there. */
export const SET_BACK = "Set back ";

const TRAILER = "\n\nX-Gateway-Token: ";

/** The message of a commit of several writes, by those each of them would have had. */
export function sharedMessage(messages: readonly string[]): string {
  const [only] = messages;
  if (messages.length === 1) return only!;
  const lines = messages.map((one) => one.split("\n", 1)[0]!);
  const ids = messages.flatMap((one) =>
    one.includes(TRAILER) ? [one.slice(one.lastIndexOf(TRAILER) + 2)] : []
  );
  // What is put back may be a person's, whatever stands beside it.
  const begins = lines.some((one) => one.startsWith(SET_BACK)) ? `${SET_BACK}files, among ` : "";
  const head = `${begins}${messages.length} changes that waited for one branch`;
  return `${head}\n\n${lines.map((one) => `- ${one}\n`).join("")}\n${[...new Set(ids)].join("")}`;
}

/** So many bytes are hashed before others have their turn. */
const TURN_BYTES = 4 * 1024 * 1024;

/** The name git gives to a blob of those bytes (SHA-1), of which no copy is made. */
export async function blobName(bytes: Uint8Array): Promise<string> {
  const name = createHash("sha1").update(`blob ${bytes.byteLength}\0`);
  for (let from = 0; from < bytes.byteLength; from += TURN_BYTES) {
    if (from > 0) await delay(0);
    name.update(bytes.subarray(from, from + TURN_BYTES));
  }
  return name.digest("hex");
}

/** The form in which such names are alike. */
export const folded = (path: string): string => path.normalize("NFC").toLowerCase().normalize("NFC");

/** A path of a tree that is taken for the one that was asked for, in a sentence's words. */
export function twinWords(path: string, twin: string): string {
  const asked = path.split("/").slice(0, twin.split("/").length).join("/"); // it may be a folder above the file
  const form = asked.normalize("NFC") === twin.normalize("NFC");
  const differs = form
    ? "Unicode form"
    : asked.toLowerCase() === twin.toLowerCase()
    ? "case"
    : "case and Unicode form";
  return `${form ? spelled(twin) : JSON.stringify(twin)}, which differs from it in ${differs} only`;
}

/** A name by its characters: names of different forms look alike. */
const spelled = (path: string): string =>
  JSON.stringify(path).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
