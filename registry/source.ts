/** Where tools come from: those that are built in, and sources whose tools change while the gateway runs. */
import { type Asking, LIMITS, type PlatformKind, type Tier } from "../core/model.ts";
import type { Undoing } from "../core/content.ts";
import type { Schema } from "./dialect.ts";
import type { Shown, ToolEntry } from "./entry.ts";
import type { Definition, Manifest } from "./manifest.ts";
import type { Before, Plan, Raise, ToolContext, ToolModule } from "./tool.ts";
import { verified } from "./write_result.ts";

/** A place that tools come from. */
export interface ToolSource {
  /** What a fault of it is reported under. */
  readonly name: string;
  /**
   * Its tools by name as they are now, hidden ones too. The map never changes: after a change another one is answered,
   * and until then the same, for that is how a change is seen. It is asked for at every call, so it only looks.
   */
  current(): ReadonlyMap<string, ToolEntry>;
  /** Nothing where `current` answers what there is now; else it does once this resolves. Left out where it always does. */
  fresh?(): void | Promise<void>;
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
  /** Those of a read where it writes: there `raises` makes it one. */
  readonly writesAt?: readonly string[];
  readonly hidden?: string;
  /** As it is shown where not all of its sites are reached; the description and schema above where it is left out. */
  shown?(sites: readonly string[], token?: Asking): Shown;
  /** Whether what it writes on those sites is always to be shown first; never where it is left out. */
  first?(sites: readonly string[], token?: Asking): boolean;
  /** Whether the tool of a site has an argument of that name; by the schema above where it is left out. */
  has?(argument: string, site: string): boolean;
  /** Whether a site can show what a write would do; none can where it is left out. */
  previews?(site: string): boolean;
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
  /** Sets back what a write of it replaced; `run` answers what would take that back, or why nothing would. */
  readonly restore?: {
    plan(kept: Before, ctx: ToolContext): Promise<Plan>;
    run(
      kept: Before,
      ctx: ToolContext,
      plan?: Plan,
    ): Promise<{ readonly result: object; readonly undoing: Undoing }>;
  };
}

type Arguments = Record<string, unknown>;

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/** The tier of a write that a site offers. */
export const OFFERED_WRITE: Tier = 2;

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
      ...(tool.restore ? { restore: restoreOf(tool.restore) } : {}),
    },
    definition: { name, title, description, input_schema: schema as Schema },
    check: (args) => args,
    offer: {
      sites: [...new Set(tool.sites)].sort(),
      writesAt: tool.writesAt ?? [],
      previews: (site) => tool.previews?.(site) ?? false,
      first: (sites, token) => tool.first?.(sites, token) ?? false,
      has: (argument, site) => tool.has?.(argument, site) ?? Object.hasOwn(schema.properties ?? {}, argument),
      ...(tool.hidden === undefined ? {} : { hidden: tool.hidden }),
      ...(tool.shown === undefined ? {} : { shown: (sites, token) => tool.shown!(sites, token) }),
    },
  };
}

/** The same as a tool of the gateway's own has it: the site has proven what it set back. */
const restoreOf = (own: NonNullable<OfferedTool["restore"]>): ToolModule["restore"] & object => ({
  plan: (kept, ctx) => own.plan(kept, ctx),
  async run(kept, ctx, plan) {
    const { result, undoing } = await own.run(kept, ctx, plan);
    const done = verified(result);
    return "final" in undoing ? done : done.leaving(undoing.left, undoing.before);
  },
});

/** What the steps of a call read of it; nothing that depends on its arguments, for those are not known here. */
function manifestOf({ name, title = name, description, writes, ...more }: OfferedTool): Manifest {
  return {
    name,
    title,
    description,
    tier: writes ? OFFERED_WRITE : 0,
    raise: [],
    state: {},
    touches: {},
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
    texts: [],
    calls: [],
    input: { type: "object" },
    rules: [],
  };
}

/**
 * What a caller is shown of a tool: its description, and its schema with `site_id`, an enum of the sites in the caller's
 * scope that offer it.
 */
export function offeredTo(
  { definition, offer }: ToolEntry,
  sites: readonly string[],
  token?: Asking,
): Pick<Definition, "description"> & { readonly input_schema: Record<string, unknown> } {
  const { description, input_schema } = offer?.shown?.(sites, token) ?? definition;
  return { description, input_schema: withSite(input_schema as Schema, sites) };
}

function withSite(schema: Schema, sites: readonly string[]): Record<string, unknown> {
  const { properties = {}, required = [], ...rest } = schema;
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
