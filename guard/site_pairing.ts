/** Pairs a site with the gateway: asks the site for a credential and keeps that. */
import { GatewayError } from "../core/errors.ts";
import { type CredentialKind, LIMITS, type Site } from "../core/model.ts";
import type { PairingSpec } from "../platforms/_connector/connector.ts";
import type { SiteInput, Store } from "../store/store.ts";
import { type Actor, adminRow } from "./audit/admin_row.ts";
import { type ConnectorPorts, makeConnectorContext } from "./connector_context.ts";
import { exclusively, type ExclusivePorts } from "./pipeline/exclusive.ts";

/** What it is done with. */
export type PairingPorts = Omit<ConnectorPorts, "store"> & Omit<ExclusivePorts, "store" | "now"> & {
  readonly store: ConnectorPorts["store"] & {
    readonly sites: Pick<Store["sites"], "list" | "update">;
    readonly leases: Store["leases"];
    readonly audit: Pick<Store["audit"], "append">;
  };
  /** Without a trailing slash. */
  readonly baseUrl: string;
  newId(): string;
};

/** How a site is paired. */
export interface PairingOrder {
  readonly site: Site;
  /** Who asks for it. */
  readonly by: Actor;
  /** A code of the site; its account must be an administrator without one. */
  readonly code?: string;
  /** Leaves a credential alone that another call stored meanwhile. */
  readonly unless_paired?: true;
}

/** What was made of it; the secret itself is shown to nobody. */
export interface SitePairing {
  readonly site_id: string;
  readonly key_id: string | null;
  /** Other registered sites with the same address and account, which share it. */
  readonly shared_with: readonly string[];
}

/** Pairs the site. Throws E_NOT_SUPPORTED where sites of its kind are not paired, and what the site refuses with. */
export async function pairSite(ports: PairingPorts, order: PairingOrder): Promise<SitePairing> {
  const { site } = order;
  const connector = ports.connectors.ofKind(site.platform);
  const pairing = connector?.pairing;
  if (!connector || !pairing) {
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      `A ${site.platform} site is not paired; only its credentials are set`,
    );
  }
  const deadline = ports.now() + LIMITS.CALL_DEADLINE_MS;
  const { sites, audit } = ports.store;
  return await exclusively(ports, { name: `pair ${site.base_url ?? site.id}`, deadline }, async () => {
    const kind = pairing.credential as CredentialKind;
    const known = await sites.secret(site.id, kind, site.base_url);
    if (order.unless_paired && known) return { site_id: site.id, key_id: keyId(known), shared_with: [] };
    const ctx = makeConnectorContext(ports, { site, caller: null, deadline }, connector);
    const secret = await pairing.pair(
      ctx,
      `Site operations gateway (${new URL(ports.baseUrl).host})`,
      order.code,
    );
    const alike = await sitesAlike(ports, site, pairing);
    const credentials = { [kind]: secret } as SiteInput["credentials"];
    for (const { id } of [site, ...alike]) await sites.update(id, { credentials });
    const what = { key_id: keyId(secret), shared_with: alike.map(({ id }) => id) };
    const row = adminRow(ports.newId(), order.by, ports.now(), "site.pair", what);
    await audit.append({ ...row, site_id: site.id });
    return { site_id: site.id, ...what };
  });
}

const keyId = (secret: object): string | null => "key_id" in secret ? String(secret.key_id) : null;

/** An account has one credential of the kind: sites that are registered twice must not take it from each other. */
async function sitesAlike(
  { store: { sites } }: PairingPorts,
  site: Site,
  { account: { credential, field } }: PairingSpec,
): Promise<Site[]> {
  const kind = credential as CredentialKind;
  const accountOf = async ({ id, base_url }: Site) =>
    (await sites.secret(id, kind, base_url) as Readonly<Record<string, string>> | null)?.[field];
  const own = await accountOf(site);
  const found: Site[] = [];
  for (const other of await sites.list()) {
    const isOther = other.id !== site.id && other.base_url === site.base_url;
    if (isOther && other.credentials.includes(kind) && await accountOf(other) === own) found.push(other);
  }
  return found;
}
