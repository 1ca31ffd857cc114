/** What is kept of sites for each day: what ran, what failed, what is missing. */
import type { Hono } from "hono";
import { z } from "zod";
import { LIMITS } from "../core/model.ts";
import { SITE_ID } from "./bodies.ts";
import { answer } from "./exchange.ts";
import { closed, expected, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { parameters } from "./query.ts";
import { findSite } from "./sites.ts";

const DAYS_DEFAULT = 7;
/** Of hundreds of sites more days are too much for one answer. */
const DAYS_OF_ALL_MAX = 31;
const days_error = expected(`a whole number from 1 to ${LIMITS.SNAPSHOT_DAYS_KEPT}`);
const query = closed({
  days: z.string().regex(/^\d{1,4}$/, { error: days_error }).transform(Number)
    .pipe(z.number().min(1, { error: days_error }).max(LIMITS.SNAPSHOT_DAYS_KEPT, { error: days_error }))
    .optional(),
  site_id: z.string().regex(SITE_ID, { error: expected("a site id") }).optional(),
});

/** Adds the page of snapshots. */
export function snapshotRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/snapshots", async (c) => {
    const { days, site_id } = parameters(query, c.req.url);
    if (site_id !== undefined) await findSite(site_id, ports);
    else if (days !== undefined && days > DAYS_OF_ALL_MAX) {
      refuseAny([`days: at most ${DAYS_OF_ALL_MAX} of all sites; name one with site_id for more`]);
    }
    return answer(c, await ports.snapshots(days ?? DAYS_DEFAULT, site_id));
  });
}
