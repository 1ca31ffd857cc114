/** Who the site's account is, and who else has one. */
import { z } from "zod";
import { GatewayError } from "../../../core/errors.ts";
import { allOrThrow } from "../../../core/async.ts";
import { type Id, numericId } from "../../../core/ids.ts";
import { CmsError, refusesCredentials } from "../errors.ts";
import { fieldsOf, ME, totals, USER_ROW } from "./records.ts";
import { ACCOUNT, type WordPressClient } from "./wordpress_client.ts";

const ACCOUNT_TTL_MS = 60_000;

/** The account the gateway signs in with. */
export interface Me {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly roles: readonly string[];
  /** Whether the account has a capability, in the CMS's words. */
  can(capability: string): boolean;
}

/** Which people to list. */
export interface UsersQuery {
  readonly roles?: readonly string[];
  readonly search?: string;
  readonly page: number;
  readonly per_page: number;
}

/** A person; e-mail and roles only where the account may list users. */
export interface UserRow {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly email?: string;
  readonly roles?: readonly string[];
  readonly url: string;
}

/** A page of people; the totals are null where the site did not tell them. */
export interface UserList {
  readonly users: readonly UserRow[];
  readonly page: number;
  readonly per_page: number;
  readonly total: number | null;
  readonly total_pages: number | null;
  /** Says what is missing and why; absent where the list is whole. */
  readonly note?: string;
}

/**
 * Asks the site who its account is. That also proves that the credentials are taken: a CMS runs a request with wrong
 * ones as nobody's, and answers public data all the same (docs/upstreams/wordpress.md, "Requests and answers"). Throws
 * CmsError 401.
 */
export async function whoami(wire: WordPressClient): Promise<Me> {
  const me = await readMe(wire);
  wire.cache.set(ACCOUNT, me, ACCOUNT_TTL_MS);
  return me;
}

/** The account as the site told it within the last minute; forgotten with any 401 or 403. Throws as whoami. */
export async function account(wire: WordPressClient): Promise<Me> {
  return await wire.cache.once(ACCOUNT, ACCOUNT_TTL_MS, () => readMe(wire));
}

/** The same without asking; undefined where it is not known. */
export function knownAccount(wire: WordPressClient): Me | undefined {
  return wire.cache.get<Me>(ACCOUNT);
}

/** Whether the account may store any HTML, without asking; undefined where it is not known. */
export const mayStoreAny = (wire: WordPressClient): boolean | undefined =>
  knownAccount(wire)?.can("unfiltered_html");

/** Under which it is kept that the site does not show its account. */
const HIDES_ACCOUNT = "hides_account";

/**
 * The account; null where the site does not show it: some security plugins take the routes of people away, or answer
 * them with an error of their own (docs/upstreams/wordpress.md, "Requests and answers"). WordPress then judges rights
 * and credentials by itself, with the request that needs them. Throws as whoami for refused credentials.
 */
export async function accountIfShown(wire: WordPressClient): Promise<Me | null> {
  if (wire.cache.get<true>(HIDES_ACCOUNT)) return null;
  try {
    return await account(wire);
  } catch (thrown) {
    if (!hidesUsers(thrown)) throw thrown;
    wire.cache.set<true>(HIDES_ACCOUNT, true, ACCOUNT_TTL_MS);
    return null;
  }
}

/** Whether the site does not show its users to the account; refused credentials are another matter. */
const hidesUsers = (thrown: unknown): thrown is CmsError =>
  thrown instanceof CmsError && [401, 403, 404].includes(thrown.upstream ?? 0) &&
  !refusesCredentials(thrown.upstream, thrown.reason);

const UNCHECKED =
  "The site does not show its users, not even the account that the gateway uses, so its rights " +
  "were not checked beforehand; WordPress checks them when the change is made";

/** The warning of a preview on a site that does not show its account; none elsewhere, or where it was not asked. */
export const uncheckedRights = (wire: WordPressClient): string[] =>
  wire.cache.get<true>(HIDES_ACCOUNT) ? [UNCHECKED] : [];

/**
 * Whether the account has a right; what it is remembered to lack it is asked for again. Null where the site does not
 * show its account. Throws as whoami.
 */
export async function hasRight(wire: WordPressClient, capability: string): Promise<boolean | null> {
  if (knownAccount(wire)?.can(capability) === false) return (await whoami(wire)).can(capability);
  return (await accountIfShown(wire))?.can(capability) ?? null;
}

async function readMe(wire: WordPressClient): Promise<Me> {
  const { data } = await wire.get("wp/v2/users/me", { context: "edit", _fields: fieldsOf(ME) }, ME);
  const { id, name, slug, roles, capabilities } = data;
  return { id, name, slug, roles, can: (capability) => Boolean(capabilities[capability]) };
}

/**
 * Refuses before anything is written what the account's role does not allow: E_UPSTREAM with status 403. Refuses
 * nothing where the site does not show its account.
 */
export async function requireRight(wire: WordPressClient, capability: string, doing: string): Promise<void> {
  if (await hasRight(wire, capability) !== false) return;
  const { slug } = await account(wire);
  throw new GatewayError(
    "E_UPSTREAM",
    `CMS 403: the site's account "${slug}" lacks the right "${capability}" to ${doing}; nothing was written: give ` +
      "it a role that has it",
    { upstream: 403 },
  );
}

/**
 * Refuses an author whom the site does not have: E_BAD_INPUT. A CMS refuses one only with the whole post, when its new
 * terms are made. One whom the account may not see, or whom a security plugin hides, may be there
 * (docs/upstreams/wordpress.md, "Posts, pages, media, people").
 */
export async function requireAuthor(wire: WordPressClient, author: Id | undefined): Promise<void> {
  if (author === undefined) return;
  const id = numericId(author, "author_id");
  try {
    await wire.get(`wp/v2/users/${id}`, { _fields: "id" }, z.object({ id: z.literal(id) }));
  } catch (thrown) {
    if (!hidesUsers(thrown)) throw thrown;
    if (thrown.reason !== "rest_user_invalid_id") return;
    throw new GatewayError(
      "E_BAD_INPUT",
      `author_id: the site has no person ${id}; list_cms_users names them`,
      { cause: thrown },
    );
  }
}

const HIDDEN =
  "The site's account may not list users, so only people with published posts are shown, without e-mail and roles";

/** People with an account. Where the account may not list users, those whom the public may see, with a note. */
export async function listUsers(wire: WordPressClient, query: UsersQuery): Promise<UserList> {
  const { page, per_page, search, roles } = query;
  const rows = z.array(USER_ROW);
  const _fields = fieldsOf(USER_ROW);
  const common = { page, per_page, search, _fields };
  if (knownAccount(wire)?.can("list_users") ?? true) {
    try {
      const got = await wire.get("wp/v2/users", { ...common, context: "edit", roles }, rows);
      return { users: got.data, page, per_page, ...totals(got.headers) };
    } catch (thrown) {
      const hidden = thrown instanceof CmsError && thrown.upstream === 403 &&
        ["rest_forbidden_context", "rest_user_cannot_view"].includes(thrown.reason);
      if (!hidden) throw thrown;
    }
  }
  const [, got] = await allOrThrow(accountIfShown(wire), wire.get("wp/v2/users", common, rows));
  const note = roles === undefined ? HIDDEN : `${HIDDEN}; roles could not be applied`;
  return { users: got.data, page, per_page, ...totals(got.headers), note };
}
