/** Projects and users. */
import type { Hono } from "hono";
import { onDemand } from "../core/async.ts";
import type { User } from "../core/model.ts";
import { answer, jsonObject } from "./exchange.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf } from "../identity/rights.ts";
import { changeProject, listProjects, makeProject } from "./projects.ts";
import { changeUser, createUser, listUsers, managedUser, removeManagedUser } from "./users.ts";

function userView({ id, approve_sites = [], ...rest }: User) {
  return { user_id: id, ...rest, approve_sites };
}

/** Adds the routes under /admin/api/projects and /admin/api/users. */
export function peopleRoutes(app: Hono, ports: AdminPorts): void {
  projectRoutes(app, ports);
  userRoutes(app, ports);
  accessRoutes(app, ports);
}

function projectRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/projects", async (c) => {
    return answer(c, { projects: await listProjects(ports, callerOf(c)) });
  });
  app.post("/admin/api/projects", async (c) => {
    return answer(c, await makeProject(ports, callerOf(c), await jsonObject(c.req.raw)));
  });
  app.patch("/admin/api/projects/:id", async (c) => {
    const patch = await jsonObject(c.req.raw);
    return answer(c, await changeProject(ports, callerOf(c), c.req.param("id"), patch));
  });
}

function userRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/users", async (c) => {
    return answer(c, { users: (await listUsers(ports, callerOf(c))).map(userView) });
  });

  app.post("/admin/api/users", async (c) => {
    return answer(c, userView(await createUser(ports, callerOf(c), await jsonObject(c.req.raw))));
  });

  app.patch("/admin/api/users/:id", async (c) => {
    const body = await jsonObject(c.req.raw);
    return answer(c, userView(await changeUser(ports, callerOf(c), c.req.param("id"), body)));
  });
}

/** Invitations, and the end of what a user can sign in with. */
function accessRoutes(app: Hono, ports: AdminPorts): void {
  const peopleOf = onDemand(async () => new (await import("../identity/sign_in/people.ts")).People(ports));

  app.post("/admin/api/users/:id/invite", async (c) => {
    const user = await managedUser(ports, callerOf(c), c.req.param("id"));
    return answer(c, await (await peopleOf()).invite(callerOf(c).actor, user));
  });

  app.post("/admin/api/users/:id/remove", async (c) => {
    const { user, ended } = await removeManagedUser(ports, callerOf(c), c.req.param("id"));
    return answer(c, { ...userView(user), ...ended });
  });
}
