/** What a manifest may say, the schemas that manifests share, and the tool definition that is served from it. */
import { pathOf } from "../core/answer_parts.ts";
import { z } from "zod";
import { type Code, GATEWAY_CODES } from "../core/errors.ts";
import { FLAGS, LIMITS, type PlatformKind, type Tier } from "../core/model.ts";
import { isFields } from "../core/values.ts";
import type { Connectors } from "./connectors.ts";
import { closed, faults, fits, ONCE, type Schema } from "./dialect.ts";
import { keyOf } from "./documents.ts";
import { resultFaults } from "./results.ts";

/** The shared schemas a manifest may name as `{ $ref: id }`. */
export const SHARED: Readonly<Record<string, Schema>> = {
  id: {
    anyOf: [
      { type: "integer", minimum: 1 },
      { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$" },
    ],
  },
};

/**
 * Replaces every `{ $ref: name, … }` by the shared schema of that name, of SHARED or of those given; an unknown name
 * stays, for `faults` to report.
 */
function resolveShared(schema: unknown, more: Readonly<Record<string, Schema>> = {}): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolveShared(one, more));
  if (!isFields(schema)) return schema;
  const { $ref, ...rest } = schema;
  const shared = typeof $ref === "string" ? SHARED[$ref] ?? more[$ref] : undefined;
  if (shared) return { ...shared, ...rest };
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, resolveShared(value, more)]));
}

/** What tools make that other tools name by its id. */
const MADE_KINDS = ["post", "page", "image", "term"] as const;
export type MadeKind = typeof MADE_KINDS[number];
/** The states of posts and pages, in the tools' words. */
const STATES = ["draft", "scheduled", "published"] as const;
export type ContentState = typeof STATES[number];

const TIERS = ["T0", "T1", "T2", "T3", "T4"] as const;
const tier = z.enum(TIERS).transform((text) => Number(text[1]) as Tier);
const code = z.string().transform((name) => name as Code);
const platforms = z.array(z.string().transform((kind) => kind as PlatformKind)).min(1);
/** Argument values, or `platform: kind`, under which something holds; all of them must match. */
const when = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const manifestSchema = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_-]{0,127}$/),
  title: z.string().min(1),
  description: z.string().min(1),
  /** What lists say in its place, in words that are few, and of arguments that their names do not tell; nothing of others. */
  listed: z.strictObject({
    description: z.string().min(1).max(160),
    arguments: z.record(z.string(), z.string().min(1).max(100)).default({}),
  }).optional(),
  /** Further words that people say for what it does, in several languages: `find_tools` looks into them. */
  words: z.string().min(1).optional(),
  /** `core`: one of the few on the list of who finds the others by searching. `search`: on that list only. */
  listing: z.enum(["core", "search"]).optional(),
  /** `tools`: it tells of the tools that its caller has, or stands for them, and every token may call it. */
  tells: z.literal("tools").optional(),
  /** A call of it is a call of the tool that its argument `tool` names: of any, or of one that only reads. */
  forwards: z.enum(["reads", "writes"]).optional(),
  tier,
  /** Why a tool of tier T2 needs no flag of the site; without it one is demanded. */
  no_flag: z.string().min(1).optional(),
  raise: z.array(z.strictObject({ when, tier })).default([]),
  site: z.enum(["required", "none"]).default("required"),
  sites: z.array(z.string()).default([]),
  platforms: platforms.optional(),
  only: z.record(z.string(), platforms).default({}),
  /** What to do instead on a site of a kind that it does not work on, by that kind, in words that go on a sentence. */
  instead: z.record(z.string(), z.string()).optional(),
  flags: z.array(z.strictObject({
    flag: z.enum(FLAGS),
    when: when.optional(),
    live: z.boolean().default(false),
    code: code.optional(),
  })).default([]),
  links: z.array(z.string()).default([]),
  secrets: z.array(z.strictObject({ name: z.string(), code, hide: z.boolean().default(false) })).default([]),
  /**
   * The tool that shows what the call changed, for whoever cannot know whether it did; the tool itself where its own
   * preview shows it.
   */
  read_with: z.string().optional(),
  /** Where on the site that shows, in words behind "in", where no tool reads it. */
  read_in: z.string().optional(),
  body_limit: z.int().min(LIMITS.BODY_BYTES).default(LIMITS.BODY_BYTES),
  /**
   * What MCP's annotations say beside the tier. `destructive: false` for a write that only adds; every other one may
   * overwrite or publish what is there. `read_only: false` for what needs no consent and yet ends something.
   */
  hints: z.strictObject({
    read_only: z.literal(false).optional(),
    idempotent: z.boolean().optional(),
    open_world: z.boolean().optional(),
    destructive: z.literal(false).optional(),
  }).default({}),
  /** Of what a write that only adds makes: a later call of the same change set may use its id where such a thing is named. */
  makes: z.enum(MADE_KINDS).optional(),
  /** The states of the posts or pages that it changes, without it every one; and the state that it gives them. */
  state: z.strictObject({ of: z.array(z.enum(STATES)).min(1).optional(), to: z.enum(STATES).optional() })
    .default({}),
  /**
   * Parts of what later plans of the same thing rely on that it changes as well and does not report, by the group of those
   * plans; by `new`, of what is made on the site afterwards.
   */
  touches: z.record(z.string(), z.array(z.string().min(1)).min(1)).default({}),
  errors: z.array(code).default([]),
  /** Arguments that become text in a file of a repository, where a status is a word and publishes nothing. */
  file_text: z.array(z.string()).default([]),
  /** Arguments that are texts of a person, which who decides on the call may change; no id, address, path or date is one. */
  texts: z.array(z.string()).default([]),
  /** Arguments that hold calls of other tools: each of them is judged as that tool judges, not by this one. */
  calls: z.array(z.string()).default([]),
  input: z.strictObject({
    properties: z.record(z.string(), z.unknown()).default({}),
    required: z.array(z.string()).default([]),
  }).default({ properties: {}, required: [] }),
  rules: z.array(z.union([
    z.strictObject({ when, require: z.array(z.string()).min(1) }),
    z.strictObject({ one_of: z.array(z.string()).min(2) }),
    z.strictObject({ any_of: z.array(z.string()).min(2) }),
  ])).default([]),
  /** What it answers beside what every write says of itself, in the form of registry/results.ts. */
  result: z.unknown().optional(),
  /**
   * Whether an agent gets its answer without what is null or empty in it, and fractions with four digits that count: of a tool
   * of ours, and of one whose keys no caller counts on.
   */
  sparse: z.boolean().optional(),
  /** Parts of its answer that an agent gets only where it asks for them, as paths of `fields`; over REST they are always there. */
  aside: z.array(z.string().refine((path) => pathOf(path) !== null)).optional(),
});

