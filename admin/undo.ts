/** What calls have changed, for an operator: listed, and taken back by the tool that every caller takes it back by. */
import type { Hono } from "hono";
import { z } from "zod";
import { closed, expected, text } from "../core/fields.ts";
import { checked, refuseAny } from "../core/faults.ts";
import type { ChangeLine, ChangeRow } from "../registry/tool.ts";
import { FILTERS, span } from "./audit.ts";
import { SITE_ID } from "./bodies.ts";
import { answer, jsonObject, parameters } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";
import { findSite } from "./sites.ts";

/** A page of changes; `unknown` has those of which nobody knows whether they were made. */
export interface ChangeList {
  readonly changes: readonly ChangeLine[];
  readonly unknown?: readonly ChangeRow[];
  readonly cursor?: string;
  readonly time_zone?: string;
}

const ID_CHARACTERS = 200;
const { from, to, client_id, site_id, tool, path, set_id } = FILTERS;
const token_error = expected("the id or the name of a token");
const token_id = z.string().min(1, { error: token_error }).max(200, { error: token_error });
const person_error = expected("the id or the e-mail address of a person");
const owner_user_id = z.string().min(1, { error: person_error }).max(256, { error: person_error });
const id_error = expected(`the id of a post or page, at most ${ID_CHARACTERS} characters`);
const listQuery = closed({
  ...{ from, to, client_id, site_id, tool, path, set_id },
  token_id: token_id.optional(),
  owner_user_id: owner_user_id.optional(),
  id: z.string().max(ID_CHARACTERS, { error: id_error }).optional(),
  date: z.string().max(10, { error: expected("today, yesterday or a day as YYYY-MM-DD") }).optional(),
  cursor: z.string().regex(/^[\x21-\x7e]{1,1024}$/, { error: expected("a cursor of an earlier answer") })
    .optional(),
});

const IDS_MAX = 50;
const request_id = text("the request_id of a change", /^[0-9A-HJKMNP-TV-Z]{26}$/);
const ids_error = expected(`a list of 1 to ${IDS_MAX} request_ids`);
/** What taking back is asked for with. */
export const undoBody = closed({
  site_id: text("a site id", SITE_ID),
  request_ids: z.array(request_id, { error: ids_error }).min(1, { error: ids_error })
    .max(IDS_MAX, { error: ids_error }).optional(),
  set_id,
  since: z.string({ error: expected("a time such as 2026-11-21T09:30:00Z") }).max(40).optional(),
  client: z.string().min(1).max(512).optional(),
  person: owner_user_id.optional(),
  token: token_id.optional(),
  confirm_token: z.string({ error: expected("the confirm_token of the preview") }).max(40).optional(),
});

/** Adds the routes of changes. */
export function changeRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/changes", async (c) => {
    const { date, cursor, ...query } = parameters(listQuery, c.req.url);
    if (query.site_id !== undefined) await findSite(query.site_id, ports);
    if (date !== undefined) return answer(c, await ofDay(date, query, cursor));
    const page = await ports.changes(span(query), cursor);
    return answer(c, {
      changes: page.rows,
      ...page.unknown.length === 0 ? {} : { unknown: page.unknown },
      ...page.next === null ? {} : { cursor: page.next },
    });
  });

  /** A day is one in the zone of a site, which its own tool asks for. */
  async function ofDay(date: string, query: z.output<typeof listQuery>, cursor: string | undefined) {
    const { site_id, client_id, owner_user_id, token_id, set_id, from, to, ...more } = query;
    if (site_id === undefined) {
      refuseAny(["date: goes with site_id, for it is a day in the site's time zone"]);
    }
    if ((from ?? to) !== undefined) refuseAny(["date: goes without from and to"]);
    const list = await ports.operate("list_changes", {
      ...more,
      ...{ site_id, date },
      ...client_id === undefined ? {} : { client: client_id },
      ...owner_user_id === undefined ? {} : { person: owner_user_id },
      ...token_id === undefined ? {} : { token: token_id },
      ...set_id === undefined ? {} : { set: set_id },
      ...cursor === undefined ? {} : { cursor },
    }) as ChangeList;
    return list;
  }

  app.post("/admin/api/undo", async (c) => {
    const { confirm_token, ...asked } = checked(undoBody, await jsonObject(c.req.raw));
    await findSite(asked.site_id, ports);
    const confirmed = confirm_token === undefined ? {} : { confirm: true, confirm_token };
    return answer(c, await ports.operate("undo_change", { ...asked, ...confirmed }));
  });
}
