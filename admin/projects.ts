/** Projects, which group the sites of one client: listed, made, changed, whoever orders it and by which way. */
import { GatewayError } from "../core/errors.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { Project, Site } from "../core/model.ts";
import { type AdminCaller, forbidden } from "../identity/rights.ts";
import { projectBody, projectPatch, SITE_ID } from "./bodies.ts";
import { differences } from "./changes.ts";
import type { AdminPorts } from "./ports.ts";
import { changeSite, missingSite } from "./site_changes.ts";
import { isOwnSite, managesAllSites } from "./site_rights.ts";

/** The projects that the caller may know of: an admin of some sites knows those of his or her sites. */
export async function listProjects({ store }: AdminPorts, caller: AdminCaller): Promise<Project[]> {
  const [all, sites] = await Promise.all([store.projects.list(), store.sites.list()]);
  if (managesAllSites(caller)) return [...all];
  const used = new Set(sites.filter(({ id }) => isOwnSite(caller, id)).map(({ project_id }) => project_id));
  return all.filter(({ id }) => used.has(id));
}

const policyIsMasters = () =>
  forbidden("confirm_policy: only a super-admin changes it, with the master token");

/** Throws E_FORBIDDEN for an admin of some sites only: a project groups sites of everybody's. */
function assertMayGroup(caller: AdminCaller): void {
  if (managesAllSites(caller)) return;
  throw forbidden(
    "A project groups sites of everybody's; that takes an admin of all sites, or the master token",
  );
}

/** Makes a project. Throws E_BAD_INPUT with every fault, E_FORBIDDEN for what is not the caller's to do. */
export async function makeProject(ports: AdminPorts, caller: AdminCaller, given: object): Promise<Project> {
  const body = checked(projectBody, given);
  assertMayGroup(caller);
  if (caller.user !== null && body.confirm_policy !== undefined) throw policyIsMasters();
  const project = await ports.store.projects.create(body);
  if (project === null) refuseAny([`id: ${quoted(body.id)} is taken; choose another id`]);
  await ports.record(caller.actor, "project.create", { after: body });
  return project!;
}

/** The project of that id. Throws E_NOT_FOUND. */
export async function findProject({ store }: AdminPorts, id: string): Promise<Project> {
  const project = SITE_ID.test(id) ? await store.projects.get(id) : null;
  if (project !== null) return project;
  throw new GatewayError("E_NOT_FOUND", `There is no project ${quoted(id)}; list the projects to find it`);
}

/** Changes what the body names of a project. Throws as `makeProject` does, and E_NOT_FOUND. */
export async function changeProject(
  ports: AdminPorts,
  caller: AdminCaller,
  id: string,
  given: object,
): Promise<Project> {
  const patch = checked(projectPatch, given);
  if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
  if (caller.user !== null) throw forbidden("Only the master token changes a project");
  const before = await findProject(ports, id);
  const project = await ports.store.projects.update(id, patch);
  if (project === null) return await findProject(ports, id); // it is gone meanwhile
  await ports.record(caller.actor, "project.change", { id, ...differences(before, project) });
  return project;
}

/** Puts sites that are in no project into this one, each with a row of its own. Throws E_BAD_INPUT before any is moved. */
export async function groupSites(
  ports: AdminPorts,
  caller: AdminCaller,
  id: string,
  ids: readonly string[],
): Promise<void> {
  assertMayGroup(caller);
  const { id: project_id } = await findProject(ports, id);
  if (ids.length === 0) refuseAny(["Sites: choose at least one; nothing was changed"]);
  const all = new Map((await ports.store.sites.list()).map((site) => [site.id, site]));
  const sites = ids.map((one): Site => {
    const site = all.get(one);
    if (site === undefined) throw missingSite(one, [...all.keys()]);
    if (site.project_id !== null && site.project_id !== project_id) {
      refuseAny([`Sites: ${one} is in the project ${site.project_id}; nothing was changed`]);
    }
    return site;
  });
  for (const site of sites) await changeSite(ports, caller, site, { project_id });
}
