/** Sites: registered, listed, changed, set up. Credentials go in and come out as presence only. */
import type { Context, Hono } from "hono";
import { z } from "zod";
import { GatewayError } from "../core/errors.ts";
import { closed, expected, text } from "../core/fields.ts";
import { nearest } from "../core/nearest.ts";
import type { Site } from "../core/model.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { SiteInput, SiteStore, SiteUpdate } from "../store/store.ts";
import { SITE_ID } from "./bodies.ts";
import { siteDifferences } from "./changes.ts";
import { policyOffers } from "./confirm_policy.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { AdminPorts } from "./ports.ts";
import { callerOf } from "../identity/rights.ts";
import { assertMayRegister, assertMaySet, closedAccounts, isOwnSite } from "./site_rights.ts";
import { mayBePlain, siteBodies, unreachable } from "./site_bodies.ts";

const setupBody = closed({
  name: text("a name of at most 200 characters", /^[^\p{Cc}]{1,200}$/u).optional(),
});

/** Connectors whose probe is asked although it costs what is scarce. */
const probeBody = closed({
  with: z.array(text("the name of a connector", /^[a-z][a-z0-9_]{0,63}$/), {
    error: expected("a list of names of connectors"),
  }).max(50).optional(),
});

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
  const bodies = siteBodies(connectors);
  const view = (site: Site) => siteView(site, connectors);
  app.get("/admin/api/sites", async (c) => {
    const shown = (await sites.list()).filter(({ id }) => isOwnSite(callerOf(c), id));
    return answer(c, { sites: shown.map(view) });
  });
  app.get("/admin/api/sites/:id", async (c) => answer(c, view(await found(c, ports))));

  app.post("/admin/api/sites", async (c) => {
    const body = checked(bodies.create, await jsonObject(c.req.raw));
    assertMayRegister(callerOf(c));
    await assertMaySet(callerOf(c), body, null, ports);
    const before = { ...connectors.blank(body), platform: body.platform, base_url: null } as unknown as Site;
    refuseAny(await siteFaults(body, before, ports));
    const site = await sites.create(body);
    if (site === null) refuseAny([`id: ${quoted(body.id)} is taken; change that site, or choose another id`]);
    const what = siteDifferences(null, site!);
    await ports.record(callerOf(c).actor, "site.create", what, { site_id: body.id });
    const warnings = [
      ...unreachable(body.base_url, ports.privateUpstreams),
      ...await unboundUsers(body, ports),
      ...policyOffers(site!),
    ];
    return answer(c, { ...view(site!), warnings });
  });

  app.patch("/admin/api/sites/:id", async (c) => {
    const site = await found(c, ports);
    const body = await jsonObject(c.req.raw);
    for (const fixed of ["id", "platform"]) {
      if (fixed in body) refuseAny([`${fixed}: cannot be changed; register another site`]);
    }
    const patch = checked(bodies.patch, body);
    await assertMaySet(callerOf(c), patch, site, ports);
    if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
    refuseAny(await siteFaults(patch, site, ports));
    const changed = await sites.update(site.id, patch);
    if (changed === null) throw missing(site.id, []);
    const what = siteDifferences(changed.before, changed.site, patch.credentials);
    await ports.record(callerOf(c).actor, "site.change", what, { site_id: site.id });
    const warnings = [
      ...dropped(changed, site),
      ...left(changed, patch, ports),
      ...unreachable(patch.base_url, ports.privateUpstreams),
      ...await unboundUsers(patch, ports),
      ...patch.flags || patch.confirm_policy ? policyOffers(changed.site) : [],
    ];
    return answer(c, { ...view(changed.site), warnings });
  });

  setupRoutes(app, ports);
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
  if (!isOwnSite(callerOf(c), id)) throw missing(id, []);
  return await findSite(id, ports);
}

/** The site of that id. Throws E_NOT_FOUND, with the nearest id there is. */
export async function findSite(id: string, ports: AdminPorts): Promise<Site> {
  const site = SITE_ID.test(id) ? await ports.store.sites.get(id) : null;
  if (site !== null) return site;
  throw missing(id, (await ports.store.sites.list()).map((one) => one.id));
}

