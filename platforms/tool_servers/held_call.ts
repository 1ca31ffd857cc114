/** One call of a tool within a hold of the site, and what the site says became of it. */
import { z } from "zod";
import { GatewayError, type GatewayErrorOptions } from "../../core/errors.ts";
import { LIMITS } from "../../core/model.ts";
import { oneLine } from "../../core/one_line.ts";
import { hiddenIn } from "../../core/signed_secrets.ts";
import {
  HELD_METHOD,
  type HeldEffects,
  heldOf,
  ROLLED_BACK,
  said as toldBy,
  SAID_LABELS,
  WHY_CHARACTERS,
} from "../_content/holds.ts";
import { askedWait } from "../_http/answer.ts";
import type { Incoming } from "../_http/request.ts";
import { ToolServerError } from "./errors.ts";
import { inSession } from "./session.ts";
import type { HeldAnswer, HoldOrder, RolledBack, ServerRef, UpstreamResult } from "./types.ts";
import {
  type Endpoint,
  exchange,
  type Exchanged,
  type Reply,
  replyOf,
  type ToolServerContext,
} from "./wire.ts";

export type { HeldAnswer, HoldOrder } from "./types.ts";

/** A dry run is confirmed by the same bytes: so the id of its request is the same too. */
const REQUEST_ID = 1;

/** Codes of the plugin that are given before anything is run. */
const NOT_RUN = /^site_ops_(hold_(signature|header|used|unsupported)|busy)$/;

/** The status of a call that is to equal a dry run which the site does not know: it is not run, and no header says so. */
const UNKNOWN_DRY = 409;

/** The reason of what was taken back because the tool itself failed. */
export const FAILED = "tool_failed";

const REASON_CHARACTERS = 80;

const DRY = z.object({ hold: ROLLED_BACK });
const REFUSED = z.object({
  code: z.literal("site_ops_held"),
  data: z.object({
    reason: toldBy(REASON_CHARACTERS),
    over: SAID_LABELS.catch([]),
    differs: toldBy(WHY_CHARACTERS).nullable().catch(null),
    hold: ROLLED_BACK,
  }),
});
const WORDS = z.object({ code: z.string(), message: z.string() });

