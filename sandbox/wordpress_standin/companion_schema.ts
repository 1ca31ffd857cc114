/** The companion plugin's routes for custom schema on the stand-in, over either of the two plugins that keep it. */
import type { Hono } from "hono";
import { addCompanionHealth, type CompanionOptions, fault, needs } from "./companion.ts";
import { nothing } from "./companion_seo.ts";
import { addTwins, type Rows, rowsTwin, type StoredRows } from "./companion_twins.ts";
import type { ParamRules } from "./params.ts";
import { type Answer, type Ask, PAGING, type RestEnv, route } from "./rest.ts";
import type { State } from "./state.ts";

type Fields = Record<string, unknown>;

/** An entry as its schema plugin stores it; tests may change it while the site runs. */
export interface StoredEntry {
  readonly id: number;
  type: string;
  status: string;
  title: string;
  /** undefined where the plugin makes the markup from settings. */
  value: unknown;
  targets: unknown;
}

/** The plugin's side of a stand-in. */
export interface CompanionSchema {
  readonly options: CompanionOptions;
  /** Which plugin keeps the entries; null for none. */
  provider: "schemapro" | "rankmath" | null;
  readonly entries: Map<number, StoredEntry>;
}

const PATH = "/site-ops/v1/schema/entries";
const TEXT = "custom-markup-custom-text";
const BYTES = 102_400;
const LIST: ParamRules = {
  page: PAGING["page"]!,
  per_page: { ...PAGING["per_page"]!, fallback: 20 },
  needle: { type: "string" },
};
const WRITE: ParamRules = {
  id: { type: "integer" },
  value: { type: "any", required: true },
  expect_value_type: { type: "string", enum: ["string", "array"] },
  allow_published: { type: "boolean", fallback: false },
};

/** Installs the plugin on a running stand-in: `addCompanionSchema(cms.app, cms.state)`. */
export function addCompanionSchema(
  app: Hono<RestEnv>,
  state: Pick<State, "namespaces">,
  given: Partial<Pick<CompanionSchema, "provider">> & {
    readonly version?: string;
    readonly guarded?: boolean;
  } = {},
): CompanionSchema {
  const { version = "1.0.0", provider = "schemapro" } = given;
  const plugin: CompanionSchema = { options: { version, visual: false }, provider, entries: new Map() };
  addCompanionHealth(app, state.namespaces, plugin.options, () => ({
    active: plugin.provider !== null,
    provider: plugin.provider,
    entries: plugin.entries.size,
  }));
  route(app, ["GET"], PATH, () => LIST, (ask) => list(plugin, ask));
  route(app, ["GET"], `${PATH}/:id{[0-9]+}`, () => ({ id: { type: "integer" } }), (ask) => {
    return { body: view(find(plugin, ask)) };
  });
  route(app, ["POST"], `${PATH}/:id{[0-9]+}`, () => WRITE, (ask) => write(plugin, ask));
  return plugin;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const bytes = (value: unknown) =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value)).length;

/** Installs the guarded twin of the route that writes. */
export function addGuardedSchema(app: Hono<RestEnv>, plugin: CompanionSchema): void {
  const found = (ask: Ask) => ({ ...view(find(plugin, ask)), provider: plugin.provider });
  const stored = (ask: Ask) => rowsOf(plugin, find(plugin, ask));
  const state = (ask: Ask) => ({ ...found(ask), stored: stored(ask) });
  const rows = rowsTwin("custom-schema", {
    stored,
    post: (ask) => ({ ...nothing(), ...postOf(find(plugin, ask)), provider: "none" }),
    put: (ask, given) => put(plugin, ask, given),
  });
  addTwins(app, [rows, {
    path: "schema/entries/:id",
    asks: { id: { type: "integer" } },
    takes: WRITE,
    state,
    parts: found,
    write: (ask) => write(plugin, ask),
  }]);
}

const postOf = ({ id, type, status, title }: StoredEntry) => ({
  post_id: id,
  post_type: type,
  post_status: status,
  post_title: title,
});

/** What is stored of an entry: of one page each schema, else its markup. */
function rowsOf({ provider }: CompanionSchema, { id, value }: StoredEntry): StoredRows {
  const plugin = `${provider} 1.0`;
  if (provider !== "rankmath" || !isFields(value)) {
    const values = value === undefined ? [] : [typeof value === "string" ? value : JSON.stringify(value)];
    return { plugin, rows: { "bsf-aiosrs-custom-markup": { of: "value", values } } };
  }
  const rows = Object.entries(value).map(([type, schema], at) => {
    const name = `schema-${id}${at}`;
    return [name, { of: name, values: [`rank_math_schema_${type}`, JSON.stringify(schema)] }] as const;
  });
  return { plugin, rows: Object.fromEntries(rows) };
}

function put(plugin: CompanionSchema, ask: Ask, rows: Rows): void {
  const entry = find(plugin, ask);
  const isLive = plugin.provider === "rankmath" && ["publish", "private"].includes(entry.status);
  if (isLive && ask.params["allow_published"] !== true) {
    throw fault("published", 409, `Post ${entry.id} is published`);
  }
  for (const [key = "", text] of Object.values(rows)) {
    if (text !== undefined) {
      entry.value = { ...entry.value as Fields, [key.slice("rank_math_schema_".length)]: JSON.parse(text) };
    } else entry.value = typeof entry.value === "string" ? key : JSON.parse(key);
  }
}

