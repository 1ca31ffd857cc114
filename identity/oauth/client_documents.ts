/** Clients that are known by the https address of a metadata document: fetched, judged, kept for a moment. */
import { GatewayError } from "../../core/errors.ts";
import { lasts } from "../../core/lasting.ts";
import { OAUTH_LIMITS, type OAuthClient } from "../../core/model.ts";
import type { Http } from "../../platforms/_http/http.ts";
import type { Incoming, Outgoing } from "../../platforms/_http/request.ts";
import type { Store } from "../../store/store.ts";
import { clientMetadata } from "./client_metadata.ts";
import { OAuthFault } from "./fault.ts";

/** What reading them needs. */
export interface DocumentPorts {
  readonly http: Http;
  readonly store: Pick<Store, "attempts">;
  now(): number;
}

/** Whether a client_id is the address of a document. */
export const isDocumentAddress = (client_id: string): boolean => /^https:/i.test(client_id);

/** A longer one is not kept. */
const ETAG_CHARACTERS_MAX = 200;
const MINUTE_MS = 60_000;

const refuse = (client_id: string, why: string) =>
  new OAuthFault("invalid_client", `client_id: the document "${client_id.slice(0, 200)}" ${why}`);

/** A document as it was read. */
interface Kept {
  readonly client: OAuthClient;
  readonly until: number;
  /** What its host calls this version of it, for asking whether it has changed. */
  readonly etag: string | null;
}

/** Reads documents: over https from public addresses alone, no redirect, within a size and a time. */
export class ClientDocuments {
  readonly #ports: DocumentPorts;
  readonly #kept = new Map<string, Kept>();
  /** What is being read, for all who ask for it meanwhile. */
  readonly #reading = new Map<string, Promise<OAuthClient>>();

  constructor(ports: DocumentPorts) {
    this.#ports = ports;
  }

  /**
   * The client of a document, as it says now or, unless `fresh`, as it said when it was read last and its host lets it
   * be kept. Failures are not kept. `user_id` is who is asked to let it in. Throws OAuthFault invalid_client.
   */
  async read(client_id: string, user_id: string, fresh: boolean): Promise<OAuthClient> {
    judgeAddress(client_id);
    const kept = this.#kept.get(client_id);
    if (!fresh && kept && this.#lasts(kept)) return kept.client;
    const reading = this.#reading.get(client_id);
    if (reading) return await reading;
    const read = this.#read(client_id, user_id, kept).finally(() => this.#reading.delete(client_id));
    this.#reading.set(client_id, read);
    return await read;
  }

  async #read(client_id: string, user_id: string, kept: Kept | undefined): Promise<OAuthClient> {
    const answer = await this.#fetch(client_id, user_id, kept?.etag ?? null);
    const same = answer.status === 304 && kept?.etag;
    const client = same ? kept.client : clientOf(client_id, answer);
    const etag = answer.headers.get("etag") ?? (same ? kept.etag : null);
    const until = this.#ports.now() + keptFor(answer.headers);
    this.#kept.delete(client_id);
    this.#kept.set(client_id, {
      client,
      until,
      etag: (etag?.length ?? 0) > ETAG_CHARACTERS_MAX ? null : etag,
    });
    if (this.#kept.size > OAUTH_LIMITS.DOCUMENTS_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
    return client;
  }

  #lasts({ until }: Kept): boolean {
    return lasts(until, OAUTH_LIMITS.DOCUMENT_KEPT_MS_MAX, this.#ports.now());
  }

  async #fetch(client_id: string, user_id: string, etag: string | null): Promise<Incoming> {
    const out: Outgoing = {
      method: "GET",
      url: client_id,
      effect: "read",
      once: true,
      public_only: true,
      max_bytes: OAUTH_LIMITS.DOCUMENT_BYTES,
      deadline_ms: OAUTH_LIMITS.DOCUMENT_DEADLINE_MS,
      ...(etag === null ? {} : { headers: { "if-none-match": etag } }),
    };
    const policy = (hop: Outgoing) => {
      if (hop !== out) throw new GatewayError("E_UPSTREAM", "a metadata document must not redirect");
    };
    await this.#take(client_id, user_id);
    try {
      return await this.#ports.http.send(out, {
        deadline: this.#ports.now() + OAUTH_LIMITS.DOCUMENT_DEADLINE_MS,
        policy,
      });
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      throw refuse(client_id, `cannot be read: ${thrown.message}`);
    }
  }

  /** Counts a reading for whoever asks and for the host, at all instances together. Throws OAuthFault where it is one too many. */
  async #take(client_id: string, user_id: string): Promise<void> {
    const { DOCUMENTS_PER_MINUTE: user, DOCUMENTS_PER_MINUTE_HOST: host } = OAUTH_LIMITS;
    for (
      const [name, most] of [[`user\n${user_id}`, user], [`host\n${new URL(client_id).host}`, host]] as const
    ) {
      const limit = { most, window_ms: MINUTE_MS };
      const wait_ms = await this.#ports.store.attempts.take(`oauth.document ${name}`, limit);
      if (wait_ms === 0) continue;
      const seconds = Math.max(1, Math.ceil(wait_ms / 1000));
      throw refuse(client_id, `was not read: too many were in the last minute; try again in ${seconds} s`);
    }
  }
}

/** How long an answer lets its document be kept (RFC 9111), within our bounds. */
function keptFor(headers: Headers): number {
  const { DOCUMENT_KEPT_MS: usual, DOCUMENT_KEPT_MS_MIN: least, DOCUMENT_KEPT_MS_MAX: most } = OAUTH_LIMITS;
  const control = (headers.get("cache-control") ?? "").toLowerCase();
  if (/(?:^|,)\s*no-(?:store|cache)\s*(?:,|=|$)/.test(control)) return least;
  const seconds = /(?:^|,)\s*max-age\s*=\s*"?(\d{1,10})"?\s*(?:,|$)/.exec(control)?.[1];
  if (seconds === undefined) return usual;
  const age = /^\s*(\d{1,10})\s*$/.exec(headers.get("age") ?? "")?.[1] ?? 0;
  return Math.min(most, Math.max(least, (Number(seconds) - Number(age)) * 1000));
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

function clientOf(client_id: string, { status, headers, json }: Incoming): OAuthClient {
  if (status !== 200) throw refuse(client_id, `was answered with status ${status}; it must be 200`);
  // A host that shows what strangers store there, as text, does not speak for itself.
  const type = (headers.get("content-type") ?? "").split(";", 1)[0]!.trim().toLowerCase();
  if (!/^application\/(?:[\w.-]+\+)?json$/.test(type)) {
    throw refuse(
      client_id,
      `was answered as "${type.slice(0, 60)}"; its Content-Type must be application/json`,
    );
  }
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
  const { authMethod, leftOut: _, ...client } = metadataOf(client_id, value);
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
