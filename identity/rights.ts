/** Who acts on the admin side, and what somebody who has signed in may do there; the master token may do everything. */
import type { Context } from "hono";
import { GatewayError } from "../core/errors.ts";
import type { AuditRow, Tier, Token, User } from "../core/model.ts";
import { quoted } from "../core/faults.ts";

/** Who did something, as the audit names it. */
export type Actor = Pick<AuditRow, "token_id" | "token_name" | "owner_user_id">;

/** Whoever holds the master token. */
export const OPERATOR: Actor = { token_id: "master", token_name: "master token", owner_user_id: null };

/** Somebody who has signed in. */
export function actorOfPerson({ id, email }: User): Actor {
  return { token_id: "session", token_name: email, owner_user_id: id };
}

/** Appends a row to the audit; `what` holds no secret. Resolves once it is durable; where it cannot be, the log has it. */
export type RecordAction = (
  by: Actor,
  action: string,
  what: object,
  more?: Partial<Pick<AuditRow, "status" | "error" | "site_id">>,
) => Promise<void>;

/** Who calls the admin API. */
export interface AdminCaller {
  readonly actor: Actor;
  /** null for the master token. */
  readonly user: User | null;
}

/** The master token. */
export const MASTER: AdminCaller = { actor: OPERATOR, user: null };

/** Somebody who has not signed in. */
export const NOBODY: Actor = { token_id: "sign-in", token_name: "sign-in page", owner_user_id: null };

/** Somebody who has signed in. */
export const callerOfPerson = (user: User): AdminCaller => ({ actor: actorOfPerson(user), user });

/** Everything a person may ask for, with the least role; what is not here needs the master token. */
const OPEN: readonly [method: string, path: RegExp, role: User["role"]][] = [
  ["GET", /^tokens$/, "member"],
  ["POST", /^tokens$/, "member"],
  ["PATCH", /^tokens\/[^/]+$/, "member"],
  ["POST", /^tokens\/[^/]+\/revoke$/, "member"],
  ["GET", /^connections$/, "member"],
  ["POST", /^connections$/, "member"],
  ["POST", /^connections\/disconnect$/, "member"],
  ["GET", /^clients$/, "member"],
  ["POST", /^clients\/[^/]+\/end$/, "member"],
  ["GET", /^approvals$/, "member"],
  ["GET", /^approvals\/[^/]+$/, "member"],
  ["POST", /^approvals\/[^/]+\/(approve|edit|reject)$/, "member"],
  ["GET", /^sites$/, "admin"],
  ["POST", /^sites$/, "admin"],
  ["GET", /^sites\/[^/]+$/, "admin"],
  ["PATCH", /^sites\/[^/]+$/, "admin"],
  ["GET", /^sites\/[^/]+\/linkable$/, "admin"],
  ["POST", /^sites\/[^/]+\/probe$/, "admin"],
  ["GET", /^projects$/, "admin"],
  ["POST", /^projects$/, "admin"],
  ["GET", /^freezes$/, "admin"],
  ["POST", /^freezes$/, "admin"],
  ["POST", /^freezes\/lift$/, "admin"],
  ["GET", /^webhooks$/, "admin"],
  ["POST", /^webhooks$/, "admin"],
  ["PATCH", /^webhooks\/[^/]+$/, "admin"],
  ["GET", /^webhooks\/[^/]+\/deliveries$/, "admin"],
  ["POST", /^webhooks\/[^/]+\/(test|rotate|delete)$/, "admin"],
  ["POST", /^webhooks\/[^/]+\/deliveries\/[^/]+\/resend$/, "admin"],
  ["GET", /^users$/, "admin"],
  ["POST", /^users$/, "admin"],
  ["PATCH", /^users\/[^/]+$/, "admin"],
  ["POST", /^users\/[^/]+\/(invite|remove)$/, "admin"],
];

const CALLER = "adminCaller";

/** Says who sends this request. Throws E_FORBIDDEN where a person may not ask for it. */
export function admit(c: Context, caller: AdminCaller): void {
  if (caller.user !== null) assertOpen(c, caller.user);
  c.set(CALLER, caller);
}

/** Who sends this request; `admit` has said so. */
export function callerOf(c: Context): AdminCaller {
  return c.get(CALLER) as AdminCaller;
}

function assertOpen(c: Context, { role }: User): void {
  const path = c.req.path.replace(/^\/admin\/api\//, "");
  const method = c.req.method === "HEAD" ? "GET" : c.req.method;
  const open = OPEN.find(([one, pattern]) => one === method && pattern.test(path));
  if (open === undefined) throw forbidden(`${method} ${path.slice(0, 100)} needs the master token`);
  if (open[2] === "admin" && role !== "admin") {
    throw forbidden(`${method} ${path.slice(0, 100)} needs the role admin, or the master token`);
  }
}

/** A refusal of the admin side. */
export const forbidden = (why: string) => new GatewayError("E_FORBIDDEN", why);

/** Whether every entry of the first list is in the second. */
export function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return all.includes("*") || some.every((one) => all.includes(one));
}

/** Grants of a user or a token. */
interface Grants {
  readonly allowed_sites: readonly string[];
  readonly max_risk: Tier;
}

/** Throws E_FORBIDDEN where an admin would give, or has before him, more than his own. */
export function assertWithin(admin: User | null, { allowed_sites, max_risk }: Grants): void {
  if (admin === null) return;
  if (!isWithin(allowed_sites, admin.allowed_sites)) {
    throw forbidden("allowed_sites: an admin manages users of his or her own sites only");
  }
  if (max_risk > admin.max_risk) {
    throw forbidden(`max_risk: ${max_risk} is beyond your own ceiling, ${admin.max_risk}`);
  }
}

/**
 * Whether that user is an admin's to manage: a member who may do nothing that the admin may not, and who approves nothing.
 * Whoever manages a person can sign in as that person, by an invitation, and would approve what he or she has asked for.
 */
export function isManaged(
  admin: User | null,
  { role, allowed_sites, max_risk, approve_sites = [] }: User,
): boolean {
  if (admin === null) return true;
  return role === "member" && approve_sites.length === 0 && isWithin(allowed_sites, admin.allowed_sites) &&
    max_risk <= admin.max_risk;
}

/** Throws E_FORBIDDEN unless that user is an admin's to manage. */
export function assertManaged(admin: User | null, user: User): void {
  if (isManaged(admin, user)) return;
  throw forbidden(
    `User ${
      quoted(user.email)
    } is an admin, may approve, or may do more than you; that takes the master token`,
  );
}

/** Whether a token is the caller's to see and end. */
export function isOwnToken({ user }: AdminCaller, token: Token): boolean {
  return user === null || token.owner_user_id === user.id;
}