function view({ id, type, status, title, value, targets }: StoredEntry): Fields {
  const value_type = value === undefined ? "none" : typeof value === "string" ? "string" : "array";
  return { post_id: id, type, status, title, value_type, value: value ?? null, targets };
}

function requireProvider({ provider }: CompanionSchema): void {
  if (provider === null) {
    throw fault("schema_provider_missing", 409, "No plugin that keeps custom schema is active on this site");
  }
}

function list(plugin: CompanionSchema, ask: Ask): Answer {
  needs(ask, "edit_others_posts");
  requireProvider(plugin);
  const { page, per_page, needle = "" } = ask.params as { page: number; per_page: number; needle?: string };
  const rows = [...plugin.entries.values()].filter(({ value }) =>
    needle === "" || texts(value ?? null).some((text) => text.toLowerCase().includes(needle.toLowerCase()))
  );
  const entries = rows.slice((page - 1) * per_page, page * per_page).map(view);
  return { body: { provider: plugin.provider, entries, total: rows.length } };
}

/** What a needle is looked for in: the JSON of all of it, and each text. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [JSON.stringify(value), ...Object.values(value).flatMap(texts)];
}

function find(plugin: CompanionSchema, ask: Ask): StoredEntry {
  needs(ask, "edit_posts", "unfiltered_html");
  requireProvider(plugin);
  const entry = plugin.entries.get(ask.params["id"] as number);
  if (entry) return entry;
  throw fault("schema_entry_not_found", 404, `Post ${ask.params["id"]} holds no custom schema`);
}

const wrongType = (said: string) => fault("value_type", 422, said);

function write(plugin: CompanionSchema, ask: Ask): Answer {
  const entry = find(plugin, ask);
  const { value, expect_value_type: expected, allow_published } = ask.params;
  const { value_type } = view(entry);
  const fits = typeof entry.value === typeof value && Array.isArray(entry.value) === Array.isArray(value);
  if (value_type === "none") throw wrongType("The entry has no custom markup");
  if (expected !== undefined && expected !== value_type) throw wrongType(`The entry is of ${value_type}`);
  if (!fits) throw wrongType("value must be what the stored one is");
  const guarded = plugin.provider === "rankmath" && ["publish", "private"].includes(entry.status);
  if (guarded && !allow_published) throw fault("published", 409, `Post ${entry.id} is published`);
  entry.value = phpArrays(
    plugin.provider === "rankmath"
      ? bySchema(entry.value as Fields, value as Fields)
      : byMarkup(entry.value, value),
  );
  return { body: view(entry) };
}

/** Of a post with several schemas those that were sent are replaced. */
function bySchema(old: Fields, sent: Fields): Fields {
  const schemas = Object.entries(sent).map(([name, schema]) => {
    if (!(name in old) || !isFields(schema)) throw wrongType(`"${name}" is none of its types`);
    const { metadata: _, ...rest } = schema;
    return [name, rest];
  });
  return { ...old, ...Object.fromEntries(schemas) };
}

function byMarkup(old: unknown, sent: unknown): unknown {
  if (typeof sent === "string") return reworded(old as string, sent);
  if (bytes(sent) > BYTES) throw fault("too_large", 413, "The structured data is too large");
  if (!isFields(sent) || !isFields(old)) {
    if (Object.keys(sent as object).length === 0) throw wrongType("value is empty");
    return sent;
  }
  if (!(TEXT in sent)) return { ...old, ...sent };
  if (typeof sent[TEXT] !== "string") throw wrongType(`value.${TEXT} must be a string`);
  return { ...old, ...sent, [TEXT]: reworded(String(old[TEXT] ?? ""), sent[TEXT]) };
}

/** The JSON in the frame the old text had. */
function reworded(old: string, sent: string): string {
  const [, , json] = framed(sent);
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch {
    throw fault("invalid_json", 422, "The text is not JSON");
  }
  if (typeof data !== "object" || data === null) {
    throw fault("invalid_json", 422, "The text is neither an object nor a list");
  }
  if (bytes(json) > BYTES) throw fault("too_large", 413, "The structured data is too large");
  const [, before, , after] = framed(old);
  return before + json.trim().replaceAll("<", "\\u003C") + after;
}

function framed(text: string): [string, string, string, string] {
  const found = /^(.*<script\b[^<>]*>\s*)(.*?)(\s*<\/script\s*>.*)$/is.exec(text);
  return found ? [text, found[1]!, found[2]!, found[3]!] : [text, "", text, ""];
}

/** As PHP keeps it: an empty object is an empty list. */
function phpArrays(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(phpArrays);
  if (!isFields(value)) return value;
  const entries = Object.entries(value);
  return entries.length === 0 ? [] : Object.fromEntries(entries.map(([name, one]) => [name, phpArrays(one)]));
}
