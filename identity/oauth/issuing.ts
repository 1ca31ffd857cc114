/** Tokens for clients: for a code, for a refresh token, and their end. */
import { hash } from "node:crypto";
import type { Grant } from "../../core/model.ts";
import type { CodeOrder, IssuedTokens, Refreshed, Store } from "../../store/store.ts";
import { SCOPE } from "./clients.ts";
import { OAuthFault, parametersOf } from "./fault.ts";
import { isOwnResource, resourceOf } from "./resources.ts";
import { appendClientRow, byClient, type RowPorts } from "./connected.ts";

/** What issuing needs. */
export interface IssuingPorts extends RowPorts {
  readonly store: RowPorts["store"] & Pick<Store, "oauthGrants" | "users">;
  readonly baseUrl: string;
  /** Told of each refresh token that was used before and came again, and of what came of it. */
  repeated(came: "in_grace" | "late"): void;
}

/** An answer of the token endpoint. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly refresh_token: string;
  readonly scope: string;
}

type Parameters = ReturnType<typeof parametersOf>;

type Repeated = Extract<Refreshed, { readonly outcome: "repeated" }>;

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

const invalidGrant = (message: string) => new OAuthFault("invalid_grant", message);

function required({ one }: Parameters, name: string): string {
  const value = one(name);
  if (value === undefined) throw new OAuthFault("invalid_request", `${name}: is required`);
  return value;
}

/** Issues tokens. */
export class Issuing {
  constructor(private readonly ports: IssuingPorts) {}

  /** Answers a request of the token endpoint, which came from that address, null where nobody knows. Throws OAuthFault. */
  async answer(form: URLSearchParams, from: string | null): Promise<TokenAnswer> {
    const params = parametersOf(form, ["resource"]);
    const type = required(params, "grant_type");
    refuseSecret(params);
    const client_id = required(params, "client_id");
    switch (type) {
      case "authorization_code":
        return this.#answerWith(await this.#redeem(params, client_id));
      case "refresh_token":
        return this.#answerWith(await this.#refresh(params, client_id, from));
      default:
        throw new OAuthFault(
          "unsupported_grant_type",
          "grant_type: expected authorization_code or refresh_token",
        );
    }
  }

  /** Ends what a token stands for: the whole grant of a refresh token, of an access token that one. Unknown ones are nothing. */
  async revoke(form: URLSearchParams): Promise<void> {
    const params = parametersOf(form);
    refuseSecret(params);
    const text = required(params, "token");
    const grant = await this.ports.store.oauthGrants.grantOf(text);
    const client_id = params.one("client_id");
    if (grant === null || (client_id !== undefined && client_id !== grant.client_id)) return;
    if (text.startsWith("ort_")) await this.#end(grant.id, "its client disconnected");
    else await this.ports.store.oauthGrants.dropAccess(text);
  }

