/** Where tools come from: those that are built in, and sources whose tools change while the gateway runs. */
import { LIMITS, type PlatformKind, type Tier } from "../model.ts";
import type { Schema } from "./dialect.ts";
import type { ToolEntry } from "./load.ts";
import type { Manifest } from "./manifest.ts";
import type { Plan, Raise, ToolContext } from "./tool.ts";

/** A place that tools come from. */
export interface ToolSource {
  /** What a fault of it is reported under. */
  readonly name: string;
  /**
   * Its tools by name as they are now, hidden ones too. The map never changes: after a change another one is answered,
   * and until then the same, for that is how a change is seen. It is asked for at every call, so it only looks.
   */
  current(): ReadonlyMap<string, ToolEntry>;
}

/** What only a tool of a changing source has: certain sites offer it, and their upstream checks its arguments. */
export interface Offer {
  /** The ids of the sites that offer it, sorted, whoever asks. */
  readonly sites: readonly string[];
  /** Whether it has an argument `confirm` of its own; otherwise one that is sent is left out. */
  readonly confirm: boolean;
  /** Why it is never listed and never run, whatever the token may do. */
  readonly hidden?: string;
}

/** A tool as a changing source describes it. */
export interface OfferedTool {
  /** 1 to 128 letters, digits, `_`, `-`, `.`, as MCP asks. */
  readonly name: string;
  readonly group: string;
  readonly title?: string;
  readonly description: string;
  /** Any JSON Schema of an object, as the upstream wrote it; a `site_id` of its own cannot be reached. */
  readonly input_schema: Readonly<Record<string, unknown>>;
  /** A write is tier 2, a read tier 0. */
  readonly writes: boolean;
  readonly sites: readonly string[];
  readonly hidden?: string;
  /** The kinds of site that can offer it. */
  readonly platforms: readonly PlatformKind[];
  readonly flags?: Manifest["flags"];
  readonly links?: Manifest["links"];
  /** Refuses arguments, and sends nothing; no schema of ours is asked. */
  check?(args: Arguments, ctx: ToolContext): void | Promise<void>;
  /** What the arguments make of the call, beyond the class of the tool; judged before anything is sent. */
  raises?(args: Arguments, ctx: ToolContext): readonly Raise[] | Promise<readonly Raise[]>;
  /** Of a write: reads, and refuses what the live state forbids. */
  plan?(args: Arguments, ctx: ToolContext): Promise<Plan>;
  run(args: Arguments, ctx: ToolContext, plan?: Plan): unknown;
}

type Arguments = Record<string, unknown>;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The tools that were read at boot, as a source. */
export const builtIn = (tools: ReadonlyMap<string, ToolEntry>): ToolSource => ({
  name: "built-in",
  current: () => tools,
});

/** The entry of such a tool. Throws an Error for a name or a schema that could not be served. */
export function offered(tool: OfferedTool): ToolEntry {
  const { name, group, title = name, description, input_schema: schema } = tool;
  if (!NAME.test(name)) {
    throw new Error(`The tool name ${JSON.stringify(name.slice(0, 128))} cannot be served`);
  }
  if (schema.type !== undefined && schema.type !== "object") {
    throw new Error(`The input schema of "${name}" is not one of an object`);
  }
  return {
    name,
    group,
    manifest: manifestOf(tool),
    handler: {
      name,
      check: (args, ctx) => tool.check?.(args as Arguments, ctx),
      raises: (args, ctx) => tool.raises?.(args as Arguments, ctx) ?? [],
      ...(tool.plan ? { plan: (args, ctx) => tool.plan!(args as Arguments, ctx) } : {}),
      run: (args, ctx, plan) => tool.run(args as Arguments, ctx, plan),
    },
    definition: { name, title, description, input_schema: schema as Schema },
    check: (args) => args,
    offer: {
      sites: [...new Set(tool.sites)].sort(),
      confirm: Object.hasOwn((schema.properties ?? {}) as object, "confirm"),
      ...(tool.hidden === undefined ? {} : { hidden: tool.hidden }),
    },
  };
}

/** What the steps of a call read of it; nothing that depends on its arguments, for those are not known here. */
function manifestOf({ name, title = name, description, writes, ...more }: OfferedTool): Manifest {
  return {
    name,
    title,
    description,
    tier: (writes ? 2 : 0) as Tier,
    raise: [],
    site: "required",
    sites: [],
    platforms: [...more.platforms],
    only: {},
    flags: [...(more.flags ?? [])],
    links: [...(more.links ?? [])],
    secrets: [],
    body_limit: LIMITS.BODY_BYTES,
    hints: {},
    errors: [],
    file_text: [],
    input: { type: "object" },
    rules: [],
  };
}

/** The schema a caller is shown: the upstream's, and `site_id` with the sites in the caller's scope that offer it. */
export function offeredSchema({ definition }: ToolEntry, sites: readonly string[]): Record<string, unknown> {
  const { properties = {}, required = [], ...rest } = definition.input_schema;
  const { site_id: _ours, ...own } = properties;
  return {
    ...rest,
    type: "object",
    properties: {
      site_id: { type: "string", enum: sites, description: "The id of the site whose tool is called" },
      ...own,
    },
    required: ["site_id", ...required.filter((name) => name !== "site_id")],
  };
}
