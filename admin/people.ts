/** Projects and users. */
import type { Hono } from "hono";
import { GatewayError } from "../core/errors.ts";
import { onDemand } from "../core/async.ts";
import type { User } from "../core/model.ts";
import { projectBody, projectPatch, SITE_ID } from "./bodies.ts";
import { differences } from "./changes.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf, forbidden } from "../identity/rights.ts";
import { isOwnSite, managesAllSites } from "./site_rights.ts";
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

const policyIsMasters = () =>
  forbidden("confirm_policy: only a super-admin changes it, with the master token");

function projectRoutes(app: Hono, ports: AdminPorts): void {
  const { projects, sites } = ports.store;
  app.get("/admin/api/projects", async (c) => {
    const own = (await sites.list()).filter(({ id }) => isOwnSite(callerOf(c), id));
    const used = new Set(own.map(({ project_id }) => project_id));
    const all = managesAllSites(callerOf(c));
    return answer(c, { projects: (await projects.list()).filter(({ id }) => all || used.has(id)) });
  });

  app.post("/admin/api/projects", async (c) => {
    const body = checked(projectBody, await jsonObject(c.req.raw));
    if (!managesAllSites(callerOf(c))) {
      throw forbidden(
        "A project groups sites of everybody's; that takes an admin of all sites, or the master token",
      );
    }
    if (callerOf(c).user !== null && body.confirm_policy !== undefined) throw policyIsMasters();
    const project = await projects.create(body);
    if (project === null) refuseAny([`id: ${quoted(body.id)} is taken; choose another id`]);
    await ports.record(callerOf(c).actor, "project.create", { after: body });
    return answer(c, project);
  });

  app.patch("/admin/api/projects/:id", async (c) => {
    const id = c.req.param("id");
    const patch = checked(projectPatch, await jsonObject(c.req.raw));
    if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
    const before = SITE_ID.test(id) ? await projects.get(id) : null;
    const project = before && await projects.update(id, patch);
    if (before === null || project === null) {
      throw new GatewayError(
        "E_NOT_FOUND",
        `There is no project ${quoted(id)}; list the projects to find it`,
      );
    }
    await ports.record(callerOf(c).actor, "project.change", { id, ...differences(before, project) });
    return answer(c, project);
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
