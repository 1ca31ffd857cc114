/** Judges how a regular expression grows with its text: by its automaton, else by trying. */
import recheck from "npm:recheck@4.5.0/lib/browser.js";

/** `linear`, or what it is instead. A pattern that is tried at one place is judged as if it were tried at each. */
export function judged(source: string, flags: string): string {
  const { status, complexity } = recheck.checkSync(source, flags.replace("y", ""), { timeout: 30_000 });
  return status === "safe" ? "linear" : complexity?.summary ?? status;
}
