/** The companion plugin's routes for SEO on the stand-in: fields, structured data, redirects and the sitemap. */
import type { Hono } from "hono";
import { addCompanionHealth, type CompanionOptions, fault, needs, refuseLive } from "./companion.ts";
import { wallTime } from "./dates.ts";
import { invalidParams } from "./errors.ts";
import { readRedirects, type RedirectRules, resolve, writeRedirect } from "./companion_redirects.ts";
import type { ParamRules, Params } from "./params.ts";
import { mayEdit } from "./post_view.ts";
import { type Answer, type Ask, type RestEnv, route } from "./rest.ts";
import type { Post, State } from "./state.ts";
import { seoHead } from "./visitor_page.ts";

/** The names of fields. */
const ROBOTS = ["noindex", "nofollow", "noarchive", "nosnippet", "noimageindex"];
const CARD = ["title", "description", "image"];
const TEXTS = ["title", "description", "focus_keyword", "canonical"] as const;
/** Arguments of the routes. */
export const ID: ParamRules = { id: { type: "integer" } };
export const META: ParamRules = {
  ...ID,
  ...Object.fromEntries(TEXTS.map((name) => [name, { type: "string" }])),
  robots: { type: "object" },
  og: { type: "object" },
  twitter: { type: "object" },
  allow_published: { type: "boolean", fallback: false },
};
export const SCHEMA: ParamRules = {
  ...ID,
  schema: { type: "any", required: true },
  entry_id: { type: "string" },
  allow_published: { type: "boolean", fallback: false },
};
export const REDIRECT: ParamRules = {
  source: { type: "string", required: true },
  destination: { type: "string", required: true },
  status: { type: "integer", fallback: 301 },
};

/** The SEO fields of a post as the plugin answers them. */
export interface StoredSeo {
  title: string;
  description: string;
  focus_keyword: string;
  canonical: string;
  robots: Record<string, boolean>;
  og: Record<string, string>;
  twitter: Record<string, string>;
}

/** The plugin's side of a stand-in; a test may change it while the site runs. */
export interface CompanionSeo extends RedirectRules {
  readonly options: CompanionOptions;
  readonly fields: Map<number, StoredSeo>;
  /** What the plugin tells beside the fields of a post: `origins`, `fixed`, `twitter_follows_og`. */
  readonly effects: Map<number, Readonly<Record<string, unknown>>>;
  readonly schemas: Map<number, { entry_id: string; type: string; schema: unknown }[]>;
  sitemap: {
    enabled: boolean;
    cache: "none" | "kept";
    rebuilt: number;
    /** Its address answers 404, as before WordPress has learned it. */
    unknown?: boolean;
    off?: readonly { readonly part: string; readonly switch: string }[];
  };
  /** The version of the SEO plugin that keeps the rows; 1.0 unless told otherwise. */
  rows_version?: string;
  /** What Rank Math makes of a post by itself while it has no entry; nothing of a plugin that does not tell. */
  automatic?: string | null;
}

/** Where each keeps it. */
const SITEMAPS = {
  none: "/wp-sitemap.xml",
  seopress: "/sitemaps.xml",
  others: "/sitemap_index.xml",
} as const;

const ROOT = "/site-ops/v1";
/** Installs the plugin on a running stand-in: `addCompanionSeo(cms.app, cms.state)`. */
export function addCompanionSeo(
  app: Hono<RestEnv>,
  state: Pick<State, "namespaces"> & Partial<Pick<State, "heads" | "leads" | "front">>,
  given: Partial<CompanionOptions> = {},
): CompanionSeo {
  const plugin: CompanionSeo = {
    options: { version: "1.0.0", visual: false, ...given },
    provider: "none",
    fields: new Map(),
    effects: new Map(),
    patterns: new Map(),
    foremost: new Set(),
    schemas: new Map(),
    redirects: [],
    sitemap: { enabled: true, cache: "none", rebuilt: 0 },
  };
  state.heads?.push(({ id }) => seoHead(plugin.fields.get(id), plugin.schemas.get(id) ?? []));
  state.leads?.push((path) => resolve(plugin, decodeURI(path)));
  addCompanionHealth(app, state.namespaces, plugin.options);
  const meta = `${ROOT}/seo/meta/:id{[0-9]+}`;
  route(app, ["GET"], meta, () => ID, (ask) => ({ body: metaOf(plugin, ask, postOf(ask)) }));
  route(app, ["POST"], meta, () => META, (ask) => writeMeta(plugin, ask));
  const schema = `${ROOT}/seo/schema/:id{[0-9]+}`;
  route(app, ["GET"], schema, () => ID, (ask) => readSchema(plugin, ask));
  route(app, ["POST"], schema, () => SCHEMA, (ask) => writeSchema(plugin, ask));
  const redirects = `${ROOT}/seo/redirects`;
  route(app, ["GET"], redirects, () => ({ source: { type: "string" } }), (ask) => readRedirects(plugin, ask));
  route(app, ["POST"], redirects, () => REDIRECT, (ask) => writeRedirect(plugin, ask));
  for (const path of Object.values(SITEMAPS)) {
    state.front?.set(path, () => plugin.sitemap.enabled && !plugin.sitemap.unknown ? 200 : 404);
  }
  route(app, ["GET"], `${ROOT}/seo/sitemap`, () => ({}), (ask) => readSitemap(plugin, ask));
  route(app, ["POST"], `${ROOT}/seo/sitemap/rebuild`, () => ({}), (ask) => rebuild(plugin, ask));
  return plugin;
}

