/** Clients of OAuth, whichever way they are known. */
import { OAUTH_LIMITS, type OAuthClient } from "../../core/model.ts";
import type { Store } from "../../store/store.ts";
import { ClientDocuments, type DocumentPorts, isDocumentAddress } from "./client_documents.ts";
import { clientMetadata, type LeftOut } from "./client_metadata.ts";
import { OAuthFault } from "./fault.ts";

/** What finding clients needs. */
export interface ClientPorts extends DocumentPorts {
  readonly store: Pick<Store, "oauthClients" | "attempts">;
}

/** What a client that registers is answered. */
export interface Registration {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_name?: string;
  readonly redirect_uris: readonly string[];
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: "none";
  readonly scope: string;
  /** What of the redirect URIs was not registered; absent where all were. */
  readonly redirect_uris_left_out?: readonly LeftOut[];
}

/** The one scope there is: what a client may do is what its person granted. */
export const SCOPE = "tools";
const MINUTE_MS = 60_000;

/** Finds clients and takes new ones. */
export class Clients {
  readonly #ports: ClientPorts;
  readonly #documents: ClientDocuments;

  constructor(ports: ClientPorts) {
    this.#ports = ports;
    this.#documents = new ClientDocuments(ports);
  }

  /**
   * The client of that id. A document is fetched for a person who has signed in, for nobody else: null then. `fresh`
   * reads it anew. Throws OAuthFault invalid_client.
   */
  async find(client_id: string, user_id: string | null, fresh: boolean): Promise<OAuthClient | null> {
    if (isDocumentAddress(client_id)) {
      return user_id === null ? null : await this.#documents.read(client_id, user_id, fresh);
    }
    const client = await this.#ports.store.oauthClients.get(client_id);
    if (client) return client;
    throw new OAuthFault(
      "invalid_client",
      `client_id: no client "${
        client_id.slice(0, 100)
      }" is registered here; one that nobody lets in is forgotten ` +
        "after a day. Take the connection out of the program and add it again, so that it registers anew",
    );
  }

  /** Registers a client as public, whatever else it asks for; `address` is where it is asked from. Throws OAuthFault. */
  async register(body: unknown, address: string): Promise<Registration> {
    const { name, redirect_uris, leftOut } = clientMetadata(body);
    const { attempts, oauthClients } = this.#ports.store;
    const most = OAUTH_LIMITS.REGISTRATIONS_PER_MINUTE_ADDRESS;
    const wait_ms = await attempts.take(`oauth.register\n${address}`, { most, window_ms: MINUTE_MS });
    if (wait_ms > 0) throw tooMany(most, wait_ms);
    const made = await oauthClients.register({ name, redirect_uris });
    if (made === null) throw tooMany(OAUTH_LIMITS.REGISTRATIONS_PER_MINUTE, MINUTE_MS);
    return {
      client_id: made.id,
      client_id_issued_at: Math.floor(made.issued_at / 1000),
      ...(name === null ? {} : { client_name: name }),
      redirect_uris,
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      scope: SCOPE,
      ...(leftOut.length === 0 ? {} : { redirect_uris_left_out: leftOut }),
    };
  }
}

function tooMany(count: number, wait_ms: number): OAuthFault {
  const seconds = Math.max(1, Math.ceil(wait_ms / 1000));
  const why = `${count} clients have registered within a minute; try again in ${seconds} s`;
  return new OAuthFault("temporarily_unavailable", why, 429, seconds);
}
