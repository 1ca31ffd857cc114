/** Which hosts answered in one run over the sites' tool servers: one that is down is asked once, whoever else stands there. */
import { GatewayError } from "../../errors.ts";

/** What a host that is down, or does not serve anybody, answers in place of the server that was asked. */
const DOWN: ReadonlySet<number> = new Set([503, 504]);

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
      first.resolve(thrown instanceof GatewayError && isDown(thrown) ? thrown.message : null);
      throw thrown;
    }
  }
}

/** Whether others would find the same: not where this one could not be asked, or answered what cannot be used. */
const isDown = (thrown: GatewayError): boolean =>
  "isHostDown" in thrown ? thrown.isHostDown === true : DOWN.has(thrown.upstream ?? 0);

/** The host behind the place where a site's servers of a source stand; the source's own where that is no address. */
export const hostOf = (place: string, source: string): string => URL.parse(place)?.origin ?? source;
