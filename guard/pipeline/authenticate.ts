/** Who calls: the bearer token of a request, and what its owner may do. */
import { hash } from "node:crypto";
import { isWithin } from "../../core/client_address.ts";
import { GatewayError } from "../../core/errors.ts";
import {
  type Caller,
  type Grant,
  isExpired,
  isSuperAdmin,
  OAUTH_PREFIX,
  type Tier,
  type Token,
} from "../../core/model.ts";
import { type Sender, senderOf } from "../../core/senders.ts";
import type { Access, Store } from "../../store/store.ts";
import { OPERATOR } from "../audit/admin_row.ts";

/**
 * Finds the caller of a request; throws E_AUTH. A value when everything is cached, else a promise of one. `before` is who
 * was found for the same request a while ago: where nothing that it depends on was changed since, that very one is answered.
 */
export type Authenticate = (request: Request, before?: Caller) => Caller | Promise<Caller>;

/** What authentication needs. */
export interface AuthenticatePorts {
  readonly tokens: Pick<Store["tokens"], "find" | "used">;
  readonly users: Pick<Store["users"], "get">;
  now(): number;
  /** Recognised only to say where it belongs. */
  readonly masterToken: string;
  /** Access tokens of OAuth. */
  readonly grants: Pick<Store["oauthGrants"], "access">;
  /** The token that such an access token stands for. Throws E_AUTH. */
  tokenOf(access: Access | null): Token;
  /** Told of a token that is not known. Throws E_RATE_LIMITED where too many came from that sender. */
  wrong?(sender: Sender): void;
  /** Told of a token that is known and was refused all the same. */
  refused?(token: Token, sender: Sender): void;
  /** As of the store: the same number as long as tokens, users and grants are known to be the same. */
  callersVersion(): number;
}

const BEARER = /^Bearer +([A-Za-z0-9_.~+/=-]{1,512})$/i;

const refuse = (message: string) => new GatewayError("E_AUTH", message);

/** The token in a header; undefined where it is malformed. Calls of one token come in rows. */
function tokenReader(): (header: string) => string | undefined {
  let last: { readonly header: string; readonly text: string | undefined } = { header: "", text: undefined };
  return (header) => {
    if (header !== last.header) last = { header, text: BEARER.exec(header)?.[1] };
    return last.text;
  };
}

/** Makes the one way in that both doors share. */
export function authenticator(ports: AuthenticatePorts): Authenticate {
  const { tokens, users, masterToken, grants, tokenOf, now } = ports;
  const master = hash("sha256", masterToken);
  const textIn = tokenReader();
  const judge = (
    token: Token | null,
    { text, sender }: { text: string; sender: Sender },
    version: number,
  ): Caller | Promise<Caller> => {
    if (!token) {
      ports.wrong?.(sender);
      throw refuse(
        hash("sha256", text) === master
          ? "The master token opens /admin only; make a token with deno task admin token create"
          : "The token is not known; make one with deno task admin token create",
      );
    }
    const told = (thrown: unknown): never => {
      if (thrown instanceof GatewayError && thrown.code === "E_AUTH") ports.refused?.(token, sender);
      throw thrown;
    };
    let caller: Caller | Promise<Caller>;
    try {
      assertFrom(token, sender);
      caller = callerOf(token, users, now(), version);
    } catch (thrown) {
      return told(thrown);
    }
    if (caller instanceof Promise) caller = caller.catch(told);
    if (token.client_id !== undefined) return caller;
    if (caller instanceof Promise) return caller.then((found) => (tokens.used(token.id), found));
    tokens.used(token.id);
    return caller;
  };
  return (request, before) => {
    const version = ports.callersVersion();
    if (before?.version === version && !isExpired(before.token, now())) return before;
    const header = request.headers.get("authorization");
    if (!header) throw refuse("The Authorization header is missing; send Authorization: Bearer <token>");
    const text = textIn(header);
    if (!text) {
      throw refuse("The Authorization header is malformed; send one, as Authorization: Bearer <token>");
    }
    const sender = senderOf(request);
    const sent = { text, sender };
    if (text.startsWith(OAUTH_PREFIX.access)) {
      const grant = (found: Access | null) => {
        if (found === null) ports.wrong?.(sender);
        return judge(tokenOf(found), sent, NaN);
      };
      const access = grants.access(text);
      return access instanceof Promise ? access.then(grant) : grant(access);
    }
    const found = tokens.find(text);
    return found instanceof Promise
      ? found.then((token) => judge(token, sent, version))
      : judge(found, sent, version);
  };
}

