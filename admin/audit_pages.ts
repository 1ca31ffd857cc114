/** Rows of the audit for who has signed in: which of them that is, and pages of them. */
import { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { closed, expected } from "../core/fields.ts";
import { checked, quoted } from "../core/faults.ts";
import type { AuditRow } from "../core/model.ts";
import type { AdminCaller } from "../identity/rights.ts";
import type { AuditPage, AuditQuery } from "../store/store.ts";
import { FILTERS, span } from "./audit.ts";
import { cursorOf, maySeeRow, timeOfId } from "./audit_row.ts";
import type { AdminPorts } from "./ports.ts";

type Kept = Pick<AdminPorts["store"], "audit" | "users" | "tokens" | "oauthGrants">;

/** Rows of others are passed over so many at a time, and so many times for one page. */
const PART_ROWS = 200;
const PARTS_MAX = 5;
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
