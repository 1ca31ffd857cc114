/** People's connected accounts, for an operator: links that connect them, how they do, and their end. */
import { GatewayError } from "../../core/errors.ts";
import type { User } from "../../core/model.ts";
import type { AccountSpec, Connector } from "../../platforms/_connector/connector.ts";
import type { ConnectionSpec } from "../../platforms/_connector/connection.ts";
import type { Disconnected, Store } from "../../store/store.ts";
import { type Actor, adminRow, OPERATOR, tookSince } from "../../guard/audit/admin_row.ts";
import { type ConnectionView, isSame, viewOf } from "./connection_view.ts";
import { type ConnectorPorts, makeOwnContext } from "../../guard/connector_context.ts";

export type { ConnectionView } from "./connection_view.ts";

/** What connections depend on. */
export interface ConnectionPorts extends ConnectorPorts {
  readonly store:
    & ConnectorPorts["store"]
    & Pick<Store, "accounts" | "connectLinks" | "users" | "sites" | "audit">;
  /** Where people reach the gateway, without a trailing slash. */
  readonly baseUrl: string;
  /** A new ULID. */
  newId(): string;
}

/** What can be connected. */
export interface ConnectionKind {
  readonly kind: string;
  readonly product: string;
  /** What can be asked for, by word, and what it lets the gateway do. */
  readonly rights: Readonly<Record<string, string>>;
  /** Why nothing can be connected now; null where it can. */
  readonly problem: string | null;
}

/** What a link is to be for; `user` is an id or an e-mail address. */
export interface LinkOrder {
  readonly user: string;
  readonly kind: string;
  /** Every right of the kind where it is left out. */
  readonly rights?: readonly string[];
}

/** A link as it is handed out, once. */
export interface MadeLink {
  readonly link: string;
  readonly expires_at: string;
  readonly user_id: string;
  readonly email: string;
  readonly kind: string;
  readonly rights: readonly string[];
}

/** What became of a connection that was ended. */
export interface Ended {
  readonly user_id: string;
  readonly kind: string;
  readonly account: string;
  /** Whether the other service ended it; null where that was not asked for. */
  readonly revoked: boolean | null;
  readonly message: string;
  /** Other users whose connection is to the same account, which may have ended with it. */
  readonly also_affected: readonly string[];
}

/** A connector whose accounts are connected by a link. */
export interface Connectable {
  readonly connector: Connector;
  readonly account: AccountSpec;
  readonly spec: ConnectionSpec;
}

/** The connections of one gateway. */
export class Connections {
  constructor(readonly ports: ConnectionPorts) {}

