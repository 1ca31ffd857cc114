/** Projects and users. */
import type { Context, Hono } from "hono";
import { GatewayError } from "../core/errors.ts";
import { onDemand } from "../core/async.ts";
import { RISK_DEFAULT, type User } from "../core/model.ts";
import { projectBody, projectPatch, RECORD_ID, SITE_ID, userBody, userPatch } from "./bodies.ts";
import { differences } from "./changes.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { removeUser } from "../identity/sign_in/removal.ts";
import { assertManaged, assertWithin, callerOf, forbidden, isManaged, isWithin } from "../identity/rights.ts";
import { isOwnSite, managesAllSites } from "./site_rights.ts";
import { unknownSites } from "./sites.ts";

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
  const { users, sites } = ports.store;
  app.get("/admin/api/users", async (c) => {
    const { user: admin } = callerOf(c);
    const shown = (await users.list()).filter((user) => user.id === admin?.id || isManaged(admin, user));
    return answer(c, { users: shown.map(userView) });
  });

  app.post("/admin/api/users", async (c) => {
    const body = checked(userBody, await jsonObject(c.req.raw));
    const wanted = { ...body, max_risk: body.max_risk ?? RISK_DEFAULT };
    assertGrants(callerOf(c).user, wanted);
    refuseAny([...await unknownSites(body.allowed_sites, sites), ...beyondSites(wanted)]);
    const user = await users.create(wanted);
    if (user === null) refuseAny([`email: ${quoted(body.email)} is another user's; change that user`]);
    await ports.record(callerOf(c).actor, "user.create", { user_id: user!.id, after: wanted });
    return answer(c, userView(user!));
  });

  app.patch("/admin/api/users/:id", async (c) => {
    const { user: admin, actor } = callerOf(c);
    const patch = checked(userPatch, await jsonObject(c.req.raw));
    if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
    const before = await managedUser(ports, c, c.req.param("id"));
    const { id } = before;
    if (admin !== null) assertGrants(admin, { ...before, ...patch });
    if (patch.allowed_sites) refuseAny(await unknownSites(patch.allowed_sites, sites));
    if (patch.approve_sites) refuseAny(beyondSites({ ...before, ...patch }));
    const user = await users.update(id, patch);
    if (user === null) throw noUser(id);
    await ports.record(actor, "user.change", { user_id: id, ...differences(before, user) });
    return answer(c, userView(user));
  });
}

/** Invitations, and the end of what a user can sign in with. */
function accessRoutes(app: Hono, ports: AdminPorts): void {
  const peopleOf = onDemand(async () => new (await import("../identity/sign_in/people.ts")).People(ports));

  app.post("/admin/api/users/:id/invite", async (c) => {
    const user = await managedUser(ports, c, c.req.param("id"));
    return answer(c, await (await peopleOf()).invite(callerOf(c).actor, user));
  });

  app.post("/admin/api/users/:id/remove", async (c) => {
    const { id } = await managedUser(ports, c, c.req.param("id"));
    const removed = await removeUser(ports, callerOf(c).actor, id);
    if (removed === null) throw noUser(id);
    return answer(c, { ...userView(removed.user), ...removed.ended });
  });
}

/** The user meant, by id or e-mail address, where the caller may manage it. Throws E_NOT_FOUND, E_FORBIDDEN. */
async function managedUser({ store: { users } }: AdminPorts, c: Context, wanted: string): Promise<User> {
  const user = wanted.includes("@")
    ? await users.byEmail(wanted)
    : RECORD_ID.test(wanted)
    ? await users.get(wanted)
    : null;
  if (user === null) throw noUser(wanted);
  assertManaged(callerOf(c).user, user);
  return user;
}

/** Throws E_FORBIDDEN where an admin would make somebody who is not his or hers to manage. */
function assertGrants(
  admin: User | null,
  wanted: Pick<User, "role" | "allowed_sites" | "max_risk" | "approve_sites">,
): void {
  if (admin !== null && (wanted.approve_sites ?? []).length > 0) {
    throw forbidden("approve_sites: only the master token says who approves");
  }
  if (admin !== null && wanted.role !== "member") {
    throw forbidden("role: only the master token makes an admin; an admin makes members");
  }
  assertWithin(admin, wanted);
}

/** Where a person would approve on sites that are not the person's own. */
function beyondSites({ allowed_sites, approve_sites = [] }: Pick<User, "allowed_sites" | "approve_sites">) {
  if (approve_sites.includes("*") || isWithin(approve_sites, allowed_sites)) return [];
  return ["approve_sites: a person approves on sites of allowed_sites only; give them there too"];
}

const noUser = (wanted: string) =>
  new GatewayError("E_NOT_FOUND", `No user ${quoted(wanted)}; list the users to find it`);
