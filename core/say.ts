/** Words for whoever runs the process: where they cannot be written, the process goes on without having said them. */
import { shownText } from "./unseen.ts";

/** Where they go, such as Deno.stderr. */
export interface Stream {
  writeSync(bytes: Uint8Array): number;
}

/** One line. A full disk or a reader that is gone ends nothing that is at work. */
export function say(stream: Stream, line: string): void {
  try {
    stream.writeSync(new TextEncoder().encode(`${line}\n`));
  } catch {
    // There is no other place to say it.
  }
}

/** Where lines go that wait for their reader, such as Deno.stdout. */
export interface LineStream {
  write(bytes: Uint8Array): Promise<number>;
}

/** Of lines that nobody reads so much is kept: a reader that hangs stops no call, and fills no memory. */
const WAITING_BYTES_MAX = 1024 * 1024;

/** Writes lines behind those who hand them in, as many at once as have gathered. */
export class Lines {
  #waiting: Uint8Array[] = [];
  #bytes = 0;
  #dropped = 0;
  #writing: Promise<void> | null = null;

  /** `leftOut` is the event of the line that says how many had no room. */
  constructor(private readonly stream: LineStream, private readonly leftOut: string) {}

  /** Hands in a line; one that has no room is left out and counted. */
  add(line: string): void {
    if (this.#dropped > 0 && this.#bytes === 0) {
      this.#put(JSON.stringify({ event: this.leftOut, lines: this.#dropped }));
      this.#dropped = 0;
    }
    if (this.#bytes >= WAITING_BYTES_MAX) this.#dropped++;
    else this.#put(line);
    this.#writing ??= this.#write().finally(() => this.#writing = null);
  }

  /** Resolves once what was handed in is written, or cannot be. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  #put(line: string): void {
    const bytes = new TextEncoder().encode(`${line}\n`);
    this.#waiting.push(bytes);
    this.#bytes += bytes.length;
  }

  async #write(): Promise<void> {
    await Promise.resolve(); // what is handed in in the same turn comes along
    while (this.#waiting.length > 0) {
      const all = new Uint8Array(await new Blob(this.#waiting.splice(0) as BlobPart[]).arrayBuffer());
      try {
        for (let at = 0; at < all.length;) at += await this.stream.write(all.subarray(at));
      } catch {
        // A reader that is gone ends nothing; there is no other place to say it.
      }
      this.#bytes = this.#waiting.reduce((sum, { length }) => sum + length, 0);
    }
  }
}

/** The log: whoever reads it and hangs must not stop the process, as a terminal does at Ctrl-S. */
const LOG = new Lines(Deno.stderr, "log_lines_left_out");

/** One line of JSON on standard error: without what looks like a credential, and without signs that nobody sees. */
export function logLine(event: Record<string, unknown>): void {
  LOG.add(lineOf({ at: new Date().toISOString(), ...event }));
}

/** One line of text on standard error, behind those that wait. */
export function logText(text: string): void {
  LOG.add(text);
}

/** Resolves once the log is written, which is never where its reader hangs. */
export const logged = (): Promise<void> => LOG.flush();

/** That line. */
export const lineOf = (event: Record<string, unknown>): string =>
  JSON.stringify(event, (_, value) => typeof value === "string" ? shownText(value) : value);
