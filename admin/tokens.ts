/** Tokens: made within the rights of their owner and shown once, listed, changed, revoked; for the API and the pages. */
import type { Hono } from "hono";
import {
  CONFIRM_POLICIES,
  isSuperAdmin,
  RISK_DEFAULT,
  type Tier,
  type Token,
  type User,
} from "../core/model.ts";
import { RECORD_ID, tokenBody, tokenPatch, tokenRotation } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { type AdminCaller, callerOf, isOwnToken, isWithin } from "../identity/rights.ts";
import type { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { definedOf } from "../core/values.ts";
import { nearest } from "../core/nearest.ts";
import { differences } from "./changes.ts";
import { unknownSites } from "./sites.ts";
import { userIdOf } from "./named_user.ts";

/** A token as it is shown: never its text. */
function tokenView(token: Token, last_used_at: string | null) {
  const { id, previous_text, ...rest } = token;
  return {
    token_id: id,
    ...rest,
    expires_at: token.expires_at ?? null,
    allowed_ips: token.allowed_ips ?? null,
    old_until: previous_text?.until ?? null,
    last_used_at,
    super_admin: isSuperAdmin(token),
  };
}

/** Adds the routes under /admin/api/tokens. */
export function tokenRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/tokens", async (c) => {
    const tokens = await listTokens(ports, callerOf(c));
    const uses = await ports.store.tokens.uses(tokens.map(({ id }) => id));
    return answer(c, { tokens: tokens.map((token) => tokenView(token, uses.get(token.id) ?? null)) });
  });

  app.post("/admin/api/tokens", async (c) => {
    const body = checked(tokenBody, await jsonObject(c.req.raw));
    const { token, text, warnings } = await makeToken(ports, callerOf(c), body);
    return answer(c, { ...tokenView(token, null), token: text, warnings });
  });

  app.patch("/admin/api/tokens/:id", async (c) => {
    const patch = checked(tokenPatch, await jsonObject(c.req.raw));
    const { token, warnings } = await changeToken(ports, callerOf(c), c.req.param("id"), patch);
    return answer(c, { ...tokenView(token, await lastUse(ports, token)), warnings });
  });

  app.post("/admin/api/tokens/:id/rotate", async (c) => {
    const { old_until } = checked(tokenRotation, await jsonObject(c.req.raw));
    const { token, text } = await rotateToken(ports, callerOf(c), c.req.param("id"), old_until);
    return answer(c, { ...tokenView(token, await lastUse(ports, token)), token: text });
  });

  app.post("/admin/api/tokens/:id/revoke", async (c) => {
    const token = await revokeToken(ports, callerOf(c), c.req.param("id"));
    return answer(c, tokenView(token, await lastUse(ports, token)));
  });
}

const lastUse = async ({ store }: AdminPorts, { id }: Token) =>
  (await store.tokens.uses([id])).get(id) ?? null;

/** A token that was made: its text is shown this once. */
export interface MadeToken {
  readonly token: Token;
  readonly text: string;
  readonly warnings: readonly string[];
}

/** Makes a token; a person's belongs to that person. Throws E_BAD_INPUT, E_FORBIDDEN. */
export async function makeToken(
  { store, toolNames, record, now }: AdminPorts,
  caller: AdminCaller,
  body: z.output<typeof tokenBody>,
): Promise<MadeToken> {
  const { user, actor } = caller;
  if (user !== null && body.owner_user_id !== undefined && !isOneself(user, body.owner_user_id)) {
    throw new GatewayError("E_FORBIDDEN", "owner_user_id: a token you make is your own; leave it out");
  }
  const owner_user_id = user?.id ??
    (body.owner_user_id ? await userIdOf({ store }, caller, body.owner_user_id) : null);
  const owner = user ?? (owner_user_id === null ? null : await store.users.get(owner_user_id));
  const tools = toolFaults(body.allowed_tools, await toolNames());
  // Asked for by name: a token made without an owner belongs to nobody, and has no rights beyond its own.
  const super_admin = user === null && body.owner_user_id === null;
  const max_risk = body.max_risk ?? Math.min(RISK_DEFAULT, owner?.max_risk ?? RISK_DEFAULT) as Tier;
  const skip_write_confirm = body.skip_write_confirm ?? false;
  refuseAny([
    ...await siteFaults(body.allowed_sites, store.sites, user),
    ...tools.faults,
    ...(owner_user_id !== null && owner === null ? [`owner_user_id: no user ${quoted(owner_user_id)}`] : []),
    ...(owner === null ? [] : beyondOwner(body.allowed_sites, max_risk, owner)),
    ...endFaults(body.expires_at, now()),
    ...(skip_write_confirm && !super_admin
      ? [
        "skip_write_confirm: only a super-admin token, made with owner_user_id null, may skip the confirmation",
      ]
      : []),
  ]);
  const { name, env, allowed_sites, allowed_tools, confirm_policy, confirm_proxied, listing } = body;
  const { expires_at, allowed_ips } = body;
  const made = await store.tokens.create({
    name,
    env,
    allowed_sites,
    allowed_tools,
    max_risk,
    skip_write_confirm,
    confirm_policy,
    confirm_proxied,
    listing,
    ...expires_at && { expires_at },
    ...allowed_ips && { allowed_ips },
    owner_user_id,
    super_admin,
  });
  const { id, created_at: _, revoked_at: __, ...after } = made.token;
  await record(actor, "token.create", { token: id, after });
  return { ...made, warnings: tools.warnings };
}

