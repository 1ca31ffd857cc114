/** What the CMS's tool servers list: names, hints and arguments as the real ones have them, in words of our own. */
import type { ListedTool } from "./sdk.ts";

/** The servers a site can have. */
const CMS_SERVERS = [
  "mcp-adapter-default-server",
  "emcp-tools-server",
  "elementor-mcp-server",
] as const;
/** One of them. */
export type CmsServer = typeof CMS_SERVERS[number];

/** How the builder's plugin is set up, which changes what it lists. */
export interface BuilderOptions {
  /** Activated, and wp-admin not yet visited: 29 more tools, among them those that write files and run SQL. */
  fresh: boolean;
  /** Whether the visual builder itself is active. */
  builder: boolean;
  /** Whether its newer elements are switched on. */
  atomic: boolean;
  /** Three tools that stand for all others. */
  compact: boolean;
}

/** A tool, and when it is listed. */
export interface CmsTool extends ListedTool {
  readonly server: CmsServer;
  readonly listed: string;
}

const ARTICLES: Readonly<Record<string, string>> = {
  post_id: "The id of the post or page",
  parent_id: "The id of the element it goes into",
  element_id: "The id of the element",
  position: "Where it goes among the others; -1 is last",
  settings: "Settings by their names",
};

function schemaOf(type: string): Record<string, unknown> {
  const [, items] = /^array<(.+)>$/.exec(type) ?? [];
  if (items !== undefined) return { type: "array", items: schemaOf(items) };
  if (type === "any") return {};
  return type.includes("|") ? { type: "string", enum: type.split("|") } : { type };
}

function inputSchema(text: string): Record<string, unknown> {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const [, name, star, type] of text.matchAll(/(\S+?)(\*?):(\S+)/g)) {
    const description = ARTICLES[name!] ?? `The ${name!.replaceAll("_", " ")}`;
    properties[name!] = { ...schemaOf(type!), description };
    if (star) required.push(name!);
  }
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function annotations(title: string, hints: string): Record<string, unknown> {
  const names = ["readOnlyHint", "destructiveHint", "idempotentHint"];
  const known = names.flatMap((name, at) => hints[at] === "?" ? [] : [[name, hints[at] !== "-"] as const]);
  return { title, ...Object.fromEntries(known) };
}

let read: readonly CmsTool[] | undefined;

/** Every tool of every server. */
export function cmsTools(): readonly CmsTool[] {
  if (read !== undefined) return read;
  const [, ...lines] = Deno.readTextFileSync(new URL("cms_tools.tsv", import.meta.url)).split("\n").filter(
    Boolean,
  );
  return read = lines.map((line) => {
    const [server, listed, name, hints, title, args] = line.split("\t") as [CmsServer, ...string[]];
    return {
      server,
      listed: listed!,
      name: name!,
      title: title!,
      description: `${title}. Works on the pages of this site.`,
      inputSchema: inputSchema(args!),
      annotations: annotations(title!, hints!),
    };
  });
}

/** What a server lists as it is set up. */
export function listedBy(server: CmsServer, { fresh, builder, atomic, compact }: BuilderOptions): CmsTool[] {
  if (compact && server !== "mcp-adapter-default-server") {
    return cmsTools().filter(({ listed }) => listed === "compact");
  }
  const kinds = ["always", ...fresh ? ["fresh"] : [], ...builder ? ["builder"] : []];
  if (builder && atomic) kinds.push("atomic");
  return cmsTools().filter((one) => one.server === server && kinds.includes(one.listed));
}

/** A tool as it goes into a list. */
export function shownTool({ name, title, description, inputSchema, annotations }: CmsTool): ListedTool {
  return { name, title, description, inputSchema, annotations };
}

/** The prefixes under which the builder's plugin has named its tools. */
const PREFIXES = ["emcp-tools-", "elementor-mcp-", "mcp-adapter-", "core-"];

/** A tool's name without what its plugin puts before it. */
export function bareName(name: string): string {
  const prefix = PREFIXES.find((one) => name.startsWith(one)) ?? "";
  return prefix === "core-" ? name : name.slice(prefix.length);
}

/** The tool's name as the site's own abilities have it: the plugin's part is divided by a slash. */
export function abilityName(name: string): string {
  const prefix = PREFIXES.find((one) => name.startsWith(one)) ?? "";
  return prefix === "" ? name : `${prefix.slice(0, -1)}/${name.slice(prefix.length)}`;
}
