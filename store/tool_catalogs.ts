/** Catalogues of sites' own tool servers, and what operators decided of their tools. */
import { GatewayError } from "../core/errors.ts";
import { type Awaitable, turns } from "../core/async.ts";
import { LIMITS } from "../core/model.ts";
import type { Version } from "./cache.ts";
import { checkKeyPart, checkSize, type Database, listValues } from "./database.ts";
import { pack, unpack } from "./packed.ts";
import type {
  CatalogKey,
  CatalogTool,
  ListedTool,
  ToolCatalog,
  ToolCatalogStore,
  ToolDecision,
  ToolPins,
} from "./store.ts";
import { readMany } from "./store_timeout.ts";

const headKey = ({ site_id, source, server }: CatalogKey) => ["tool_catalogs", site_id, source, server];
const pinsKey = ({ site_id, source, server }: CatalogKey) => ["tool_pins", site_id, source, server];
const partKey = (id: string, at: number) => ["tool_catalog_parts", id, at];
const decisionKey = (one: ToolDecision) => [
  "tool_decisions",
  one.site_id,
  one.source,
  one.server,
  one.name,
];
const textKey = (hash: string) => ["tool_texts", hash];

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
const isTexts = (value: unknown): value is Record<string, string> =>
  isFields(value) && Object.values(value).every((one) => typeof one === "string");
const HEAD_TEXTS = ["site_id", "source", "server", "bound_to", "digest", "pins_digest"];
const DECISION_TEXTS = ["site_id", "source", "server", "name", "bound_to", "verdict", "hash", "at"];

function isHead(value: unknown): value is ToolCatalog {
  if (!isFields(value) || !HEAD_TEXTS.every((one) => typeof value[one] === "string")) return false;
  const { content, tried_at, fetched_at } = value;
  const isTime = (one: unknown) => typeof one === "string" && !Number.isNaN(Date.parse(one));
  const isContent = isFields(content) && typeof content.id === "string" && Number.isInteger(content.parts);
  return isTime(tried_at) && (fetched_at === null || isTime(fetched_at)) && (content === null || isContent);
}

const isDecision = (value: unknown): value is ToolDecision =>
  isFields(value) && DECISION_TEXTS.every((one) => typeof value[one] === "string") &&
  ["approved", "withdrawn", "held"].includes(String(value.verdict)) &&
  (value.why === undefined || typeof value.why === "string");

function isListed(value: unknown): value is ListedTool {
  if (!isFields(value)) return false;
  const { name, title = "", description, input_schema, hints } = value;
  return [name, title, description].every((one) => typeof one === "string") && isFields(input_schema) &&
    isFields(hints);
}

/** The ToolCatalogStore of a database. */
export class ToolCatalogs implements ToolCatalogStore {
  /** Shared by all lists that are packed at the same time. */
  readonly #turn: () => Promise<void>;
  /** Lists as they were packed: many sites have the same, and it is written for each. */
  readonly #packed = new WeakMap<readonly CatalogTool[], Promise<Uint8Array[]>>();
  /** The ids of lists that were found to be damaged: their next listing is written, whether or not it is the same. */
  readonly #damaged = new Set<string>();

  constructor(private readonly db: Database, private readonly changes: Version) {
    this.#turn = turns(db.elapsed, LIMITS.TURN_MS);
  }

  version(): Awaitable<number> {
    if (this.changes.fresh()) return this.changes.epoch;
    return this.changes.refresh().then(() => this.changes.epoch);
  }

  async list(site_id?: string): Promise<ToolCatalog[]> {
    const prefix = site_id === undefined ? ["tool_catalogs"] : ["tool_catalogs", site_id];
    const all = await listValues(this.db.kv, prefix);
    return all.map((value) => this.#headOf(value)).filter((head) => head !== null);
  }

  async get(key: CatalogKey): Promise<ToolCatalog | null> {
    return this.#headOf((await this.db.kv.get(headKey(key))).value);
  }

  /** The head as it is to be known; null for one that is none, such as a damaged one, in whose place another is put. */
  #headOf(value: unknown): ToolCatalog | null {
    if (!isHead(value)) return null;
    const id = value.content?.id ?? "";
    return this.#damaged.has(id) ? { ...value, digest: `damaged ${id}` } : value;
  }

