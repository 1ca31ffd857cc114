/** What a refusal of the topic-planning service is turned into: the gateway's code, and one sentence with the way out. */
import { z } from "zod";
import { type Code, GatewayError } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerptOf } from "../_content/excerpt.ts";
import { leavesDoubt } from "../_http/failures.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";

const REFUSAL = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    fields: z.array(z.object({ path: z.string(), message: z.string() })).optional().catch(undefined),
    current_status: z.string().optional().catch(undefined),
  }),
});
type Refusal = z.infer<typeof REFUSAL>["error"];

const SERVICE = "The topic-planning service";
const FIELDS_MAX = 5;

/** Codes of the service that are not E_UPSTREAM here. */
const CODES: Readonly<Record<string, Code>> = {
  invalid_request: "E_BAD_INPUT",
  validation_failed: "E_BAD_INPUT",
  not_found: "E_NOT_FOUND",
  invalid_state: "E_BAD_INPUT",
  brief_not_approved: "E_BAD_INPUT",
  output_not_ready: "E_BAD_INPUT",
  idempotency_conflict: "E_INTERNAL",
  payload_too_large: "E_PAYLOAD_TOO_LARGE",
};

/** What a refusal means, by the service's own code. */
const WHY: Readonly<Record<string, string>> = {
  invalid_state: "the thing is in a state that does not allow this; read it to see which",
  brief_not_approved: "the brief is not approved yet",
  output_not_ready: "the output is not ready yet; ask again later",
  payload_too_large: "what was sent is too large; send less",
};
/** The name of a field, as the contract spells them. */
const FIELD = /^[a-z_]{1,40}(?:\[\d{1,4}\]|\.[a-z_]{1,40}){0,3}$/;

/** What to do about a refusal by its status. */
const WAYS: Readonly<Record<number, string>> = {
  401: "the bot credential was rejected: the gateway's operator sets a valid TOPICMAP_BOT_TOKEN",
  402: "no credits are left there: the gateway's operator tops them up",
  403: "the bot is no member of the site's workspace, or may not write there: add it in the application",
  404: "check TOPICMAP_BASE_URL: nothing there speaks the contract of the topic-planning pipeline",
  429: "it limits how much is asked of it: ask less often",
};

/** The error of an answer that is no success; what it says is shown without the secrets. */
export function refusal(answer: Incoming, out: Outgoing, secrets: readonly string[]): GatewayError {
  const { status } = answer;
  const told = REFUSAL.safeParse(answer.json()).data?.error;
  const code = status < 500 && told ? CODES[told.code] : undefined;
  if (told && code) {
    const said = code === "E_INTERNAL" ? {} : excerptOf(wordsOf(told), secrets);
    return new GatewayError(code, sentence(told, code), { upstream: status, ...said });
  }
  const inDoubt = leavesDoubt(out, answer);
  return new GatewayError(
    "E_UPSTREAM",
    `${SERVICE} answered ${status}${inDoubt ? "" : `; ${wayOut(answer)}`}`,
    {
      ...{ upstream: status, inDoubt },
      ...excerptOf(told ? wordsOf(told) : answer.text(), secrets),
      ...askedWait(answer),
    },
  );
}

/** Whether an answer's body is a refusal as the service words it. */
export const isRefusal = (json: unknown): boolean => REFUSAL.safeParse(json).success;

function wayOut(answer: Incoming): string {
  const { status } = answer;
  const way = WAYS[status];
  if (way !== undefined) {
    const asks = askedWait(answer).retryAfter !== undefined;
    return asks ? `${way}, and try again ${whenAgain(answer, "later")}` : way;
  }
  return status >= 500 ? `try again ${whenAgain(answer, "later")}` : "change what was asked for";
}

/** What it said, for those who read it: its code, its message, and of each field what was wrong with it. */
function wordsOf({ code, message, fields = [], current_status: state }: Refusal): string {
  const named = fields.slice(0, FIELDS_MAX).map((one) => `${one.path}: ${one.message}`);
  const now = state === undefined ? [] : [`it is ${state} now`];
  return [`${code}: ${message}`, ...named, ...now].join("; ");
}

/** What was wrong in the gateway's words; of a field its name, where it is one of the contract's. */
function sentence({ fields = [], code: reason }: Refusal, code: Code): string {
  if (code === "E_INTERNAL") return "The topic-planning service knows the call's key from another call";
  const named = fields.slice(0, FIELDS_MAX).map(({ path }) => path).filter((path) => FIELD.test(path));
  if (named.length > 0) return `${named.join(", ")}: ${SERVICE.toLowerCase()} refused the value`;
  if (code === "E_NOT_FOUND") {
    return `${SERVICE} has no such thing; the topicmap_list_ tools have the ids there are`;
  }
  return `${SERVICE} refused: ${WHY[reason] ?? "change what was sent"}`;
}

/** A success whose body is not what the contract says; `what` names the first fault. */
export function unreadable(out: Outgoing, what: string): GatewayError {
  const wrote = out.effect === "write";
  const way = wrote ? "" : "; its adapter does not keep to the published contract";
  return new GatewayError("E_UPSTREAM", `${SERVICE} gave an answer that cannot be read: ${what}${way}`, {
    ...{ upstream: 502, inDoubt: wrote },
    ...(wrote ? { outcome: "unknown" } : {}),
  });
}
