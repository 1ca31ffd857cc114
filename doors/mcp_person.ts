/** A call that waits for a person: its client leads that person to the gateway's page, and comes back for what became of it. */
import type { Awaitable } from "../core/async.ts";
import { GatewayError } from "../core/errors.ts";
import { type Caller, LIMITS } from "../core/model.ts";
import type { Asks } from "../guard/pipeline/input.ts";
import { isFields } from "../core/values.ts";
import type { Round } from "../guard/consent/rounds.ts";
import { CARD_EXTENSION, CARD_TYPE } from "./mcp_card.ts";
import {
  CAPABILITIES_KEY,
  type Frame,
  FrameFault,
  LEGACY_VERSIONS,
  RPC,
  SESSION_HEADER,
} from "./mcp_frame.ts";

export type { Round } from "../guard/consent/rounds.ts";

/** What a client says that it can do, beside calling tools. */
export interface Client {
  /** Elicitation in URL mode: it leads its person to an address. */
  readonly opensUrls: boolean;
  /** MCP Apps: it shows a card beside what a tool answered. */
  readonly showsCards: boolean;
}

const NOTHING: Client = Object.freeze({ opensUrls: false, showsCards: false });
/** How a session names what its client can do. */
const MARKS = { opensUrls: "url", showsCards: "ui" } as const;

/** https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation: an empty `elicitation` is form mode alone. */
function declared(capabilities: unknown): Client {
  if (!isFields(capabilities)) return NOTHING;
  const { elicitation, extensions } = capabilities;
  const cards = isFields(extensions) ? extensions[CARD_EXTENSION] : undefined;
  const types = isFields(cards) ? cards.mimeTypes : undefined;
  return {
    opensUrls: isFields(elicitation) && isFields(elicitation.url),
    showsCards: Array.isArray(types) && types.includes(CARD_TYPE),
  };
}

/**
 * What a request's client can do. A request of 2026 says so itself; one of 2025 said it once, when it began, and its
 * session's name repeats that: nothing is kept of a session, and nothing is permitted by it.
 */
export function clientOf({ method, params, modern }: Frame, headers: Headers): Client {
  if (modern) return isFields(params._meta) ? declared(params._meta[CAPABILITIES_KEY]) : NOTHING;
  if (method === "initialize") return declared(params.capabilities);
  const marks = headers.get(SESSION_HEADER)?.split(".").slice(1) ?? [];
  return { opensUrls: marks.includes(MARKS.opensUrls), showsCards: marks.includes(MARKS.showsCards) };
}

/** The session that an `initialize` opens; null where its client can do nothing that later requests must tell again. */
export function sessionOf({ method, params, modern }: Frame, client: Client, id: string): string | null {
  if (modern || method !== "initialize") return null;
  const marks = [
    ...client.opensUrls && params.protocolVersion === LEGACY_VERSIONS[0] ? [MARKS.opensUrls] : [],
    ...client.showsCards ? [MARKS.showsCards] : [],
  ];
  return marks.length === 0 ? null : [id, ...marks].join(".");
}

/** What is carried between the rounds of a call. */
export interface RoundsPort {
  seal(caller: Caller, tool: string, round: Round): Promise<string>;
  open(caller: Caller, tool: string, text: string): Promise<Round | null>;
  /** Until a person has decided, or for as long as one round may take. */
  wait(caller: Caller, approval_id: string, left: AbortSignal): Promise<void>;
}

/** A call as far as it matters here. */
interface Called {
  readonly caller: Caller;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly asks?: Asks;
}

/** The one request of ours to a client. */
const INPUT = "approval";

/**
 * The round that a call comes back with, once a person has decided or the round's time is over; null of a call that comes
 * for the first time; a text where what it brings is none of ours. What the client says of its person decides nothing:
 * it is only waited for where the page is open.
 */
export function comingBack(
  rounds: RoundsPort,
  { params, modern }: Frame,
  name: string,
  asked: Coming,
): Awaitable<Round | string | null> {
  return modern && params.requestState !== undefined ? roundOf(rounds, params, name, asked) : null;
}

/** Who comes back, and when nobody waits for the answer any more. */
type Coming = Pick<Called, "caller"> & { readonly left: () => AbortSignal };

