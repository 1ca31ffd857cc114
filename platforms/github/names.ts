/** Names in a repository: the branches and commits that the gateway makes, and the files as git names them. */

/** Preview branches begin with it. */
export const PREVIEW_PREFIX = "mcp/";

/** A commit's message: its first line, and the id of the token it is made with. */
export const commitMessage = (line: string, tokenId: string): string =>
  `${line}\n\nX-Gateway-Token: ${tokenId}\n`;

/** The name git gives to a blob of those bytes (SHA-1). */
export async function blobName(bytes: Uint8Array): Promise<string> {
  const head = new TextEncoder().encode(`blob ${bytes.byteLength}\0`);
  const whole = new Uint8Array(head.byteLength + bytes.byteLength);
  whole.set(head);
  whole.set(bytes, head.byteLength);
  return new Uint8Array(await crypto.subtle.digest("SHA-1", whole)).toHex();
}