/** A manifest as read, defaults filled in and shared schemas put in place. */
export type Manifest = Omit<z.output<typeof manifestSchema>, "input" | "platforms"> & {
  platforms: PlatformKind[];
  input: Schema;
};

/** What manifests may name: the kinds of site, links, settings, checks and codes that connectors bring. */
export type Known = Pick<Connectors, "kinds" | "links" | "settings" | "checkNames" | "codes">;

/** The SHA-256 of all that a manifest is read by beside its text: another one, and it may read otherwise. */
export function broughtBy({ kinds, links, settings, checkNames, codes }: Known): string {
  return keyOf(JSON.stringify([
    kinds,
    [...links].map(([name, { scope, deployment }]) => [name, scope, deployment?.kind]),
    settings.map(({ name, default: preset }) => [name, preset]),
    checkNames,
    [...codes.keys()],
  ]));
}

/** Reads a manifest; answers it, or every fault it has, a sentence each. */
export function readManifest(document: unknown, known: Known): { manifest: Manifest } | { faults: string[] } {
  const parsed = manifestSchema.safeParse(document, ONCE);
  if (!parsed.success) {
    return {
      faults: parsed.error.issues.map((issue) => `${issue.path.join(".") || "manifest"}: ${issue.message}`),
    };
  }
  const { input, ...rest } = parsed.data;
  const shared = { check: { type: "string", enum: known.checkNames } as const };
  const schema = resolveShared({ type: "object", ...input }, shared) as Schema;
  const manifest = { ...rest, platforms: rest.platforms ?? [...known.kinds], input: schema };
  const found = [...faults(schema), ...consistency(manifest), ...strangers(manifest, known)];
  if (found.length === 0) found.push(...neverJudged(manifest, known));
  return found.length ? { faults: found } : { manifest: { ...manifest, input: closed(schema) } };
}

