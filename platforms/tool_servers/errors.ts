/** What is said where a tool server did not answer as it should: one sentence with the next step; what it said stands beside. */
import { GatewayError, type GatewayErrorOptions } from "../../core/errors.ts";
import { askedWait, whenAgain } from "../_http/answer.ts";
import { excerptOf } from "../_content/excerpt.ts";
import { leavesDoubt } from "../_http/failures.ts";
import type { Incoming, Outgoing } from "../_http/request.ts";
import { BAD_PASSWORD, signInWayOut } from "../wordpress/errors.ts";
import type { ServerRef } from "./types.ts";

/** A status given for an answer of 200 that cannot be used. */
const UNREADABLE = 502;
/** Codes of JSON-RPC, and the adapter's for an unknown tool, that are given before anything is run. */
const NOT_RUN: ReadonlySet<number> = new Set([-32700, -32600, -32601, -32602, -32003]);
/** The adapter's codes for a method and for a tool that are not there. */
const NOT_THERE: ReadonlySet<number> = new Set([-32601, -32003]);
/** Codes that a server without our session answers a request with that names none. */
const NO_SESSION: ReadonlySet<number> = new Set([-32600, -32000]);

/** E_UPSTREAM of a tool server. */
export class ToolServerError extends GatewayError {
  constructor(
    message: string,
    status: number,
    /** The code of the protocol that it was refused with; null where there was none. */
    readonly rpc: number | null,
    /** The content platform's own word for the refusal, such as `rest_no_route`; empty where there was none. */
    readonly reason: string,
    known: Pick<GatewayErrorOptions, "outcome" | "inDoubt" | "retryAfter" | "excerpt"> = {},
  ) {
    super("E_UPSTREAM", message, { upstream: status, ...known });
  }

  /** Whether the server has no tool of that name, or no longer. */
  get isGone(): boolean {
    return this.rpc === -32003 || (this.rpc === -32602 && /not found|unknown tool/i.test(this.excerpt ?? ""));
  }

  /** Whether there is no such server at all: nothing at its address speaks the protocol. */
  get isAbsent(): boolean {
    return this.reason === "rest_no_route" || (this.upstream === 404 && this.rpc === null) ||
      (this.upstream === 405 && this.rpc === null);
  }

  /** Whether the site itself says that it has no such address, so that no other one need be tried. */
  get isRouteless(): boolean {
    return this.reason !== "";
  }

  /** Whether a request that named that session, or none, was refused for it: nothing was run. */
  lostSession(session: string | null): boolean {
    if (this.upstream === 400) return session === null && this.rpc !== null && NO_SESSION.has(this.rpc);
    return this.upstream === 404 && session !== null && this.reason === "" &&
      (this.rpc === null || !NOT_THERE.has(this.rpc));
  }
}

const nameOf = ({ source, server }: ServerRef) =>
  source === "crm" ? "The CRM's tool server" : `The site's tool server "${server}"`;

