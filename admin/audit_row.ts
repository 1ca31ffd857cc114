/** A row of the audit by its id, and who may see it. */
import { decodeTime } from "ulid";
import { GatewayError } from "../core/errors.ts";
import { quoted } from "../core/faults.ts";
import { type AuditRow, LIMITS } from "../core/model.ts";
import type { AdminCaller } from "../identity/rights.ts";
import type { AdminPorts } from "./ports.ts";
import { isOwnSite } from "./site_rights.ts";

type Kept = Pick<AdminPorts["store"], "audit">;

/** How far from the time in its id a row may say that it began: first near, then as far as a call lasts. */
const NEAR_MS = [2000, LIMITS.CALL_DEADLINE_MS] as const;
const NEAR_PARTS = 4;

const ID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
/** When something of that id was asked for, in milliseconds; NaN where it is none. */
export const timeOfId = (id: string): number => ID.test(id) && id[0]! <= "7" ? decodeTime(id) : NaN;

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

/** A page as the store asks for one: without a cursor that is none. */
export const cursorOf = (
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
) => ({
  limit,
  ...cursor === undefined ? {} : { cursor },
});

/** The row of that id. Throws E_NOT_FOUND, of one that is not the caller's to see too. */
export async function rowFor(
  { audit }: Kept,
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
