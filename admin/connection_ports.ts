/** What the admin side is given of connected accounts, and shows. */
import type { MadeLink } from "../identity/connections/connections.ts";
import type { Actor } from "../identity/rights.ts";

/** What can be connected. */
export interface ConnectionKindReport {
  readonly kind: string;
  readonly product: string;
  readonly rights: Readonly<Record<string, string>>;
  /** Why nothing can be connected now; null where it can. */
  readonly problem: string | null;
}

/** A connected account: never a token. */
export interface ConnectionReport {
  readonly user_id: string;
  readonly email: string | null;
  readonly kind: string;
  readonly account: string;
  readonly health: "active" | "needs_reconnect";
  /** Why it needs its person, or when it will; null where there is nothing to say. */
  readonly message: string | null;
  readonly rights: readonly string[];
  readonly missing: readonly string[];
  readonly last_refreshed_at: string | null;
  readonly access_expires_at: string | null;
  readonly sites: readonly string[];
}

/** What became of a connection that was ended; `revoked` is null where the other service was not asked. */
export interface EndedReport {
  readonly account: string;
  readonly revoked: boolean | null;
  readonly message: string;
  readonly also_affected: readonly string[];
}

/** Connected accounts, for an operator; what `identity/connections/connections.ts` promises. */
export interface ConnectionsPort {
  kinds(): ConnectionKindReport[];
  start(order: { user: string; kind: string; rights?: readonly string[] }, by?: Actor): Promise<MadeLink>;
  list(user?: string): Promise<ConnectionReport[]>;
  disconnect(user: string, kind: string, keep?: boolean, by?: Actor): Promise<EndedReport>;
}
