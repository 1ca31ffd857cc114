/** What the gateway names in a repository: branches and commits. */

/** Preview branches begin with it. */
export const PREVIEW_PREFIX = "mcp/";

/** A commit's message: its first line, and the id of the token it is made with. */
export const commitMessage = (line: string, tokenId: string): string =>
  `${line}\n\nX-Gateway-Token: ${tokenId}\n`;
