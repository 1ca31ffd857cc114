/** Whom a list of changes is narrowed to, as callers name them, and who is known where nothing fits. */
import { GatewayError } from "../core/errors.ts";
import type { AuditRow, Caller } from "../core/model.ts";
import { pathsIn } from "../core/values.ts";
import type { ChangesQuery, KnownChanges } from "../registry/tool.ts";
import type { AuditQuery, Store } from "../store/store.ts";
import type { ChangeQuery } from "./change_pages.ts";

/** Where people and tokens are looked up. */
export type Named = Pick<Store, "users" | "tokens" | "oauthGrants">;

/** So many of the latest changes are looked at for who is known. */
const LOOKED_AT = 200;
/** So many of each kind are named, within so many characters; one at least. */
const NAMED = 8;
const NAMED_CHARACTERS = 700;

const notYours = () =>
  new GatewayError(
    "E_BAD_INPUT",
    "token: this token lists its own changes alone; leave token out, or ask with the token of a super-admin",
  );

/**
 * A caller's filters as the audit has them. A token goes by its id, or by the name that its rows show; a person by the id
 * or the address of e-mail. Throws E_BAD_INPUT where another's token is named by who sees its own changes alone.
 */
export async function filtersOf(
  named: Named,
  { token: own, owner, superAdmin }: Caller,
  { token, client, person, id, cursor: _, ...query }: ChangesQuery,
): Promise<ChangeQuery> {
  if (token !== undefined && !superAdmin && token !== own.id && token !== own.name) throw notYours();
  return {
    ...query,
    ...superAdmin ? await tokenOf(named, token) : { token_id: own.id },
    ...client === undefined ? {} : { client_id: client },
    ...person === undefined
      ? {}
      : { owner_user_id: await personOf(named, superAdmin ? null : owner, person) },
    ...id === undefined ? {} : { id: String(id) },
  };
}

/** What an operator asks for, with a token that is given by its name found as its rows show it, and a person by e-mail. */
export async function operatorFilters(
  named: Named,
  { token_id, owner_user_id, ...query }: ChangeQuery,
): Promise<ChangeQuery> {
  return {
    ...query,
    ...await tokenOf(named, token_id),
    ...owner_user_id === undefined ? {} : { owner_user_id: await personOf(named, null, owner_user_id) },
  };
}

async function tokenOf({ tokens, oauthGrants }: Named, token: string | undefined) {
  if (token === undefined) return {};
  const isId = await tokens.get(token) !== null || await oauthGrants.get(token) !== null;
  return isId ? { token_id: token } : { token_name: token };
}

/** The id of a person; who sees the changes of one person alone learns of no other. */
async function personOf({ users }: Named, only: Caller["owner"], person: string): Promise<string> {
  if (!person.includes("@")) return person;
  const found = only === null
    ? await users.byEmail(person)
    : only.email.toLowerCase() === person.toLowerCase()
    ? only
    : null;
  return found?.id ?? person;
}

const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1).toLowerCase();

/** Whether both may be meant as the same file: of one name, in whatever folder. */
const isAlike = (one: string, other: string) => nameOf(one) === nameOf(other);

/** Whose changes there are, by which tools, of the latest that the caller may list on that site; of each kind the newest. */
export async function knownChanges(
  { audit, users }: Pick<Store, "audit" | "users">,
  { site_id, token_id }: AuditQuery,
  { tool, path }: Pick<AuditQuery, "tool" | "path">,
): Promise<KnownChanges> {
  const of: AuditQuery = { outcome: "made" };
  if (site_id !== undefined) of.site_id = site_id;
  if (token_id !== undefined) of.token_id = token_id;
  const { rows } = await audit.list(of, { limit: LOOKED_AT });
  const each = (valueOf: (row: AuditRow) => readonly string[] | string | null | undefined): string[] => {
    const all = new Set(rows.flatMap((row) => valueOf(row) ?? []));
    let left = NAMED_CHARACTERS;
    return [...all].slice(0, NAMED).filter((one, at) => (left -= one.length) >= 0 || at === 0);
  };
  const person = async (id: string) => {
    const email = (await users.get(id))?.email;
    return email === undefined ? id : `${id} (${email})`;
  };
  return {
    tools: each((row) => row.tool),
    clients: each((row) => row.client_id),
    persons: await Promise.all(each((row) => row.owner_user_id).map(person)),
    tokens: each((row) => row.token_name),
    paths: path === undefined
      ? []
      : each((row) => (row.paths ?? pathsIn(row.arguments)).filter((one) => isAlike(one, path))),
    hadTool: tool !== undefined && (await audit.list({ ...of, tool }, { limit: 1 })).rows.length > 0,
  };
}