  /** What can be connected. */
  kinds(): ConnectionKind[] {
    return this.#all().map(({ connector, account, spec }) => ({
      kind: account.kind,
      product: connector.product,
      rights: Object.fromEntries(Object.entries(spec.rights).map(([word, { meaning }]) => [word, meaning])),
      problem: this.#problem(connector, spec),
    }));
  }

  /** Makes a one-time link. Throws E_BAD_INPUT naming the field, E_MISSING_SECRET. */
  async start({ user: wanted, kind, rights }: LinkOrder, by: Actor = OPERATOR): Promise<MadeLink> {
    const { store, baseUrl, now, newId } = this.ports;
    const { connector, spec } = this.connectable(kind);
    const known = Object.keys(spec.rights);
    const unknown = (rights ?? []).find((right) => !known.includes(right));
    if (unknown !== undefined || rights?.length === 0) {
      const what = unknown === undefined ? "an empty list" : JSON.stringify(unknown.slice(0, 60));
      throw new GatewayError("E_BAD_INPUT", `scopes: expected some of ${known.join(", ")}, not ${what}`);
    }
    const user = await this.#user(wanted);
    spec.assertConfigured(this.#settings(connector));
    const asked = known.filter((right) => rights?.includes(right) ?? true);
    const { link, text } = await store.connectLinks.create({ user_id: user.id, kind, rights: asked });
    const row = { user_id: user.id, kind, rights: asked };
    await store.audit.append(adminRow(newId(), by, now(), "connection.start", row));
    return {
      link: `${baseUrl}/connect/${text}`,
      expires_at: new Date(link.expires_at).toISOString(),
      user_id: user.id,
      email: user.email,
      kind,
      rights: asked,
    };
  }

  /** Of one user (an id or an e-mail address) or of all. Throws E_BAD_INPUT for an unknown user. */
  async list(user?: string): Promise<ConnectionView[]> {
    const { store } = this.ports;
    const id = user === undefined ? undefined : (await this.#user(user)).id;
    const found = await store.accounts.list(id);
    return await Promise.all(found.map((one) => viewOf(this.ports, one)));
  }

  /**
   * Forgets a connection, and ends it at the other service unless `keep` says not to. What could not be ended there is
   * said, not thrown. Throws E_NOT_FOUND.
   */
  async disconnect(user: string, kind: string, keep = false, by: Actor = OPERATOR): Promise<Ended> {
    const { store: { accounts, audit }, now, newId } = this.ports;
    this.connectable(kind);
    const { id: user_id, email } = await this.#user(user);
    if (await accounts.get(user_id, kind) === null) throw notConnected(email, kind);
    const row = adminRow(newId(), by, now(), "connection.disconnect", { user_id, kind });
    await audit.append({ ...row, status: "started" });
    const gone = await accounts.disconnect(user_id, kind);
    const { account = "", account_id = null } = gone?.connection ?? {};
    const ended = gone === null || keep ? null : await this.#revoke(kind, gone);
    const revoked = ended === null ? null : ended === true;
    const others = ended === null ? [] : await this.#sharing(kind, account, account_id);
    await audit.append({
      ...row,
      arguments: { user_id, kind, account, revoked },
      duration_ms: tookSince(row, now()),
    });
    if (gone === null) throw notConnected(email, kind);
    return {
      user_id,
      kind,
      account,
      revoked,
      message: this.#said(kind, account, ended),
      also_affected: others,
    };
  }

  /** Throws E_BAD_INPUT where accounts of that kind are not connected by a link. */
  connectable(kind: string): Connectable {
    const all = this.#all();
    const found = all.find(({ account }) => account.kind === kind);
    if (found) return found;
    const known = all.map(({ account }) => account.kind).join(", ");
    throw new GatewayError(
      "E_BAD_INPUT",
      `kind: expected ${known}, not ${JSON.stringify(kind.slice(0, 60))}`,
    );
  }

  #all(): Connectable[] {
    return this.ports.connectors.all.flatMap((connector) => {
      const { account } = connector;
      return account?.connection ? [{ connector, account, spec: account.connection }] : [];
    });
  }

  #settings({ settings = {} }: Connector) {
    return Object.fromEntries(
      Object.keys(settings).map((name) => [name, this.ports.upstream[name] ?? null]),
    );
  }

  #problem(connector: Connector, spec: ConnectionSpec): string | null {
    try {
      spec.assertConfigured(this.#settings(connector));
      return null;
    } catch (thrown) {
      if (thrown instanceof GatewayError) return thrown.message;
      throw thrown;
    }
  }

  async #user(wanted: string): Promise<User> {
    const { users } = this.ports.store;
    const found = wanted.includes("@")
      ? (await users.list()).find(({ email }) => email.toLowerCase() === wanted.toLowerCase())
      : await users.get(wanted);
    if (found) return found;
    const shown = JSON.stringify(wanted.slice(0, 60));
    throw new GatewayError("E_BAD_INPUT", `user: there is no user ${shown}; list the users to find them`);
  }

  /** True where the other service has ended it, else why not. */
  async #revoke(kind: string, { refresh_token, access_token }: Disconnected): Promise<true | string> {
    try {
      const { connector, spec } = this.connectable(kind);
      await spec.revoke(makeOwnContext(this.ports, connector), { refresh_token, access_token });
      return true;
    } catch (thrown) {
      // No site was changed: whether the access has ended is said beside it.
      if (thrown instanceof GatewayError) return thrown.bareMessage;
      throw thrown;
    }
  }

  async #sharing(kind: string, account: string, account_id: string | null): Promise<string[]> {
    const others = (await this.ports.store.accounts.list()).filter((one) => one.kind === kind);
    return others.filter((one) => isSame(one, { account, account_id })).map(({ user_id }) => user_id);
  }

  #said(kind: string, account: string, revoked: true | string | null): string {
    const forgotten = `The gateway has forgotten its connection to ${account}`;
    const { spec: { manage_url, vendor } } = this.connectable(kind);
    if (revoked === true) return `${forgotten}, and ${vendor} has ended the access`;
    const way = `whoever owns the account can end it at ${manage_url}`;
    if (revoked === null) return `${forgotten}; the access itself was left as it is: ${way}`;
    return `${forgotten}, but ${vendor} did not confirm that the access has ended (${revoked}); ${way}`;
  }
}

const notConnected = (email: string, kind: string) =>
  new GatewayError("E_NOT_FOUND", `User "${email}" has no connection "${kind}"`);
