/** Rows of the audit for who has signed in: which of them that is, pages of them, one by its id. */
import { decodeTime } from "ulid";
import { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { closed, expected } from "../core/fields.ts";
import { checked, quoted } from "../core/faults.ts";
import { type AuditRow, LIMITS } from "../core/model.ts";
import type { AdminCaller } from "../identity/rights.ts";
import type { AuditPage, AuditQuery } from "../store/store.ts";
import { FILTERS, span } from "./audit.ts";
import type { AdminPorts } from "./ports.ts";
import { isOwnSite } from "./site_rights.ts";

type Kept = Pick<AdminPorts["store"], "audit" | "users" | "tokens" | "oauthGrants">;

/** Rows of others are passed over so many at a time, and so many times for one page. */
const PART_ROWS = 200;
const PARTS_MAX = 5;
/** How far from the time in its id a row may say that it began: first near, then as far as a call lasts. */
const NEAR_MS = [2000, LIMITS.CALL_DEADLINE_MS] as const;
const NEAR_PARTS = 4;

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
/** When something of that id was asked for, in milliseconds; NaN where it is none. */
const timeOfId = (id: string): number => ID.test(id) && id[0]! <= "7" ? decodeTime(id) : NaN;

const token_error = expected("the id or the name of a token");
const person_error = expected("the e-mail address or the id of a person");
const { from, to, client_id: client, site_id: site, tool, set_id: set, status, outcome } = FILTERS;
const asked = closed({
  ...{ site, tool, status, outcome, client, set, from, to },
  person: z.string().max(256, { error: person_error }).optional(),
  token: z.string().max(200, { error: token_error }).optional(),
});

/** What the address of a page can ask for; each is left out where it is empty. */
export const ASKED = [
  ...["site", "tool", "status", "outcome", "person", "client", "token", "set", "from", "to"] as const,
];
/** What it asks for. */
export type Asked = Partial<Record<typeof ASKED[number], string>>;

const DAY_CHARACTERS = "2026-11-21".length;
const DAY_MS = 24 * 60 * 60_000;

/** On a page "until the 31st" has the 31st in it: a day without a time stands for its end. */
function wholeDays({ to, ...rest }: Asked): Asked {
  if (to === undefined) return rest;
  const midnight = to.length === DAY_CHARACTERS ? Date.parse(to) : NaN;
  const isDay = !isNaN(midnight) && new Date(midnight).toISOString().startsWith(to);
  return { ...rest, to: isDay ? new Date(midnight + DAY_MS).toISOString() : to };
}

/** The query of the audit that is meant. Throws E_BAD_INPUT naming what is wrong. */
export async function auditQueryOf({ users, tokens, oauthGrants }: Kept, given: Asked): Promise<AuditQuery> {
  const { site, person, client, token, set, ...rest } = checked(asked, wholeDays(given));
  const ends = span(rest);
  const isToken = token !== undefined &&
    (await tokens.get(token) !== null || await oauthGrants.get(token) !== null || !isNaN(timeOfId(token)));
  const found = person === undefined || !person.includes("@")
    ? person
    : (await users.list()).find(({ email }) => email === person.trim().toLowerCase())?.id;
  if (person !== undefined && found === undefined) {
    throw new GatewayError("E_BAD_INPUT", `person: nobody here has the e-mail address ${quoted(person)}`);
  }
  return {
    ...ends,
    ...site === undefined ? {} : { site_id: site },
    ...found === undefined ? {} : { owner_user_id: found },
    ...client === undefined ? {} : { client_id: client },
    ...set === undefined ? {} : { set_id: set },
    ...token === undefined ? {} : isToken ? { token_id: token } : { token_name: token },
  };
}

/**
 * Whether somebody may see a row: the master token each, a person what was done in his or her name, an admin also what was
 * done on the sites that he or she manages, by whomever.
 */
export function maySeeRow(caller: AdminCaller, row: AuditRow): boolean {
  const { user } = caller;
  if (user === null || row.owner_user_id === user.id) return true;
  if (user.role !== "admin" || row.site_id === null) return false;
  const sites = [row, ...row.calls ?? []].flatMap(({ site_id, target_site_id }) => [site_id, target_site_id]);
  return sites.every((one) => one === null || one === undefined || isOwnSite(caller, one));
}

/**
 * A page of the rows that somebody may see, newest first. It may be short, or empty, and still have a cursor: rows of
 * others are passed over a bounded number of times.
 */
export async function auditPageFor(
  { audit }: Pick<Kept, "audit">,
  caller: AdminCaller,
  query: AuditQuery,
  page: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AuditPage> {
  const { user } = caller;
  if (user !== null && user.role !== "admin") {
    if (query.owner_user_id !== undefined && query.owner_user_id !== user.id) {
      return { rows: [], next_cursor: null };
    }
    query = { ...query, owner_user_id: user.id };
  }
  if (user === null || query.owner_user_id === user.id) return await audit.list(query, cursorOf(page));
  const rows: AuditRow[] = [];
  let cursor = page.cursor;
  for (let part = 0; part < PARTS_MAX; part++) {
    const read = await audit.list(query, cursorOf({ limit: part === 0 ? page.limit : PART_ROWS, cursor }));
    for (const [n, row] of read.rows.entries()) {
      if (!maySeeRow(caller, row)) continue;
      if (rows.length === page.limit) {
        // Asked for again, so that the cursor goes on behind the last row that is shown.
        const next = n === 0 ? cursor : (await audit.list(query, cursorOf({ limit: n, cursor }))).next_cursor;
        return { rows, next_cursor: next ?? null };
      }
      rows.push(row);
    }
    cursor = read.next_cursor ?? undefined;
    if (cursor === undefined || rows.length === page.limit) break;
  }
  return { rows, next_cursor: cursor ?? null };
}

const cursorOf = ({ limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined }) => ({
  limit,
  ...cursor === undefined ? {} : { cursor },
});

/** The row of that id. Throws E_NOT_FOUND, of one that is not the caller's to see too. */
export async function rowFor(
  { audit }: Pick<Kept, "audit">,
  caller: AdminCaller,
  id: string,
): Promise<AuditRow> {
  const at = timeOfId(id);
  const row = isNaN(at) ? null : await rowNear(audit, id, at);
  if (row !== null && maySeeRow(caller, row)) return row;
  throw new GatewayError("E_NOT_FOUND", `No row ${quoted(id)} that you may see is in the audit`);
}

/** The id of a row begins with the time at which it was asked for. */
async function rowNear(audit: Pick<Kept["audit"], "list">, id: string, at: number): Promise<AuditRow | null> {
  for (const ms of NEAR_MS) {
    const time = (to: number) => new Date(Math.max(0, to)).toISOString();
    const near = { from: time(at - ms), to: time(at + ms) };
    let cursor: string | undefined;
    for (let part = 0; part < NEAR_PARTS; part++) {
      const read = await audit.list(near, cursorOf({ limit: LIMITS.AUDIT_PAGE_MAX, cursor }));
      const found = read.rows.find((row) => row.id === id);
      if (found !== undefined) return found;
      cursor = read.next_cursor ?? undefined;
      if (cursor === undefined) break;
    }
  }
  return null;
}
