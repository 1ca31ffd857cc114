/** Freezes: nothing is written on a site, on all of a project or on any, until the freeze is lifted. */
import type { Hono } from "hono";
import { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { closed, expected, text } from "../core/fields.ts";
import type { Freeze, FreezePlace } from "../core/model.ts";
import { SITE_ID } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { type AdminCaller, callerOf, forbidden, OPERATOR } from "../identity/rights.ts";
import { isOwnSite, managesAllSites } from "./site_rights.ts";
import { findSite } from "./sites.ts";

const place = {
  scope: z.enum(["site", "project", "all"], { error: expected("site, project or all") }),
  id: z.string().regex(SITE_ID, { error: expected("the id of a site or a project") }).nullish(),
};

/** What is frozen. */
export const freezeBody = closed({
  ...place,
  reason: text("why, in at most 200 characters", /^[^\p{Cc}]{1,200}$/u).nullish(),
});
/** What is lifted. */
export const liftBody = closed(place);

/** Those that the caller may lift, or that hold sites of the caller's. */
export async function listFreezes(
  { store }: Pick<AdminPorts, "store">,
  caller: AdminCaller,
): Promise<readonly Freeze[]> {
  const all = await store.freezes.list();
  return all.filter((one) => one.scope !== "site" || isOwnSite(caller, one.id));
}

/** Freezes it at once, for every instance within a second. Throws E_FORBIDDEN, E_NOT_FOUND, E_BAD_INPUT where it is so already. */
export async function freeze(
  ports: AdminPorts,
  caller: AdminCaller,
  { reason = null, ...given }: z.output<typeof freezeBody>,
): Promise<Freeze> {
  const where = await placeOf(ports, caller, given);
  const done = await ports.store.freezes.set({ ...where, by: caller.actor.token_name, reason });
  if (done === null) refuseAny([`${where.scope}: ${nameOf(where)} is frozen already; freeze lists what is`]);
  await ports.record(caller.actor, "freeze", { ...where, reason }, siteOf(where));
  return done!;
}

/** Lifts it. Throws E_FORBIDDEN, of what the master token froze for anybody else too; E_NOT_FOUND where it is not frozen. */
export async function lift(
  ports: AdminPorts,
  caller: AdminCaller,
  given: z.output<typeof liftBody>,
): Promise<Freeze> {
  const where = await placeOf(ports, caller, given);
  const held = (await ports.store.freezes.list()).find((one) =>
    one.scope === where.scope && one.id === where.id
  );
  if (caller.user !== null && held?.by === OPERATOR.token_name) {
    throw forbidden(`${nameOf(where)} was frozen with the master token, which alone lifts that`);
  }
  const done = await ports.store.freezes.lift(where);
  if (done === null) {
    throw new GatewayError(
      "E_NOT_FOUND",
      `There is no freeze of ${placeText(where)}; freeze lists those that there are`,
    );
  }
  await ports.record(caller.actor, "unfreeze", where, siteOf(where));
  return done;
}

const siteOf = ({ scope, id }: FreezePlace) => scope === "site" ? { site_id: id } : {};

/** What it is called in a sentence. */
export const placeText = ({ scope, id }: FreezePlace): string =>
  scope === "all" ? "every site" : `the ${scope} ${quoted(id)}`;
/** The same where the sentence begins with it. */
export const nameOf = (where: FreezePlace): string => {
  const text = placeText(where);
  return text.charAt(0).toUpperCase() + text.slice(1);
};

/** The place that is named, as far as the caller may freeze it. */
async function placeOf(
  ports: AdminPorts,
  caller: AdminCaller,
  { scope, id = null }: { readonly scope: FreezePlace["scope"]; readonly id?: string | null | undefined },
): Promise<FreezePlace> {
  if (scope !== "site" && !managesAllSites(caller)) {
    throw forbidden(`${scope}: that takes an admin of all sites, or the master token`);
  }
  if (scope === "all") {
    if (id !== null) refuseAny(["id: is left out with the scope all"]);
    return { scope, id: "*" };
  }
  if (id === null) throw new GatewayError("E_BAD_INPUT", `id: give the id of the ${scope}`);
  if (scope === "site" && isOwnSite(caller, id)) await findSite(id, ports);
  else if (scope === "site" || await ports.store.projects.get(id) === null) {
    throw new GatewayError("E_NOT_FOUND", `There is no ${scope} ${quoted(id)}`);
  }
  return { scope, id };
}

/** Adds the routes under /admin/api/freezes. */
export function freezeRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/freezes", async (c) => answer(c, { freezes: await listFreezes(ports, callerOf(c)) }));
  app.post("/admin/api/freezes", async (c) => {
    return answer(c, await freeze(ports, callerOf(c), checked(freezeBody, await jsonObject(c.req.raw))));
  });
  app.post("/admin/api/freezes/lift", async (c) => {
    return answer(c, await lift(ports, callerOf(c), checked(liftBody, await jsonObject(c.req.raw))));
  });
}
