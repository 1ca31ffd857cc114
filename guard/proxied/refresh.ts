/** Keeps the catalogues of sites' own tool servers: lists them on a clock, and when somebody asks for it. */
import { GatewayError, isStoreGone } from "../../core/errors.ts";
import { ended, onDemand, turns } from "../../core/async.ts";
import { LIMITS, type Site } from "../../core/model.ts";
import type { Capability, Connector } from "../../platforms/_connector/connector.ts";
import type { HoldsClient } from "../../platforms/_content/holds.ts";
import type { ServerRef, ToolServers } from "../../platforms/tool_servers/types.ts";
import type { Proxies } from "../../registry/proxies.ts";
import type { Store, ToolCatalog } from "../../store/store.ts";
import { gapFor, inTurn, isDue } from "./schedule.ts";
import { CatalogHosts, hostOf } from "./hosts.ts";
import { saveCatalog } from "./save_catalog.ts";
import { type ConnectorPorts, makeConnectorContext } from "../connector_context.ts";
import { listedTools } from "./listed_tools.ts";
import { placeOf } from "./judge.ts";
import type { Jobs } from "../jobs.ts";

const LEASE = "tool-catalogs";

/** What it stands on. */
export interface RefreshPorts extends ConnectorPorts {
  readonly store: ConnectorPorts["store"] & Pick<Store, "sites" | "leases" | "toolCatalogs">;
  /** What reaches tool servers; none in a gateway whose connectors do not. */
  readonly toolServers: Connector | undefined;
  /** What tells whether a site holds what its tools write. */
  readonly holds: Capability<HoldsClient>;
  proxies(): Promise<readonly Proxies[]>;
  /** Milliseconds that never go back. */
  elapsed(): number;
  /** Resolves after so many milliseconds. */
  pause(ms: number): Promise<void>;
  /** Runs it so that a failure ends nothing. */
  readonly jobs: Pick<Jobs, "run">;
  log(event: Record<string, unknown>): void;
}

/** The catalogues of one gateway; of several instances on one store one lists them at a time. */
export class CatalogRefresh {
  readonly #ports: RefreshPorts;
  readonly #running = new Set<Promise<unknown>>();
  readonly #soon = new Map<string, number>();
  /** Shared by all that is listed at the same time. */
  readonly #turn: () => Promise<void>;
  #isStopping = false;

  constructor(ports: RefreshPorts) {
    this.#ports = ports;
    this.#turn = turns(ports.elapsed, LIMITS.TURN_MS);
  }

  /**
   * Lists again what is due: what was never listed, listed within the hour before, failed a while ago, or stands
   * elsewhere or has other credentials since. Never throws; a failure of a site is kept beside its last catalogue. Answers whether it
   * ran: false where another run has the lease.
   */
  async run(): Promise<boolean> {
    const { jobs, store: { leases } } = this.#ports;
    return await jobs.run(
      "tool catalogues",
      () => this.#tracked(leases.hold(LEASE, LIMITS.TOOL_CATALOG_LEASE_MS, (renew) => this.#due(renew))),
    );
  }

  /** Lists the tools of a site now, due or not; answers what is known of its servers then. Throws E_NOT_SUPPORTED. */
  async site(site: Site): Promise<readonly ToolCatalog[]> {
    const sources = (await this.#ports.proxies()).filter((one) => placeOf(site, one) !== null);
    if (sources.length === 0 || !this.#ports.toolServers?.connect) {
      throw new GatewayError(
        "E_NOT_SUPPORTED",
        `Site "${site.id}" can have no tool server: it needs ${
          (await this.#ports.proxies()).map((one) => `a ${one.boundTo} and ${one.credential} credentials`)
            .join(", or ")
        }`,
      );
    }
    await this.#tracked(this.#list(site, sources, new CatalogHosts(), () => true));
    return await this.#ports.store.toolCatalogs.list(site.id);
  }

  /** Lists the tools of a site in the background, at most once a minute: one of them is said to be gone. */
  soon(site: Site): void {
    const last = this.#soon.get(site.id);
    const now = this.#ports.elapsed();
    if (this.#isStopping || (last !== undefined && now - last < SOON_MS)) return;
    this.#soon.set(site.id, now);
    this.site(site).catch((fault) => {
      this.#ports.log({ event: "tool_catalog_failed", site_id: site.id, cause: String(fault) });
    });
  }

  /** Finds out whether sites hold what their tools write, and keeps that: they were paired. Never rejects. */
  async paired(ids: readonly string[]): Promise<void> {
    const { store: { sites, toolCatalogs } } = this.#ports;
    for (const id of ids) {
      await this.#apart(id, async () => {
        const known = (await toolCatalogs.list(id)).filter(({ unheld }) => unheld !== undefined);
        const site = known.length === 0 ? null : await sites.get(id);
        if (site === null) return;
        const unheld = await this.#unheld(site, (client) => client.forget()); // the next call asks again
        // Where another one kept its listing meanwhile, that has asked too.
        for (const one of known) await toolCatalogs.put(one, { ...one, unheld });
      }).catch((fault) => {
        this.#ports.log({ event: "tool_catalog_failed", site_id: id, cause: String(fault) });
      });
    }
  }

