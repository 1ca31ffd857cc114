/** What a handler gets: its site, its clients, its ports; every request of a client passes the egress look. */
import { GatewayError } from "../errors.ts";
import { type Caller, type Credentials, LIMITS, type Site, type Tier } from "../model.ts";
import type { Manifest } from "../registry/manifest.ts";
import type { Http } from "../platforms/http.ts";
import type { Outgoing, Platform, PublishGrant, Reach, ReachCache } from "../platforms/platform.ts";
import type { OtherSite, PreviewsPort, SitesPort, ToolContext } from "../registry/tool.ts";
import type { Settings } from "../settings.ts";
import type { Store } from "../store/store.ts";
import type { CallRecord } from "./audit.ts";
import { isDeployed } from "./deployed.ts";
import { egress } from "./egress.ts";
import { isGenuine, liveFlag } from "./flags.ts";
import { integrations } from "./integrations.ts";
import { riskCap } from "./risk.ts";
import { reaches, reachesAll } from "./scope.ts";

/** What contexts are made from; one for the whole gateway. */
export interface ContextPorts {
  readonly store: Pick<Store, "sites" | "projects" | "previews">;
  readonly http: Http;
  /** What the operator set for the services behind the tools. */
  readonly upstream: Settings["upstream"];
  readonly cache: SiteCaches;
  now(): number;
}

/** What one call adds. */
export interface CallParts {
  readonly caller: Caller;
  readonly record: CallRecord;
  readonly manifest: Pick<Manifest, "name" | "flags">;
  readonly site: Site | null;
  /** Further sites that arguments name, by id. */
  readonly others: ReadonlyMap<string, Site>;
  readonly grant: PublishGrant | undefined;
  /** Milliseconds since the epoch at which the call gives up. */
  readonly endsAt: number;
}

/** The context of one call. */
export function makeContext(ports: ContextPorts, call: CallParts): ToolContext {
  const own = clientsOf(ports, call);
  return {
    ...own,
    caller: call.caller,
    grant: call.grant as PublishGrant,
    previews: previewsPort(ports.store.previews, call),
    sites: sitesPort(ports.store, call),
    now: ports.now,
    forSite(id) {
      if (id === undefined || id === call.site?.id) return own;
      const site = call.others.get(id);
      if (!site) {
        throw new GatewayError("E_INTERNAL", `"${call.manifest.name}" names no such site in its sites`);
      }
      return clientsOf(ports, { ...call, site });
    },
    claim(flag) {
      const grant = liveFlag(call.manifest, flag, call.site as Site);
      if (!grant) return undefined;
      call.record.tier = Math.max(call.record.tier ?? 0, 3) as Tier;
      riskCap(call.caller, call.record.tier, call.manifest.name);
      return grant;
    },
    note: (facts) => void Object.assign(call.record.facts, facts),
  };
}

/** A site and the clients of its upstreams, each connected once. */
function clientsOf(ports: ContextPorts, call: Pick<CallParts, "site" | "endsAt">): OtherSite {
  const clients = new Map<Platform<unknown>, Promise<unknown>>();
  return {
    site: call.site as Site,
    use<Client>(platform: Platform<Client>): Promise<Client> {
      const known = clients.get(platform);
      if (known) return known as Promise<Client>;
      const made = (async () => {
        const reach = makeReach(ports, call, platform);
        await platform.linked?.(reach);
        return await platform.connect(reach);
      })();
      clients.set(platform, made);
      return made;
    },
  };
}

function previewsPort(previews: Store["previews"], { caller, site }: CallParts): PreviewsPort {
  const [token, id] = [caller.token.id, site?.id ?? ""];
  return {
    get: () => previews.get(token, id),
    claim: (branch) => previews.claim(token, id, branch),
    forget: (branch) => previews.forget(token, id, branch),
  };
}

/** A guarded way to one upstream of the call's site. Throws E_INTERNAL when the call has no site. */
export function makeReach(
  ports: ContextPorts,
  { site, endsAt }: Pick<CallParts, "site" | "endsAt">,
  platform: Platform<unknown>,
): Reach {
  if (!site) throw new GatewayError("E_INTERNAL", "A tool without a site asked for a site's platform");
  return {
    site,
    setting: (name) => ports.upstream[name],
    cache: ports.cache.of(site, platform.name),
    now: ports.now,
    endsAt,
    async send(out: Outgoing) {
      const granted = (grant: PublishGrant) => isGenuine(grant, site.id);
      const look = (next: Outgoing) => egress({ platform, site, granted, now: ports.now() }, next);
      const overtime = out.overtime ? ports.now() + LIMITS.UPSTREAM_DEADLINE_MS : 0;
      return await ports.http.send(out, { endsAt: Math.max(endsAt, overtime), look });
    },
    async secret<K extends keyof Credentials>(kind: K) {
      const secret = await ports.store.sites.secret(site.id, kind, site.base_url);
      if (secret) return secret;
      throw new GatewayError(
        "E_INTERNAL",
        `Site "${site.id}" has no ${kind} credentials; its operator can set them with deno task admin site update`,
      );
    },
  };
}

function sitesPort(store: Pick<Store, "sites" | "projects">, { caller, site }: CallParts): SitesPort {
  const list = async () => (await store.sites.list()).filter((site) => reaches(caller, site.id));
  return {
    list,
    async projects() {
      const inScope = new Set((await list()).map((site) => site.project_id));
      const all = await store.projects.list();
      return reachesAll(caller) ? all : all.filter((project) => inScope.has(project.id));
    },
    integrations,
    deployedFrom: async (branch, isDefault) =>
      site !== null && await isDeployed(store.sites, site, branch, isDefault),
  };
}

const SITES_MAX = 1000;

/** Facts about upstreams, kept per site and dropped when the site or its credentials change. */
export class SiteCaches {
  readonly #now: () => number;
  readonly #sites = new Map<string, Map<string, { value: unknown; until: number }>>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The memory of one site and platform. */
  of(site: Site, platform: string): ReachCache {
    const key = `${site.id}\n${site.updated_at}\n${site.credentials_version}\n${platform}`;
    const facts = () => this.#sites.get(key);
    return {
      get: <T>(name: string) => {
        const fact = facts()?.get(name);
        return fact && fact.until > this.#now() ? fact.value as T : undefined;
      },
      set: (name, value, ttl_ms) => {
        if (!facts()) {
          if (this.#sites.size >= SITES_MAX) this.#sites.delete(this.#sites.keys().next().value!);
          this.#sites.set(key, new Map());
        }
        facts()!.set(name, { value, until: this.#now() + ttl_ms });
      },
    };
  }
}

/** When a call that begins now gives up. */
export const endOfCall = (now: number): number => now + LIMITS.CALL_DEADLINE_MS;
