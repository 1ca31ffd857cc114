/** Projects and users. */
import type { Hono } from "hono";
import { GatewayError } from "../errors.ts";
import { RISK_DEFAULT, type User } from "../model.ts";
import { projectBody, RECORD_ID, userBody, userPatch } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "./faults.ts";
import type { AdminPorts } from "./ports.ts";
import { unknownSites } from "./scope.ts";

function userView({ id, ...rest }: User) {
  return { user_id: id, ...rest };
}

/** Adds the routes under /admin/api/projects and /admin/api/users. */
export function peopleRoutes(app: Hono, ports: AdminPorts): void {
  const { projects, users, sites } = ports.store;
  app.get("/admin/api/projects", async (c) => answer(c, { projects: await projects.list() }));

  app.post("/admin/api/projects", async (c) => {
    const body = checked(projectBody, await jsonObject(c.req.raw));
    const project = await projects.create(body);
    if (project === null) refuseAny([`id: ${quoted(body.id)} is taken; choose another id`]);
    return answer(c, project);
  });

  app.get("/admin/api/users", async (c) => answer(c, { users: (await users.list()).map(userView) }));

  app.post("/admin/api/users", async (c) => {
    const body = checked(userBody, await jsonObject(c.req.raw));
    refuseAny(await unknownSites(body.allowed_sites, sites));
    const user = await users.create({ ...body, max_risk: body.max_risk ?? RISK_DEFAULT });
    if (user === null) refuseAny([`email: ${quoted(body.email)} is another user's; change that user`]);
    return answer(c, userView(user!));
  });

  app.patch("/admin/api/users/:id", async (c) => {
    const id = c.req.param("id");
    const patch = checked(userPatch, await jsonObject(c.req.raw));
    if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
    if (patch.allowed_sites) refuseAny(await unknownSites(patch.allowed_sites, sites));
    const user = RECORD_ID.test(id) ? await users.update(id, patch) : null;
    if (user === null) {
      throw new GatewayError("E_NOT_FOUND", `No user ${quoted(id)}; list the users to find it`);
    }
    return answer(c, userView(user));
  });
}
