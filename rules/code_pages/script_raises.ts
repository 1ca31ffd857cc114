/** What script among a call's arguments makes of the call: tier 2, with a sentence on what runs where. */
import type { Tier } from "../../core/model.ts";

/** A raise, as handlers answer it. */
export interface ScriptRaise {
  readonly tier: Tier;
  readonly because: string;
}

/** Texts without one of these hold neither tags nor addresses that run anything. */
const WORTH_A_LOOK = /[<&]|script\s*:|data\s*:|["']/i;

/**
 * A raise for each text among the arguments that holds script, at whatever depth; the texts below a name of `parts` are
 * put into a template. `where` says in whose browser it runs. The parser is loaded when first needed.
 */
export async function scriptRaises(
  args: object,
  where: string,
  parts: readonly string[] = [],
): Promise<ScriptRaise[]> {
  const texts = Object.entries(args).flatMap(([name, value]) => textsIn(name, value))
    .filter(({ text }) => WORTH_A_LOOK.test(text));
  if (texts.length === 0) return [];
  const { scriptsIn, scriptsInPart } = await import("./script.ts");
  return texts.flatMap(({ name, text }) => {
    const found = parts.includes(name.split(".", 1)[0]!) ? scriptsInPart(text) : scriptsIn(text);
    return found.length === 0 ? [] : [{
      tier: 2,
      because: `${name.slice(0, 80)} holds ${found.join(", ")}: script that runs ${where}`,
    }];
  });
}

/** Raises for script that a new text holds and the old one does not, where no replacement alone shows it. */
export async function newScript(
  old: string,
  text: string | undefined,
  where: string,
): Promise<ScriptRaise[]> {
  if (text === undefined) return [];
  const before = await scriptRaises({ content_html: old }, where);
  const made = await scriptRaises({ content_html: text }, where);
  return made.filter(({ because }) => !before.some((one) => one.because === because));
}

/** Script of its own, which needs no look; a blank one runs nothing. */
export function ownScript(name: string, js: string | undefined, where: string): ScriptRaise[] {
  return js === undefined || js.trim() === ""
    ? []
    : [{ tier: 2, because: `${name} is script that runs ${where}` }];
}

function textsIn(name: string, value: unknown): { name: string; text: string }[] {
  if (typeof value === "string") return [{ name, text: value }];
  if (typeof value !== "object" || value === null) return [];
  const at = (key: string) => Array.isArray(value) ? `${name}[${key}]` : `${name}.${key}`;
  return Object.entries(value).flatMap(([key, inner]) => textsIn(at(key), inner));
}
