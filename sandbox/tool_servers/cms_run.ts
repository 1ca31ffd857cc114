/** Running a tool by name: its arguments judged as WordPress and then the builder's tools judge them, and tools that run others. */
import { RestError } from "../wordpress_standin/errors.ts";
import { can } from "../wordpress_standin/people.ts";
import { checkParams, type ParamRule, type ParamRules } from "../wordpress_standin/params.ts";
import { abilityName, bareName, type CmsTool, cmsTools, shownTool } from "./cms_catalogue.ts";
import { BLOCK_TOOLS } from "./cms_blocks.ts";
import { DANGEROUS } from "./cms_danger.ts";
import { adderOf, PAGE_WRITES } from "./cms_edits.ts";
import { PAGE_READS } from "./cms_pages.ts";
import { POST_TOOLS } from "./cms_posts.ts";
import { SITE_TOOLS } from "./cms_site.ts";
import { type Asked, type Run, SoftFailure, ToolFailure, wordsOf } from "./cms_state.ts";
import { failed, type ToolResult } from "./sdk.ts";

type Args = Readonly<Record<string, unknown>>;
interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

const TYPES = ["integer", "string", "boolean", "array", "object"] as const;

function rule({ type, enum: allowed, items }: Schema): ParamRule {
  const known = TYPES.find((one) => one === type) ?? "any";
  return { type: known, ...(allowed ? { enum: allowed } : {}), ...(items ? { items: rule(items) } : {}) };
}

/** What is wrong with the arguments, in WordPress's words; arguments that are unknown are no fault. */
function fault({ name, inputSchema }: CmsTool, args: Args): string | null {
  const { properties = {}, required = [] } = inputSchema as Schema;
  const says = (reason: string) => `Ability "${abilityName(name)}" has invalid input. Reason: ${reason}`;
  const missing = required.find((one) => args[one] === undefined);
  if (missing !== undefined) return says(`${missing} is a required property of input.`);
  const rules: ParamRules = Object.fromEntries(
    Object.entries(properties).map(([key, schema]) => [key, rule(schema)]),
  );
  try {
    checkParams(args as Record<string, unknown>, rules);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof RestError)) throw thrown;
    const [[key, words] = ["", ""]] = Object.entries(thrown.body().data["params"] as Record<string, string>);
    return says(words.replace(key, `input[${key}]`));
  }
}

function nameOf(ability: unknown): CmsTool | undefined {
  return cmsTools().find(({ name }) => abilityName(name) === ability);
}

function exposed({ tools }: Pick<Asked, "tools">, ability: unknown): CmsTool {
  const tool = nameOf(ability);
  if (tool === undefined) throw new ToolFailure(`Ability '${ability}' not found`);
  if (tools.plugin.public_abilities) return tool;
  throw new ToolFailure(`Ability "${ability}" is not exposed via MCP (mcp.public!=true)`);
}

/** What is judged before the arguments: who asks, and whether an ability may be run by name. */
function forbidden(tool: CmsTool, args: Args, { ask, tools }: Pick<Asked, "ask" | "tools">): string | null {
  const name = bareName(tool.name);
  const open = ["discover-abilities", "get-ability-info", "execute-ability", "core-get-user-info"].includes(
    name,
  );
  if (!open && !can(ask.person, "edit_posts")) return "Permission denied";
  if (args["ability_name"] === undefined) return null;
  try {
    exposed({ tools }, args["ability_name"]);
    return null;
  } catch (thrown) {
    return wordsOf(thrown);
  }
}

/** A result, given twice: as text in PHP's spelling and as what it is. */
function answered(result: Record<string, unknown>): ToolResult {
  const text = JSON.stringify(result).replaceAll("/", "\\/");
  return { content: [{ type: "text", text }], structuredContent: result, isError: false };
}

