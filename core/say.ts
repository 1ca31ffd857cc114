/** Words for whoever runs the process: where they cannot be written, the process goes on without having said them. */

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

/** One line of JSON on standard error. */
export function logLine(event: Record<string, unknown>): void {
  say(Deno.stderr, JSON.stringify({ at: new Date().toISOString(), ...event }));
}
