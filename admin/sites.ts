/** Sites: registered, listed, changed. Credentials go in and come out as presence only; nothing is sent upstream. */
import type { Context, Hono } from "hono";
import { GatewayError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { CREDENTIAL_KINDS, type PlatformKind, type Site } from "../model.ts";
import type { NewSite, SiteInput } from "../store/store.ts";
import { SITE_ID, siteBody, sitePatch } from "./bodies.ts";
import { answer, jsonObject } from "./exchange.ts";
import { checked, quoted, refuseAny } from "./faults.ts";
import type { AdminPorts } from "./ports.ts";
import { mayBePlain } from "./site_address.ts";

/** A site as it is shown. */
function siteView({ credentials, credentials_version: _, ...site }: Site) {
  return {
    ...site,
    credentials: Object.fromEntries(CREDENTIAL_KINDS.map((kind) => [kind, credentials.includes(kind)])),
  };
}

/** Adds the routes under /admin/api/sites. */
export function siteRoutes(app: Hono, ports: AdminPorts): void {
  const { sites } = ports.store;
  app.get("/admin/api/sites", async (c) => answer(c, { sites: (await sites.list()).map(siteView) }));
  app.get("/admin/api/sites/:id", async (c) => answer(c, siteView(await found(c, ports))));

  app.post("/admin/api/sites", async (c) => {
    const body = checked(siteBody, await jsonObject(c.req.raw));
    const input = { ...body, ...builders(body) };
    refuseAny(await siteFaults(input, { platform: body.platform }, ports));
    const site = await sites.create(input);
    if (site === null) refuseAny([`id: ${quoted(body.id)} is taken; change that site, or choose another id`]);
    return answer(c, { ...siteView(site!), warnings: await unboundUsers(body, ports) });
  });

  app.patch("/admin/api/sites/:id", async (c) => {
    const site = await found(c, ports);
    const body = await jsonObject(c.req.raw);
    for (const fixed of ["id", "platform"]) {
      if (fixed in body) refuseAny([`${fixed}: cannot be changed; register another site`]);
    }
    const patch = checked(sitePatch, body);
    if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
    refuseAny(await siteFaults(patch, site, ports));
    const changed = await sites.update(site.id, patch);
    if (changed === null) throw missing(site.id, []);
    return answer(c, { ...siteView(changed), warnings: await unboundUsers(patch, ports) });
  });
}

async function found(c: Context, ports: AdminPorts): Promise<Site> {
  const id = c.req.param("id") ?? "";
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

/** The builders of a new cms site: block unless told otherwise; where one is enabled, that one is the default. */
function builders(
  { platform, available_builders, default_builder }: NewSite,
): Pick<SiteInput, "available_builders" | "default_builder"> {
  if (platform !== "cms") return {};
  const available = available_builders ?? ["block"];
  const only = available.length === 1 ? available[0]! : null;
  return {
    available_builders: available,
    default_builder: default_builder === undefined ? only : default_builder,
  };
}

/** What stands of a site before the change; of a new one only its platform. */
type Before = { readonly platform: PlatformKind } & Partial<Site>;

/** What no single field tells: rules between fields, with what stands already, and with other records. */
async function siteFaults(input: SiteInput, before: Before, ports: AdminPorts): Promise<string[]> {
  const faults: string[] = [];
  const base_url = input.base_url === undefined ? before.base_url ?? null : input.base_url;
  if (before.platform === "crm" && base_url !== null) faults.push("base_url: a crm site has none; send null");
  if (before.platform === "cms" && base_url === null) faults.push("base_url is required for a cms site");
  if (base_url !== null && !mayBePlain(base_url, ports.privateUpstreams)) {
    faults.push(
      `base_url: expected an https address, got ${
        quoted(base_url)
      }; plain http is for loopback and for hosts listed in ALLOW_PRIVATE_UPSTREAMS`,
    );
  }
  if (before.platform !== "cms" && input.credentials?.cms) {
    faults.push("credentials.cms: only a cms site signs in with a user name and an application password");
  }
  const available = input.available_builders ?? before.available_builders ?? [];
  const builder = input.default_builder === undefined
    ? before.default_builder ?? null
    : input.default_builder;
  if (before.platform !== "cms" && (available.length > 0 || builder !== null)) {
    faults.push("available_builders: only a cms site has page builders");
  } else if (builder !== null && !available.includes(builder)) {
    const listed = available.length ? available.join(", ") : "empty";
    faults.push(`default_builder: ${quoted(builder)} is not among available_builders (${listed})`);
  }
  if (input.project_id && await ports.store.projects.get(input.project_id) === null) {
    faults.push(`project_id: no project ${quoted(input.project_id)}; make it first`);
  }
  return faults;
}

/** A warning for each bound account that is no known user. */
async function unboundUsers(input: SiteInput, ports: AdminPorts): Promise<string[]> {
  const warnings: string[] = [];
  for (const field of ["storage_user_id", "account_user_id", "social_ads_user_id"] as const) {
    const id = input[field];
    if (id && await ports.store.users.get(id) === null) {
      warnings.push(`${field}: no user ${quoted(id)} is known`);
    }
  }
  return warnings;
}
