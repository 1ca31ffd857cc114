/** Finds the one message that was waited for in an event stream, piece by piece. */
import { createParser } from "eventsource-parser";
import { TextPieces } from "../../core/bytes.ts";
import type { Reducer } from "../_http/request.ts";

/** What else a server sends while it works, such as how far it is: with more of it an answer is not waited for. */
export const OTHERS_MAX = 10_000;

/** Reads events until a message is one that is wanted; notifications and requests of the server are passed over. */
export class EventReader<Message = unknown> implements Reducer {
  /** The message; undefined where the stream ended without it. */
  message: Message | undefined;
  /** How much was read. */
  bytes = 0;
  readonly #text = new TextPieces();
  readonly #parser;
  #others = 0;

  /** `read` makes a message of an event's text: undefined where that is none. */
  constructor(wanted: (message: Message) => boolean, read: (text: string) => Message | undefined) {
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        if (this.message !== undefined || this.isFlood) return;
        const isMessage = (event ?? "message") === "message" && data !== "";
        const message = isMessage ? read(data) : undefined;
        if (message !== undefined && wanted(message)) this.message = message;
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

/** JSON as a value; undefined where it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
