/** What an access token of OAuth stands for: the grant behind it, as a token that calls. */
import { GatewayError } from "../core/errors.ts";
import { lasts } from "../core/lasting.ts";
import { type Grant, OAUTH_LIMITS, type Token } from "../core/model.ts";
import type { Access } from "../store/store.ts";
import { isOwnResource } from "./oauth/resources.ts";

/** What it is judged with. */
export interface AccessPorts {
  readonly baseUrl: string;
  now(): number;
  /** The token that a grant stands for. Throws E_AUTH where it has ended. */
  tokenOfGrant(grant: Grant): Token;
}

const AGAIN = "refresh it, or connect again";

/**
 * Makes the judge of access tokens. It answers the same token for the same grant until its tools change: its id is the
 * grant's, so that what a caller was shown and may confirm outlives a refresh. Throws E_AUTH.
 */
export function accessTokens({ baseUrl, now, tokenOfGrant }: AccessPorts): (access: Access | null) => Token {
  return (access) => {
    if (access === null || !lasts(access.expires_at, OAUTH_LIMITS.ACCESS_MS, now())) {
      throw new GatewayError("E_AUTH", `The access token is not known, or its time is over; ${AGAIN}`);
    }
    const { grant, resource } = access;
    const token = tokenOfGrant(grant);
    if (!isOwnResource(resource, baseUrl)) {
      throw new GatewayError("E_AUTH", "The access token was issued for another address; connect again");
    }
    return token;
  };
}

/**
 * Makes what a grant is as a token that calls: the same one until its tools change. It throws E_AUTH for none, and for one
 * that has ended. `inGroups` answers the names of the tools in those groups, the same list until they change.
 */
export function grantTokens(
  inGroups: (groups: readonly string[]) => readonly string[],
): (grant: Grant | null) => Token {
  const made = new WeakMap<Grant, Token>();
  return (grant) => {
    if (grant === null) {
      throw new GatewayError("E_AUTH", "The connection is not known any more; connect again");
    }
    if (grant.ended_at !== null) {
      throw new GatewayError(
        "E_AUTH",
        `The connection was ended at ${grant.ended_at}, because ${grant.ended_why}; connect again`,
      );
    }
    const allowed_tools = inGroups(grant.groups);
    const known = made.get(grant);
    if (known?.allowed_tools === allowed_tools) return known;
    const token = tokenOf(grant, allowed_tools);
    made.set(grant, token);
    return token;
  };
}

/** No client skips a confirmation: each confirms what a preview showed, or a person does. */
const tokenOf = (grant: Grant, allowed_tools: readonly string[]): Token => ({
  id: grant.id,
  name: grant.client_name,
  env: "prod",
  allowed_sites: grant.allowed_sites,
  allowed_tools,
  max_risk: grant.max_risk,
  skip_write_confirm: false,
  confirm_policy: grant.confirm_policy ?? "preview",
  owner_user_id: grant.user_id,
  super_admin: false,
  client_id: grant.client_id,
  created_at: grant.created_at,
  revoked_at: null,
});
