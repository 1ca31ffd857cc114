/** The companion plugin of a CMS site: whether it is there and new enough, and what its refusals mean here. */
import { z } from "zod";
import { type Code, GatewayError } from "../../../core/errors.ts";
import type { Making } from "../../../core/model.ts";
import { said, WHY_CHARACTERS } from "../../_content/holds.ts";
import type { Outgoing } from "../../_http/request.ts";
import { CmsError } from "../errors.ts";
import { VERSION } from "../rest/records.ts";
import type { WordPressClient } from "../rest/wordpress_client.ts";

/** The oldest plugin this gateway works with. */
export const COMPANION_VERSION_MIN = "1.0.0";
/** The plugin that this gateway comes with, as companion/site-ops/site-ops.php says. */
export const COMPANION_VERSION = "1.7.0";
/** The plugin's REST namespace (docs/upstreams/wordpress.md, "Companion plugin"). */
export const COMPANION = "site-ops/v1";

/** What of the plugin a tool needs; it decides which code tells that the plugin is missing. */
export type CompanionPart = "code_page" | "builder" | "seo" | "schema";

const MISSING: Readonly<Record<CompanionPart, Code>> = {
  code_page: "E_COMPANION_REQUIRED",
  builder: "E_COMPANION_REQUIRED",
  seo: "E_SEOPLUGIN_PLUGIN_REQUIRED",
  schema: "E_SCHEMA_BRIDGE_REQUIRED",
};

/**
 * The plugin's own codes that are more than an upstream failure (docs/upstreams/wordpress.md, "Companion plugin:
 * refusals").
 */
const MEANS: Readonly<Record<string, Code>> = {
  site_ops_published: "E_FORBIDDEN_OP",
  site_ops_seo_provider_missing: "E_SEOPLUGIN_PLUGIN_REQUIRED",
  site_ops_seo_not_shown: "E_BAD_INPUT",
  site_ops_schema_provider_missing: "E_SCHEMA_BRIDGE_REQUIRED",
  site_ops_value_type: "E_BAD_INPUT",
  site_ops_invalid_json: "E_BAD_INPUT",
  site_ops_redirect_loop: "E_BAD_INPUT",
  site_ops_redirect_target: "E_BAD_INPUT",
  site_ops_template_data: "E_BAD_TEMPLATE_DATA",
  site_ops_missing_placeholder: "E_MISSING_PLACEHOLDER",
  site_ops_visual_inactive: "E_BUILDER_NOT_AVAILABLE",
  site_ops_too_large: "E_PAYLOAD_TOO_LARGE",
  site_ops_disallowed: "E_DISALLOWED_CONTENT",
};

/** How a site gets the plugin that this gateway comes with. */
export const COMPANION_WAY =
  "an operator makes its zip with deno task companion and uploads it on the site's Plugins page";
/** Which version is needed and where to get it; follows "version", and ends the sentence. */
export const COMPANION_NEEDED = `${COMPANION_VERSION_MIN} or newer is needed: ${COMPANION_WAY}`;

/** A part of the plugin's report; null where this version of it does not tell. */
const told = <S extends z.ZodType>(schema: S) => schema.nullable().catch(null);
const version = told(z.string().regex(VERSION));
/** A plugin's id in the report; a site may put any text there. */
const provider = told(z.enum(["none", "other", "yoast", "rankmath", "seopress", "schemapro"]));
const active = told(z.object({ active: z.boolean(), version }));

/** The parts of the site's SEO plugin that are switched off, each with the switch to turn. */
export const PARTS_OFF = z.array(z.object({ part: z.string().max(20), switch: z.string().max(200) }));
/** One of them. */
export type PartOff = z.infer<typeof PARTS_OFF>[number];

const PART_NAMES: Readonly<Record<string, string>> = {
  all: "everything",
  title: "titles, descriptions, robots and canonical addresses",
  og: "Open Graph",
  twitter: "X (Twitter)",
  schema: "structured data",
  sitemap: "the sitemap",
};

/** What is switched off, in words. */
export const partsOff = (off: readonly PartOff[]): string =>
  off.map(({ part }) => PART_NAMES[part] ?? "a part").join(", ");

/** Which switches to turn. */
export const switchesOf = (off: readonly PartOff[]): string =>
  [...new Set(off.map((one) => one.switch))].join("; ");

const FEATURES = z.object({
  page_builder: told(z.object({ visual: active })),
  theme_snippet: told(z.object({ applied: z.boolean() })),
  tool_adapter: active,
  builder_tools: active,
  code_page: told(z.object({ active: z.boolean() })),
  seo_bridge: told(
    z.object({
      ...{ active: z.boolean(), provider, provider_version: version, off: PARTS_OFF.catch([]) },
      /** SEO plugins that print fields of their own beside that one. */
      beside: z.array(z.enum(["yoast", "rankmath", "seopress"])).catch([]),
    }),
  ),
  schema_bridge: told(
    z.object({ active: z.boolean(), provider, entries: told(z.number().int().nonnegative()) }),
  ),
  /** From version 1.1.0 on. */
  guarded_write: told(z.object({ active: z.boolean(), lock: told(z.enum(["row", "file", "name"])) })),
  /** From version 1.2.0 on; `paired` speaks of the account that asks, from 1.3.0 on of the gateway where it signed. */
  hold: told(z.object({
    active: z.boolean(),
    /** The kind of database that holds; null where none can, whoever is paired. */
    engine: told(z.string().max(40)),
    paired: z.boolean(),
    version,
    why: told(said(WHY_CHARACTERS)),
    /** The methods of held calls that it takes beside those of the tool servers. */
    methods: z.array(z.string()).catch([]),
  })),
});