const isOneself = ({ id, email }: User, named: string | null) =>
  named === id || named?.toLowerCase() === email.toLowerCase();

/** Those the caller may see, oldest first. */
export async function listTokens({ store }: AdminPorts, caller: AdminCaller): Promise<Token[]> {
  return (await store.tokens.list()).filter((token) => isOwnToken(caller, token));
}

/** The token of that id, where it is the caller's. Throws E_NOT_FOUND. */
export async function findToken({ store }: AdminPorts, caller: AdminCaller, id: string): Promise<Token> {
  const token = RECORD_ID.test(id) ? await store.tokens.get(id) : null;
  if (token !== null && isOwnToken(caller, token)) return token;
  throw new GatewayError("E_NOT_FOUND", `No token ${quoted(id)}; list the tokens to find it`);
}

/** Revokes a token for good. Throws E_NOT_FOUND. */
export async function revokeToken(ports: AdminPorts, caller: AdminCaller, id: string): Promise<Token> {
  const found = await findToken(ports, caller, id);
  const revoked = await ports.store.tokens.revoke(id);
  if (found.revoked_at === null) await ports.record(caller.actor, "token.revoke", { token: id });
  return revoked ?? found;
}

/** How long the text before is accepted where nobody says it, and at most. */
const GRACE_MS = 24 * 60 * 60 * 1000;
const GRACE_MS_MAX = 30 * GRACE_MS;

/**
 * Gives a token a new text, shown this once. The one before is accepted until `old_until`: for a day where that is left
 * out, and not at all where it is null. Throws E_NOT_FOUND, E_BAD_INPUT.
 */
export async function rotateToken(
  { store, record, now, ...ports }: AdminPorts,
  caller: AdminCaller,
  id: string,
  old_until: string | null | undefined,
): Promise<{ token: Token; text: string }> {
  await findToken({ store, record, now, ...ports }, caller, id);
  const until = old_until === null
    ? now()
    : old_until === undefined
    ? now() + GRACE_MS
    : Date.parse(old_until);
  if (until > now() + GRACE_MS_MAX) {
    refuseAny([`old_until: ${old_until} is more than ${GRACE_MS_MAX / GRACE_MS} days from now`]);
  }
  if (old_until && until <= now()) {
    refuseAny([`old_until: ${old_until} is not in the future; send null to end the old text at once`]);
  }
  const made = await store.tokens.rotate(id, until, assertWorks);
  if (made === null) throw new GatewayError("E_NOT_FOUND", `No token ${quoted(id)}`);
  await record(caller.actor, "token.rotate", {
    token: id,
    old_until: made.token.previous_text?.until ?? null,
  });
  return made;
}

/**
 * Changes what a token may do: a person makes it less, the master token more as well, within the rights of its owner.
 * `judge` is handed it as it is stored right before it is changed, and throws where nothing is to be changed.
 * Throws E_NOT_FOUND, E_BAD_INPUT, E_FORBIDDEN.
 */
export async function changeToken(
  ports: AdminPorts,
  caller: AdminCaller,
  id: string,
  patch: z.output<typeof tokenPatch>,
  judge: (stored: Token) => void = () => {},
): Promise<{ token: Token; warnings: readonly string[] }> {
  const { store, toolNames, record, now } = ports;
  const before = await findToken(ports, caller, id);
  if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
  assertWorks(before);
  const after = patched(before, patch);
  const tools = toolFaults(patch.allowed_tools ?? [], await toolNames());
  const owner = before.owner_user_id === null ? null : await store.users.get(before.owner_user_id);
  refuseAny([
    ...await siteFaults(patch.allowed_sites ?? [], store.sites, caller.user),
    ...tools.faults,
    ...endFaults(patch.expires_at, now()),
    ...(owner === null || !(patch.allowed_sites || patch.max_risk !== undefined)
      ? []
      : beyondOwner(after.allowed_sites, after.max_risk, owner)),
  ]);
  if (caller.user !== null) assertNarrower(before, after);
  const token = await store.tokens.update(id, patch, (stored) => {
    assertWorks(stored);
    if (caller.user !== null) assertNarrower(stored, patched(stored, patch));
    judge(stored);
  });
  if (token === null) throw new GatewayError("E_NOT_FOUND", `No token ${quoted(id)}`);
  await record(caller.actor, "token.change", { token: id, ...differences(before, token) });
  return { token, warnings: tools.warnings };
}

