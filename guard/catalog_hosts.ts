/** Which hosts answered in one run over the sites' tool servers: one that is down is asked once, whoever else stands there. */
import { GatewayError } from "../errors.ts";
import { saysDown } from "../platforms/failures.ts";

/** The hosts of one run. */
export class CatalogHosts {
  /** What the first who asked found out: why the host is down, null where it answers. */
  readonly #found = new Map<string, Promise<string | null>>();

  /** Asks a host. Throws what asking throws, and E_UPSTREAM without asking where the host was found to be down. */
  async ask<T>(host: string, asking: () => Promise<T>): Promise<T> {
    const known = this.#found.get(host);
    if (known !== undefined) {
      const why = await known;
      if (why === null) return await asking();
      throw new GatewayError("E_UPSTREAM", `${why} (as another server there was asked)`, { upstream: 504 });
    }
    const first = Promise.withResolvers<string | null>();
    this.#found.set(host, first.promise);
    try {
      const answer = await asking();
      first.resolve(null);
      return answer;
    } catch (thrown) {
      first.resolve(thrown instanceof GatewayError && saysDown(thrown) ? thrown.message : null);
      throw thrown;
    }
  }
}

/** The host behind the place where a site's servers of a source stand; the source's own where that is no address. */
export const hostOf = (place: string, source: string): string => URL.parse(place)?.origin ?? source;
