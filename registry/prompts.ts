/** What MCP clients offer a person to begin with: the jobs of `manifests/prompts.yaml`, and their words for what was given. */
import { z } from "zod";
import { onDemand } from "../core/async.ts";
import { clipped } from "../core/errors.ts";
import { closed, hint } from "../core/fields.ts";
import { cleaned } from "../core/one_line.ts";
import { parseYaml } from "./documents.ts";
import { RegistryError } from "./files.ts";

const FILE = new URL("../manifests/prompts.yaml", import.meta.url);
/** What one argument may hold, characters. */
const GIVEN_MAX = 500;

const sentence = z.string().min(1);
const argumentSchema = closed({
  name: sentence,
  description: sentence,
  required: z.literal(true).optional(),
  /** What stands in the text where it was not given. */
  default: sentence.optional(),
});
const promptSchema = closed({
  name: sentence,
  title: sentence,
  description: sentence,
  /** Who may not call all of these is not offered it. */
  tools: z.array(sentence).min(1),
  arguments: z.array(argumentSchema),
  text: sentence,
});

/** A job in words. */
export type Prompt = z.output<typeof promptSchema>;

/** All of them, read when the first is asked for. Throws RegistryError where the file is not as it must be. */
export const prompts: () => Promise<readonly Prompt[]> = onDemand(async () => {
  const read = z.array(promptSchema).safeParse(await parseYaml(await Deno.readTextFile(FILE)));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) =>
    `manifests/prompts.yaml: ${path.join(".")}: ${message}`
  );
  throw new RegistryError("prompts", faults);
});

/**
 * The prompt's words for those arguments; or, in a sentence, what is wrong with them. Each must be a text of at most 500
 * characters, and stands there on one line, in quotes where it is words: it can be the title of a page, which adds no step.
 */
export function wordsOf(
  { arguments: known, text }: Prompt,
  given: Readonly<Record<string, unknown>>,
): { readonly text: string } | { readonly wrong: string } {
  const names = known.map(({ name }) => name);
  const stranger = Object.keys(given).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    return { wrong: `arguments.${clipped(stranger)}: is unknown, ${hint(stranger, names)}` };
  }
  const said = new Map<string, string>();
  for (const { name, required, default: otherwise = "" } of known) {
    const value = given[name] ?? "";
    if (typeof value !== "string" || value.length > GIVEN_MAX) {
      return { wrong: `arguments.${name}: send a text of at most ${GIVEN_MAX} characters` };
    }
    const line = cleaned(value);
    if (line === "" && required) return { wrong: `arguments.${name}: is required` };
    said.set(name, line === "" ? otherwise : asGiven(line));
  }
  return { text: text.split("{").map((part, at) => at === 0 ? part : placed(part, said)).join("") };
}

/** What ids, months and counts are made of: anything else can be words. */
const PLAIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";

/** A value among our own words: what may be words of somebody else, such as a page's title, stands in quotes. */
const asGiven = (line: string): string =>
  [...line].every((one) => PLAIN.includes(one)) ? line : JSON.stringify(line);

/** What follows a brace, with what was said for the name in it. */
function placed(part: string, said: ReadonlyMap<string, string>): string {
  const end = part.indexOf("}");
  const value = said.get(part.slice(0, end));
  return value === undefined ? `{${part}` : value + part.slice(end + 1);
}
