/** Names in a repository: branches and commits that the gateway makes, files as git names them, and names taken for one another. */

/** Preview branches begin with it. */
export const PREVIEW_PREFIX = "mcp/";

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

/** The name git gives to a blob of those bytes (SHA-1). */
export async function blobName(bytes: Uint8Array): Promise<string> {
  const head = new TextEncoder().encode(`blob ${bytes.byteLength}\0`);
  const whole = new Uint8Array(head.byteLength + bytes.byteLength);
  whole.set(head);
  whole.set(bytes, head.byteLength);
  return new Uint8Array(await crypto.subtle.digest("SHA-1", whole)).toHex();
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
