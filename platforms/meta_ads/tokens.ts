/** The code of a consent for a token that lives some sixty days, and its end. */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { ConsentAnswer, EndedTokens, Granted } from "../_connector/connection.ts";
import { PAUSES_MS, proofOf } from "./graph.ts";
import { assertApp, type OAuthContext } from "./oauth.ts";
import { refusedOf, unreadable } from "./refusals.ts";

/** What is taken where Meta does not say how long a token lives. */
const LIFE_SECONDS = 60 * 24 * 60 * 60;
const ID = z.union([z.string(), z.number()]).transform(String);
const TOKEN = z.object({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });
const DEBUGGED = z.object({
  data: z.object({
    is_valid: z.boolean(),
    app_id: ID.optional(),
    user_id: ID.optional(),
    scopes: z.array(z.string()).default([]),
    /** Seconds since 1970; 0 for one without an end. */
    expires_at: z.number().optional(),
    data_access_expires_at: z.number().optional(),
  }),
});
const PERSON = z.object({ id: ID, name: z.string() });

/** Exchanges the code of a consent for a long-lived token. Throws E_UPSTREAM. */
export async function exchange(
  ctx: OAuthContext,
  { parameters, redirect_uri }: ConsentAnswer,
): Promise<Granted> {
  const { settings } = ctx;
  assertApp(settings);
  const [client_id, client_secret] = [settings.SOCIAL_ADS_APP_ID!, settings.SOCIAL_ADS_APP_SECRET!];
  const code = parameters.get("code");
  if (code === null || code === "") {
    throw new GatewayError("E_UPSTREAM", "Meta sent no code back with its answer", { upstream: 502 });
  }
  const app = { client_id, client_secret };
  const secrets = [client_secret, code];
  const short = await asked(ctx, TOKEN, "/oauth/access_token", { ...app, redirect_uri, code }, secrets);
  secrets.push(short.access_token);
  const long = await asked(ctx, TOKEN, "/oauth/access_token", {
    ...app,
    grant_type: "fb_exchange_token",
    fb_exchange_token: short.access_token,
  }, secrets);
  const { access_token } = long;
  secrets.push(access_token);
  const own = { bearer: `${client_id}|${client_secret}` };
  const { data } = await asked(ctx, DEBUGGED, "/debug_token", { input_token: access_token }, secrets, own);
  if (!data.is_valid || data.app_id !== client_id) throw unreadable("a token that is not this app's");
  const proof = proofOf(access_token, client_secret)!;
  const { id, name } = await asked(
    ctx,
    PERSON,
    "/me",
    { fields: "id,name", appsecret_proof: proof },
    [...secrets, proof],
    { bearer: access_token },
  );
  if (data.user_id !== undefined && data.user_id !== id) throw unreadable("a token of another person");
  return {
    account: name,
    account_id: id,
    access_token,
    expires_in: lifeOf(data, long.expires_in, ctx.now()),
    scopes: data.scopes,
  };
}

/** Meta's only way is a DELETE, which the gateway never sends. Throws E_UPSTREAM. */
export function revoke(_ctx: OAuthContext, _tokens: EndedTokens): Promise<void> {
  return Promise.reject(
    new GatewayError("E_UPSTREAM", "the gateway never deletes, which is the one way that Meta has", {
      upstream: 501,
    }),
  );
}

/** Seconds until the token, or the right to read with it, ends; null where neither does. */
function lifeOf(
  { expires_at, data_access_expires_at }: z.output<typeof DEBUGGED>["data"],
  expires_in: number = LIFE_SECONDS,
  now: number,
): number | null {
  const left = (end: number) => end === 0 ? [] : [Math.max(0, Math.floor(end - now / 1000))];
  const ends = [
    ...expires_at === undefined ? [expires_in] : left(expires_at),
    ...data_access_expires_at === undefined ? [] : left(data_access_expires_at),
  ];
  return ends.length === 0 ? null : Math.min(...ends);
}

async function asked<T>(
  { settings, send, now }: OAuthContext,
  shape: z.ZodType<T>,
  path: string,
  query: Readonly<Record<string, string>>,
  secrets: readonly string[],
  { bearer }: { bearer?: string } = {},
): Promise<T> {
  const isRead = path !== "/oauth/access_token";
  const ask = async (pause_ms: number) => {
    const at = now() + pause_ms;
    const answer = await send({
      method: "GET",
      url: `${settings.SOCIAL_ADS_API_BASE}${path}?${new URLSearchParams(query)}`,
      ...(bearer === undefined ? {} : { headers: { authorization: `Bearer ${bearer}` } }),
      effect: "read",
      turn: (now) => at - now,
      // A code counts once: what may have been carried out is not sent again. What may pass is told by the body.
      ...(isRead ? { busy: () => Infinity } : { once: true }),
    });
    return { answer, refused: refusedOf(answer, secrets, now()) };
  };
  let { answer, refused } = await ask(0);
  for (const pause of isRead ? PAUSES_MS : []) {
    if (refused?.kind !== "transient") break;
    ({ answer, refused } = await ask(pause));
  }
  if (refused !== null) {
    const again = ["transient", "throttled"].includes(refused.kind) ? "; try again later" : "";
    throw new GatewayError(
      "E_UPSTREAM",
      `Meta did not connect the account, it answered ${refused.status}${again}`,
      {
        upstream: refused.status,
        ...refused.words === "" ? {} : { excerpt: refused.words },
      },
    );
  }
  const read = shape.safeParse(answer.json());
  if (read.success) return read.data;
  throw unreadable(`its answer at ${path}`);
}