/** Throws E_BAD_INPUT for one that was revoked, and for that of a trial, which stays as it was made. */
function assertWorks({ revoked_at, session }: Token): void {
  if (session !== undefined) {
    refuseAny([
      "The token is that of a trial on the console, which nobody changes; it ends by itself, or is revoked",
    ]);
  }
  if (revoked_at !== null) refuseAny([`The token was revoked at ${revoked_at}; make another`]);
}

/** A token with what a patch says; what it leaves out, or has as undefined, stays. */
function patched(before: Token, patch: z.output<typeof tokenPatch>): Token {
  const { expires_at: end, allowed_ips: networks, ...others } = before;
  const { expires_at = end, allowed_ips = networks, ...said } = definedOf(patch);
  return { ...others, ...said, ...expires_at && { expires_at }, ...allowed_ips && { allowed_ips } };
}

/** Throws E_FORBIDDEN where a token could do more than before. */
function assertNarrower(before: Token, after: Token): void {
  const strictness = ({ confirm_policy }: Token) => CONFIRM_POLICIES.indexOf(confirm_policy);
  const wider = [
    !isWithin(after.allowed_sites, before.allowed_sites) && "allowed_sites",
    !isWithin(after.allowed_tools, before.allowed_tools) && "allowed_tools",
    after.max_risk > before.max_risk && "max_risk",
    strictness(after) < strictness(before) && "confirm_policy",
    before.confirm_proxied && !after.confirm_proxied && "confirm_proxied",
    endOf(after) > endOf(before) && "expires_at",
    isFromElsewhere(after, before) && "allowed_ips",
  ].filter((one) => typeof one === "string");
  if (wider.length === 0) return;
  throw new GatewayError(
    "E_FORBIDDEN",
    `${wider.join(", ")}: a token can be made to do less, not more; make another token`,
  );
}

/** Whether a token could be used from where it could not before; a part of a network counts as another one. */
const isFromElsewhere = ({ allowed_ips: after }: Token, { allowed_ips: before }: Token): boolean =>
  before !== undefined && (after === undefined || after.some((one) => !before.includes(one)));

const endOf = ({ expires_at }: Token) => expires_at === undefined ? Infinity : Date.parse(expires_at);

const endFaults = (expires_at: string | null | undefined, now: number): string[] =>
  expires_at && Date.parse(expires_at) <= now ? [`expires_at: ${expires_at} is not in the future`] : [];

/** Of a person's sites nothing is said that is not that person's own. */
async function siteFaults(
  sites: readonly string[],
  store: AdminPorts["store"]["sites"],
  user: User | null,
): Promise<string[]> {
  return user === null || user.allowed_sites.includes("*") ? await unknownSites(sites, store) : [];
}

/** What a token asks for that its owner may not do. */
function beyondOwner(sites: readonly string[], risk: number, owner: User): string[] {
  const faults: string[] = [];
  if (!owner.allowed_sites.includes("*")) {
    const beyond = sites.filter((site) => !owner.allowed_sites.includes(site));
    const may = owner.allowed_sites.length ? owner.allowed_sites.slice(0, 20).join(", ") : "none";
    if (beyond.length > 0) {
      faults.push(`allowed_sites: ${beyond.map(quoted).join(", ")} is beyond the owner, who may use ${may}`);
    }
  }
  if (risk > owner.max_risk) {
    faults.push(`max_risk: ${risk} is beyond the owner, who may go up to ${owner.max_risk}`);
  }
  return faults;
}

/**
 * Names of no loaded tool: a fault, unless it may be a tool of a site. Those have a `-` or `.` in their names, which
 * a built-in tool has only when it is known, and come and go with the sites' plugins: worth a warning.
 */
function toolFaults(
  names: readonly string[],
  loaded: readonly string[],
): { faults: string[]; warnings: string[] } {
  const known = new Set(loaded);
  const missing = names.filter((name) => name !== "*" && !known.has(name));
  const proxied = missing.filter((name) => /[-.]/.test(name));
  return {
    warnings: proxied.map((name) =>
      `allowed_tools: no site offers ${quoted(name)} now; it holds once one does`
    ),
    faults: missing.filter((name) => !proxied.includes(name)).map((name) => {
      const near = nearest(name, loaded);
      return `allowed_tools: no tool ${quoted(name)}${near === null ? "" : `, did you mean ${near}`}`;
    }),
  };
}