  async tools(catalog: ToolCatalog): Promise<readonly CatalogTool[] | null> {
    const { content } = catalog;
    if (content === null) return [];
    let tools: unknown = null;
    try {
      const parts = await this.#parts(content);
      tools = parts && await unpack(parts);
    } catch (fault) {
      if (fault instanceof GatewayError) throw fault;
    }
    if (Array.isArray(tools)) return tools;
    if ((await this.get(catalog))?.content?.id !== content.id) return null;
    this.#damaged.add(content.id);
    throw new Error(`The list of tools ${JSON.stringify(headKey(catalog))} is damaged; it is listed anew`);
  }

  async #parts(content: NonNullable<ToolCatalog["content"]>): Promise<Uint8Array[] | null> {
    const parts: Uint8Array[] = [];
    const keys = Array.from({ length: content.parts }, (_, at) => partKey(content.id, at));
    for (const { value } of await readMany<Uint8Array>(this.db.kv, keys)) {
      if (value === null) return null;
      parts.push(value);
    }
    return parts;
  }

  async pins(catalog: ToolCatalog): Promise<ToolPins | null> {
    if (catalog.pins_digest === "") return {};
    const { value } = await this.db.kv.get<ToolPins>(pinsKey(catalog));
    return isTexts(value) ? value : null;
  }

  async put(
    before: ToolCatalog | null,
    catalog: Omit<ToolCatalog, "content">,
    found?: { readonly tools: readonly CatalogTool[]; readonly pins: ToolPins },
  ): Promise<boolean> {
    const key = headKey(catalog);
    for (const part of key.slice(1)) checkKeyPart("server", part);
    const standing = await this.db.kv.get(key);
    const known = this.#headOf(standing.value);
    if (known?.tried_at !== before?.tried_at || known?.content?.id !== before?.content?.id) return false;
    const parts = found === undefined ? null : await this.#pack(found.tools);
    const content = parts ? { id: this.db.newId(), parts: parts.length } : before?.content ?? null;
    const head: ToolCatalog = { ...catalog, content };
    checkSize(head);
    const change = this.db.kv.atomic().check(standing).set(key, head);
    if (parts === null) return (await this.db.commit(change)).ok;
    checkSize(found!.pins);
    change.set(pinsKey(catalog), found!.pins);
    for (const [at, part] of parts.entries()) change.set(partKey(head.content!.id, at), part);
    const gone = before?.content;
    for (let at = 0; gone && at < gone.parts; at++) change.delete(partKey(gone.id, at));
    return await this.changes.commit(change);
  }

  #pack(tools: readonly CatalogTool[]): Promise<Uint8Array[]> {
    const packed = this.#packed.get(tools) ?? pack(tools, this.#turn);
    this.#packed.set(tools, packed);
    return packed;
  }

  async decisions(): Promise<ToolDecision[]> {
    const all: ToolDecision[] = [];
    for await (const { key, value } of this.db.kv.list({ prefix: ["tool_decisions"] }, { batchSize: 100 })) {
      all.push(isDecision(value) ? value : await this.#unreadable(key));
    }
    return all;
  }

  /** What stands for a decision that is damaged: it holds where the server stands now. */
  async #unreadable([, ...names]: Deno.KvKey): Promise<ToolDecision> {
    const [site_id = "", source = "", server = "", name = ""] = names.map(String);
    const plain = { site_id, source, server };
    const bound_to = (await this.get(plain))?.bound_to ?? "";
    const nothing = { hash: "", writes: true, effect: "site", page: null, by: "", at: "" };
    return { ...plain, name, bound_to, verdict: "unreadable", ...nothing };
  }

  async decide(decisions: readonly ToolDecision[]): Promise<void> {
    const change = this.db.kv.atomic();
    for (const one of decisions) {
      checkKeyPart("name", one.name);
      change.set(decisionKey(one), one);
    }
    await this.changes.commit(change);
  }

  async keepText(hash: string, tool: ListedTool): Promise<void> {
    checkSize(tool);
    await this.db.commit(this.db.kv.atomic().set(textKey(hash), tool));
  }

  async text(hash: string): Promise<ListedTool | null> {
    const { value } = await this.db.kv.get(textKey(hash));
    return isListed(value) ? value : null;
  }
}
