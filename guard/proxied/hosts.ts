/** Which hosts answered in one run over the sites' tool servers: one that is down is asked once, whoever else stands there. */
import { GatewayError } from "../../core/errors.ts";

/**
 * What is answered where a server does not serve just now: its site alone, such as one that is updated, or the whole
 * host. From 520 on the words are those of a network that stands before a host and has no answer of it.
 */
const UNAVAILABLE: ReadonlySet<number> = new Set([503, 504, 520, 521, 522, 523, 524]);
/** What a site answers that is asked too often. */
const TOO_OFTEN = 429;
/** So many sites of a host that do not serve are believed to be all of them. */
const SITES_BELIEVED = 2;

/** What was found out of a site. */
interface Own {
  /** Whether one of its servers has answered. */
  answers: boolean;
  /** Why none of them is asked. */
  refusal: GatewayError | null;
}

/** What was found out of a host. */
interface Host {
  /** Whether it has answered anybody. */
  answers: boolean;
  /** Why nothing of it is asked, as long as it has answered nobody. */
  down: GatewayError | null;
  readonly sites: Map<string, Own>;
  /** As long as nothing is known of it one is asked at a time. */
  asking: Promise<void> | null;
}

/** The hosts of one run. */
export class CatalogHosts {
  readonly #hosts = new Map<string, Host>();

  /**
   * Asks a server of a site. Throws what asking throws, and E_UPSTREAM without asking where nothing answered at its host,
   * where two sites of it did not serve, or where this site did not or was asked too often.
   */
  async ask<T>(at: string, site: string, asking: () => Promise<T>): Promise<T> {
    const host = this.#hosts.get(at) ?? { answers: false, down: null, sites: new Map(), asking: null };
    this.#hosts.set(at, host);
    while (host.asking !== null && !host.answers) await host.asking;
    if (!host.answers && host.down !== null) throw unasked(host.down, "found at another server of its host");
    const own = host.sites.get(site) ?? { answers: false, refusal: null };
    host.sites.set(site, own);
    if (own.refusal !== null) throw unasked(own.refusal, "found at another server of its site");
    if (host.answers) return await learning(host, own, asking);
    const asked = Promise.withResolvers<void>();
    host.asking = asked.promise;
    try {
      return await learning(host, own, asking);
    } finally {
      host.asking = null;
      asked.resolve();
    }
  }
}

async function learning<T>(host: Host, own: Own, asking: () => Promise<T>): Promise<T> {
  try {
    const answer = await asking();
    host.answers = own.answers = true;
    return answer;
  } catch (thrown) {
    learn(host, own, thrown);
    throw thrown;
  }
}

/** What a failure says of the host: nothing where this one could not be asked, or answered what cannot be used. */
function learn(host: Host, own: Own, thrown: unknown): void {
  if (!(thrown instanceof GatewayError)) {
    host.answers = true;
  } else if ("isHostDown" in thrown) {
    if (thrown.isHostDown === true) host.down = thrown;
    else host.answers = true;
  } else if (thrown.upstream === TOO_OFTEN) {
    host.answers = true;
    own.refusal = thrown;
  } else if (!UNAVAILABLE.has(thrown.upstream ?? 0)) {
    host.answers = own.answers = true;
  } else if (!own.answers) {
    own.refusal = thrown;
    const refusing = [...host.sites.values()].filter(({ refusal }) => refusal !== null);
    if (refusing.length >= SITES_BELIEVED) host.down = thrown;
  }
}

/** The same wait is asked of those that were not asked. */
const unasked = ({ message, retryAfter }: GatewayError, where: string) =>
  new GatewayError("E_UPSTREAM", `${message} (${where}; this server was not asked)`, {
    upstream: 504,
    retryAfter,
  });

/** The host behind the place where a site's servers of a source stand; the source's own where that is no address. */
export const hostOf = (place: string, source: string): string => URL.parse(place)?.origin ?? source;