/** What a server says may hold what signed the request, where it shows requests in its errors. */
const saidOf = (text: string) => excerptOf(text.replace(/\b(Basic|Bearer)\s+[^\s"'<]+/gi, "$1 [redacted]"));

/** What to do next; of a failure in doubt its message ends with that. */
const suffix = (unknown: boolean, next: string) => unknown ? "" : `; ${next}`;

/** A refusal in the words of the protocol, or of the content platform, as far as a body holds one. */
interface Words {
  readonly rpc: number | null;
  readonly reason: string;
  readonly message: string;
}

function wordsOf(json: unknown): Words | null {
  if (typeof json !== "object" || json === null) return null;
  const { error, code, message } = json as Record<string, unknown>;
  if (typeof error === "object" && error !== null && "code" in error && typeof error.code === "number") {
    const text = "message" in error && typeof error.message === "string" ? error.message : "";
    return { rpc: error.code, reason: "", message: text };
  }
  if (typeof code !== "string" || typeof message !== "string") return null;
  return { rpc: null, reason: code.slice(0, 80), message };
}

/** Whether a body is a refusal in a tool server's own words. */
export const isRefusal = (json: unknown): boolean => wordsOf(json) !== null;

/** The error of an answer that is no success. */
export function refused(ref: ServerRef, out: Outgoing, answer: Incoming): ToolServerError {
  const { status } = answer;
  const words = wordsOf(answer.json());
  const unknown = leavesDoubt(out, answer);
  const code = words === null || words.rpc === null ? "" : ` ${words.rpc}`;
  const message = `${nameOf(ref)} answered ${status}${code}${suffix(unknown, nextStep(ref, answer, words))}`;
  const outcome = out.effect === "write" ? unknown ? "unknown" : "none" : undefined;
  const parts = [words?.reason ?? "", words?.message ?? answer.text()].filter((one) => one !== "");
  const known = {
    outcome,
    inDoubt: unknown,
    ...(unknown ? {} : askedWait(answer)),
    ...saidOf(parts.join(": ")),
  } as const;
  return new ToolServerError(message, status, words?.rpc ?? null, words?.reason ?? "", known);
}

const FOREIGN =
  "this is no answer of the server itself: a firewall, a proxy or a fault of the site came between";

function nextStep(ref: ServerRef, answer: Incoming, words: Words | null): string {
  const { status } = answer;
  const crm = ref.source === "crm";
  if (status === 401) {
    if (crm) return "check that the site's integration token is valid";
    return words !== null && words.rpc !== null ? BAD_PASSWORD : signInWayOut(words?.reason);
  }
  if (status === 429) return `it is asked too often: try again ${whenAgain(answer, "in a minute")}`;
  if (status === 503) return `it does not serve just now: try again ${whenAgain(answer, "in a minute")}`;
  const isForeign = words === null && answer.json() === undefined;
  if (isForeign && (status === 403 || status >= 500)) return FOREIGN;
  if (status === 403) {
    return crm
      ? "check the permissions of the integration token"
      : "give the site's account a role that may do it";
  }
  if (words?.rpc === -32003) return "the site no longer has that tool: list the tools again";
  if (status === 404 || status === 405) {
    return crm ? "check CRM_MCP_URL" : "see that the plugin that brings it is active on the site";
  }
  return status >= 500 ? "look at the site's error log" : "check the arguments";
}

/** The error of a success whose body is an error of the protocol. */
export function failed(
  ref: ServerRef,
  out: Outgoing,
  status: number,
  error: { readonly code?: unknown; readonly message?: unknown },
): ToolServerError {
  const rpc = typeof error.code === "number" ? error.code : null;
  const unknown = out.effect === "write" && (rpc === null || !NOT_RUN.has(rpc));
  const message = `${nameOf(ref)} answered ${rpc === null ? "an error without a code" : `error ${rpc}`}${
    suffix(unknown, "check the tool's name and its arguments")
  }`;
  const outcome = out.effect === "write" ? unknown ? "unknown" : "none" : undefined;
  return new ToolServerError(message, status >= 400 ? status : UNREADABLE, rpc, "", {
    ...{ outcome, inDoubt: unknown },
    ...saidOf(typeof error.message === "string" ? error.message : ""),
  });
}

/** The error of a success that cannot be read. */
export function unreadable(ref: ServerRef, out: Outgoing, why: string, text?: string): ToolServerError {
  const written = out.effect === "write";
  const empty = text !== undefined && text.trim() === "" ? ", its body is empty" : "";
  const message = `${nameOf(ref)} answered what cannot be read: ${why}${empty}${
    suffix(written, "a plugin or a proxy may have changed the answer")
  }`;
  return new ToolServerError(message, UNREADABLE, null, "", {
    ...written ? { outcome: "unknown", inDoubt: true } : {},
    ...saidOf(text ?? ""),
  });
}
