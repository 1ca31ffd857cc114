/** What could stand for an argument that somebody is typing: sites, pages by their titles, and the values that a tool takes. */
import { clipped } from "../core/errors.ts";
import { oneLine } from "../core/one_line.ts";
import { isFields } from "../core/values.ts";
import type { ToolEntry } from "../registry/entry.ts";
import type { Prompt } from "../registry/prompts.ts";

/** The protocol's most: https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/completion */
export const COMPLETED = 100;

/** What is known, for who asks. */
export interface Completing {
  prompt(name: string): Promise<Prompt | undefined>;
  tool(name: string): ToolEntry | null;
  isTemplate(uri: string): boolean;
  sites(): Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** What `list_content` answers of that type with that text; an empty list where it may not be called. */
  titles(site_id: string, type: string, search: string): Promise<unknown>;
}

/** The answer to `completion/complete`, as the protocol has it. */
export interface Completed {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore: boolean;
}

/** Of a page's title, which its author chose: it stands in a prompt then. */
const TITLE_CHARACTERS = 120;

/** The arguments that name a post or a page, and the type that they name. */
const TITLED: Readonly<Record<string, string>> = { page_id: "page", post_id: "post" };

/**
 * What could stand there, of an argument of a prompt (`ref/prompt`), of an address (`ref/resource`), or of a tool
 * (`ref/tool`, which the protocol does not have yet); in a sentence what is wrong with the question.
 */
export async function completion(
  known: Completing,
  { ref, argument, context }: Readonly<Record<string, unknown>>,
): Promise<Completed | { readonly wrong: string }> {
  if (!isFields(ref)) return { wrong: "ref: send what the argument is of" };
  if (!isFields(argument) || typeof argument["name"] !== "string" || typeof argument["value"] !== "string") {
    return { wrong: "argument: send its name and its value so far, as texts" };
  }
  const { name, value } = argument as { name: string; value: string };
  const values = await valuesOf(known, ref, name);
  if ("wrong" in values) return values;
  if (values.listed !== null) return beginning(values.listed, value);
  if (name === "site_id") {
    const sites = await known.sites();
    const typed = value.toLowerCase();
    const found = sites.filter(({ id, name }) =>
      id.toLowerCase().includes(typed) || name.toLowerCase().includes(typed)
    );
    return cut(found.map(({ id }) => id));
  }
  const type = TITLED[name];
  const given = isFields(context) && isFields(context["arguments"]) ? context["arguments"] : {};
  const site = given["site_id"];
  if (type === undefined || typeof site !== "string" || site === "") return cut([]);
  const shown = (id: string, title: string) => values.isText && title !== "" ? `${id}: ${title}` : id;
  return cut(titlesOf(await known.titles(site, type, value)).map(({ id, title }) => shown(id, title)));
}

interface Values {
  /** The values that the argument takes; null where they are not listed. */
  readonly listed: readonly string[] | null;
  /** Whether it is words to an agent, in which a title can stand beside an id. */
  readonly isText: boolean;
}

async function valuesOf(
  known: Completing,
  ref: Readonly<Record<string, unknown>>,
  argument: string,
): Promise<Values | { readonly wrong: string }> {
  const { type, name, uri } = ref;
  if (type === "ref/prompt" && typeof name === "string") {
    const prompt = await known.prompt(name);
    if (prompt === undefined) {
      return { wrong: `ref.name: there is no prompt ${JSON.stringify(clipped(name))}` };
    }
    const has = prompt.arguments.some((one) => one.name === argument);
    return has ? { listed: null, isText: true } : stranger(argument);
  }
  if (type === "ref/resource" && typeof uri === "string") {
    if (!known.isTemplate(uri)) {
      return { wrong: `ref.uri: there is no template ${JSON.stringify(clipped(uri))}` };
    }
    return argument === "site_id" ? { listed: null, isText: false } : stranger(argument);
  }
  if (type === "ref/tool" && typeof name === "string") {
    const all = known.tool(name)?.definition.input_schema.properties ?? {};
    if (!Object.hasOwn(all, argument)) return stranger(argument);
    const schema = all[argument]!;
    const values = schema.enum ?? schema.items?.enum;
    return { listed: values?.map(String) ?? (schema.type === "boolean" ? BOTH : null), isText: false };
  }
  return { wrong: "ref.type: send ref/prompt with a name, ref/resource with a uri, or ref/tool with a name" };
}

const BOTH = ["true", "false"];

const stranger = (argument: string) => ({
  wrong: `argument.name: there is no argument ${JSON.stringify(clipped(argument))}`,
});

function beginning(values: readonly string[], typed: string): Completed {
  return cut(values.filter((one) => one.toLowerCase().startsWith(typed.toLowerCase())));
}

const cut = (values: readonly string[]): Completed => ({
  values: values.slice(0, COMPLETED),
  total: values.length,
  hasMore: values.length > COMPLETED,
});

/** The ids and titles of an answer of `list_content`, whatever list it has them in. */
function titlesOf(answer: unknown): { readonly id: string; readonly title: string }[] {
  const lists = isFields(answer) ? Object.values(answer).filter(Array.isArray) : [];
  return lists.flat().filter(isFields).flatMap(({ id, title }) =>
    typeof id === "number" || typeof id === "string"
      ? [{ id: String(id), title: typeof title === "string" ? oneLine(title, TITLE_CHARACTERS) : "" }]
      : []
  );
}
