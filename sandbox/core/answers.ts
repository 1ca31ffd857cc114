/** Answers that stand-ins share, the wrong ones too. */
import type { Sleep } from "./clock.ts";

/** A JSON answer with the given headers beside its type. */
export function json(
  body: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
}

/** An HTML page. */
export function html(page: string, status = 200): Response {
  return new Response(page, { status, headers: { "content-type": "text/html; charset=UTF-8" } });
}

/** A redirect, with the body left out. */
export function redirect(to: string, status = 302): Response {
  return new Response(null, { status, headers: { location: to } });
}

/** The header that says when to come again; none where that is left open. */
export function retryAfter(value: number | string | undefined): Record<string, string> {
  return value === undefined ? {} : { "retry-after": String(value) };
}

/** What is shown where a stand-in itself has a bug: what was thrown, and where. */
export function broke(thrown: unknown): string {
  return `The stand-in broke: ${thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown)}`;
}

/** The first half of an answer; its length as promised, or as it truly is. */
export async function partial(answer: Response, length: "promised" | "true"): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  const cut = bytes.slice(0, Math.floor(bytes.length / 2));
  headers.set("content-length", String(length === "true" ? cut.length : bytes.length));
  return new Response(cut, { status: answer.status, headers });
}

/** An answer that comes a few bytes at a time, with a pause before each piece; `signal` ends the waiting. */
export async function slow(
  answer: Response,
  pace: { readonly bytes: number; readonly pause_ms: number },
  sleep: Sleep,
  signal: () => AbortSignal,
): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(bytes.length));
  let sent = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (sent >= bytes.length) return controller.close();
      await sleep(pace.pause_ms, signal());
      controller.enqueue(bytes.slice(sent, sent + pace.bytes));
      sent += pace.bytes;
    },
  }, { highWaterMark: 0 });
  return new Response(body, { status: answer.status, headers });
}
