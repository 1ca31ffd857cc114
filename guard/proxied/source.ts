/** The source of sites' own tools: as fresh as the store, whichever instance changed it. */
import { type Awaitable, onDemand } from "../../core/async.ts";
import type { Site } from "../../core/model.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import type { ToolSource } from "../../registry/source.ts";
import type { JudgedTool } from "./judge.ts";
import { underProjects } from "../consent/confirm.ts";
import type { ProxiedPorts } from "./view.ts";

const LOADS_MAX = 3;
const READ_AGAIN_MS = 60_000;

/** Sites' own tools, as a source. What it answers changes where `fresh` has seen a change. */
export class ProxiedTools implements ToolSource {
  readonly name = "proxied";
  readonly #ports: ProxiedPorts;
  #current: ReadonlyMap<string, ToolEntry> = new Map();
  /** The list that the store answered, and the same with what the sites' projects ask of writes. */
  #listed: readonly Site[] | null = null;
  #sites: readonly Site[] = [];
  #version: number | null = null;
  #loading: Promise<void> | null = null;
  /** When what could not be read is read again, though the store has said nothing of a change. */
  #readAgainAt: number | null = null;
  // What makes tools of catalogues is not needed to start.
  readonly #view = onDemand(async () => {
    const { ProxiedView } = await import("./view.ts");
    return new ProxiedView(this.#ports);
  });

  constructor(ports: ProxiedPorts) {
    this.#ports = ports;
  }

  current(): ReadonlyMap<string, ToolEntry> {
    return this.#current;
  }

  /** Nothing where what `current` answers is no older than LIMITS.CACHE_CHECK_MS; else it is once this resolves. */
  fresh(): Awaitable<void> {
    const { store, elapsed } = this.#ports;
    if (this.#readAgainAt !== null && elapsed() >= this.#readAgainAt) {
      this.#readAgainAt = this.#version = null;
    }
    const sites = store.sites.list();
    const version = store.toolCatalogs.version();
    if (sites === this.#listed && version === this.#version) return;
    return this.#renew(sites, version);
  }

  /** What becomes of every tool of every server, by site and server; of what was last listed of it. */
  async judged(): Promise<readonly JudgedTool[]> {
    await this.fresh();
    return (await this.#view()).judged;
  }

  async #renew(sites: Awaitable<readonly Site[]>, version: Awaitable<number>): Promise<void> {
    const { store } = this.#ports;
    // One that is under way may have begun before the change that is waited for.
    for (let loads = 1;; loads++) {
      const [nowListed, nowVersion] = await Promise.all([sites, version]);
      const nowSites = await this.#withProjects(nowListed);
      if (nowVersion === this.#version && this.#isKnown(nowListed, nowSites)) return;
      await (this.#loading ??= this.#load(nowListed, nowSites, nowVersion).finally(() =>
        this.#loading = null
      ));
      if (loads === LOADS_MAX) return;
      [sites, version] = [store.sites.list(), store.toolCatalogs.version()];
    }
  }

  /** Whether these are the sites that were loaded: any change of configuration makes the store read its list again. */
  #isKnown(listed: readonly Site[], sites: readonly Site[]): boolean {
    if (sites !== this.#sites && JSON.stringify(sites) !== JSON.stringify(this.#sites)) return false;
    [this.#listed, this.#sites] = [listed, sites];
    return true;
  }

  async #withProjects(sites: readonly Site[]): Promise<readonly Site[]> {
    if (sites.every(({ project_id }) => project_id === null)) return sites;
    const projects = new Map((await this.#ports.store.projects.list()).map((one) => [one.id, one]));
    return await underProjects({ get: (id) => projects.get(id) ?? null }, sites);
  }

  async #load(listed: readonly Site[], sites: readonly Site[], version: number): Promise<void> {
    const view = await this.#view();
    await view.load(sites);
    this.#current = view.current;
    this.#readAgainAt = view.isWhole ? null : this.#ports.elapsed() + READ_AGAIN_MS;
    [this.#listed, this.#sites, this.#version] = [listed, sites, version];
  }
}
