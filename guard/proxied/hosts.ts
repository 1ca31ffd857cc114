/** Which hosts answered in one run over the sites' tool servers: one that is down is asked once, whoever else stands there. */
import { GatewayError } from "../../errors.ts";

/** What a server answers that does not serve just now: its site alone, such as one that is updated, or the whole host. */
const UNAVAILABLE: ReadonlySet<number> = new Set([503, 504]);
/** So many sites of a host that do not serve are believed to be all of them. */
const SITES_BELIEVED = 2;

/** What was found out of a host. */
interface Host {
  /** Whether it has answered anybody. */
  answers: boolean;
  /** Why nothing of it is asked. */
  down: string | null;
  /** The sites that do not serve, and why. */
  readonly unavailable: Map<string, string>;
  /** As long as nothing is known of it one is asked at a time. */
  asking: Promise<void> | null;
}

/** The hosts of one run. */
export class CatalogHosts {
  readonly #hosts = new Map<string, Host>();

  /**
   * Asks a server of a site. Throws what asking throws, and E_UPSTREAM without asking where nothing answered at its host,
   * where two sites of it did not serve, or where this site did not, and nobody was answered otherwise.
   */
  async ask<T>(at: string, site: string, asking: () => Promise<T>): Promise<T> {
    const host = this.#hosts.get(at) ?? { answers: false, down: null, unavailable: new Map(), asking: null };
    this.#hosts.set(at, host);
    while (host.asking !== null && !host.answers) await host.asking;
    if (host.answers) return await asking();
    if (host.down !== null) throw unasked(host.down, "found at another site of its host");
    const own = host.unavailable.get(site);
    if (own !== undefined) throw unasked(own, "found at another server of its site");
    const asked = Promise.withResolvers<void>();
    host.asking = asked.promise;
    try {
      const answer = await asking();
      host.answers = true;
      return answer;
    } catch (thrown) {
      learn(host, site, thrown);
      throw thrown;
    } finally {
      host.asking = null;
      asked.resolve();
    }
  }
}

/** What a failure says of the host: nothing where this one could not be asked, or answered what cannot be used. */
function learn(host: Host, site: string, thrown: unknown): void {
  if (!(thrown instanceof GatewayError)) host.answers = true;
  else if ("isHostDown" in thrown && thrown.isHostDown === true) host.down = thrown.message;
  else if ("isHostDown" in thrown || !UNAVAILABLE.has(thrown.upstream ?? 0)) host.answers = true;
  else {
    host.unavailable.set(site, thrown.message);
    if (host.unavailable.size >= SITES_BELIEVED) host.down = thrown.message;
  }
}

const unasked = (why: string, where: string) =>
  new GatewayError("E_UPSTREAM", `${why} (${where}; this server was not asked)`, { upstream: 504 });

/** The host behind the place where a site's servers of a source stand; the source's own where that is no address. */
export const hostOf = (place: string, source: string): string => URL.parse(place)?.origin ?? source;