/** What is called, and where. */
interface Called {
  readonly ref: ServerRef;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The site said before it ran anything that it does not: E_UPSTREAM with its own word, outcome "none". */
export class NotHeld extends GatewayError {
  constructor(
    message: string,
    readonly reason: string,
    status: number,
    known: Pick<GatewayErrorOptions, "retryAfter" | "excerpt">,
  ) {
    const code = reason === "site_ops_busy" ? "E_BUSY" : "E_UPSTREAM";
    super(code, message, { upstream: status, outcome: "none", ...known });
  }
}

/** Calls it, in a new session where the old one was lost. Throws NotHeld, ToolServerError, E_UPSTREAM. */
export async function callHeld(
  ctx: ToolServerContext,
  called: Called,
  order: HoldOrder,
  read: (reply: Reply) => UpstreamResult,
): Promise<HeldAnswer> {
  return await inSession(
    ctx,
    called.ref,
    (at) => once(ctx, at, called, order, read),
    // Sites differ in what they do before they say so: a write is sent again where its receipt says that there was none.
    async ({ outcome }) => outcome !== "none" || (!order.dry && await order.mayBeKept()),
  );
}

async function once(
  ctx: ToolServerContext,
  at: Endpoint,
  { ref, name, args }: Called,
  order: HoldOrder,
  read: (reply: Reply) => UpstreamResult,
): Promise<HeldAnswer> {
  const { id, value } = order.header();
  const sent = await exchange(ctx, at, {
    method: order.own_method ? HELD_METHOD : "tools/call",
    params: { name, arguments: args },
    hold: value,
    ...(order.dry ? { effect: "read", once: true } : { effect: "write" }),
    max_bytes: LIMITS.HELD_BYTES,
    deadline_ms: LIMITS.TOOL_CALL_DEADLINE_MS,
  }, REQUEST_ID);
  const { answer } = sent;
  const said = heldOf(answer.headers);
  const isOk = answer.status >= 200 && answer.status < 300;
  if (said?.id === id && said.outcome === "escaped") return { kind: "escaped" };
  if (said?.id === id && said.outcome === "committed" && isOk && !order.dry) {
    return { kind: "committed", result: readable(sent, read) };
  }
  if (
    (said?.id === id && said.outcome === "rolled_back") || (said === null && answer.status === UNKNOWN_DRY)
  ) {
    const back = rolledBack(sent, order.dry);
    const isTold = said !== null || back?.reason === "no_such_preview";
    if (back !== null && isTold && back.hold.id === id) return judged({ ref, sent, read }, back);
  }
  refuseUnrun(sent);
  if (order.own_method && said === null) refuseUnknown(sent);
  if (isOk) return { kind: "unsaid", result: order.dry ? null : orNull(() => readable(sent, read)) };
  sent.reply(); // which throws
  return { kind: "unsaid", result: null };
}

/** A result that was committed, and cannot be read: the change was made all the same. */
function readable(sent: Exchanged, read: (reply: Reply) => UpstreamResult): UpstreamResult {
  try {
    return read(sent.reply());
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    const { code, message, upstream } = thrown;
    throw new GatewayError(code, message, { upstream, cause: thrown, outcome: "made" });
  }
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (thrown) {
    if (thrown instanceof GatewayError) return null;
    throw thrown;
  }
}

interface Back {
  readonly reason: string;
  readonly over: readonly string[];
  readonly differs: string | null;
  readonly hold: HeldEffects & z.infer<typeof ROLLED_BACK>;
}

function rolledBack({ answer, hide }: Exchanged, dry: boolean): Back | null {
  const json = hiddenIn(answer.json(), hide);
  if (dry) {
    const { data } = DRY.safeParse(json);
    return data ? { reason: "", over: [], differs: null, hold: data.hold } : null;
  }
  const { data } = REFUSED.safeParse(json);
  return data?.data ?? null;
}

/** What the tool itself answered counts as it would have without the hold, where that is why. */
function judged(
  { ref, sent, read }: Pick<Called, "ref"> & {
    readonly sent: Exchanged;
    readonly read: (reply: Reply) => UpstreamResult;
  },
  { reason, over, differs, hold }: Back,
): RolledBack {
  const { answer, id, outcome: _, why, ...held } = hold;
  const back = { kind: "rolled_back", reason, why, over, differs, id, held } as const;
  if (answer === null) return { ...back, result: null };
  const { hide } = sent;
  try {
    const inner = incomingOf(answer.status, answer.body, sent.answer);
    const out = { ...sent.out, effect: "read" } as const;
    return { ...back, result: read(replyOf({ ref, out, id: REQUEST_ID, hide }, inner)) };
  } catch (thrown) {
    if (!(thrown instanceof ToolServerError)) throw thrown;
    if (reason !== FAILED && reason !== "") return { ...back, result: null };
    const { message, upstream = answer.status, rpc, reason: word, excerpt } = thrown;
    throw new ToolServerError(message, upstream, rpc, word, { outcome: "none", excerpt });
  }
}

function incomingOf(status: number, body: unknown, { url }: Incoming): Incoming {
  const text = typeof body === "string" ? body : JSON.stringify(body) ?? "";
  const bytes = new TextEncoder().encode(text);
  const json = () => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  };
  const headers = new Headers({ "content-type": "application/json" });
  return { status, url, headers, bytes, text: () => text, json };
}

/** The code for a method that a server does not know, as one without the plugin does not know HELD_METHOD. */
const UNKNOWN_METHOD = -32601;

/** A site that lost its plugin runs nothing. Throws NotHeld. */
function refuseUnknown(sent: Exchanged): void {
  try {
    sent.reply();
  } catch (thrown) {
    if (!(thrown instanceof ToolServerError) || thrown.rpc !== UNKNOWN_METHOD) return;
    const message =
      "The site does not hold what its own tools write any more, so nothing was run: call again";
    throw new NotHeld(message, "site_ops_hold_unsupported", sent.answer.status, {});
  }
}

function refuseUnrun({ answer, hide }: Exchanged): void {
  const { data } = WORDS.safeParse(answer.json());
  if (data === undefined || answer.status < 400 || !NOT_RUN.test(data.code)) return;
  throw new NotHeld(`The site's companion plugin did not run it (${data.code})`, data.code, answer.status, {
    ...askedWait(answer),
    excerpt: oneLine(hide(data.message), WHY_CHARACTERS),
  });
}