/** The plugin's report. */
export const HEALTH = z.object({
  plugin_version: z.string(),
  /** An IANA name, or an offset such as `+05:30`. */
  timezone: told(z.string().max(100)),
  features: FEATURES.catch(() => FEATURES.parse({})),
  user: z.object({
    /** An empty list where there is none. */
    caps: z.record(z.string(), z.unknown()).catch({}),
  }).catch({ caps: {} }),
  /** From version 1.4.0 on: what its own updates are, where it was packed with an address for them. */
  update: z.object({
    host: z.string().nullable(),
    offered: z.string().nullable(),
    refused: z.string().nullable(),
    unanswered: z.boolean().catch(false),
  }).nullable().catch(null),
});

/** What the plugin says of itself and of the site; a feature is null where it does not tell. */
export type CompanionHealth = z.infer<typeof HEALTH>;

/**
 * Asks the plugin, its failures told in this gateway's codes: the part's own code where the plugin is missing, those
 * of docs/upstreams/wordpress.md, "Companion plugin: refusals"; E_UPSTREAM (CmsError) for the rest.
 */
export async function asking<T>(part: CompanionPart, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    throw thrown instanceof CmsError ? meaning(part, thrown) : thrown;
  }
}

/**
 * Makes a page by a write to the plugin, and tells of one that it could not finish and left behind; null for a change of
 * one. Throws as asking.
 */
export async function makingPage<T>(
  part: CompanionPart,
  made: Making | null,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await asking(part, write);
  } catch (thrown) {
    const left = thrown instanceof CmsError && thrown.reason === INCOMPLETE ? thrown.data["post_id"] : null;
    if (typeof left === "number") made?.({ what: "page", id: left });
    throw thrown;
  }
}

/** The plugin's own code for a page that is there without a part of it. */
const INCOMPLETE = "site_ops_incomplete";

/** Whether the site has no such route at all. */
export const isNoRoute = (error: CmsError) => error.upstream === 404 && error.reason === "rest_no_route";

function meaning(part: CompanionPart, error: CmsError): GatewayError {
  if (isNoRoute(error)) {
    return new GatewayError(
      MISSING[part],
      `The site has no companion plugin; version ${COMPANION_NEEDED}`,
      { cause: error },
    );
  }
  const code = MEANS[error.reason];
  if (code === undefined) return error;
  if (code === "E_MISSING_PLACEHOLDER") return missingPlaceholders(namesIn(error.data["missing"]), error);
  return new GatewayError(code, error.message, { cause: error });
}

const namesIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];

/** E_MISSING_PLACEHOLDER naming every placeholder that has no text. */
export function missingPlaceholders(names: readonly string[], cause?: unknown): GatewayError {
  const list = names.length === 0 ? "some of its placeholders" : names.join(", ");
  return new GatewayError(
    "E_MISSING_PLACEHOLDER",
    `variables: the template needs a text for every placeholder, missing: ${list}`,
    { cause },
  );
}

/**
 * Reads the plugin's report and judges its version. Throws the part's own code where it is missing or too old, saying
 * which is needed and where to get it; CmsError.
 */
export async function readCompanion(wire: WordPressClient, part: CompanionPart): Promise<CompanionHealth> {
  const report = await asking(part, () => readReport(wire));
  if (!isTooOld(report)) return report;
  throw new GatewayError(
    MISSING[part],
    `The site's companion plugin is version ${JSON.stringify(report.plugin_version.slice(0, 40))}; ` +
      COMPANION_NEEDED,
  );
}

/**
 * Reads the plugin's report, whatever its version; null where the site has no such route. `sign` adds headers that prove
 * which gateway asks. Throws CmsError.
 */
export async function findReport(wire: WordPressClient, sign?: Sign): Promise<CompanionHealth | null> {
  try {
    return await readReport(wire, sign);
  } catch (thrown) {
    if (thrown instanceof CmsError && isNoRoute(thrown)) return null;
    throw thrown;
  }
}

type Sign = (out: Outgoing) => Promise<Readonly<Record<string, string>>>;

async function readReport(wire: WordPressClient, sign?: Sign): Promise<CompanionHealth> {
  const route = `${COMPANION}/health`;
  if (sign === undefined) return (await wire.get(route, {}, HEALTH)).data;
  return (await wire.ask(route, { method: "GET", effect: "read" }, HEALTH, sign)).data;
}

/** Whether the plugin is older than this gateway can work with. */
export function isTooOld(report: CompanionHealth): boolean {
  return isOlder(report.plugin_version, COMPANION_VERSION_MIN);
}

/** Whether a version is older than another, by their numbers; one that cannot be read is. */
export function isOlder(version: string, than: string): boolean {
  const numbers = (text: string) => /^v?(\d+(?:\.\d+)*)/.exec(text.trim())?.[1]?.split(".").map(Number);
  const [have, need] = [numbers(version), numbers(than) ?? []];
  if (have === undefined) return true;
  for (const [at, number] of need.entries()) {
    if ((have[at] ?? 0) !== number) return (have[at] ?? 0) < number;
  }
  return false;
}

/** Whether the plugin says that the site's account does not have the right; what it does not tell of is no lack. */
export function lacks({ user: { caps } }: CompanionHealth, capability: string): boolean {
  return capability in caps && caps[capability] !== true && caps[capability] !== 1;
}

/** Refuses before anything is written what the plugin says the site's account may not do: E_UPSTREAM, status 403. */
export function requireCapability(health: CompanionHealth, capability: string, doing: string): void {
  if (!lacks(health, capability)) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `CMS 403: the site's account lacks the right "${capability}" to ${doing}; nothing was written: give it a role ` +
      "that has it",
    { upstream: 403 },
  );
}
