/** What a tool server does wrong: by method and tool, since all its requests go to one address. */
import type { Message, ToolResult } from "./sdk.ts";
import { failed, RpcError } from "./sdk.ts";

/** A fault of a tool server. Where a tool is called it is run first, unless `applied` is false. */
export type ToolFault =
  /** An event stream that goes on for ever and never answers; `every` is what comes again and again. */
  | { readonly kind: "endless"; readonly every?: Message; readonly applied?: boolean }
  /** The head of an event stream, then nothing. */
  | { readonly kind: "silent"; readonly applied?: boolean }
  /** The answer to another request. */
  | { readonly kind: "other_id"; readonly applied?: boolean }
  /** A warning of PHP's in HTML, and the true answer behind it. */
  | { readonly kind: "html_first"; readonly applied?: boolean }
  /** An answer of HTTP in place of the true one; by default the page of a server that failed. */
  | {
    readonly kind: "http";
    readonly status?: number;
    readonly body?: string;
    readonly type?: string;
    readonly applied?: boolean;
  }
  /** An error of JSON-RPC in place of the answer. */
  | { readonly kind: "rpc"; readonly code: number; readonly message: string; readonly applied?: boolean }
  /** A tool's result in place of the true one: `isError` that was carried out all the same, a soft failure. */
  | { readonly kind: "result"; readonly result: Partial<ToolResult>; readonly applied?: boolean }
  /** The true answer of a write that is not kept. */
  | { readonly kind: "forgotten" }
  /** The caller's sessions are gone. */
  | { readonly kind: "lost_session" };

/** Whether a tool is run although its answer goes wrong. */
export function isRun(fault: ToolFault | undefined): boolean {
  return fault === undefined || !("applied" in fault) || fault.applied !== false;
}

const WARNING =
  "<br />\n<b>Warning</b>:  Undefined array key 0 in <b>/srv/site/wp-content/plugins/seo/a.php</b> " +
  "on line <b>7</b><br />\n";
const PAGE =
  "<!DOCTYPE html>\n<html><body><p>There has been a critical error on this website.</p></body></html>\n";
const encoder = new TextEncoder();

function events(pull: (controller: ReadableStreamDefaultController<Uint8Array>) => void | Promise<void>) {
  const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
  return new Response(body as BodyInit, { headers: { "content-type": "text/event-stream" } });
}

/** One event of a stream. */
export const event = (message: unknown): string => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

const NOTICE: Message = {
  jsonrpc: "2.0",
  method: "notifications/message",
  params: { level: "info", data: "still at work" },
};

/** The HTTP answer that a fault puts in place of the true one; null where it leaves HTTP alone. */
export function spoiledResponse(fault: ToolFault, answer: Message | null): Response | null {
  switch (fault.kind) {
    case "endless":
      return events((controller) => controller.enqueue(encoder.encode(event(fault.every ?? NOTICE))));
    case "silent":
      return events(() => new Promise(() => {}));
    case "html_first":
      return new Response(WARNING + JSON.stringify(answer), {
        headers: { "content-type": "text/html; charset=UTF-8" },
      });
    case "http":
      return new Response(fault.body ?? PAGE, {
        status: fault.status ?? 500,
        headers: { "content-type": fault.type ?? "text/html; charset=UTF-8" },
      });
    default:
      return null;
  }
}

/** The answer as a fault lets it through. */
export function spoiledAnswer(fault: ToolFault | undefined, answer: Message): Message {
  return fault?.kind === "other_id" ? { ...answer, id: `${answer.id}-of-another` } : answer;
}

/** A tool's result as a fault lets it through; throws RpcError. */
export function spoiledResult(fault: ToolFault | undefined, result: ToolResult): ToolResult {
  if (fault?.kind === "rpc") throw new RpcError(fault.code, fault.message);
  if (fault?.kind !== "result") return result;
  return { content: [], isError: false, ...fault.result };
}

/** A result that is thrown away before anything is run. */
export const NOT_RUN = failed("Nothing was run");
