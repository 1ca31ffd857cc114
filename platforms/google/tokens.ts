/** Google's OAuth after the consent page: the code for tokens, a token anew, and the end of it all. */
import type * as OAuth from "oauth4webapi";
import { LIMITS } from "../../core/model.ts";
import { GatewayError } from "../../core/errors.ts";
import { InvalidGrant } from "../../core/invalid_grant.ts";
import type { ConsentAnswer, EndedTokens, Granted } from "../_connector/connection.ts";
import type { Refreshed } from "../_connector/connector.ts";
import { excerpt, excerptOf } from "../_content/excerpt.ts";
import type { Incoming } from "../_http/request.ts";
import { assertClient, type OAuthContext } from "./oauth.ts";

/** Exchanges the code of a consent for tokens. Throws E_UPSTREAM. */
export async function exchange(ctx: OAuthContext, answer: ConsentAnswer): Promise<Granted> {
  const { oauth, server, client, signed, options } = await open(ctx);
  const { parameters, state, redirect_uri, code_verifier } = answer;
  const secrets = [parameters.get("code") ?? "", code_verifier, ctx.settings.ACCOUNT_CLIENT_SECRET!];
  return await worded("Google did not accept its own answer", secrets, async () => {
    const checked = oauth.validateAuthResponse(server, client, parameters, state);
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      signed,
      checked,
      redirect_uri,
      code_verifier,
      options,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      requireIdToken: true,
    });
    const { sub, email } = oauth.getValidatedIdTokenClaims(tokens)!;
    if (tokens.refresh_token === undefined) {
      throw new GatewayError(
        "E_UPSTREAM",
        "Google gave access for an hour and nothing to renew it with: take the gateway out of the apps that the " +
          "account is connected to, then open the link again",
      );
    }
    return {
      ...refreshed(tokens),
      account: typeof email === "string" && email !== "" ? email : `Google account ${sub}`,
      account_id: sub,
      refresh_token: tokens.refresh_token,
      scopes: scopesOf(tokens) ?? [...answer.scopes],
    };
  });
}

/** A new access token. Throws InvalidGrant where Google will never give one again, else E_UPSTREAM, E_MISSING_SECRET. */
export async function refresh(ctx: OAuthContext, refreshToken: string): Promise<Refreshed> {
  const { oauth, server, client, signed, options } = await open(ctx);
  const secrets = [refreshToken, ctx.settings.ACCOUNT_CLIENT_SECRET!];
  return await worded("Google did not renew the access", secrets, async () => {
    const response = await oauth.refreshTokenGrantRequest(server, client, signed, refreshToken, options);
    return refreshed(await oauth.processRefreshTokenResponse(server, client, response));
  });
}

/** Ends what was granted; Google takes either token, and ends both. Throws E_UPSTREAM. */
export async function revoke(
  ctx: OAuthContext,
  { refresh_token, access_token }: EndedTokens,
): Promise<void> {
  const token = refresh_token ?? access_token;
  if (token === null) throw new GatewayError("E_UPSTREAM", "No token is left that could be revoked");
  const answer = await ctx.send({
    method: "POST",
    url: ctx.settings.ACCOUNT_REVOKE_URL,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ token }).toString(),
    effect: "write",
    what: "the end of a connection",
  });
  const said = answer.json();
  const error = typeof said === "object" && said !== null && "error" in said ? said.error : null;
  if (answer.status === 200 || (answer.status === 400 && error === "invalid_token")) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `Google did not revoke the access: ${answer.status}${errorWord(error)}`,
    { upstream: answer.status, ...excerptOf(answer.text(), [token]) },
  );
}