const NESTING: Readonly<Record<string, Run>> = {
  "discover-abilities": (_, { tools }) => ({
    abilities: tools.plugin.public_abilities
      ? cmsTools().filter(({ server, listed }) => server === "emcp-tools-server" && listed !== "compact").map(
        (
          { name, title, description },
        ) => ({ name: abilityName(name), label: title, description }),
      )
      : [],
  }),
  "get-ability-info"({ ability_name }, at) {
    const { name, title, description, inputSchema } = exposed(at, ability_name);
    return { name: abilityName(name), label: title, description, input_schema: inputSchema };
  },
  async "execute-ability"({ ability_name, parameters }, at) {
    const { isError, content, structuredContent } = await at.run(
      exposed(at, ability_name).name,
      parameters as Args,
    );
    if (isError) throw new ToolFailure(content[0]!.text);
    return { success: true, data: structuredContent };
  },
  "list-tools": (_, { listed }) => ({ tools: listed.map(({ name, title }) => ({ name, title })) }),
  "get-tool-schema": ({ names }, { listed }) => ({
    tools: listed.filter(({ name }) => (names as string[]).includes(name)).map(shownTool),
  }),
  async "call-tool"({ name, arguments: given = {} }, at) {
    const { isError, content, structuredContent } = await at.run(String(name), given as Args);
    if (isError) throw new ToolFailure(content[0]!.text);
    return structuredContent;
  },
};

const TOOLS = {
  ...PAGE_READS,
  ...PAGE_WRITES,
  ...POST_TOOLS,
  ...SITE_TOOLS,
  ...BLOCK_TOOLS,
  ...DANGEROUS,
  ...NESTING,
};

/** What a tool does; undefined where the stand-in only lists it. */
export function runnerOf(tool: string): Run | undefined {
  const name = bareName(tool);
  return TOOLS[name as keyof typeof TOOLS] ?? adderOf(name);
}

/** Runs a tool of that name, known to this stand-in or not; what runs is noted first. */
export async function runTool(
  tool: CmsTool | undefined,
  args: Args,
  at: Omit<Asked, "tool" | "run">,
  by: string | null = null,
): Promise<ToolResult> {
  if (tool === undefined) return failed("Tool not found.");
  const { tools, ask } = at;
  const wrong = forbidden(tool, args, at) ?? fault(tool, args);
  if (wrong !== null) return failed(wrong);
  tools.ran.push({ tool: tool.name, args, login: ask.person?.username ?? null, by });
  const lacks = lacking(bareName(tool.name), args);
  if (lacks !== null) return failed(lacks);
  const run = runnerOf(tool.name);
  if (run === undefined) return failed(`The stand-in lists ${tool.name}, and cannot run it.`);
  const nested = (other: string, given: Args) => {
    const found = cmsTools().find((one) => one.name === other);
    return runTool(found, given, at, tool.name);
  };
  try {
    return answered(await run(args, { ...at, tool, run: nested }) as Record<string, unknown>);
  } catch (thrown) {
    const words = wordsOf(thrown);
    if (thrown instanceof SoftFailure) return answered({ error: thrown.message });
    if (words === null) throw thrown;
    return failed(words);
  }
}

const ELEMENT = ["element_id", "settings"];
const SETTINGS = "post_id, element_id, and settings are required.";
const TITLE = "The title parameter is required.";
const listed = (name: string) => `The ${name} parameter is required and must be an array.`;

/** By name without the plugin's prefix: what must not be empty, and the tool's words where it is. */
const NEEDED: Readonly<Record<string, readonly (readonly [names: readonly string[], words: string])[]>> = {
  "update-container": [[ELEMENT, SETTINGS]],
  "update-element": [[ELEMENT, SETTINGS]],
  "update-widget": [[ELEMENT, SETTINGS]],
  "batch-update": [[["operations"], "post_id and operations are required."]],
  "reorder-elements": [[["element_ids"], "post_id, container_id, and element_ids are required."]],
  "import-template": [[["template_json"], "The template_json parameter is required."]],
  "create-page": [[["title"], TITLE]],
  "build-page": [[["title"], TITLE], [["structure"], listed("structure")]],
  "save-as-template": [[["title"], "post_id and title are required."]],
  "add-custom-js": [[["parent_id", "js"], "post_id, parent_id, and js are required."]],
  "update-global-colors": [[["colors"], listed("colors")]],
  "update-global-typography": [[["typography"], listed("typography")]],
};

/** As PHP has it, but for zero. */
const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || value === false ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** The words of a tool that lacks something; null where it has what it needs. */
function lacking(name: string, args: Args): string | null {
  const found = (NEEDED[name] ?? []).find(([names]) => names.some((one) => isEmpty(args[one])));
  return found?.[1] ?? null;
}
