/** Finds the answer to tools/list in an event stream, taken apart while it comes: a large one holds up nobody. */
import { TextPieces } from "../../core/bytes.ts";
import type { Reducer } from "../_http/request.ts";
import { ListReader, type ListText } from "./list_text.ts";
import { OTHERS_MAX } from "./stream.ts";

/** No name of a field and no kind of event that is looked at is longer. */
const NAME_CHARACTERS_MAX = 64;

/** Reads events as EventReader does, each line as it comes and never one whole. */
export class ListEvents implements Reducer {
  /** The message; undefined where the stream ended without it. */
  message: ListText | undefined;
  /** How much was read. */
  bytes = 0;
  readonly #text = new TextPieces();
  readonly #wanted: (message: ListText) => boolean;
  #others = 0;
  /** What was read of a line: the name of its field, then its value. */
  #name = "";
  #part: "name" | "blank" | "value" = "name";
  /** What was read of an event: its kind and its data, null without any. */
  #kind = "";
  #data: ListReader | null = null;
  #hasData = false;
  /** A line has ended with a carriage return, of which a line feed may be the rest. */
  #isReturned = false;

  constructor(wanted: (message: ListText) => boolean) {
    this.#wanted = wanted;
  }

  /** Whether more else came than is waited through. */
  get isFlood(): boolean {
    return this.#others > OTHERS_MAX;
  }

  get #isOver(): boolean {
    return this.message !== undefined || this.isFlood;
  }

  /** True once nothing more is needed: the message is there, or too much else. */
  add(chunk: Uint8Array): boolean {
    this.bytes += chunk.byteLength;
    const text = this.#text.add(chunk);
    const [feeds, returns] = [finder(text, "\n"), finder(text, "\r")];
    for (let from = 0; from < text.length && !this.#isOver;) {
      const wasReturned = this.#isReturned;
      this.#isReturned = false;
      if (wasReturned && text[from] === "\n") {
        from++;
        continue;
      }
      const end = Math.min(feeds(from), returns(from));
      this.#read(text.slice(from, end));
      if (end < text.length) this.#endLine();
      this.#isReturned = text[end] === "\r";
      from = end + 1;
    }
    return this.#isOver;
  }

  /** None: what was waited for is `message`. */
  kept(): Uint8Array<ArrayBuffer> {
    return new Uint8Array();
  }

  /** The next piece of a line. */
  #read(piece: string): void {
    let value = piece;
    if (this.#part === "name") {
      const colon = piece.indexOf(":");
      const name = colon < 0 ? piece : piece.slice(0, colon);
      this.#name = (this.#name + name).slice(0, NAME_CHARACTERS_MAX);
      if (colon < 0) return;
      value = piece.slice(colon + 1);
      this.#begin();
    }
    if (value === "") return;
    if (this.#part === "blank" && value.startsWith(" ")) value = value.slice(1);
    this.#part = "value";
    if (this.#name === "data" && value !== "") {
      this.#data?.add(value);
      this.#hasData = true;
    } else if (this.#name === "event") {
      this.#kind = (this.#kind + value).slice(0, NAME_CHARACTERS_MAX);
    }
  }

  /** The name of a field is there whole. */
  #begin(): void {
    this.#part = "blank";
    if (this.#name === "event") this.#kind = "";
    if (this.#name !== "data") return;
    if (this.#data === null) {
      this.#data = new ListReader();
    } else {
      this.#data.add("\n");
      this.#hasData = true;
    }
  }

  #endLine(): void {
    if (this.#part === "name" && this.#name === "") this.#endEvent();
    else if (this.#part === "name") this.#begin();
    [this.#part, this.#name] = ["name", ""];
  }

  #endEvent(): void {
    const [data, kind] = [this.#data, this.#kind];
    const isMessage = (kind === "" || kind === "message") && this.#hasData;
    [this.#data, this.#hasData, this.#kind] = [null, false, ""];
    if (data === null) return;
    const message = isMessage ? data.end() : undefined;
    if (message !== undefined && this.#wanted(message)) this.message = message;
    else this.#others++;
  }
}

/** Where a sign stands from there on, the end of the text where it does not; asked in ascending order. */
function finder(text: string, sign: string): (from: number) => number {
  let at = -1;
  return (from) => {
    if (at < from) at = text.indexOf(sign, from);
    if (at < 0) at = text.length;
    return at;
  };
}