/** The library, which is loaded at first use, over the connector's own way out. */
async function open(ctx: OAuthContext) {
  const { settings } = ctx;
  assertClient(settings);
  const oauth = await import("oauth4webapi");
  const server: OAuth.AuthorizationServer = {
    issuer: new URL(settings.ACCOUNT_AUTH_URL).origin,
    authorization_endpoint: settings.ACCOUNT_AUTH_URL,
    token_endpoint: settings.ACCOUNT_TOKEN_URL,
  };
  const clock = { [oauth.clockSkew]: Math.round((ctx.now() - Date.now()) / 1000) };
  const client: OAuth.Client = { client_id: settings.ACCOUNT_CLIENT_ID!, ...clock };
  const options = {
    [oauth.customFetch]: sending(ctx),
    // Which host may be reached without TLS is judged on the way out, for every connector alike.
    [oauth.allowInsecureRequests]: true,
  };
  return { oauth, server, client, signed: oauth.ClientSecretPost(settings.ACCOUNT_CLIENT_SECRET!), options };
}

function sending({ send }: OAuthContext) {
  return async (
    url: string,
    { body, headers, method }: OAuth.CustomFetchOptions<"POST", URLSearchParams>,
  ) => {
    const answer = await send({
      method,
      url,
      headers,
      body: body.toString(),
      // It changes no site. What may have been carried out is not sent again: a code counts once.
      effect: "read",
      once: true,
    });
    if (answer.status >= 500 || answer.status === 429 || answer.json() === undefined) {
      throw unreadable(answer);
    }
    return new Response(answer.bytes, { status: answer.status, headers: answer.headers });
  };
}

/** What is no answer of OAuth's: a page, a server that failed, one that is too busy. */
function unreadable({ status, headers, text }: Incoming): GatewayError {
  const wait = headers.get("retry-after") ?? "";
  return new GatewayError("E_UPSTREAM", `Google answered ${status}; try again later`, {
    upstream: status,
    ...excerptOf(text()),
    retryAfter: /^\d{1,9}$/.test(wait) ? Math.min(Number(wait), LIMITS.RETRY_AFTER_SECONDS) : undefined,
  });
}

function refreshed(tokens: OAuth.TokenEndpointResponse): Refreshed {
  const { access_token, expires_in = null, refresh_token, refresh_token_expires_in: ends } = tokens;
  return {
    access_token,
    expires_in,
    ...(refresh_token === undefined ? {} : { refresh_token }),
    ...(typeof ends === "number" ? { refresh_expires_in: ends } : {}),
    ...(tokens.scope === undefined ? {} : { scopes: scopesOf(tokens) }),
  };
}

function scopesOf({ scope }: OAuth.TokenEndpointResponse): string[] | undefined {
  return scope?.split(" ").filter((one) => one !== "");
}

/** The error words of OAuth (RFC 6749, 5.2), which a message may name. */
const OAUTH_ERRORS: ReadonlySet<string> = new Set([
  ...["invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type"],
  "invalid_scope",
]);

const errorWord = (error: unknown) => typeof error === "string" && OAUTH_ERRORS.has(error) ? ` ${error}` : "";

/** Runs the work; what the library throws becomes InvalidGrant or E_UPSTREAM, in words that hold no secret. */
async function worded<T>(what: string, secrets: readonly string[], work: () => Promise<T>): Promise<T> {
  const { ResponseBodyError, WWWAuthenticateChallengeError } = await import("oauth4webapi");
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    if (!(thrown instanceof Error)) throw thrown;
    if (thrown instanceof ResponseBodyError) {
      const said = excerptOf(`${thrown.error} ${thrown.error_description ?? ""}`, secrets);
      if (thrown.error === "invalid_grant") throw new InvalidGrant(`${what}: invalid_grant`);
      const { status } = thrown;
      throw new GatewayError("E_UPSTREAM", `${what}: ${status}${errorWord(thrown.error)}`, {
        upstream: status,
        ...said,
      });
    }
    const upstream = thrown instanceof WWWAuthenticateChallengeError ? thrown.status : 502;
    // What the library says of an answer are its own words.
    const why = excerpt(thrown.message, secrets);
    throw new GatewayError("E_UPSTREAM", `${what}: ${why}`, { upstream });
  }
}
