/** The request with which a client sends a person to be asked: who asks, where the answer goes, what it is bound to. */
import { OAUTH_LIMITS, type OAuthClient } from "../../core/model.ts";
import { redirectAllowed, redirectFault } from "../../rules/redirect_uri.ts";
import type { Clients } from "./clients.ts";
import { described, OAuthFault, parametersOf } from "./fault.ts";
import { resourceOf } from "./resources.ts";

/** A request that a person may be asked about. */
export interface AuthorizationRequest {
  readonly client: OAuthClient;
  readonly redirect_uri: string;
  readonly state: string | null;
  /** Of PKCE, S256. */
  readonly challenge: string;
  readonly resource: string | null;
}

/**
 * How a request is met: the person is asked about it, it goes back to its client, it is shown to the person as faulty, or
 * the person has to sign in first.
 */
export type Met =
  | { readonly request: AuthorizationRequest }
  | { readonly to: string }
  | { readonly fault: OAuthFault }
  | { readonly signIn: true };

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** The address that takes an answer to the client; `iss` says who gave it (RFC 9207). */
export function answerAddress(
  redirect_uri: string,
  answer: Readonly<Record<string, string | null>>,
  baseUrl: string,
): string {
  const given = Object.entries({ ...answer, iss: baseUrl }).filter(([, value]) => value !== null);
  const query = new URLSearchParams(given as [string, string][]);
  return `${redirect_uri}${redirect_uri.includes("?") ? "&" : "?"}${query}`;
}

/** A fault as the client is answered it. */
export function faultAddress(
  request: Pick<AuthorizationRequest, "redirect_uri" | "state">,
  { error, message }: OAuthFault,
  baseUrl: string,
): string {
  const answer = { error, error_description: described(message), state: request.state };
  return answerAddress(request.redirect_uri, answer, baseUrl);
}

/** Who asks, as far as it can be known before somebody has signed in. */
export interface Asking {
  readonly params: ReturnType<typeof parametersOf>;
  readonly client_id: string;
  readonly redirect_uri: string;
}

/** Reads who asks and where to answer. Throws OAuthFault, which is shown and never sent anywhere. */
export function askingOf(query: URLSearchParams): Asking {
  for (const name of ["client_id", "redirect_uri"]) {
    if (query.getAll(name).length !== 1 || !query.get(name)) {
      throw new OAuthFault("invalid_request", `${name}: is required, once`);
    }
  }
  const redirect_uri = query.get("redirect_uri")!;
  const fault = redirectFault(redirect_uri);
  if (fault !== null) {
    throw new OAuthFault("invalid_request", `redirect_uri: "${redirect_uri.slice(0, 200)}" ${fault}`);
  }
  return { params: lenient(query), client_id: query.get("client_id")!, redirect_uri };
}

/** Reads parameters; asking for `one` throws where any but `resource` is given twice, which goes back to the client. */
const lenient = (query: URLSearchParams): Asking["params"] => ({
  one: (name) => parametersOf(query, ["resource"]).one(name),
  all: (name) => query.getAll(name).filter((value) => value !== ""),
});

/**
 * Judges a request. Whoever is no client, or is not to be answered there, is a `fault` to show; every other fault goes
 * back to the client, once the person has signed in: a client that anybody may register must not make this address
 * one that leads strangers on (RFC 9700, 4.11.2), nor have a document fetched for them.
 */
export async function meet(
  { client_id, redirect_uri, params }: Asking,
  clients: Clients,
  { user_id, fresh, baseUrl }: { user_id: string | null; fresh: boolean; baseUrl: string },
): Promise<Met> {
  let client: OAuthClient | null;
  try {
    client = await clients.find(client_id, user_id, fresh);
  } catch (thrown) {
    if (thrown instanceof OAuthFault) return { fault: thrown };
    throw thrown;
  }
  if (client === null) return { signIn: true };
  if (!redirectAllowed(redirect_uri, client.redirect_uris)) {
    const why = `redirect_uri: "${redirect_uri.slice(0, 200)}" is none of those that the client has named`;
    return { fault: new OAuthFault("invalid_request", why) };
  }
  if (new URL(redirect_uri).origin === new URL(baseUrl).origin) {
    // The page would name the gateway's own host as where the answer goes, and that is what people trust.
    const why = "redirect_uri: is an address of this gateway, where no client answers";
    return { fault: new OAuthFault("invalid_request", why) };
  }
  if (user_id === null) return { signIn: true };
  const states = params.all("state");
  const state = states.length === 1 && states[0]!.length <= OAUTH_LIMITS.STATE_CHARACTERS ? states[0]! : null;
  try {
    return { request: { client, redirect_uri, state, ...boundTo(params, baseUrl) } };
  } catch (thrown) {
    if (!(thrown instanceof OAuthFault)) throw thrown;
    return { to: faultAddress({ redirect_uri, state }, thrown, baseUrl) };
  }
}

function boundTo({ one, all }: Asking["params"], baseUrl: string) {
  const type = one("response_type");
  if (type === undefined) {
    throw new OAuthFault("invalid_request", "response_type: is required; it must be code");
  }
  if (type !== "code") {
    throw new OAuthFault("unsupported_response_type", "response_type: only code is answered");
  }
  if ((one("response_mode") ?? "query") !== "query") {
    throw new OAuthFault("invalid_request", "response_mode: only query is answered");
  }
  if ((one("state") ?? "").length > OAUTH_LIMITS.STATE_CHARACTERS) {
    throw new OAuthFault("invalid_request", `state: at most ${OAUTH_LIMITS.STATE_CHARACTERS} characters`);
  }
  const challenge = one("code_challenge");
  if (challenge === undefined) {
    throw new OAuthFault("invalid_request", "code_challenge: is required (PKCE, S256)");
  }
  if (one("code_challenge_method") !== "S256") {
    throw new OAuthFault("invalid_request", "code_challenge_method: only S256 is taken");
  }
  if (!CHALLENGE.test(challenge)) {
    throw new OAuthFault("invalid_request", "code_challenge: expected a SHA-256 in base64url, 43 characters");
  }
  return { challenge, resource: resourceOf(all("resource"), baseUrl) };
}
