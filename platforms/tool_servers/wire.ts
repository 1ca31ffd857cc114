/** One request of the protocol to one tool server: signed by the lender, its answer read strictly. */
import type { SiteContext } from "../connector.ts";
import type { Lent } from "../context.ts";
import type { Incoming, Outgoing } from "../request.ts";
import { hiddenIn } from "../../lib/signed_secrets.ts";
import { failed, isRefusal, refused, unreadable } from "./errors.ts";
import { LENDERS, LOCATION_HEADER, type ToolServerSettings } from "./servers.ts";
import { sendInTurn } from "./paced.ts";
import { EventReader } from "./stream.ts";
import type { ServerRef } from "./types.ts";

export type ToolServerContext = SiteContext<ToolServerSettings>;

/** What is asked. */
export interface Question {
  readonly method: "initialize" | "tools/list" | "tools/call";
  readonly params: Readonly<Record<string, unknown>>;
  readonly effect: "read" | "write";
  readonly shared?: true;
  readonly max_bytes: number;
  readonly deadline_ms: number;
}

/** Where it is asked, and with what was agreed there; null where nothing was yet. */
export interface Endpoint {
  readonly ref: ServerRef;
  readonly url: string;
  readonly version: string | null;
  readonly session: string | null;
}

/** An answer's result, and what stood beside it. */
export interface Reply {
  readonly result: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  /** How much was read for it. */
  readonly bytes: number;
}

let last = 0;

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Asks once, reads again as every read may be. Throws ToolServerError, E_UPSTREAM. */
export async function ask(ctx: ToolServerContext, at: Endpoint, question: Question): Promise<Reply> {
  const { ref } = at;
  const id = ++last;
  const out = requestOf(ctx, at, question, id);
  const stream: { events: EventReader | null } = { events: null };
  const reducer = (headers: Headers) =>
    stream.events = isEvents(headers) ? new EventReader((message) => answers(message, id)) : null;
  const lent = ctx.borrow(LENDERS[ref.source]);
  const whole = { ...out, reducer };
  const answer = shownOf(
    await (ref.source === "crm" ? sendInTurn(ctx, lent, whole) : lent.send(whole)),
    lent,
  );
  if (answer.status < 200 || answer.status > 299) throw refused(ref, out, answer);
  const { events } = stream;
  const message = events === null
    ? read(ref, out, answer, null)
    : hiddenIn(read(ref, out, answer, events), lent.hide);
  // A server that could not read a request does not know its id; in a stream that may be about another one.
  const isOurs = answers(message, id) || (events === null && answers(message, null));
  if (!isOurs) throw unreadable(ref, out, "it is no answer to what was asked", answer.text());
  if ("error" in message) throw failed(ref, out, answer.status, isFields(message.error) ? message.error : {});
  if (!isFields(message.result)) throw unreadable(ref, out, "its result is no object");
  return { result: message.result, headers: answer.headers, bytes: events?.bytes ?? answer.bytes.byteLength };
}

/** The answer as it may be shown: without what signed the request. */
function shownOf(answer: Incoming, { hide }: Lent): Incoming {
  const { status, url, headers, bytes } = answer;
  const text = () => hide(answer.text());
  return { status, url, headers, bytes, text, json: () => hiddenIn(answer.json(), hide) };
}

function requestOf(
  { site }: ToolServerContext,
  { ref, url, version, session }: Endpoint,
  { method, params, ...rest }: Question,
  id: number,
): Outgoing & Pick<Question, "deadline_ms"> {
  return {
    method: "POST",
    url,
    headers: {
      accept: "application/json, text/event-stream",
      ...(version === null ? {} : { "mcp-protocol-version": version }),
      ...(session === null ? {} : { "mcp-session-id": session }),
      ...(ref.source === "crm" ? { [LOCATION_HEADER]: site.crm_location_id ?? "" } : {}),
    },
    json: { jsonrpc: "2.0", id, method, params },
    ...rest,
    isRefusal,
    what: `${ref.server} ${typeof params.name === "string" ? params.name : method}`,
  };
}

const isEvents = (headers: Headers) =>
  (headers.get("content-type") ?? "").trimStart().toLowerCase().startsWith("text/event-stream");

/** Whether it is the answer to that request; a request of the server may have the same id. */
function answers(message: unknown, id: number | null): message is Record<string, unknown> {
  if (!isFields(message) || message.jsonrpc !== "2.0" || "method" in message) return false;
  return (message.id ?? null) === id && ("error" in message || (id !== null && "result" in message));
}

function read(ref: ServerRef, out: Outgoing, answer: Incoming, events: EventReader | null): unknown {
  const message = events === null ? answer.json() : events.message;
  if (message === undefined) {
    if (events?.isFlood) throw unreadable(ref, out, "its stream has too many messages before the answer");
    if (events !== null) throw unreadable(ref, out, "its stream ended without an answer");
    throw unreadable(ref, out, "it is not JSON", answer.text());
  }
  return message;
}
