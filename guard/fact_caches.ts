/** Facts about upstreams, kept for a while: per site, and for the gateway itself. */
import { memoize } from "../core/made_once.ts";
import type { Site } from "../core/model.ts";
import type { FactCache } from "../platforms/_connector/connector.ts";

/** A thousand sites with a few connectors each; the oldest place is dropped for a new one. */
const PLACES_MAX = 5000;

interface Fact {
  readonly value: unknown;
  readonly since: number;
  readonly until: number;
}

/** What one connector knows of one site, and what it is finding out. */
interface Place {
  readonly facts: Map<string, Fact>;
  readonly asked: Map<string, Promise<unknown>>;
}

/** The memories of all connectors; a site's are forgotten when the site or its credentials change. */
export class FactCaches {
  readonly #now: () => number;
  readonly #places = new Map<string, Place>();
  /** Of a site's record, which is the same one until the site changes. */
  readonly #ofSite = memoize((_: Site) => new Map<string, FactCache>());

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The memory of one connector, of one site where there is one. */
  of(site: Site | null, connector: string): FactCache {
    if (site === null) return this.#make(site, connector);
    const known = this.#ofSite(site);
    const made = known.get(connector) ?? this.#make(site, connector);
    known.set(connector, made);
    return made;
  }

  #make(site: Site | null, connector: string): FactCache {
    const what = site ? [site.id, site.base_url, site.updated_at, site.credentials_version] : [];
    const key = JSON.stringify([connector, ...what]);
    const get = <T>(name: string) => {
      const fact = this.#places.get(key)?.facts.get(name);
      const now = this.#now();
      // One that was learned later than now is of a clock that has been set back: it would hold for who knows how long.
      return fact && fact.since <= now && fact.until > now ? fact.value as T : undefined;
    };
    const set = (name: string, value: unknown, ttl_ms: number) => {
      const since = this.#now();
      this.#place(key).facts.set(name, { value, since, until: since + ttl_ms });
    };
    const once = async <T>(name: string, ttl_ms: number, find: () => Promise<T>): Promise<T> => {
      const { asked } = this.#place(key);
      for (let waited = false;; waited = true) {
        const known = get<T>(name);
        if (known !== undefined) return known;
        const other = asked.get(name) as Promise<T> | undefined;
        if (other === undefined) break;
        try {
          return await other;
        } catch (thrown) {
          // Whoever asked may have had little time left.
          if (waited) throw thrown;
        }
      }
      const asking = find();
      asked.set(name, asking);
      try {
        const value = await asking;
        if (asked.get(name) === asking) set(name, value, ttl_ms);
        return value;
      } finally {
        if (asked.get(name) === asking) asked.delete(name);
      }
    };
    const drop = (name: string) => {
      const place = this.#places.get(key);
      place?.facts.delete(name);
      place?.asked.delete(name);
    };
    return { get, set, drop, once };
  }

  #place(key: string): Place {
    const known = this.#places.get(key);
    if (known) return known;
    if (this.#places.size >= PLACES_MAX) this.#places.delete(this.#places.keys().next().value!);
    const made = { facts: new Map(), asked: new Map() };
    this.#places.set(key, made);
    return made;
  }
}
