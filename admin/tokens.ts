/** Tokens: made once shown, listed, revoked. */
import type { Hono } from "hono";
import { GatewayError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { isSuperAdmin, RISK_DEFAULT, type Tier, type Token, type User } from "../model.ts";
import { RECORD_ID, tokenBody } from "./bodies.ts";
import { refuseHuman } from "./confirm_policy.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "./faults.ts";
import type { AdminPorts } from "./ports.ts";
import { unknownSites } from "./scope.ts";

/** A token as it is shown: never its text. */
function tokenView(token: Token) {
  const { id, ...rest } = token;
  return { token_id: id, ...rest, super_admin: isSuperAdmin(token) };
}

/** Adds the routes under /admin/api/tokens. */
export function tokenRoutes(app: Hono, ports: AdminPorts): void {
  const { tokens, users } = ports.store;
  app.get("/admin/api/tokens", async (c) => answer(c, { tokens: (await tokens.list()).map(tokenView) }));

  app.post("/admin/api/tokens", async (c) => {
    const body = checked(tokenBody, await jsonObject(c.req.raw));
    const owner_user_id = body.owner_user_id ?? null;
    const owner = owner_user_id === null ? null : await users.get(owner_user_id);
    refuseHuman(body.confirm_policy);
    const tools = toolFaults(body.allowed_tools, await ports.toolNames());
    // Asked for by name: a token made without an owner belongs to nobody, and has no rights beyond its own.
    const super_admin = body.owner_user_id === null;
    const max_risk = body.max_risk ?? Math.min(RISK_DEFAULT, owner?.max_risk ?? RISK_DEFAULT) as Tier;
    const skip_write_confirm = body.skip_write_confirm ?? false;
    refuseAny([
      ...await unknownSites(body.allowed_sites, ports.store.sites),
      ...tools.faults,
      ...(owner_user_id !== null && owner === null
        ? [`owner_user_id: no user ${quoted(owner_user_id)}`]
        : []),
      ...(owner === null ? [] : beyondOwner(body.allowed_sites, max_risk, owner)),
      ...(skip_write_confirm && !super_admin
        ? [
          "skip_write_confirm: only a super-admin token, made with owner_user_id null, may skip the confirmation",
        ]
        : []),
    ]);
    const made = await tokens.create({
      name: body.name,
      env: body.env,
      allowed_sites: body.allowed_sites,
      allowed_tools: body.allowed_tools,
      max_risk,
      skip_write_confirm,
      confirm_policy: body.confirm_policy,
      owner_user_id,
      super_admin,
    });
    return answer(c, { ...tokenView(made.token), token: made.text, warnings: tools.warnings });
  });

  app.post("/admin/api/tokens/:id/revoke", async (c) => {
    const id = c.req.param("id");
    const token = RECORD_ID.test(id) ? await tokens.revoke(id) : null;
    if (token === null) {
      throw new GatewayError("E_NOT_FOUND", `No token ${quoted(id)}; list the tokens to find it`);
    }
    return answer(c, tokenView(token));
  });
}

/** What a token asks for that its owner may not do. */
function beyondOwner(sites: readonly string[], risk: number, owner: User): string[] {
  const faults: string[] = [];
  if (!owner.allowed_sites.includes("*")) {
    const beyond = sites.filter((site) => !owner.allowed_sites.includes(site));
    const may = owner.allowed_sites.length ? owner.allowed_sites.slice(0, 20).join(", ") : "none";
    if (beyond.length > 0) {
      faults.push(`allowed_sites: ${beyond.map(quoted).join(", ")} is beyond the owner, who may use ${may}`);
    }
  }
  if (risk > owner.max_risk) {
    faults.push(`max_risk: ${risk} is beyond the owner, who may go up to ${owner.max_risk}`);
  }
  return faults;
}

/**
 * Names of no loaded tool: a fault, unless it may be a tool of a site. Those have a `-` or `.` in their names, which
 * a built-in tool has only when it is known, and come and go with the sites' plugins: worth a warning.
 */
function toolFaults(
  names: readonly string[],
  loaded: readonly string[],
): { faults: string[]; warnings: string[] } {
  const known = new Set(loaded);
  const missing = names.filter((name) => name !== "*" && !known.has(name));
  const proxied = missing.filter((name) => /[-.]/.test(name));
  return {
    warnings: proxied.map((name) =>
      `allowed_tools: no site offers ${quoted(name)} now; it holds once one does`
    ),
    faults: missing.filter((name) => !proxied.includes(name)).map((name) => {
      const near = nearest(name, loaded);
      return `allowed_tools: no tool ${quoted(name)}${near === null ? "" : `, did you mean ${near}`}`;
    }),
  };
}
