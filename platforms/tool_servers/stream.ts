/** Finds the one message that was waited for in an event stream, piece by piece. */
import { createParser } from "eventsource-parser";
import type { Reducer } from "../request.ts";

/** Reads events until a message is one that `wanted` takes; notifications and requests of the server are passed over. */
export class EventReader implements Reducer {
  /** The message; undefined where the stream ended without it. */
  message: unknown;
  /** How much was read. */
  bytes = 0;
  readonly #text = new TextDecoder();
  readonly #parser;

  constructor(wanted: (message: unknown) => boolean) {
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        if (this.message !== undefined || (event !== undefined && event !== "message")) return;
        const message = parsed(data);
        if (wanted(message)) this.message = message;
      },
    });
  }

  /** True once the message is there. */
  add(chunk: Uint8Array): boolean {
    this.bytes += chunk.byteLength;
    this.#parser.feed(this.#text.decode(chunk, { stream: true }));
    return this.message !== undefined;
  }

  /** None: what was waited for is `message`. */
  kept(): Uint8Array<ArrayBuffer> {
    return new Uint8Array();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
