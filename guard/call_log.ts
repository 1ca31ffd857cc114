/** One line of JSON for each call, where the operator wants them: who called what, and what came of it; nothing of what was sent. */
import type { CallEnd } from "./figures.ts";

/** Where lines go, such as Deno.stdout. */
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

  constructor(private readonly stream: LineStream) {}

  /** Hands in a line; one that has no room is left out and counted. */
  add(line: string): void {
    if (this.#dropped > 0 && this.#bytes === 0) {
      this.#put(JSON.stringify({ event: "call_log_lines_left_out", lines: this.#dropped }));
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

/** The line of a call. */
export function callLine(
  { requestId, at, door, tool, site, token, failure, result, seconds }: CallEnd,
): string {
  return JSON.stringify({
    at: new Date(at).toISOString(),
    event: "call",
    request_id: requestId,
    door,
    tool: tool ?? "unknown",
    site_id: site,
    token_id: token.id,
    token_name: token.name,
    client_id: token.client_id, // left out where there is none
    status: failure === null ? result : failure.audit ?? "error",
    code: failure?.code ?? null,
    ms: Math.round(seconds * 10_000) / 10,
  });
}
