/** A gateway on a port before a real WordPress, for clients that are let in over OAuth. */
import type { User } from "../../core/model.ts";
import { listen } from "../e2e/mcp_start.ts";
import type { KitOptions } from "../kit.ts";
import { Real } from "./_wordpress.ts";

type Site = Parameters<typeof Real.open>[0];

/** Such a gateway, with somebody who is signed in. */
export interface Place {
  readonly at: Real;
  readonly baseUrl: string;
  readonly user: User;
}

/** Opens a gateway that is reached by that host name, for the time of the work. */
export async function onPort(
  site: Site,
  host: string,
  options: KitOptions,
  work: (at: Real, baseUrl: string) => Promise<void>,
): Promise<void> {
  const opened = Promise.withResolvers<Real>();
  const { port, shutdown } = await listen(async () => (await opened.promise).kit.gw.gateway.fetch);
  const baseUrl = `http://${host}:${port}`;
  try {
    await using at = await Real.open(site, { ...options, settings: { baseUrl } });
    opened.resolve(at);
    await work(at, baseUrl);
  } finally {
    await shutdown();
  }
}

/** Opens a gateway with somebody who is signed in, for the time of the work. */
export async function inPlace(site: Site, work: (place: Place) => Promise<void>): Promise<void> {
  let user: User | null = null;
  const signedIn = () => Promise.resolve(user && { user, session_id: "session", csrf: "csrf" });
  await onPort(site, "127.0.0.1", { signedIn }, async (at, baseUrl) => {
    const ann = { email: "ann@gateway.example", role: "member", allowed_sites: ["*"], max_risk: 1 } as const;
    user = (await at.kit.gw.store.users.create({ ...ann, allowed_sites: ["*"] }))!;
    await work({ at, baseUrl, user });
  });
}
