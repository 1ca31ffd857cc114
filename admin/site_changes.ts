/** How a site is registered and changed, whoever orders it and by which way: the API, the command line, a page. */
import { GatewayError } from "../core/errors.ts";
import { checked, quoted, refuseAny } from "../core/faults.ts";
import type { Site } from "../core/model.ts";
import { nearest } from "../core/nearest.ts";
import type { AdminCaller } from "../identity/rights.ts";
import type { Connectors } from "../registry/connectors.ts";
import type { SiteInput, SiteUpdate } from "../store/store.ts";
import { siteDifferences } from "./changes.ts";
import { approverGaps, policyOffers } from "./confirm_policy.ts";
import { withUserIds } from "./named_user.ts";
import type { AdminPorts } from "./ports.ts";
import { mayBePlain, type SiteBodies, siteBodies, unreachable } from "./site_bodies.ts";
import { assertMayRegister, assertMaySet } from "./site_rights.ts";

/** A site as it stands now, and what whoever ordered that is to know of it. */
export interface SavedSite {
  readonly site: Site;
  readonly warnings: readonly string[];
}

/** The last pass of a removal begins at the next full minute, and takes moments. */
const SETTLE_STEP_MS = 2 * 60_000;

const MADE = new WeakMap<Connectors, SiteBodies>();

/** The two bodies, made once for a set of connectors. */
function bodiesOf(connectors: Connectors): SiteBodies {
  const made = MADE.get(connectors) ?? siteBodies(connectors);
  MADE.set(connectors, made);
  return made;
}

/** Registers a site; sends nothing. Throws E_BAD_INPUT with every fault, and E_FORBIDDEN for what is not the caller's to set. */
export async function registerSite(
  ports: AdminPorts,
  caller: AdminCaller,
  given: object,
): Promise<SavedSite> {
  const { connectors, store: { sites } } = ports;
  const body = checked(bodiesOf(connectors).create, await withUserIds(ports, caller, given));
  assertMayRegister(caller);
  await assertMaySet(caller, body, null, ports);
  const before = { ...connectors.blank(body), platform: body.platform, base_url: null } as unknown as Site;
  refuseAny(await siteFaults(body, before, ports));
  refuseAny(await settling(body.id, ports));
  const site = await sites.create(body);
  if (site === null) refuseAny([`id: ${quoted(body.id)} is taken; change that site, or choose another id`]);
  await ports.record(caller.actor, "site.create", siteDifferences(null, site!), { site_id: body.id });
  const warnings = [
    ...unreachable(body.base_url, ports.privateUpstreams),
    ...await unboundUsers(body, ports),
    ...policyOffers(site!),
    ...approverGaps(site!, await ports.store.users.list()),
  ];
  return { site: site!, warnings };
}

/** A site of that id that goes takes what has it until its last pass, a new site too. */
async function settling(id: string, { erasing, now }: AdminPorts): Promise<string[]> {
  const at = await erasing.settlesAt("site", id);
  if (at === null) return [];
  const from = new Date(Math.max(at, now()) + SETTLE_STEP_MS).toISOString();
  return [
    `id: what is left of the site ${
      quoted(id)
    }, which was removed, goes until ${from}; register it then, or choose another id`,
  ];
}

/**
 * Changes what the body names of a site; sends nothing. `judge` is shown the record that would be changed, and keeps it as
 * it is by throwing. Throws as `registerSite` does, and E_NOT_FOUND where the site is gone meanwhile.
 */
export async function changeSite(
  ports: AdminPorts,
  caller: AdminCaller,
  site: Site,
  given: object,
  judge?: (stored: Site) => void,
): Promise<SavedSite> {
  for (const fixed of ["id", "platform"]) {
    if (fixed in given) refuseAny([`${fixed}: cannot be changed; register another site`]);
  }
  const patch = checked(bodiesOf(ports.connectors).patch, await withUserIds(ports, caller, given));
  await assertMaySet(caller, patch, site, ports);
  if (Object.keys(patch).length === 0) refuseAny(["The body: names nothing to change"]);
  refuseAny(await siteFaults(patch, site, ports));
  const changed = await ports.store.sites.update(site.id, patch, judge);
  if (changed === null) throw missingSite(site.id, []);
  const what = siteDifferences(changed.before, changed.site, patch.credentials);
  await ports.record(caller.actor, "site.change", what, { site_id: site.id });
  const warnings = [
    ...dropped(changed, site),
    ...left(changed, patch, ports),
    ...unreachable(patch.base_url, ports.privateUpstreams),
    ...await unboundUsers(patch, ports),
    ...patch.flags || patch.confirm_policy ? policyOffers(changed.site) : [],
    ...patch.confirm_policy || patch.four_eyes !== undefined
      ? approverGaps(changed.site, await ports.store.users.list())
      : [],
  ];
  return { site: changed.site, warnings };
}

/** What is said where there is no such site; the nearest of those known is offered. */
export function missingSite(id: string, known: readonly string[]): GatewayError {
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
