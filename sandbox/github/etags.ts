/** Conditional reads: each answer of a read has an ETag, and one that still holds is said so in a word. */
import { hash } from "node:crypto";

/**
 * The answer with its ETag; 304 without a body where the request names that ETag, and then `unchanged` is called: GitHub
 * does not count such a read (docs/upstreams/github.md, "Rate limits").
 */
export async function conditional(
  request: Pick<Request, "method" | "headers">,
  answer: Response,
  unchanged: () => void,
): Promise<Response> {
  if (request.method !== "GET" || answer.status !== 200) return answer;
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set("etag", `W/"${hash("sha256", bytes)}"`);
  if (request.headers.get("if-none-match") !== headers.get("etag")) {
    return new Response(bytes, { status: 200, headers });
  }
  unchanged();
  headers.delete("content-type");
  return new Response(null, { status: 304, headers });
}
