/** A connected account as an operator sees it: never a token. */
import { LIMITS } from "../../core/model.ts";
import type { Connection, Store } from "../../store/store.ts";
import type { ConnectorPorts } from "../../guard/connector_context.ts";

/** A connection as an operator sees it. */
export interface ConnectionView {
  readonly user_id: string;
  /** null where the user is gone. */
  readonly email: string | null;
  readonly kind: string;
  readonly account: string;
  readonly account_id: string | null;
  readonly health: "active" | "needs_reconnect";
  /** Why it needs its person, or when it will; null where there is nothing to say. */
  readonly message: string | null;
  readonly rights: readonly string[];
  /** Those of the kind that were not granted. */
  readonly missing: readonly string[];
  readonly scopes: readonly string[];
  readonly connected_at: string;
  readonly last_refreshed_at: string | null;
  readonly access_expires_at: string | null;
  /** When it ends unless its person renews it; null where that is not known. */
  readonly ends_at: string | null;
  /** The sites bound to that user for it. */
  readonly sites: readonly string[];
}

/** What an operator sees of a connection. */
export async function viewOf(
  { store, connectors, now }: Pick<ConnectorPorts, "connectors" | "now"> & {
    readonly store: Pick<Store, "users" | "sites">;
  },
  one: Connection,
): Promise<ConnectionView> {
  const account = connectors.all.find((each) => each.account?.kind === one.kind)?.account;
  const rights = Object.entries(account?.connection?.rights ?? {});
  const has = ([, { scope }]: (typeof rights)[number]) => one.scopes.includes(scope);
  const binds = [account?.user, ...Object.values(account?.users ?? {})].filter((each) => each !== undefined);
  const sites = (await store.sites.list()).filter((site) => binds.some((bind) => bind(site) === one.user_id));
  const ends_at = one.renewable ? one.refresh_expires_at : one.expires_at;
  return {
    user_id: one.user_id,
    email: (await store.users.get(one.user_id))?.email ?? null,
    kind: one.kind,
    account: one.account,
    account_id: one.account_id,
    health: one.state === "ok" ? "active" : "needs_reconnect",
    message: one.reconnect?.message ?? endsSoon(ends_at, now()),
    rights: rights.filter(has).map(([word]) => word),
    missing: rights.filter((each) => !has(each)).map(([word]) => word),
    scopes: one.scopes,
    connected_at: one.created_at,
    last_refreshed_at: one.refreshed_at,
    access_expires_at: one.expires_at,
    ends_at,
    sites: sites.map(({ id }) => id),
  };
}

function endsSoon(ends_at: string | null, now: number): string | null {
  if (ends_at === null || Date.parse(ends_at) - now >= LIMITS.CONNECTION_ENDS_SOON_MS) return null;
  return `It ends at ${ends_at} and cannot be renewed without its person, who should connect it again before`;
}

/** What tells whether two connections are to one account. */
type Named = { readonly account: string; readonly account_id: string | null };

/** Whether two connections of one kind are to the same account: by its id, by its name where an id is not known. */
export function isSame(one: Named, other: Named): boolean {
  const known = one.account_id !== null && other.account_id !== null;
  return known ? one.account_id === other.account_id : one.account === other.account;
}
