/** Clients that are known by the https address of a metadata document: fetched, judged, kept for a moment. */
import { GatewayError } from "../../errors.ts";
import { OAUTH_LIMITS, type OAuthClient } from "../../model.ts";
import type { Http } from "../../platforms/http.ts";
import type { Incoming, Outgoing } from "../../platforms/request.ts";
import { RateLimit } from "../limits.ts";
import { clientMetadata } from "./client_metadata.ts";
import { OAuthFault } from "./fault.ts";

/** What reading them needs. */
export interface DocumentPorts {
  readonly http: Http;
  now(): number;
}

/** Whether a client_id is the address of a document. */
export const isDocumentAddress = (client_id: string): boolean => /^https:/i.test(client_id);

const refuse = (client_id: string, why: string) =>
  new OAuthFault("invalid_client", `client_id: the document "${client_id.slice(0, 200)}" ${why}`);

/** Reads documents: over https from public addresses alone, no redirect, within a size and a time. */
export class ClientDocuments {
  readonly #ports: DocumentPorts;
  readonly #limit: RateLimit;
  readonly #kept = new Map<string, { readonly client: OAuthClient; readonly until: number }>();

  constructor(ports: DocumentPorts) {
    this.#ports = ports;
    this.#limit = new RateLimit(OAUTH_LIMITS.DOCUMENTS_PER_MINUTE, "user", ports.now);
  }

  /**
   * The client of a document, as it says now or, unless `fresh`, said within OAUTH_LIMITS.DOCUMENT_KEPT_MS. Failures
   * are not kept. `user_id` is who is asked to let it in. Throws OAuthFault invalid_client.
   */
  async read(client_id: string, user_id: string, fresh: boolean): Promise<OAuthClient> {
    judgeAddress(client_id);
    const kept = this.#kept.get(client_id);
    const now = this.#ports.now();
    if (!fresh && kept && now < kept.until) return kept.client;
    const client = clientOf(client_id, await this.#fetch(client_id, user_id));
    this.#kept.delete(client_id);
    this.#kept.set(client_id, { client, until: now + OAUTH_LIMITS.DOCUMENT_KEPT_MS });
    if (this.#kept.size > OAUTH_LIMITS.DOCUMENTS_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return client;
  }

  async #fetch(client_id: string, user_id: string): Promise<Incoming> {
    const out: Outgoing = {
      method: "GET",
      url: client_id,
      effect: "read",
      once: true,
      public_only: true,
      max_bytes: OAUTH_LIMITS.DOCUMENT_BYTES,
      deadline_ms: OAUTH_LIMITS.DOCUMENT_DEADLINE_MS,
    };
    const look = (hop: Outgoing) => {
      if (hop !== out) throw new GatewayError("E_UPSTREAM", "a metadata document must not redirect");
    };
    try {
      this.#limit.take(user_id);
      return await this.#ports.http.send(out, {
        endsAt: this.#ports.now() + OAUTH_LIMITS.DOCUMENT_DEADLINE_MS,
        look,
      });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      throw refuse(client_id, `cannot be read: ${thrown.message}`);
    }
  }
}

/** As the draft on client id metadata documents asks of the address. */
function judgeAddress(client_id: string): void {
  const url = URL.parse(client_id);
  const path = /^https:\/\/[^/?#]+(\/[^?#]*)/.exec(client_id)?.[1] ?? "";
  const fault = client_id.length > OAUTH_LIMITS.CLIENT_ID_CHARACTERS
    ? `is longer than ${OAUTH_LIMITS.CLIENT_ID_CHARACTERS} characters`
    : url === null || url.href !== client_id
    ? "is not an address as browsers write it"
    : url.username !== "" || url.password !== ""
    ? "holds a user name"
    : client_id.includes("#")
    ? "has a fragment"
    : path.length < 2 || /(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path)
    ? "needs a path, without . and .. in it"
    : null;
  if (fault !== null) throw refuse(client_id, fault);
}

function clientOf(client_id: string, { status, json }: Incoming): OAuthClient {
  if (status !== 200) throw refuse(client_id, `was answered with status ${status}; it must be 200`);
  const value = json();
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refuse(client_id, "is not a JSON object");
  }
  if (!("client_id" in value) || value.client_id !== client_id) {
    throw refuse(
      client_id,
      "names another client_id; it must be the document's own address, character by character",
    );
  }
  if ("client_secret" in value) throw refuse(client_id, "holds a client_secret, which a document must not");
  const { authMethod, ...client } = metadataOf(client_id, value);
  if (authMethod !== undefined && authMethod !== "none") {
    throw refuse(
      client_id,
      `asks for token_endpoint_auth_method "${authMethod.slice(0, 60)}"; only none is offered`,
    );
  }
  return { id: client_id, ...client };
}

function metadataOf(client_id: string, value: object) {
  try {
    return clientMetadata(value);
  } catch (thrown) {
    throw thrown instanceof OAuthFault ? refuse(client_id, `cannot be used: ${thrown.message}`) : thrown;
  }
}
