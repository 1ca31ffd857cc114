/** Sites: registered, listed, changed, set up. Credentials go in and come out as presence only. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { closed, expected, text } from "../core/fields.ts";
import { nearest } from "../core/nearest.ts";
import type { Site } from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { SiteStore } from "../store/store.ts";
import { SITE_ID } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refused } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf } from "../identity/rights.ts";
import { changeSite, missingSite, registerSite } from "./site_changes.ts";
import { closedAccounts, isOwnSite } from "./site_rights.ts";

const setupBody = closed({
  name: text("a name of at most 200 characters", /^[^\p{Cc}]{1,200}$/u).optional(),
});

/** Connectors whose probe is asked although it costs what is scarce. */
const probeBody = closed({
  with: z.array(text("the name of a connector", /^[a-z][a-z0-9_]{0,63}$/), {
    error: expected("a list of names of connectors"),
  }).max(50).optional(),
});

/** POST /admin/api/sites/{id}/remove */
const removeBody = closed({ confirm: text("the site's id again", SITE_ID).optional() });

/** How a site's companion plugin shows a code. */
const pairBody = closed({
  code: text("a code of the plugin's page, such as ABCD-EFGH", /^[A-Za-z0-9]{4}-?[A-Za-z0-9]{4}$/).optional(),
});

/** A site as it is shown. */
function siteView({ credentials, credentials_version: _, ...site }: Site, connectors: Connectors) {
  const held: readonly string[] = credentials;
  return {
    ...site,
    credentials: Object.fromEntries(
      [...connectors.credentials.keys()].map((kind) => [kind, held.includes(kind)]),
    ),
  };
}

/** Adds the routes under /admin/api/sites. */
export function siteRoutes(app: Hono, ports: AdminPorts): void {
  const { connectors, store: { sites } } = ports;
  const view = (site: Site) => siteView(site, connectors);
  app.get("/admin/api/sites", async (c) => {
    const shown = (await sites.list()).filter(({ id }) => isOwnSite(callerOf(c), id));
    return answer(c, { sites: shown.map(view) });
  });
  app.get("/admin/api/sites/:id", async (c) => answer(c, view(await found(c, ports))));

  app.post("/admin/api/sites", async (c) => {
    const { site, warnings } = await registerSite(ports, callerOf(c), await jsonObject(c.req.raw));
    return answer(c, { ...view(site), warnings });
  });

  app.patch("/admin/api/sites/:id", async (c) => {
    const before = await found(c, ports);
    const { site, warnings } = await changeSite(ports, callerOf(c), before, await jsonObject(c.req.raw));
    return answer(c, { ...view(site), warnings });
  });

  app.post("/admin/api/sites/:id/remove", async (c) => {
    const { id } = await found(c, ports);
    const { confirm } = checked(removeBody, await jsonObject(c.req.raw));
    return answer(c, await removeSite(id, confirm, ports));
  });

  setupRoutes(app, ports);
}

/**
 * Shows what removing a site would take, and removes it where `confirm` is its id: the record and all that is kept for it
 * go, the audit's rows stay until their time is over, and nothing is sent to the site. Throws E_BUSY while an erasure runs.
 */
async function removeSite(id: string, confirm: string | undefined, { erasing }: AdminPorts): Promise<object> {
  if (confirm !== undefined && confirm !== id) {
    throw refused([`confirm: expected ${quoted(id)} again, as it is written there`]);
  }
  const keepsRows = true;
  const report = confirm === undefined
    ? await erasing.preview("site", id, { keepsRows })
    : await erasing.erase("site", id, { keepsRows });
  if (report === null) throw missingSite(id, []);
  return { ...report, ...confirm === undefined ? { needs_confirmation: true } : {} };
}

/** What an upstream is asked for a site: to make something, what there is to link, a key. */
function setupRoutes(app: Hono, ports: AdminPorts): void {
  app.post("/admin/api/sites/:id/setup/:what", async (c) => {
    const site = await found(c, ports);
    const { name } = checked(setupBody, await jsonObject(c.req.raw));
    return answer(c, await ports.setUp(site, c.req.param("what"), name ?? site.name));
  });

  app.get("/admin/api/sites/:id/linkable", async (c) => {
    const site = await found(c, ports);
    const closed = await closedAccounts(callerOf(c), site, ports);
    return answer(c, await ports.linkable({ site, by: callerOf(c).actor, closed }));
  });

  app.post("/admin/api/sites/:id/probe", async (c) => {
    const site = await found(c, ports);
    const { with: costly = [] } = checked(probeBody, await jsonObject(c.req.raw));
    return answer(c, await ports.probe({ site, by: callerOf(c).actor, costly }));
  });

  app.post("/admin/api/sites/:id/pair", async (c) => {
    const site = await found(c, ports);
    const { code } = checked(pairBody, await jsonObject(c.req.raw));
    return answer(c, await ports.pair(site, callerOf(c).actor, code?.toUpperCase()));
  });
}

async function found(c: Context, ports: AdminPorts): Promise<Site> {
  const id = c.req.param("id") ?? "";
  // Of the sites that are not an admin's own, nothing is said, not even a name.
  if (!isOwnSite(callerOf(c), id)) throw missingSite(id, []);
  return await findSite(id, ports);
}

/** The site of that id. Throws E_NOT_FOUND, with the nearest id there is. */
export async function findSite(id: string, ports: AdminPorts): Promise<Site> {
  const site = SITE_ID.test(id) ? await ports.store.sites.get(id) : null;
  if (site !== null) return site;
  throw missingSite(id, (await ports.store.sites.list()).map((one) => one.id));
}

/** A sentence for each site of `allowed_sites` that is not registered. */
export async function unknownSites(sites: readonly string[], store: SiteStore): Promise<string[]> {
  if (sites.includes("*")) return [];
  const known = (await store.list()).map((site) => site.id);
  return sites.filter((site) => !known.includes(site)).map((site) => {
    const near = nearest(site, known);
    return `allowed_sites: no site ${quoted(site)}${
      near === null ? "; register it first" : `, did you mean ${near}`
    }`;
  });
}