async function roundOf(
  rounds: RoundsPort,
  { requestState: state, inputResponses }: Frame["params"],
  name: string,
  { caller, left }: Coming,
): Promise<Round | string> {
  const round = typeof state === "string" ? await rounds.open(caller, name, state) : null;
  if (round === null) {
    return "requestState: was not made by this gateway for this token and tool, or is older than a day; send the call " +
      "without it";
  }
  const said = isFields(inputResponses) ? inputResponses[INPUT] : undefined;
  const action = isFields(said) ? said.action : undefined;
  if (action === "decline" || action === "cancel") return { ...round, count: LIMITS.ROUNDS };
  const opened = round.opened || action === "accept";
  if (opened) await rounds.wait(caller, round.approval_id, left());
  return { ...round, count: round.count + 1, opened };
}

/** A request that nobody has decided yet. */
interface Waiting {
  readonly id: string;
  readonly url: string;
  /** Of the preview, where the call asked for the write without it. */
  readonly token: string | null;
  readonly tool: string;
  /** Whether the call is refused until then. */
  readonly refused: boolean;
}

/** The request that a call waits for: it is refused until then, or asked for the write and was shown it first. Else null. */
export function waitingFor(call: Called, outcome: unknown): Waiting | null {
  const { tool } = call;
  if (outcome instanceof GatewayError) {
    const { code, approval } = outcome;
    if (code !== "E_APPROVAL_PENDING" || approval?.id === undefined || approval.url === undefined) {
      return null;
    }
    return { id: approval.id, url: approval.url, token: null, tool, refused: true };
  }
  const asksForIt = (call.asks?.confirm ?? call.arguments.confirm) === true && call.asks?.dry_run !== true;
  if (!asksForIt || !isFields(outcome) || outcome.needs_confirmation !== true) return null;
  const { approval, confirm_token } = outcome;
  if (!isFields(approval) || typeof approval.id !== "string" || typeof approval.url !== "string") return null;
  return { id: approval.id, url: approval.url, token: String(confirm_token), tool, refused: false };
}

/** A preview of what a person must approve, with the way on that such a client has; anything else as it is. */
export function withWayOn(answered: unknown): unknown {
  if (!isFields(answered) || answered.needs_confirmation !== true || !isFields(answered.approval)) {
    return answered;
  }
  const { id, url, expires_at } = answered.approval;
  const next =
    `Nothing was changed; a person must approve this before ${expires_at}. Send the same call with confirm: true ` +
    `and this confirm_token: your client then leads its person to ${url}, and the answer tells what was decided, and what ` +
    `was done. Somebody else can open that link as well; get_approval with approval_id "${id}" and wait_seconds tells the same`;
  return { ...answered, next };
}

/** What a client's person reads: no text of the call's, for an agent wrote those. */
const messageOf = ({ tool }: Waiting) =>
  `A person must approve this change (${tool}) before it is made. The page shows what would change, and takes the decision.`;

/**
 * The members of an `input_required` result: the page, once, and then only a state with which the client asks again. Null
 * where it has come back often enough, or its person did not want to be led there: then it is answered what every client is.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export async function nextRound(
  rounds: RoundsPort,
  { caller, tool }: Pick<Called, "caller" | "tool">,
  waits: Waiting,
  round: Round | null,
): Promise<string | null> {
  const { count = 0, opened = false, token = waits.token } = round ?? {};
  if (count >= LIMITS.ROUNDS) return null;
  const state = await rounds.seal(caller, tool, { approval_id: waits.id, token, count, opened });
  const asking = { mode: "url", url: waits.url, message: messageOf(waits) };
  const inputRequests = { [INPUT]: { method: "elicitation/create", params: asking } };
  return JSON.stringify({ ...opened ? {} : { inputRequests }, requestState: state }).slice(1, -1);
}

/**
 * What a client of 2025-11-25 is answered: the same call is to come again once its person was there. Null for a preview,
 * which nobody was refused.
 * https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation#url-elicitation-required-error
 */
export function urlElicitation({ id }: Frame, waits: Waiting): FrameFault | null {
  if (!waits.refused) return null;
  const asking = { mode: "url", elicitationId: waits.id, url: waits.url, message: messageOf(waits) };
  const message =
    `E_APPROVAL_PENDING: ${asking.message} Nothing was written; send the same call again afterwards, or ` +
    `get_approval with approval_id "${waits.id}" and wait_seconds. The page: ${waits.url}`;
  return new FrameFault(200, RPC.URL_ELICITATION_REQUIRED, message, id, { elicitations: [asking] });
}
