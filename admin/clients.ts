/** Clients that people let in over OAuth: which there are, and their end. */
import type { Hono } from "hono";
import { closed, text } from "../core/fields.ts";
import { RECORD_ID } from "./bodies.ts";
import { answer } from "./exchange.ts";
import { checked } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf, forbidden } from "../identity/rights.ts";

const listQuery = closed({ user_id: text("a user's id", RECORD_ID).optional() });

/** Adds the routes under /admin/api/clients. */
export function clientRoutes(app: Hono, { clients }: AdminPorts): void {
  app.get("/admin/api/clients", async (c) => {
    const query = checked(listQuery, Object.fromEntries(new URL(c.req.url).searchParams));
    const { user } = callerOf(c);
    if (user !== null && (query.user_id ?? user.id) !== user.id) {
      throw forbidden("user_id: you see your own connected clients only; leave it out");
    }
    return answer(c, { clients: await (await clients()).list(user?.id ?? query.user_id) });
  });

  app.post("/admin/api/clients/:id/end", async (c) => {
    return answer(c, await (await clients()).end(c.req.param("id"), callerOf(c).user ?? undefined));
  });
}
