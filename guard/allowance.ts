/** How often an upstream that allows few requests a day was asked, and what it answered; the same for every instance. */
import type { Allowance, Standing } from "../platforms/_connector/context.ts";
import type { Store } from "../store/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** What it depends on. */
export interface AllowancePorts {
  readonly store: Store["allowances"];
  now(): number;
}

/** What of this process is being asked for just now, by the store: by connector and name. */
const inFlight = new WeakMap<Store["allowances"], Map<string, Promise<unknown>>>();

/** The allowance of one connector: so many requests a day (UTC) for each account at its upstream. */
export function allowanceOf(ports: AllowancePorts, connector: string, requests: number): Allowance {
  const { store, now } = ports;
  const asked = inFlight.get(store) ?? new Map<string, Promise<unknown>>();
  inFlight.set(store, asked);
  const today = () => new Date(now()).toISOString().slice(0, 10);
  return {
    async standing(account): Promise<Standing> {
      const day = today();
      const { used, exhausted } = await store.read([connector, account], day);
      return {
        used_today: used,
        limit: requests,
        left: exhausted ? 0 : Math.max(0, requests - used),
        exhausted,
        resets_at: new Date(Date.parse(day) + DAY_MS).toISOString(),
      };
    },
    async take(account, reserve) {
      const day = today();
      return await store.take([connector, account], day, requests - reserve) ? { day } : null;
    },
    exhaust: (account, { day }) => store.exhaust([connector, account], day),
    find: (name) => store.find([connector, ...name]),
    keep: (name, value, ttl_ms) => store.keep([connector, ...name], value, ttl_ms),
    async once<T>(name: readonly string[], work: () => Promise<T>): Promise<T> {
      const key = JSON.stringify([connector, ...name]);
      const other = asked.get(key) as Promise<T> | undefined;
      if (other !== undefined) return await other;
      const asking = work();
      asked.set(key, asking);
      try {
        return await asking;
      } finally {
        asked.delete(key);
      }
    },
  };
}
