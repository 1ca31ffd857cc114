/** People's connected accounts: how they do, links that connect them, and their end. */
import type { Hono } from "hono";
import { z } from "zod";
import { choice, closed, expected, text, yesNo } from "../lib/fields.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked } from "./faults.ts";
import type { AdminPorts } from "./ports.ts";

const user = text("a user's id or e-mail address", /^[^\s\p{Cc}]{1,254}$/u);
const word = /^[a-z][a-z0-9_]{0,63}$/;

/** Adds the routes under /admin/api/connections. */
export function connectionRoutes(app: Hono, { connections, connectors }: AdminPorts): void {
  const kinds = connectors.all.flatMap(({ account }) => account?.connection ? [account.kind] : []);
  const kind = kinds.length === 0 ? text("a kind of account", word) : choice(kinds as [string, ...string[]]);
  const startBody = closed({
    user,
    kind,
    scopes: z.array(text("what to ask for", word), { error: expected("a list of words") }).optional(),
  });
  const endBody = closed({ user, kind, keep_access: yesNo.optional() });
  const listQuery = closed({ user: user.optional() });

  app.get("/admin/api/connections", async (c) => {
    const query = checked(listQuery, Object.fromEntries(new URL(c.req.url).searchParams));
    const port = await connections();
    return answer(c, { connections: await port.list(query.user), kinds: port.kinds() });
  });

  app.post("/admin/api/connections", async (c) => {
    const { scopes, ...order } = checked(startBody, await jsonObject(c.req.raw));
    return answer(c, await (await connections()).start({ ...order, rights: scopes }));
  });

  app.post("/admin/api/connections/disconnect", async (c) => {
    const { user, kind, keep_access } = checked(endBody, await jsonObject(c.req.raw));
    return answer(c, await (await connections()).disconnect(user, kind, keep_access));
  });
}
