/** One request of the protocol to one tool server: signed by the lender, its answer read strictly. */
import { type HELD_METHOD, HOLD_HEADER } from "../_content/holds.ts";
import type { SiteContext } from "../_connector/connector.ts";
import type { Lent } from "../_connector/context.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { memoize } from "../../core/made_once.ts";
import { hiddenIn, hiding } from "../../core/signed_secrets.ts";
import { isFields } from "../../core/values.ts";
import { failed, isRefusal, refused, unreadable } from "./errors.ts";
import { LENDERS, LOCATION_HEADER, type ToolServerSettings } from "./servers.ts";
import { sendInTurn } from "./paced.ts";
import { EventReader, messageOf } from "./stream.ts";
import type { ServerRef } from "./types.ts";

export type ToolServerContext = SiteContext<ToolServerSettings>;

/** What is asked. */
export interface Question extends Sending {
  readonly method: "initialize" | "tools/list" | "tools/call" | typeof HELD_METHOD;
  readonly params: Readonly<Record<string, unknown>>;
  /** Asks the site to hold what it does. */
  readonly hold?: string;
  readonly once?: true;
}

/** What is told, without an answer. */
export interface Notice extends Sending {
  readonly method: "notifications/initialized";
  readonly params?: undefined;
}

interface Sending {
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

/** More than any server says of a refusal; what follows is not looked at. */
const REFUSAL_CHARACTERS_MAX = 64 * 1024;

let last = 0;

/** Asks once, reads again as every read may be. Throws ToolServerError, E_UPSTREAM. */
export async function ask(ctx: ToolServerContext, at: Endpoint, question: Question): Promise<Reply> {
  return (await exchange(ctx, at, question, ++last)).reply();
}

/** An answer as it came, of whatever status. */
export interface Exchanged {
  readonly out: Outgoing;
  readonly answer: Incoming;
  readonly hide: Lent["hide"];
  /** Reads it as the answer to what was asked. Throws ToolServerError. */
  reply(): Reply;
}

/** Sends a question under that id. Throws E_UPSTREAM. */
export async function exchange(
  ctx: ToolServerContext,
  at: Endpoint,
  question: Question,
  id: number,
): Promise<Exchanged> {
  const { ref } = at;
  const out = requestOf(ctx, at, question, id);
  let events: EventReader | null = null;
  const reducer = (headers: Headers) =>
    events = isEvents(headers) ? new EventReader((value) => answers(value, id)) : null;
  const lent = ctx.borrow(LENDERS[ref.source]);
  const whole = { ...out, reducer };
  const answer = await (ref.source === "crm" ? sendInTurn(ctx, lent, whole) : lent.send(whole));
  const hide = hidingFor(at, lent);
  return { out, answer, hide, reply: () => replyOf({ ref, out, id, hide }, answer, events) };
}

/** A question that was sent. */
interface Asked {
  readonly ref: ServerRef;
  readonly out: Outgoing;
  readonly id: number;
  readonly hide: Lent["hide"];
}

/** Reads an answer to that question, of a stream what its reader found. Throws ToolServerError. */
export function replyOf(
  { ref, out, id, hide }: Asked,
  answer: Incoming,
  stream: EventReader | null = null,
): Reply {
  const shown = shownOf(answer, hide);
  if (answer.status < 200 || answer.status > 299) throw refused(ref, out, shown);
  const found = stream ? stream.message : messageOf(answer.text());
  if (found === undefined) {
    const why = stream?.isFlood ? "has too many messages before the answer" : "ended without an answer";
    throw unreadable(ref, out, `its stream ${why}`);
  }
  if (found.fault !== undefined) throw unreadable(ref, out, found.fault);
  const message = hiddenIn(found.value, hide);
  if (message === undefined) throw unreadable(ref, out, "it is not JSON", shown.text());
  // A server that could not read a request does not know its id; in a stream that may be about another one.
  const isOurs = answers(message, id) || (!stream && answers(message, null));
  if (!isOurs) throw unreadable(ref, out, "it is no answer to what was asked", shown.text());
  if ("error" in message) throw failed(ref, out, answer.status, isFields(message.error) ? message.error : {});
  if (!isFields(message.result)) throw unreadable(ref, out, "its result is no object");
  const bytes = stream?.bytes ?? answer.bytes.byteLength;
  return { result: message.result, headers: answer.headers, bytes };
}

/**
 * Tells a server what it does not answer, once: what it makes of that shows in its next answer, and so no failure is
 * thrown.
 */
export async function notify(ctx: ToolServerContext, at: Endpoint, notice: Notice): Promise<void> {
  const lent = ctx.borrow(LENDERS[at.ref.source]);
  await lent.send({ ...requestOf(ctx, at, notice), once: true }).catch(() => {});
}

/** A shorter one is a word or a number that stands in many a text. */
const SESSION_CHARACTERS_MIN = 16;

/** Takes the session's id out of a text; many calls are asked in one session. */
const hidingSession = memoize(({ session }: Endpoint) =>
  hiding(session === null || session.length < SESSION_CHARACTERS_MIN ? [] : [session])
);

/** Takes out of a text what signed the request, and the session that it was asked in. */
function hidingFor(at: Endpoint, lent: Lent): Lent["hide"] {
  const hideSession = hidingSession(at);
  return (text) => hideSession(lent.hide(text));
}

/** The answer as it may be shown: without what signed the request, and no longer than it takes to say why. */
function shownOf(answer: Incoming, hide: Lent["hide"]): Incoming {
  const { status, url, headers, bytes } = answer;
  const text = () => hide(answer.text()).slice(0, REFUSAL_CHARACTERS_MAX);
  const isLong = bytes.byteLength > REFUSAL_CHARACTERS_MAX;
  const json = () => isLong ? undefined : hiddenIn(answer.json(), hide);
  return { status, url, headers, bytes, text, json };
}

function requestOf(
  { site }: ToolServerContext,
  { ref, url, version, session }: Endpoint,
  { method, params, ...more }: Question | Notice,
  id?: number,
): Outgoing & Pick<Question, "deadline_ms"> {
  const { hold, ...rest } = more as Pick<Question, "hold" | "once"> & Sending;
  return {
    method: "POST",
    url,
    headers: {
      accept: "application/json, text/event-stream",
      ...(version === null ? {} : { "mcp-protocol-version": version }),
      ...(session === null ? {} : { "mcp-session-id": session }),
      ...(hold === undefined ? {} : { [HOLD_HEADER]: hold }),
      ...(ref.source === "crm" ? { [LOCATION_HEADER]: site.crm_location_id ?? "" } : {}),
    },
    json: { jsonrpc: "2.0", id, method, params },
    ...rest,
    isRefusal,
    what: `${ref.server} ${typeof params?.name === "string" ? params.name : method}`,
  };
}

const isEvents = (headers: Headers) =>
  (headers.get("content-type") ?? "").trimStart().toLowerCase().startsWith("text/event-stream");

/** Whether it is the answer to that request; a request of the server may have the same id. */
function answers(message: unknown, id: number | null): message is Record<string, unknown> {
  if (!isFields(message) || message.jsonrpc !== "2.0" || "method" in message) return false;
  return (message.id ?? null) === id && ("error" in message || (id !== null && "result" in message));
}
