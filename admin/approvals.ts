/** What agents ask people for: listed, shown as it would be done now, approved, rejected, and counted. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { checked } from "../core/faults.ts";
import { choice, closed, expected, text } from "../core/fields.ts";
import { APPROVAL_STATES, LIMITS } from "../core/model.ts";
import { callerOf } from "../identity/rights.ts";
import { approvalFigures } from "./approval_figures.ts";
import { person, SITE_ID } from "./bodies.ts";
import { answer, jsonObject, parameters } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";
import { userIdOf } from "./named_user.ts";

const TIERS = ["0", "1", "2", "3", "4"] as const;
const listQuery = closed({
  state: choice([...APPROVAL_STATES, "all"]).optional(),
  site_id: text("a site id", SITE_ID).optional(),
  tier: choice(TIERS).optional(),
  client_id: z.string().max(512).optional(),
  owner_user_id: person.optional(),
});

/** Of a set each item has a name of its own in it. */
const SHOWN_CHARACTERS = 400 + 32 * LIMITS.SET_ITEMS_MAX;
const ITEMS = "the numbers of items, such as [2, 5]";
/** POST /admin/api/approvals/{id}/approve */
export const approveBody = closed({
  shown: z.string({ error: expected('the "shown" of what you were shown') }).min(1).max(SHOWN_CHARACTERS),
  without: z.array(z.int({ error: expected(ITEMS) }).min(1), { error: expected(ITEMS) })
    .max(LIMITS.SET_ITEMS_MAX, { error: expected(ITEMS) }).optional(),
});
/** POST /admin/api/approvals/{id}/reject */
export const rejectBody = closed({
  words: text("why, in one line", /^[^\p{Cc}]+$/u).max(LIMITS.APPROVAL_WORDS_CHARACTERS, {
    error: expected(`why, in at most ${LIMITS.APPROVAL_WORDS_CHARACTERS} characters`),
  }).nullish(),
});

/** POST /admin/api/approvals/{id}/edit */
export const editBody = closed({
  texts: z.record(z.string(), z.string(), {
    error: expected("the texts to change, each by the name of its argument"),
  }),
});

/** The tier of what somebody was shown, which stands in its name, as `guard/consent/approval.ts` makes it. */
export const tierShown = (shown: string): number => Number(shown.split(".")[1] ?? 4);

/** The tiers of the items of a change set in such a name, null of one that was left out; null where it is no set. */
export function itemsShown(shown: string): (number | null)[] | null {
  const [kind, , items = ""] = shown.split(".");
  return kind === "set" ? items.split(",").map((name) => name === "" ? null : Number(name[0])) : null;
}

const areItems = (list: string) => list.split(",").every((item) => Number.isInteger(Number(item || "-")));
const lookQuery = closed({
  without: z.string().max(SHOWN_CHARACTERS).refine(areItems, {
    error: expected("numbers of items, such as 2,5"),
  })
    .optional(),
});

/** Adds the routes under /admin/api/approvals. */
export function approvalRoutes(app: Hono, ports: AdminPorts): void {
  const { approvals } = ports;
  const id = (c: Context) => c.req.param("id") ?? "";
  app.get("/admin/api/approvals", async (c) => {
    const { state = "pending", tier: wanted, owner_user_id, ...query } = parameters(listQuery, c.req.url);
    const states = state === "all" ? undefined : [state];
    const found = await approvals.list(callerOf(c), {
      ...query,
      ...owner_user_id && { owner_user_id: await userIdOf(ports, callerOf(c), owner_user_id) },
      states,
      tier: wanted === undefined ? undefined : Number(wanted),
    });
    return answer(c, { approvals: found });
  });
  app.get("/admin/api/approvals/report", async (c) => {
    return answer(c, approvalFigures(await approvals.list(callerOf(c)), ports.now()));
  });
  app.get("/admin/api/approvals/:id", async (c) => {
    const without = parameters(lookQuery, c.req.url).without?.split(",").map(Number);
    return answer(c, await approvals.show(callerOf(c), id(c), { without: without ?? [] }));
  });
  app.post("/admin/api/approvals/:id/approve", async (c) => {
    const { shown, without } = checked(approveBody, await jsonObject(c.req.raw));
    return answer(c, await approvals.approve(callerOf(c), id(c), shown, without));
  });
  app.post("/admin/api/approvals/:id/edit", async (c) => {
    const { texts } = checked(editBody, await jsonObject(c.req.raw));
    return answer(c, await approvals.edit(callerOf(c), id(c), texts));
  });
  app.post("/admin/api/approvals/:id/reject", async (c) => {
    const { words = null } = checked(rejectBody, await jsonObject(c.req.raw));
    return answer(c, await approvals.reject(callerOf(c), id(c), words));
  });
}
