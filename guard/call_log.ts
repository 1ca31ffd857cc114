/** One line of JSON for each call, where the operator wants them: who called what, and what came of it; nothing of what was sent. */
import type { CallEnd } from "./figures.ts";

/** The line of a call. */
export function callLine(
  { requestId, at, door, tool, site, token, failure, result, seconds }: CallEnd,
): string {
  return JSON.stringify({
    at: new Date(at).toISOString(),
    event: "call",
    request_id: requestId,
    door,
    tool: tool ?? "unknown",
    site_id: site,
    token_id: token.id,
    token_name: token.name,
    client_id: token.client_id, // left out where there is none
    status: failure === null ? result : failure.audit ?? "error",
    code: failure?.code ?? null,
    ms: Math.round(seconds * 10_000) / 10,
  });
}
