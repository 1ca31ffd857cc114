/** What writes a call has sent, how each ended, and what that says of the change. */
import type { GatewayError } from "../../core/errors.ts";
import { LIMITS, type Outcome } from "../../core/model.ts";
import type { Ending, Incoming, Outgoing } from "../../platforms/_http/request.ts";
import { redactText } from "../audit/redact.ts";

const NAME_CHARACTERS = 160;

/** A write that was sent, or is on its way. */
interface Write {
  readonly out: Outgoing;
  /** Until it has ended it may be carried out. */
  ending: Ending;
  answer: Incoming | null;
}

/** The writes of one call, in the order they were sent; requests that only read do not count. */
export class Writes {
  readonly #sent: Write[] = [];

  /** Notes that a write is about to be sent; what is answered takes its ending. */
  begin(out: Outgoing): (ending: Ending, answer: Incoming | null) => void {
    const write: Write = { out, ending: "in_doubt", answer: null };
    this.#sent.push(write);
    return (ending, answer) => {
      write.ending = ending;
      write.answer = answer;
    };
  }

  /** Whether it is one that was sent. */
  get isOne(): boolean {
    return this.#sent.length === 1;
  }

  /** Whether one of them was, or may have been, carried out. */
  get any(): boolean {
    return this.#sent.some(({ ending }) => ending === "carried_out" || ending === "in_doubt");
  }

  /**
   * What a call that failed with that did. Whoever threw may know better than the requests tell. Where a write was
   * refused after others were carried out, or only what prepares the change was done, a part of the change may be there: unknown.
   */
  outcomeOf({ code, outcome }: Pick<GatewayError, "code" | "outcome">): Outcome {
    if (outcome !== undefined) return outcome;
    if (!this.any) return "none";
    const last = this.#sent.at(-1);
    const whole = this.#sent.every(({ ending }) => ending !== "in_doubt") &&
      last?.ending === "carried_out" && !last.out.part && code !== "E_TOOL_ERROR";
    return whole ? "made" : "unknown";
  }

  /** The writes that were carried out, a few words each: `POST /wp/v2/tags (17)`. */
  get carriedOut(): string[] {
    return this.#sent.filter(({ ending }) => ending === "carried_out").slice(0, LIMITS.WRITES_NAMED_MAX)
      .map(nameOf);
  }
}

/** Method, path (never the query, which may hold a secret) and the id the answer gives; that of JSON-RPC is the request's. */
function nameOf({ out, answer }: Write): string {
  const what = out.what ?? URL.parse(out.url)?.pathname ?? "";
  const { id, jsonrpc } = (answer?.json() ?? {}) as { id?: unknown; jsonrpc?: unknown };
  const isId = jsonrpc === undefined && (typeof id === "number" || typeof id === "string");
  const shown = isId ? ` (${id})` : "";
  return redactText(`${out.method} ${what}${shown}`.slice(0, NAME_CHARACTERS));
}
