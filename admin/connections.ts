/** People's connections: their accounts at upstreams, links that connect them, and the clients they let in over OAuth. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { choice, closed, expected, text, yesNo } from "../core/fields.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, refused } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf, forbidden } from "../identity/rights.ts";
import { person } from "./bodies.ts";
import { userIdOf } from "./named_user.ts";

const word = /^[a-z][a-z0-9_]{0,63}$/;

/** Adds the routes under /admin/api/connections. */
export function connectionRoutes(app: Hono, { connections, connectors }: AdminPorts): void {
  const kinds = connectors.all.flatMap(({ account }) => account?.connection ? [account.kind] : []);
  const kind = kinds.length === 0 ? text("a kind of account", word) : choice(kinds as [string, ...string[]]);
  const startBody = closed({
    user: person.optional(),
    kind,
    scopes: z.array(text("what to ask for", word), { error: expected("a list of words") }).optional(),
  });
  const endBody = closed({ user: person.optional(), kind, keep_access: yesNo.optional() });
  const listQuery = closed({ user: person.optional() });

  app.get("/admin/api/connections", async (c) => {
    const query = checked(listQuery, Object.fromEntries(new URL(c.req.url).searchParams));
    const port = await connections();
    return answer(c, { connections: await port.list(ownUser(c, query.user)), kinds: port.kinds() });
  });

  app.post("/admin/api/connections", async (c) => {
    const { scopes, kind, user } = checked(startBody, await jsonObject(c.req.raw));
    const order = { user: neededUser(c, user), kind, rights: scopes };
    return answer(c, await (await connections()).start(order, callerOf(c).actor));
  });

  app.post("/admin/api/connections/disconnect", async (c) => {
    const { user, kind, keep_access } = checked(endBody, await jsonObject(c.req.raw));
    return answer(
      c,
      await (await connections()).disconnect(neededUser(c, user), kind, keep_access, callerOf(c).actor),
    );
  });
}

/** Whose connections are meant: those of whoever has signed in, or those asked for by the master token. */
function ownUser(c: Context, asked: string | undefined): string | undefined {
  const { user } = callerOf(c);
  if (user === null) return asked;
  if (asked === undefined || asked === user.id || asked.toLowerCase() === user.email.toLowerCase()) {
    return user.id;
  }
  throw forbidden("user: you connect and disconnect your own accounts only; leave it out");
}

function neededUser(c: Context, asked: string | undefined): string {
  const user = ownUser(c, asked);
  if (user === undefined) throw refused(["user is required"]);
  return user;
}

const listQuery = closed({ user_id: person.optional() });

/** Adds the routes under /admin/api/clients. */
export function clientRoutes(app: Hono, { clients, store }: AdminPorts): void {
  app.get("/admin/api/clients", async (c) => {
    const { user_id } = checked(listQuery, Object.fromEntries(new URL(c.req.url).searchParams));
    const caller = callerOf(c);
    const { user } = caller;
    if (user !== null && (user_id ?? user.id) !== user.id && user_id !== user.email) {
      throw forbidden("user_id: you see your own connected clients only; leave it out");
    }
    const asked = user_id === undefined ? user?.id : await userIdOf({ store }, caller, user_id);
    return answer(c, { clients: await (await clients()).list(asked) });
  });

  app.post("/admin/api/clients/:id/end", async (c) => {
    return answer(c, await (await clients()).end(c.req.param("id"), callerOf(c).user ?? undefined));
  });
}