/** Throws E_AUTH for a token that is used from where it may not be. */
function assertFrom({ allowed_ips }: Token, sender: Sender): void {
  if (allowed_ips === undefined) return;
  const address = sender.exact();
  if (address !== null && isWithin(address, allowed_ips)) return;
  throw refuse(
    `The token is not accepted from ${
      address ?? "an unknown address"
    }; call from where it may be used, or ask whoever ` +
      "made it",
  );
}

/** Who calls with that token, by what its owner may do now. Throws E_AUTH where it was revoked, is over, or its owner is gone. */
function callerOf(
  token: Token,
  users: Pick<Store["users"], "get">,
  now: number,
  version = NaN,
): Caller | Promise<Caller> {
  if (token.revoked_at) throw refuse(`The token was revoked at ${token.revoked_at}; ask for a new one`);
  if (isExpired(token, now)) throw refuse(`The token expired at ${token.expires_at}; ask for a new one`);
  if (token.owner_user_id === null) {
    return { token, owner: null, superAdmin: isSuperAdmin(token), maxRisk: token.max_risk, version };
  }
  const owner = users.get(token.owner_user_id);
  return owner instanceof Promise
    ? owner.then((found) => owned(token, found, version))
    : owned(token, owner, version);
}

/** What tells who a caller is by now. */
export interface CallerNowPorts {
  readonly tokens: Pick<Store["tokens"], "get">;
  readonly users: Pick<Store["users"], "get">;
  readonly grants: Pick<Store["oauthGrants"], "get">;
  readonly personSessions: Pick<Store["personSessions"], "list">;
  /** Those of the master token. */
  readonly sessions: Pick<Store["sessions"], "stands">;
  /** The token that a grant stands for. Throws E_AUTH where it has ended. */
  tokenOfGrant(grant: Grant | null): Token;
  now(): number;
}

/** Who calls by the id of a token, or of a client's grant, whoever sends it. Throws E_AUTH where it does not stand any more. */
export const callerOfGrant = (ports: CallerNowPorts) => async (id: string): Promise<Caller> => {
  const { tokens, users, grants, tokenOfGrant, now } = ports;
  const token = await tokens.get(id);
  if (token !== null) {
    if (!await sessionStands(ports, token)) throw refuse("The session that the token was made in has ended");
    return await callerOf(token, users, now());
  }
  const grant = await grants.get(id);
  if (grant !== null && grant.expires_at <= now()) throw refuse("The time of the connection is over");
  return await callerOf(tokenOfGrant(grant), users, now());
};

/** Whether the session stands that a token ends with; of most there is none. */
async function sessionStands(
  { personSessions, sessions }: Pick<CallerNowPorts, "personSessions" | "sessions">,
  { session, owner_user_id }: Token,
): Promise<boolean> {
  if (session === undefined) return true;
  if (owner_user_id === null) return await sessions.stands(session);
  return (await personSessions.list(owner_user_id)).some((one) => one.id === session);
}

/**
 * The same caller as it is by now, for what goes on after its request: its token or its grant must stand, not the access
 * token it came with. Throws E_AUTH.
 */
export const callerNow = (ports: CallerNowPorts) => {
  const callerById = callerOfGrant(ports);
  return async (caller: Caller): Promise<Caller> =>
    caller.token.id === OPERATOR.token_id ? caller : await callerById(caller.token.id);
};

function owned(token: Token, owner: Caller["owner"], version: number): Caller {
  if (!owner) throw refuse("The token's owner no longer exists; ask for a new token");
  const maxRisk = Math.min(token.max_risk, owner.max_risk) as Tier;
  return { token, owner, superAdmin: false, maxRisk, version };
}
