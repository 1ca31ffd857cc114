/** A source of tools that a test changes while the gateway runs. */
import type { ToolEntry } from "../registry/entry.ts";
import { offered, type OfferedTool, type ToolSource } from "../registry/source.ts";

/** A read that `sites` offer and that answers what it was given, unless `more` says otherwise. */
export function offer(name: string, sites: readonly string[], more: Partial<OfferedTool> = {}): OfferedTool {
  return {
    name,
    group: "proxied",
    title: `The tool ${name}`,
    description: "What the site's own tool does.",
    input_schema: {
      type: "object",
      properties: { text: { type: ["string", "null"], pattern: "^(?=.)" } },
      required: ["text"],
      oneOf: [{ required: ["text"] }],
    },
    writes: false,
    platforms: ["cms", "sitebuilder", "static", "crm"],
    sites,
    run: (args, ctx) => ({ site: ctx.site.id, args }),
    ...more,
  };
}

/** A source whose tools are those that were put last, all of them or none. */
export class ChangingSource implements ToolSource {
  readonly name = "test";
  #tools: ReadonlyMap<string, ToolEntry> = new Map();

  constructor(...tools: OfferedTool[]) {
    this.put(...tools);
  }

  /** From now on these are its tools. */
  put(...tools: OfferedTool[]): void {
    this.#tools = new Map(tools.map((tool) => [tool.name, offered(tool)]));
  }

  current(): ReadonlyMap<string, ToolEntry> {
    return this.#tools;
  }
}
