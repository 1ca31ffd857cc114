/** What agents ask people for: listed, shown as it would be done now, approved, rejected, and counted. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { checked } from "../core/faults.ts";
import { choice, closed, expected, text } from "../core/fields.ts";
import { APPROVAL_STATES, LIMITS } from "../core/model.ts";
import { callerOf } from "../identity/rights.ts";
import { approvalFigures } from "./approval_figures.ts";
import { RECORD_ID, SITE_ID } from "./bodies.ts";
import { answer, jsonObject, parameters } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";

const TIERS = ["0", "1", "2", "3", "4"] as const;
const listQuery = closed({
  state: choice([...APPROVAL_STATES, "all"]).optional(),
  site_id: text("a site id", SITE_ID).optional(),
  tier: choice(TIERS).optional(),
  client_id: z.string().max(512).optional(),
  owner_user_id: text("the id of a user", RECORD_ID).optional(),
});

const SHOWN_CHARACTERS = 400;
/** POST /admin/api/approvals/{id}/approve */
export const approveBody = closed({
  shown: z.string({ error: expected('the "shown" of what you were shown') }).min(1).max(SHOWN_CHARACTERS),
});
/** POST /admin/api/approvals/{id}/reject */
export const rejectBody = closed({
  words: text("why, in one line", /^[^\p{Cc}]+$/u).max(LIMITS.APPROVAL_WORDS_CHARACTERS, {
    error: expected(`why, in at most ${LIMITS.APPROVAL_WORDS_CHARACTERS} characters`),
  }).nullish(),
});

/** The tier of what somebody was shown, which stands in its name, as `guard/consent/approval.ts` makes it. */
export const tierShown = (shown: string): number => Number(shown.split(".")[1] ?? 4);

/** Adds the routes under /admin/api/approvals. */
export function approvalRoutes(app: Hono, ports: AdminPorts): void {
  const { approvals } = ports;
  const id = (c: Context) => c.req.param("id") ?? "";
  app.get("/admin/api/approvals", async (c) => {
    const { state = "pending", tier: wanted, ...query } = parameters(listQuery, c.req.url);
    const states = state === "all" ? undefined : [state];
    const found = await approvals.list(callerOf(c), {
      ...query,
      states,
      tier: wanted === undefined ? undefined : Number(wanted),
    });
    return answer(c, { approvals: found });
  });
  app.get("/admin/api/approvals/report", async (c) => {
    return answer(c, approvalFigures(await approvals.list(callerOf(c)), ports.now()));
  });
  app.get("/admin/api/approvals/:id", async (c) => answer(c, await approvals.show(callerOf(c), id(c))));
  app.post("/admin/api/approvals/:id/approve", async (c) => {
    const { shown } = checked(approveBody, await jsonObject(c.req.raw));
    return answer(c, await approvals.approve(callerOf(c), id(c), shown));
  });
  app.post("/admin/api/approvals/:id/reject", async (c) => {
    const { words = null } = checked(rejectBody, await jsonObject(c.req.raw));
    return answer(c, await approvals.reject(callerOf(c), id(c), words));
  });
}
