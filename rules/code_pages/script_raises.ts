/** What script among a call's arguments makes of the call: tier 2, with a sentence on what runs where. */
import { hash } from "node:crypto";
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
    const isPart = parts.includes(name.split(".", 1)[0]!);
    const found = judgedOnce(text, isPart, isPart ? scriptsInPart : scriptsIn);
    return found.length === 0 ? [] : [{
      tier: 2,
      because: `${name.slice(0, 80)} holds ${found.join(", ")}: script that runs ${where}`,
    }];
  });
}

/** Texts from here on are judged once, as long as so many others do not come between: a page is planned each time it is looked at. */
const LONG_CHARACTERS = 16_384;
const JUDGED_MAX = 100;
const judged = new Map<string, readonly string[]>();

function judgedOnce(
  text: string,
  isPart: boolean,
  judge: (text: string) => readonly string[],
): readonly string[] {
  if (text.length < LONG_CHARACTERS) return judge(text);
  const name = `${isPart} ${hash("sha256", text)}`;
  const found = judged.get(name) ?? judge(text);
  judged.delete(name);
  judged.set(name, found);
  if (judged.size > JUDGED_MAX) judged.delete(judged.keys().next().value!);
  return found;
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
