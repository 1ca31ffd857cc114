/** Tokens: made once shown, listed, changed, revoked. */
import type { Hono } from "hono";
import { isSuperAdmin, type Token } from "../core/model.ts";
import { tokenBody, tokenPatch } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf } from "../identity/rights.ts";
import { changeToken, listTokens, makeToken, revokeToken } from "./token_actions.ts";

/** A token as it is shown: never its text. */
function tokenView(token: Token) {
  const { id, ...rest } = token;
  return { token_id: id, ...rest, super_admin: isSuperAdmin(token) };
}

/** Adds the routes under /admin/api/tokens. */
export function tokenRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/tokens", async (c) => {
    return answer(c, { tokens: (await listTokens(ports, callerOf(c))).map(tokenView) });
  });

  app.post("/admin/api/tokens", async (c) => {
    const body = checked(tokenBody, await jsonObject(c.req.raw));
    const { token, text, warnings } = await makeToken(ports, callerOf(c), body);
    return answer(c, { ...tokenView(token), token: text, warnings });
  });

  app.patch("/admin/api/tokens/:id", async (c) => {
    const patch = checked(tokenPatch, await jsonObject(c.req.raw));
    const { token, warnings } = await changeToken(ports, callerOf(c), c.req.param("id"), patch);
    return answer(c, { ...tokenView(token), warnings });
  });

  app.post("/admin/api/tokens/:id/revoke", async (c) => {
    return answer(c, tokenView(await revokeToken(ports, callerOf(c), c.req.param("id"))));
  });
}