/** What a manifest says that its other parts contradict. */
function consistency(manifest: Manifest): string[] {
  const properties = manifest.input.properties ?? {};
  const names = new Set(Object.keys(properties));
  const found: string[] = manifest.result === undefined ? [] : resultFaults(manifest.result);
  const known = (name: string, where: string) => {
    if (!names.has(name)) found.push(`${where} names "${name}", which is not a property`);
  };
  for (const name of ["site_id", "confirm", "confirm_token"]) {
    if (names.has(name)) found.push(`input.${name}: is added by the registry, take it out`);
  }
  for (const [name, schema] of Object.entries(properties)) {
    if (!schema.description) found.push(`input.${name}: needs a description`);
  }
  const conditions = [...manifest.raise, ...manifest.flags, ...manifest.rules]
    .flatMap((one) => "when" in one && one.when ? Object.keys(one.when) : []);
  for (const name of conditions) if (name !== "platform") known(name, "when");
  for (const name of Object.keys(manifest.only)) known(name, "only");
  for (const name of Object.keys(manifest.listed?.arguments ?? {})) known(name, "listed.arguments");
  for (const name of manifest.sites) known(name, "sites");
  for (const name of manifest.file_text) known(name, "file_text");
  for (const name of manifest.calls) known(name, "calls");
  for (const name of manifest.texts) {
    known(name, "texts");
    if (properties[name]?.type !== "string") found.push(`texts names "${name}", which is no text`);
  }
  if (manifest.file_text.length > 0 && !manifest.links.includes("repo")) {
    found.push("file_text is for tools that write to the repository (links: [repo])");
  }
  for (const rule of manifest.rules) {
    const named = "require" in rule ? rule.require : "one_of" in rule ? rule.one_of : rule.any_of;
    for (const name of named) known(name, "rules");
  }
  const flagged = manifest.flags.some((flag) => !flag.live);
  if ((manifest.tier === 2 && manifest.no_flag === undefined || manifest.tier === 3) && !flagged) {
    found.push(`tier T${manifest.tier} needs a flag`);
  }
  if (manifest.no_flag !== undefined && (manifest.tier !== 2 || flagged)) {
    found.push("no_flag is for tools of tier T2 that have no flag");
  }
  const { destructive, read_only } = manifest.hints;
  if (destructive === false && ((manifest.tier === 0 && read_only !== false) || manifest.tier >= 3)) {
    found.push("hints.destructive: false is for tools of tiers T1 and T2, which only add");
  }
  if (read_only === false && manifest.tier > 0) {
    found.push("hints.read_only: false is for tools of tier T0; every other one writes");
  }
  if (manifest.makes !== undefined && manifest.hints.destructive !== false) {
    found.push("makes is for tools that only add (hints.destructive: false)");
  }
  if (manifest.tier === 0 && manifest.raise.length === 0 && manifest.flags.length) {
    found.push("tier T0 takes no flag");
  }
  return found;
}

/** What a manifest names that neither the gateway nor a connector brings. */
function strangers(manifest: Manifest, known: Known): string[] {
  const { platforms, only, instead, links, secrets, site } = manifest;
  const found: string[] = [];
  const codes = [...manifest.errors, ...[...manifest.flags, ...secrets].flatMap(({ code }) => code ?? [])];
  for (const code of codes) {
    if (!Object.hasOwn(GATEWAY_CODES, code) && !known.codes.has(code)) {
      found.push(`errors: "${code}" is no code of core/errors.ts or of a connector`);
    }
  }
  const kinds: readonly string[] = known.kinds;
  for (const kind of [...platforms, ...Object.values(only).flat(), ...Object.keys(instead ?? {})]) {
    if (!kinds.includes(kind)) {
      found.push(`platforms: "${kind}" is no kind of site; there are ${kinds.join(", ")}`);
    }
  }
  for (const link of links) {
    const connector = known.links.get(link);
    if (!connector) found.push(`links: no connector offers "${link}"`);
    else if (site === "none" && connector.scope === "site") {
      found.push(`links: "${link}" is a link of a site, and the tool has none`);
    }
  }
  for (const { name } of secrets) {
    const setting = known.settings.find((one) => one.name === name);
    if (!setting) found.push(`secrets: no connector names the setting "${name}"`);
    else if (setting.default !== null) found.push(`secrets: "${name}" has a default, so it is never missing`);
  }
  return found;
}