/** The post asked for; refuses who may not edit it. */
export function postOf(ask: Ask, ...rights: string[]): Post {
  needs(ask, "edit_posts", ...rights);
  const post = ask.state.posts.get(ask.params["id"] as number);
  if (post === undefined || ["trash", "inherit"].includes(post.status)) {
    throw fault("post_not_found", 404, `There is no post ${ask.params["id"]}, or it is in the trash`);
  }
  if (!mayEdit(ask.person, post)) needs(ask, "nobody");
  return post;
}

/** The fields of a post that has none. */
export const nothing = (): StoredSeo => ({
  title: "",
  description: "",
  focus_keyword: "",
  canonical: "",
  robots: Object.fromEntries(ROBOTS.map((name) => [name, false])),
  og: Object.fromEntries(CARD.map((name) => [name, ""])),
  twitter: Object.fromEntries(CARD.map((name) => [name, ""])),
});

/** States that nobody but editors sees; one that nobody registers counts as seen (Access::is_live). */
const HIDDEN: ReadonlySet<string> = new Set(["draft", "pending", "auto-draft", "future", "trash", "inherit"]);

/** A post with its fields. */
export function metaOf(plugin: CompanionSeo, { state }: Ask, post: Post): Record<string, unknown> {
  return {
    post_id: post.id,
    post_type: post.type,
    post_status: post.status,
    post_title: post.title,
    post_protected: Boolean(post.password),
    post_live: !HIDDEN.has(post.status),
    date_gmt: post.status === "future" ? wallTime(post.date.at, "UTC") : null,
    modified_gmt: wallTime(Math.min(post.modified, state.now()), "UTC"),
    provider: plugin.provider,
    ...plugin.effects.get(post.id) ?? {},
    ...plugin.fields.get(post.id) ?? nothing(),
  };
}

/** One plain line, as the plugin keeps texts. */
const line = (text: unknown) =>
  // deno-lint-ignore no-control-regex
  String(text).replace(/<[^>]*>/g, "").replace(/[\x00-\x20\x7f]+/g, " ").trim();

function group(params: Params, name: string, known: readonly string[]): Record<string, unknown> {
  const given = (params[name] ?? {}) as Record<string, unknown>;
  const stranger = Object.keys(given).find((key) => !known.includes(key));
  if (stranger === undefined) return given;
  throw invalidParams(new Map([[name, { code: "x", message: `${stranger} is not a valid property` }]]));
}

/** Changes fields. */
export function writeMeta(plugin: CompanionSeo, ask: Ask): Answer {
  const post = postOf(ask);
  const [robots, og, twitter] = [
    group(ask.params, "robots", ROBOTS),
    group(ask.params, "og", CARD),
    group(ask.params, "twitter", CARD),
  ];
  if (ask.params["allow_published"] !== true) refuseLive(ask, post);
  const stored = structuredClone(plugin.fields.get(post.id) ?? nothing());
  for (const name of TEXTS) if (ask.params[name] !== undefined) stored[name] = line(ask.params[name]);
  Object.assign(stored.robots, robots);
  for (const [part, text] of Object.entries(og)) stored.og[part] = line(text);
  for (const [part, text] of Object.entries(twitter)) stored.twitter[part] = line(text);
  plugin.fields.set(post.id, stored);
  return { body: metaOf(plugin, ask, post) };
}

/** A post's structured data. */
export function readSchema(plugin: CompanionSeo, ask: Ask): Answer {
  const { id, status } = postOf(ask, "unfiltered_html");
  const entries = plugin.schemas.get(id) ?? [];
  const { provider, automatic } = plugin;
  const told = automatic === undefined ? {} : { automatic: entries.length === 0 ? automatic : null };
  return { body: { post_id: id, post_status: status, provider, ...told, entries } };
}

/** Adds or replaces structured data. */
export function writeSchema(plugin: CompanionSeo, ask: Ask): Answer {
  const post = postOf(ask, "unfiltered_html");
  const { schema, entry_id, allow_published } = ask.params;
  const types = [schema].flat().map((one) => (one as Record<string, unknown>)["@type"]);
  const typed = isGraph(schema) || types.every((type) => type !== undefined);
  const one = !Array.isArray(schema) && !isGraph(schema);
  if (!typed || (plugin.provider === "rankmath" && !one)) {
    throw fault("invalid_json", 422, "The structured data has no @type, or too many");
  }
  if (allow_published !== true) refuseLive(ask, post);
  const entries = plugin.schemas.get(post.id) ?? [];
  const old = entries.find((one) => one.entry_id === entry_id);
  if (entry_id !== undefined && !old) {
    throw fault("schema_entry_not_found", 404, `The post has no structured data "${entry_id}"`);
  }
  const entry = old ?? { entry_id: `so-${entries.length + 1}`, type: "", schema: null };
  Object.assign(entry, { type: types.flat().join(", "), schema });
  if (!old) plugin.schemas.set(post.id, [...entries, entry]);
  return { body: { entry_id: entry.entry_id, type: entry.type, created: !old } };
}

const isGraph = (schema: unknown) => typeof schema === "object" && schema !== null && "@graph" in schema;

function readSitemap({ provider, sitemap }: CompanionSeo, ask: Ask): Answer {
  needs(ask, "edit_posts");
  const { enabled, cache, off } = sitemap;
  const path = provider === "none" || provider === "seopress" ? SITEMAPS[provider] : SITEMAPS.others;
  const url = enabled ? `${ask.state.origin()}${path}` : null;
  return { body: { provider, enabled, url, modules: { sitemap: enabled }, cache, ...(off ? { off } : {}) } };
}

function rebuild({ sitemap }: CompanionSeo, ask: Ask): Answer {
  needs(ask, "manage_options");
  if (!sitemap.enabled) throw fault("seo_provider_missing", 409, "Nothing makes a sitemap on this site");
  sitemap.rebuilt++;
  sitemap.unknown = false;
  return { body: { invalidated: true } };
}
