/** Taking changes back: shown first, as a trial of the tool that takes them back, and done where that is confirmed. */
import type { Hono } from "hono";
import { rowFor } from "../../admin/audit_row.ts";
import { GatewayError } from "../../core/errors.ts";
import { leadTo } from "../respond.tsx";
import { CHANGES, TRY, UNDO } from "./change_parts.tsx";
import { asSender, type PagesParts, trierOf } from "./frame.tsx";
import { nothingTyped } from "./kept_form.tsx";

/** So many changes are taken back at once. */
export const UNDO_AT_ONCE = 50;

/** Adds the way to take back what rows of the audit have changed, for whoever may see them and may take them back. */
export function undoRoute(app: Hono, parts: PagesParts): void {
  const { ports } = parts;
  app.post(UNDO, (c) =>
    asSender(
      parts,
      c,
      async (person, form) => {
        const by = await trierOf(parts, c, person);
        const ids = [...new Set(form.getAll("request_id"))];
        if (ids.length === 0 || ids.length > UNDO_AT_ONCE) {
          throw new GatewayError("E_BAD_INPUT", `request_id: name 1 to ${UNDO_AT_ONCE} changes`);
        }
        const rows = await Promise.all(ids.map((id) => rowFor(ports.store, person.caller, id)));
        return leadTo(c, `${TRY}/${await (await ports.trials()).undo(by, rows)}`);
      },
      CHANGES,
      nothingTyped,
    ));
}