/** Flags, raised tiers and rules that no call could ever meet, and so would guard nothing. */
function neverJudged({ site, platforms, flags, raise, rules, links, only, input }: Manifest, known: Known) {
  const found: string[] = [];
  if (site === "none" && flags.length > 0) {
    found.push("flags are set on a site, and the tool has none: it would write unguarded");
  }
  const deployed = links.flatMap((link) => known.links.get(link)?.deployment?.kind ?? []);
  const kinds: readonly PlatformKind[] = site === "none" ? [] : [...platforms, ...deployed];
  const judge = (when: Readonly<Record<string, unknown>>, kinds: readonly PlatformKind[]) => {
    for (const [name, value] of Object.entries(when)) {
      const having = only[name] ?? kinds;
      const possible = name === "platform"
        ? (kinds as readonly unknown[]).includes(value)
        : admits(input, name, value) &&
          (!("platform" in when) || having.includes(when.platform as PlatformKind));
      if (!possible) found.push(`when: ${name} is never ${JSON.stringify(value)}, so it would guard nothing`);
    }
  };
  for (const { when = {} } of [...flags, ...raise]) judge(when, kinds);
  // Rules are judged before the site is known.
  for (const rule of rules) if ("when" in rule) judge(rule.when, []);
  for (const [name, having] of Object.entries(only)) {
    if (!having.some((kind) => kinds.includes(kind))) {
      found.push(`only: no site the tool works on has "${name}", so nobody could give it`);
    }
  }
  return found;
}

/** Whether an argument can have that value. */
const admits = ({ properties = {} }: Schema, name: string, value: unknown) =>
  fits(properties[name] ?? {}, value);

/** Whether a call of the tool can be a write. */
export const writes = (manifest: Pick<Manifest, "tier" | "raise">): boolean =>
  manifest.tier > 0 || manifest.raise.length > 0;

/** Whether it only reads, by MCP's meaning: what ends something of the gateway's own does more, though it needs no consent. */
export const readsOnly = (manifest: Pick<Manifest, "tier" | "raise" | "hints">): boolean =>
  !writes(manifest) && manifest.hints.read_only !== false;

/** Whether it only tells of the tools that the caller has, or stands for one of them. */
export const tellsOfTools = ({ tells }: Pick<Manifest, "tells">): boolean => tells === "tools";

/**
 * Whether a caller may ask for parts of its answer: of a read, for a write's answer is what somebody consents to or has proof
 * of. What stands for another tool takes them for that one.
 */
export const takesParts = (manifest: Pick<Manifest, "tier" | "raise" | "forwards">): boolean =>
  !writes(manifest) && manifest.forwards === undefined;

/** What every tool that reads takes beside its own arguments; lists leave it to the instructions. */
export const PARTS: Readonly<Record<string, Schema>> = {
  fields: {
    anyOf: [{ type: "string" }, { type: "array", items: { type: "string" } }],
    description: 'Only these parts of the answer: "items.title, items.url", "items[20..]", "text[5000..]"',
  },
  summary: { type: "boolean", description: "true: of each list the first items, of each text the beginning" },
};

/** A tool as the doors list it. */
export interface Definition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input_schema: Schema;
}

/**
 * The definition served for a manifest: its own arguments, `site_id` where needed, `confirm` where it can write, else how
 * parts of its answer are asked for.
 */
export function definition(manifest: Manifest): Definition {
  const site: Record<string, Schema> = manifest.site === "required"
    ? { site_id: { type: "string", description: "From list_sites" } }
    : {};
  const confirm: Record<string, Schema> = writes(manifest)
    ? {
      confirm: {
        type: "boolean",
        description: "true writes, else a preview is answered",
      },
      confirm_token: {
        type: "string",
        description: "The preview's: writes only what it showed",
      },
    }
    : {};
  return {
    name: manifest.name,
    title: manifest.title,
    description: manifest.description,
    input_schema: {
      type: "object",
      properties: {
        ...site,
        ...manifest.input.properties,
        ...takesParts(manifest) ? { ...PARTS, ...manifest.input.properties } : {},
        ...confirm,
      },
      required: [...Object.keys(site), ...(manifest.input.required ?? [])],
      additionalProperties: false,
    },
  };
}