  /** Begins no other site. Resolves once nothing runs, or the time is over that a process has for its end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await ended(Promise.allSettled(this.#running), LIMITS.SHUTDOWN_CUT_OFF_MS);
  }

  async #tracked<T>(running: Promise<T>): Promise<T> {
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async #due(renew: () => Promise<boolean>): Promise<void> {
    const { store, proxies, toolServers, elapsed, pause } = this.#ports;
    if (!toolServers?.connect) return;
    const sites = await store.sites.list();
    await this.#turn();
    const kept = Map.groupBy(await store.toolCatalogs.list(), ({ site_id }) => site_id);
    const sources = await proxies();
    await this.#turn();
    const all = sites.flatMap((site) => {
      const own = sources.filter((one) => this.#isDue(site, one, kept.get(site.id) ?? []));
      return own.length === 0 ? [] : [{ site, own }];
    });
    const [due, gap, hosts] = [all.values(), gapFor(all.length), new CatalogHosts()];
    let [isOurs, next] = [true, elapsed()];
    /** What the store failed with, once it answers nobody: nothing more is begun. */
    let gone: { readonly fault: unknown } | null = null;
    const work = async () => {
      for (const { site: { id }, own } of due) {
        const wait = next - elapsed();
        next = Math.max(next, elapsed()) + gap;
        if (wait > 0) await pause(wait);
        isOurs &&= await renew();
        if (!isOurs || gone !== null || this.#isStopping) return;
        // Since the run began it may have moved, got other credentials, or lost them.
        await this.#apart(id, async () => {
          const site = await store.sites.get(id);
          if (site) await this.#list(site, own, hosts, (catalog) => isDue(site, catalog, this.#ports.now()));
        });
      }
    };
    const working = () => work().catch((fault) => gone ??= { fault });
    await Promise.all(Array.from({ length: LIMITS.TOOL_CATALOGS_AT_ONCE }, working));
    if (gone !== null) throw (gone as { readonly fault: unknown }).fault;
  }

  #isDue(site: Site, source: Proxies, kept: readonly ToolCatalog[]): boolean {
    const place = placeOf(site, source);
    if (place === null) return false;
    const own = kept.filter((one) => one.source === source.source && one.bound_to === place);
    return own.length === 0 || own.some((one) => isDue(site, one, this.#ports.now()));
  }

  /** Lists what of a site's servers `wanted` says. Only a store that fails throws. */
  async #list(
    site: Site,
    sources: readonly Proxies[],
    hosts: CatalogHosts,
    wanted: (catalog: ToolCatalog | null) => boolean,
  ): Promise<void> {
    const { store: { toolCatalogs }, toolServers, now } = this.#ports;
    const call = { site, caller: null, deadline: now() + LIMITS.CALL_DEADLINE_MS };
    let servers: ToolServers;
    try {
      servers = await toolServers!.connect!(
        makeConnectorContext(this.#ports, call, toolServers!),
      ) as ToolServers;
    } catch (fault) {
      return this.#ports.log({ event: "tool_catalog_failed", site_id: site.id, cause: String(fault) });
    }
    const unheld = onDemand(() => this.#unheld(site));
    const possible = servers.possible();
    const [first] = possible;
    const known = first ? await toolCatalogs.get({ site_id: site.id, ...first }) : null;
    for (const ref of inTurn(possible, known)) {
      const source = sources.find((one) => one.source === ref.source);
      const place = source ? placeOf(site, source) : null;
      if (!source || place === null || this.#isStopping) continue;
      const before = await toolCatalogs.get({ site_id: site.id, ...ref });
      if (!wanted(before?.bound_to === place ? before : null)) continue;
      await this.#server({ site, servers, ref, source, place, hosts, unheld }, before);
    }
  }

  /** Why the site does not hold what its tools write; null where it does. A site that was never asked for it is not paired. */
  async #unheld(site: Site, asked: (client: HoldsClient) => void = () => {}): Promise<string | null> {
    const { connectors, holds, now } = this.#ports;
    const found = connectors.provider(site.platform, holds);
    if (!found) return "its kind of site holds nothing";
    const call = { site, caller: null, deadline: now() + LIMITS.CALL_DEADLINE_MS };
    try {
      const ctx = makeConnectorContext(this.#ports, call, found.connector);
      const client = await found.provision.connect(ctx) as HoldsClient;
      const state = await client.state();
      asked(client);
      if (state.ready) return null;
      return state.may_pair ? `${state.why}, or its first write pairs it` : state.why;
    } catch (thrown) {
      return `it could not be asked: ${this.#sentence(thrown, site.id)}`;
    }
  }

  /** What fails of one site ends nothing of the others. Throws where the store answers nothing at all. */
  async #apart(site_id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (fault) {
      if (isStoreGone(fault)) throw fault;
      this.#ports.log({ event: "tool_catalog_failed", site_id, cause: String(fault) });
    }
  }

  async #server(
    { site, servers, ref, source, place, hosts, unheld }: Asked,
    before: ToolCatalog | null,
  ): Promise<void> {
    const { store: { toolCatalogs }, now, log } = this.#ports;
    const plain = {
      site_id: site.id,
      source: ref.source,
      server: ref.server,
      bound_to: place,
      credentials_version: site.credentials_version,
      tried_at: new Date(now()).toISOString(),
    };
    let found;
    await this.#turn();
    try {
      found = await hosts.ask(hostOf(place, ref.source), site.id, () => servers.list(ref, this.#turn));
    } catch (thrown) {
      if (this.#isStopping) return; // which says nothing of the server
      const answer = this.#sentence(thrown, site.id);
      const wait = thrown instanceof GatewayError ? thrown.retryAfter : undefined;
      return await saveCatalog(toolCatalogs, before, { plain, source, answer, wait, log });
    }
    const isKnown = (name: string) => source.known.has(source.servedName(name));
    const listing = await listedTools(found ?? [], isKnown, this.#turn);
    const answer = { ...listing, exists: found !== null, listed: found?.length ?? 0 };
    const isHeld = found !== null && source.holdRule("", ref.server) !== undefined;
    const known = isHeld ? { ...plain, unheld: await unheld() } : plain;
    try {
      await saveCatalog(toolCatalogs, before, { plain: known, source, answer, log });
    } catch (thrown) {
      if (isStoreGone(thrown)) throw thrown;
      this.#ports.log({ event: "tool_catalog_failed", site_id: site.id, cause: String(thrown) });
      await saveCatalog(toolCatalogs, before, { plain, source, answer: COMPARISON_FAILED, log });
    }
  }

  #sentence(thrown: unknown, site_id: string): string {
    if (thrown instanceof GatewayError) return thrown.message;
    this.#ports.log({ event: "tool_catalog_failed", site_id, cause: String(thrown) });
    return "Something failed inside the gateway; its log says what";
  }
}

/** Whose server is asked. */
interface Asked {
  readonly site: Site;
  readonly servers: ToolServers;
  readonly ref: ServerRef;
  readonly source: Proxies;
  readonly place: string;
  readonly hosts: CatalogHosts;
  unheld(): Promise<string | null>;
}

const SOON_MS = 60_000;
const COMPARISON_FAILED =
  "It was listed, and could not be compared with what the store has of it, or not be stored; the log says why";
