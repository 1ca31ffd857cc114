/** Catalogues of sites' own tool servers, and what operators decided of their tools. */
import { type Awaitable, turns } from "../lib/async.ts";
import { LIMITS } from "../model.ts";
import { ConfigVersion } from "./cache.ts";
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

const VERSION_KEY = ["tool_catalogs_version"];
/** KV reads so many keys at once. */
const KEYS_AT_ONCE = 10;

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

/** The ToolCatalogStore of a database. */
export class ToolCatalogs implements ToolCatalogStore {
  readonly #version: ConfigVersion;
  /** Shared by all lists that are packed at the same time. */
  readonly #turn: () => Promise<void>;
  /** Lists as they were packed: many sites have the same, and it is written for each. */
  readonly #packed = new WeakMap<readonly CatalogTool[], Promise<Uint8Array[]>>();

  constructor(private readonly db: Database) {
    this.#version = new ConfigVersion(db, VERSION_KEY);
    this.#turn = turns(db.elapsed, LIMITS.TURN_MS);
  }

  version(): Awaitable<number> {
    if (this.#version.fresh()) return this.#version.epoch;
    return this.#version.refresh().then(() => this.#version.epoch);
  }

  list(site_id?: string): Promise<ToolCatalog[]> {
    const prefix = site_id === undefined ? ["tool_catalogs"] : ["tool_catalogs", site_id];
    return listValues<ToolCatalog>(this.db.kv, prefix);
  }

  async get(key: CatalogKey): Promise<ToolCatalog | null> {
    return (await this.db.kv.get<ToolCatalog>(headKey(key))).value;
  }

  async tools({ content }: ToolCatalog): Promise<readonly CatalogTool[] | null> {
    if (content === null) return [];
    const parts: Uint8Array[] = [];
    for (let at = 0; at < content.parts; at += KEYS_AT_ONCE) {
      const count = Math.min(KEYS_AT_ONCE, content.parts - at);
      const keys = Array.from({ length: count }, (_, ahead) => partKey(content.id, at + ahead));
      for (const { value } of await this.db.kv.getMany<Uint8Array[]>(keys)) {
        if (value === null) return null;
        parts.push(value);
      }
    }
    return await unpack(parts) as readonly CatalogTool[];
  }

  async pins(catalog: ToolCatalog): Promise<ToolPins> {
    if (catalog.pins_digest === "") return {};
    return (await this.db.kv.get<ToolPins>(pinsKey(catalog))).value ?? {};
  }

  async put(
    before: ToolCatalog | null,
    catalog: Omit<ToolCatalog, "content">,
    found?: { readonly tools: readonly CatalogTool[]; readonly pins: ToolPins },
  ): Promise<boolean> {
    const key = headKey(catalog);
    for (const part of key.slice(1)) checkKeyPart("server", part);
    const standing = await this.db.kv.get<ToolCatalog>(key);
    if (
      standing.value?.tried_at !== before?.tried_at || standing.value?.content?.id !== before?.content?.id
    ) {
      return false;
    }
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
    return await this.#version.commit(change);
  }

  #pack(tools: readonly CatalogTool[]): Promise<Uint8Array[]> {
    const packed = this.#packed.get(tools) ?? pack(tools, this.#turn);
    this.#packed.set(tools, packed);
    return packed;
  }

  decisions(): Promise<ToolDecision[]> {
    return listValues<ToolDecision>(this.db.kv, ["tool_decisions"]);
  }

  async decide(decisions: readonly ToolDecision[]): Promise<void> {
    const change = this.db.kv.atomic();
    for (const one of decisions) {
      checkKeyPart("name", one.name);
      change.set(decisionKey(one), one);
    }
    await this.#version.commit(change);
  }

  async keepText(hash: string, tool: ListedTool): Promise<void> {
    checkSize(tool);
    await this.db.commit(this.db.kv.atomic().set(textKey(hash), tool));
  }

  async text(hash: string): Promise<ListedTool | null> {
    return (await this.db.kv.get<ListedTool>(textKey(hash))).value;
  }
}
