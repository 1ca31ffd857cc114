/** A secret from standard input: piped in to its end, or a line that a person types and nobody sees. */

import { CommandError } from "./terminal.ts";

/** What is read of standard input, as Deno.stdin has it. */
export interface Keys {
  isTerminal(): boolean;
  setRaw(on: boolean): void;
  readonly readable: AsyncIterable<Uint8Array>;
}

// deno-lint-ignore no-control-regex -- the keys Enter and Ctrl-D
const END = /[\r\n\x04]/;
const ERASE = /[^\x7f\b][\x7f\b]/u;

/**
 * Reads it; `prompt` is shown to a person. What is typed is not shown, and the terminal is left as it was. Throws a
 * CommandError at Ctrl-C.
 */
export async function readSecret(keys: Keys, prompt: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  if (!keys.isTerminal()) {
    for await (const part of keys.readable) text += decoder.decode(part, { stream: true });
    return text;
  }
  prompt("Enter the secret (it is not shown): ");
  keys.setRaw(true);
  try {
    for await (const part of keys.readable) {
      text += decoder.decode(part, { stream: true });
      // Not by a signal: whoever ends by one leaves a terminal that shows nothing more.
      if (text.includes("\x03")) throw new CommandError("Nothing was read");
      if (END.test(text)) break;
    }
  } finally {
    keys.setRaw(false);
    prompt("\n");
  }
  return erased(text.split(END, 1)[0]!);
}

/** The line without what was taken back. */
function erased(line: string): string {
  let text = line;
  while (ERASE.test(text)) text = text.replace(ERASE, "");
  return text.replace(/[\x7f\b]/g, "");
}