  async #redeem(params: Parameters, client_id: string): Promise<IssuedTokens> {
    const code = required(params, "code");
    const redirect_uri = required(params, "redirect_uri");
    const verifier = required(params, "code_verifier");
    const resource = resourceOf(params.all("resource"), this.ports.baseUrl);
    const judge = (order: CodeOrder): string | null => {
      if (order.granted.client_id !== client_id) throw invalidGrant("code: was issued to another client");
      if (order.redirect_uri !== redirect_uri) {
        throw invalidGrant("redirect_uri: is not the one that the code was asked for with");
      }
      if (!VERIFIER.test(verifier) || hash("sha256", verifier, "base64url") !== order.challenge) {
        throw invalidGrant("code_verifier: does not fit the code_challenge");
      }
      // Of the gateway's two addresses either is taken: they are one, and who redeems need not be who asked.
      return order.resource ?? resource;
    };
    const redeemed = await this.ports.store.oauthGrants.redeem(code, judge);
    if (redeemed.outcome === "used") {
      await this.#end(redeemed.grant_id, "its code was sent twice");
      throw invalidGrant("code: was used before, so what it gave was ended; ask the person again");
    }
    if (redeemed.outcome === "unknown") {
      throw invalidGrant("code: is not known, or its minute is over; ask the person again");
    }
    const { grant } = redeemed.tokens;
    await this.#refuseWithoutUser(grant);
    const what = { grant_id: grant.id, client_id, client_name: grant.client_name };
    await appendClientRow(this.ports, byClient(grant), "client.connect", what);
    return redeemed.tokens;
  }

  async #refresh(params: Parameters, client_id: string, from: string | null): Promise<IssuedTokens> {
    const text = required(params, "refresh_token");
    const { baseUrl } = this.ports;
    resourceOf(params.all("resource"), baseUrl);
    const refreshed = await this.ports.store.oauthGrants.refresh(text, async (grant) => {
      if (grant.client_id !== client_id) throw invalidGrant("refresh_token: was issued to another client");
      if (!isOwnResource(grant.resource, baseUrl)) {
        // No invalid_grant: where BASE_URL is wrong for an hour, clients would forget what they were granted.
        throw new OAuthFault(
          "invalid_target",
          "resource: what was granted is for another address; connect again",
        );
      }
      // Before anything is changed: a look that fails afterwards would lose the client its new tokens.
      if (grant.ended_at === null) await this.#refuseWithoutUser(grant);
    });
    switch (refreshed.outcome) {
      case "unknown":
        throw invalidGrant("refresh_token: is not known; ask the person again");
      case "ended":
        throw invalidGrant(`refresh_token: the connection has ended; ask the person again`);
      case "too often": {
        const seconds = Math.max(1, Math.ceil(refreshed.wait_ms / 1000));
        const why =
          `refresh_token: was refreshed too often; an access token lasts an hour, try again in ${seconds} s`;
        throw new OAuthFault("temporarily_unavailable", why, 429, seconds);
      }
      case "other clock":
        // Nobody can tell which: a client that is told that its grant is over forgets it.
        throw new OAuthFault(
          "temporarily_unavailable",
          "The gateway's clock is far behind that of the day on which this was granted; its operator sees to it. " +
            "If the clock is right now, take the connection out and add it again",
          503,
        );
      case "repeated":
        await this.#alarm(refreshed, from);
        break;
      case "used":
        this.ports.repeated("late");
        this.ports.log({ ...alarmOf(refreshed.grant, from), connection: "ended" });
        await this.#end(refreshed.grant.id, "a refresh token was used twice");
        throw invalidGrant(
          "refresh_token: was used before, so the connection was ended; ask the person again",
        );
    }
    return refreshed.tokens;
  }

  /** A lost answer is asked for again, and so does a thief ask: what is asked twice is said once of each token. */
  async #alarm({ tokens: { grant }, isFirst }: Repeated, from: string | null): Promise<void> {
    this.ports.repeated("in_grace");
    if (!isFirst) return;
    this.ports.log({ ...alarmOf(grant, from), connection: "kept" });
    const { client_id, client_name, id: grant_id } = grant;
    await appendClientRow(this.ports, byClient(grant), "client.repeat", { grant_id, client_id, client_name });
  }

  async #refuseWithoutUser(grant: Grant): Promise<void> {
    if (await this.ports.store.users.get(grant.user_id) !== null) return;
    await this.#end(grant.id, "its user was removed");
    throw invalidGrant("The user who granted this has been removed");
  }

  async #end(grant_id: string, why: string): Promise<void> {
    const ended = await this.ports.store.oauthGrants.end(grant_id, why);
    if (ended === null) return;
    const { client_id, client_name } = ended;
    await appendClientRow(this.ports, byClient(ended), "client.end", {
      grant_id,
      client_id,
      client_name,
      why,
    });
  }

  #answerWith({ access_token, refresh_token, expires_at }: IssuedTokens): TokenAnswer {
    const expires_in = Math.max(0, Math.floor((expires_at - this.ports.now()) / 1000));
    return { access_token, token_type: "Bearer", expires_in, refresh_token, scope: SCOPE };
  }
}

/** The line of the log about a refresh token that came again. */
const alarmOf = ({ id, client_id, client_name }: Grant, from: string | null) => ({
  event: "refresh_token_repeated",
  ...{ grant_id: id, client_id, client_name, address: from },
});

/** All clients are public; one that sends a secret takes itself for another kind. */
function refuseSecret({ one }: Parameters): void {
  for (const name of ["client_secret", "client_assertion"]) {
    if (one(name) === undefined) continue;
    throw new OAuthFault("invalid_client", `${name}: clients have none here; send client_id alone`, 401);
  }
}
