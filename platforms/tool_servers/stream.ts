/** Reads messages of a tool server: one alone, and the one that is waited for in an event stream. */
import { createParser } from "eventsource-parser";
import { TextPieces } from "../../core/bytes.ts";
import { textExcess } from "../../core/json_extent.ts";
import { LIMITS } from "../../core/model.ts";
import type { Reducer } from "../_http/request.ts";

/** What else a server sends while it works, such as how far it is: with more of it an answer is not waited for. */
const OTHERS_MAX = 10_000;
const BUDGET = { nodes: LIMITS.TOOL_ANSWER_NODES, depth: LIMITS.NESTING_LEVELS } as const;
const TOO_MUCH = {
  nodes: `it holds more than ${BUDGET.nodes} values`,
  depth: `it is nested deeper than ${BUDGET.depth} levels`,
} as const;

/** A text of a server. */
export interface Message {
  /** Undefined where it is no JSON, or holds more than is read. */
  readonly value: unknown;
  /** What it holds too much of. */
  readonly fault?: string;
}

/** A text as the message it is. */
export function messageOf(text: string): Message {
  const excess = textExcess(text, BUDGET);
  if (excess !== null) return { value: undefined, fault: TOO_MUCH[excess] };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { value: undefined };
  }
}

/**
 * Reads events until a message is one that is wanted, or holds too much; notifications and requests of the server are
 * passed over.
 */
export class EventReader implements Reducer {
  /** The message; undefined where the stream ended without it. */
  message: Message | undefined;
  /** How much was read. */
  bytes = 0;
  readonly #text = new TextPieces();
  readonly #parser;
  #others = 0;

  constructor(wanted: (value: unknown) => boolean) {
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        if (this.message !== undefined || this.isFlood) return;
        const message = (event ?? "message") === "message" && data !== "" ? messageOf(data) : null;
        if (message && (message.fault !== undefined || wanted(message.value))) this.message = message;
        else this.#others++;
      },
    });
  }

  /** Whether more else came than is waited through. */
  get isFlood(): boolean {
    return this.#others > OTHERS_MAX;
  }

  /** True once nothing more is needed: the message is there, or too much else. */
  add(chunk: Uint8Array): boolean {
    this.bytes += chunk.byteLength;
    this.#parser.feed(this.#text.add(chunk));
    return this.message !== undefined || this.isFlood;
  }

  /** None: what was waited for is `message`. */
  kept(): Uint8Array<ArrayBuffer> {
    return new Uint8Array();
  }
}
