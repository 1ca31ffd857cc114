/** From a client's request to the answer that takes its person's choice back to it. */
import { hash } from "node:crypto";
import { type Granted, type GrantPolicy, OAUTH_LIMITS, type User } from "../../core/model.ts";
import { isLoopbackRedirect, type OwnScheme, ownScheme, redirectHost } from "../../rules/redirect_uri.ts";
import type { Store } from "../../store/store.ts";
import {
  answerAddress,
  askingOf,
  type AuthorizationRequest,
  faultAddress,
  meet,
  type Met,
} from "./authorization.ts";
import { type Choice, type ChoicePorts, type Offer, offerTo } from "./choice.ts";
import { type ClientPorts, Clients } from "./clients.ts";
import { isDocumentAddress } from "./client_documents.ts";
import { OAuthFault } from "./fault.ts";
import { appendClientRow, byPerson, type RowPorts } from "./connected.ts";

/** What it depends on. */
export interface AuthorizingPorts extends ClientPorts, ChoicePorts, RowPorts {
  readonly store:
    & ClientPorts["store"]
    & ChoicePorts["store"]
    & RowPorts["store"]
    & Pick<Store, "oauthGrants">;
  readonly baseUrl: string;
}

const DAY_MS = 24 * 60 * 60_000;

/** How a client is shown. Nothing but a host is proven, and of a registered client not even that. */
export interface ShownClient {
  readonly id: string;
  /** As it calls itself. */
  readonly name: string;
  /** The host whose document describes it; null for one that registered. */
  readonly proven_host: string | null;
  readonly redirect_host: string;
  /** Whether the answer goes to a program on the person's own machine. */
  readonly loopback: boolean;
  /** Set where it goes to whichever program on that machine opens addresses of that scheme. */
  readonly own_scheme: OwnScheme | null;
  /** Where it leads, as a source of a Content-Security-Policy: browsers ask it for each address on the way. */
  readonly leads_to: string;
}

/** Asks people on behalf of clients. */
export class Authorizing {
  readonly clients: Clients;
  readonly #ports: AuthorizingPorts;

  constructor(ports: AuthorizingPorts) {
    this.#ports = ports;
    this.clients = new Clients(ports);
  }

  /** Reads a request; null for a person who has not signed in. `fresh` reads a client's document anew. */
  async meet(query: URLSearchParams, user: User | null, fresh: boolean): Promise<Met> {
    try {
      const settings = { user_id: user?.id ?? null, fresh, baseUrl: this.#ports.baseUrl };
      return await meet(askingOf(query), this.clients, settings);
    } catch (thrown) {
      if (thrown instanceof OAuthFault) return { fault: thrown };
      throw thrown;
    }
  }

  /** What that person may grant. */
  offerTo(user: User): Promise<Offer> {
    return offerTo(user, this.#ports);
  }

  /** The strictest policy of what that person granted this client, and still stands; null where nothing does. */
  async grantedPolicy(user: User, client_id: string): Promise<GrantPolicy | null> {
    const grants = (await this.#ports.store.oauthGrants.list(user.id)).map(({ grant }) => grant);
    const own = grants.filter((grant) => grant.client_id === client_id);
    if (own.length === 0) return null;
    return own.some(({ confirm_policy }) => confirm_policy === "human") ? "human" : "preview";
  }

  /** Why nothing more can be granted by that person; null where something can. */
  async full(user: User): Promise<string | null> {
    const grants = await this.#ports.store.oauthGrants.list(user.id);
    return grants.length < OAUTH_LIMITS.GRANTS_PER_USER
      ? null
      : `${OAUTH_LIMITS.GRANTS_PER_USER} clients are connected, which is the most; end one first`;
  }

  /** Grants what was chosen; answers where the browser goes. */
  async grant(request: AuthorizationRequest, user: User, choice: Choice): Promise<string> {
    const { client, redirect_uri, challenge, resource, state } = request;
    const { store, now, baseUrl } = this.#ports;
    const shown = shownClient(request);
    const granted: Granted = {
      user_id: user.id,
      client_id: client.id,
      client_name: shown.name,
      redirect_host: shown.redirect_host,
      allowed_sites: choice.sites,
      groups: choice.groups,
      max_risk: choice.max_risk,
      confirm_policy: choice.confirm_policy,
      expires_at: now() + choice.days * DAY_MS,
    };
    const { user_id: _, expires_at, ...what } = granted;
    const row = { ...what, ends: new Date(expires_at).toISOString() };
    await appendClientRow(this.#ports, byPerson(user), "client.grant", row);
    await store.oauthClients.keep(client.id, expires_at + OAUTH_LIMITS.USED_CLIENT_MS);
    const code = await store.oauthGrants.issueCode({ granted, redirect_uri, challenge, resource });
    return answerAddress(redirect_uri, { code, state }, baseUrl);
  }

  /** Where the browser goes after a no. */
  deny(request: AuthorizationRequest): string {
    const fault = new OAuthFault("access_denied", "The person did not agree");
    return faultAddress(request, fault, this.#ports.baseUrl);
  }
}

/** What a name could end its own quotation with, and go on in the words of the page. */
const QUOTES = /["“”„‟«»″〝〞＂]/gu;

/** The client as a person is shown it. */
export function shownClient({ client, redirect_uri }: AuthorizationRequest): ShownClient {
  const proven_host = isDocumentAddress(client.id) ? new URL(client.id).host : null;
  const redirect_host = redirectHost(redirect_uri);
  const loopback = isLoopbackRedirect(redirect_uri);
  const own_scheme = ownScheme(redirect_uri);
  return {
    id: client.id,
    name: client.name?.replace(QUOTES, "'") ?? proven_host ?? redirect_host,
    proven_host,
    redirect_host,
    loopback,
    own_scheme,
    leads_to: loopback
      ? loopbackSource(redirect_uri)
      : own_scheme === null
      ? "https:"
      : new URL(redirect_uri).protocol,
  };
}

/** A policy cannot name an address of IPv6. */
function loopbackSource(redirect_uri: string): string {
  const { origin, hostname } = new URL(redirect_uri);
  return hostname.startsWith("[") ? "http:" : origin;
}

/** A short text of what a person was shown of a client; another one where it says something else by now. */
export const fingerprintOf = (request: AuthorizationRequest): string =>
  hash("sha256", JSON.stringify([shownClient(request), request.redirect_uri]), "base64url").slice(0, 22);
