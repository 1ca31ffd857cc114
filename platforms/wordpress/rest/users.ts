/** Who the site's account is, and who else has one. */
import { z } from "zod";
import { GatewayError } from "../../../errors.ts";
import { together } from "../../../lib/async.ts";
import { type Id, numericId } from "../../../lib/ids.ts";
import { CmsError } from "../errors.ts";
import { fieldsOf, ME, totals, USER_ROW } from "./records.ts";
import type { Wire } from "./wire.ts";

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
 * Proves that the site's credentials are taken: a CMS runs a request with wrong ones as nobody's, and answers public
 * data all the same (docs/upstreams/wordpress.md, "Requests and answers"). Throws CmsError 401.
 */
export async function whoami(wire: Wire): Promise<Me> {
  const { data } = await wire.get("wp/v2/users/me", { context: "edit", _fields: fieldsOf(ME) }, ME);
  const { id, name, slug, roles, capabilities } = data;
  return { id, name, slug, roles, can: (capability) => Boolean(capabilities[capability]) };
}

/** Refuses before anything is written what the account's role does not allow: E_UPSTREAM with status 403. */
export function requireRight(me: Me, capability: string, doing: string): void {
  if (me.can(capability)) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `CMS 403: the site's account "${me.slug}" lacks the right "${capability}" to ${doing}; nothing was written: give ` +
      "it a role that has it",
    { upstream: 403 },
  );
}

/**
 * Refuses an author whom the site does not have: E_BAD_INPUT. A CMS refuses one only with the whole post, when its new
 * terms are made. One whom the account may not see, or whom a security plugin hides, may be there
 * (docs/upstreams/wordpress.md, "Posts, pages, media, people").
 */
export async function requireAuthor(wire: Wire, author: Id | undefined): Promise<void> {
  if (author === undefined) return;
  const id = numericId(author, "author_id");
  try {
    await wire.get(`wp/v2/users/${id}`, { _fields: "id" }, z.object({ id: z.literal(id) }));
  } catch (thrown) {
    if (!(thrown instanceof CmsError)) throw thrown;
    if (thrown.upstream === 403 || thrown.reason === "rest_no_route") return;
    if (thrown.reason !== "rest_user_invalid_id") throw thrown;
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
export async function listUsers(wire: Wire, query: UsersQuery): Promise<UserList> {
  const { page, per_page, search, roles } = query;
  const rows = z.array(USER_ROW);
  const _fields = fieldsOf(USER_ROW);
  const common = { page, per_page, search, _fields };
  try {
    const got = await wire.get("wp/v2/users", { ...common, context: "edit", roles }, rows);
    return { users: got.data, page, per_page, ...totals(got.headers) };
  } catch (thrown) {
    const hidden = thrown instanceof CmsError && thrown.upstream === 403 &&
      ["rest_forbidden_context", "rest_user_cannot_view"].includes(thrown.reason);
    if (!hidden) throw thrown;
  }
  const [, got] = await together(whoami(wire), wire.get("wp/v2/users", common, rows));
  const note = roles === undefined ? HIDDEN : `${HIDDEN}; roles could not be applied`;
  return { users: got.data, page, per_page, ...totals(got.headers), note };
}
