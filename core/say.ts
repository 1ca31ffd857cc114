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

/** One line of JSON on standard error: without what looks like a credential, and without signs that nobody sees. */
export function logLine(event: Record<string, unknown>): void {
  say(Deno.stderr, lineOf({ at: new Date().toISOString(), ...event }));
}

/** That line. */
export const lineOf = (event: Record<string, unknown>): string =>
  JSON.stringify(event, (_, value) => typeof value === "string" ? shownText(value) : value);