function missing(id: string, known: readonly string[]): GatewayError {
  const near = nearest(id, known);
  return new GatewayError(
    "E_NOT_FOUND",
    `No site ${quoted(id)}${near === null ? "" : `, did you mean ${near}`}`,
  );
}

/** What no single field tells: rules between fields, with what is set already, and with other records. */
async function siteFaults(input: SiteInput, before: Site, ports: AdminPorts): Promise<string[]> {
  const faults: string[] = [];
  const { platform } = before;
  const own = ports.connectors.ofKind(platform);
  const base_url = input.base_url === undefined ? before.base_url : input.base_url;
  if (own?.address === "none" && base_url !== null) {
    faults.push(`base_url: a ${platform} site has none; send null`);
  }
  if (own?.address === "required" && base_url === null) {
    faults.push(`base_url is required for a ${platform} site`);
  }
  if (base_url !== null && !mayBePlain(base_url, ports.privateUpstreams)) {
    faults.push(
      `base_url: expected an https address, got ${
        quoted(base_url)
      }; plain http is for loopback and for hosts listed in ALLOW_PRIVATE_UPSTREAMS`,
    );
  }
  for (const [kind, { kinds, reason }] of ports.connectors.credentials) {
    const given = (input.credentials as Readonly<Record<string, unknown>> | undefined)?.[kind];
    if (given && kinds && !kinds.includes(platform)) {
      faults.push(`credentials.${kind}: ${reason ?? `only ${kinds.join(" and ")} sites have it`}`);
    }
  }
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  const after = { ...before, ...Object.fromEntries(fields) } as Site;
  faults.push(...ports.connectors.all.flatMap((one) => one.faults?.(after) ?? []));
  if (input.project_id && await ports.store.projects.get(input.project_id) === null) {
    faults.push(`project_id: no project ${quoted(input.project_id)}; make it first`);
  }
  return faults;
}

/** A warning for each credential that went with the address it belonged to. */
function dropped({ site, dropped }: SiteUpdate, { base_url }: Site): string[] {
  return dropped.map((kind) =>
    `credentials.${kind}: dropped, as they belong to ${
      URL.parse(base_url ?? "")?.origin ?? "another address"
    }; ` +
    (site.base_url === null ? "send them again with a new base_url" : `send them again for ${site.base_url}`)
  );
}

/** A warning for each credential that stays though the site is linked to something else: nobody can tell whose it is. */
function left(
  { before, site }: SiteUpdate,
  { credentials }: SiteInput,
  { connectors }: AdminPorts,
): string[] {
  return site.credentials.flatMap((kind) => {
    const of = connectors.credentials.get(kind)?.of;
    if (of === undefined) return [];
    const [was, is] = [before, site].map((one) => one[of as keyof Site]);
    const isSet = Object.hasOwn(credentials ?? {}, kind);
    if (isSet || typeof was !== "string" || typeof is !== "string" || was === is) return [];
    return [
      `credentials.${kind}: kept, and set for ${quoted(was)}; where ${
        quoted(is)
      } has another, set that, or what ` +
      `is asked with it is taken for ${quoted(is)}'s`,
    ];
  });
}

/** A warning for each bound account that is no known user, or one who has connected no account that works. */
async function unboundUsers(input: SiteInput, ports: AdminPorts): Promise<string[]> {
  const warnings: string[] = [];
  for (const [name, { user }] of ports.connectors.siteFields) {
    const id = (input as Readonly<Record<string, unknown>>)[name];
    if (!user || typeof id !== "string") continue;
    if (await ports.store.users.get(id) === null) {
      warnings.push(`${name}: no user ${quoted(id)} is known`);
      continue;
    }
    const account = ports.connectors.all.find(({ siteFields }) => Object.hasOwn(siteFields ?? {}, name))
      ?.account;
    if (!account?.connection) continue;
    const found = (await (await ports.connections()).list(id)).find(({ kind }) => kind === account.kind);
    if (found?.health === "active") continue;
    const state = found ? "must connect its account again" : "has connected no account";
    const way = `deno task admin connection start --user ${id} --kind ${account.kind}`;
    warnings.push(`${name}: user ${quoted(id)} ${state}: ${way}`);
  }
  return warnings;
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
