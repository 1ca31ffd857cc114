/** What a person can grant a client, and what they chose of it: never more than their own. */
import { type GrantPolicy, OAUTH_LIMITS, type Tier, type User } from "../../core/model.ts";
import { underProjects } from "../../guard/consent/confirm.ts";
import { underCeiling } from "../../registry/ceiling.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { Store } from "../../store/store.ts";
import { sensitiveOf } from "./group_words.ts";

/** What there is to choose from. */
export interface Offer {
  readonly sites: readonly OfferedSite[];
  /** The projects of those sites. */
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  readonly groups: readonly { readonly name: string; readonly tools: readonly string[] }[];
  readonly ceilings: readonly { readonly risk: Tier; readonly meaning: string }[];
  readonly days: readonly number[];
  /** Whether what is granted of it may change what visitors get. */
  readonly publishes: boolean;
}

/** A site that can be chosen. */
export interface OfferedSite {
  readonly id: string;
  readonly name: string;
  readonly project_id: string | null;
  /** Whether a person approves each change there in any case, for the site or its project asks for it. */
  readonly human: boolean;
  /** Whether who chooses may approve there. */
  readonly approves: boolean;
}

/** What was chosen. */
export interface Choice {
  readonly sites: readonly string[];
  readonly groups: readonly string[];
  readonly max_risk: Tier;
  readonly days: number;
  readonly confirm_policy: GrantPolicy;
}

/** What a ceiling permits beyond those below it. Tier 4 is for super-admin tokens, which no client gets. */
const CEILINGS: readonly { readonly risk: Tier; readonly meaning: string }[] = [
  { risk: 0, meaning: "Read only" },
  { risk: 1, meaning: "Drafts only: what it makes waits until a person publishes it" },
  { risk: 2, meaning: "Also schedule, and write what takes effect without a person" },
  { risk: 3, meaning: "Also publish, on sites that allow it" },
];
const RISK_CHOSEN: Tier = 1;
/** From there on a change is what visitors get, at once or at its time. */
const RISK_LIVE: Tier = 2;

/** What choosing needs. */
export interface ChoicePorts {
  readonly store: Pick<Store, "sites" | "projects">;
  readonly catalog: Pick<Catalog, "entries">;
}

/** What that person may grant. */
export async function offerTo(user: User, { store, catalog }: ChoicePorts): Promise<Offer> {
  const has = (list: readonly string[], id: string) => list.includes("*") || list.includes(id);
  const own = (await store.sites.list()).filter(({ id }) => has(user.allowed_sites, id));
  const [sites, projects] = await Promise.all([underProjects(store.projects, own), store.projects.list()]);
  const used = new Set(own.map(({ project_id }) => project_id));
  const highest = Math.min(user.max_risk, CEILINGS.at(-1)!.risk) as Tier;
  const groups = new Map<string, string[]>();
  let publishes = false;
  for (const entry of catalog.entries()) {
    const left = underCeiling(entry, highest);
    if (left === null) continue;
    if (entry.offer && !sites.some(({ id }) => entry.offer!.sites.includes(id))) continue;
    groups.set(entry.group, [...groups.get(entry.group) ?? [], entry.name]);
    const { tier, raise } = left.manifest;
    publishes ||= Math.min(Math.max(tier, ...raise.map((one) => one.tier)), highest) >= RISK_LIVE;
  }
  return {
    projects: projects.filter(({ id }) => used.has(id)).map(({ id, name }) => ({ id, name })),
    sites: sites.map(({ id, name, project_id, confirm_policy }) => ({
      ...{ id, name, project_id },
      human: confirm_policy === "human",
      approves: has(user.approve_sites ?? [], id),
    })),
    groups: [...groups].map(([name, tools]) => ({ name, tools })),
    ceilings: CEILINGS.filter(({ risk }) => risk <= highest),
    days: OAUTH_LIMITS.GRANT_DAYS,
    publishes,
  };
}

/**
 * What is chosen before the person has: drafts only, of several sites none, no group that is sensitive, and a person for
 * each change where one could be public, or where `before`, the policy that this client was granted last, asks for it.
 */
export function firstChoice(
  { sites, groups, ceilings, publishes }: Offer,
  before: GrantPolicy | null,
): Choice {
  return {
    sites: sites.length === 1 ? sites.map(({ id }) => id) : [],
    groups: groups.map(({ name }) => name).filter((name) => sensitiveOf(name) === null),
    max_risk: Math.min(RISK_CHOSEN, ceilings.at(-1)!.risk) as Tier,
    days: OAUTH_LIMITS.GRANT_DAYS_DEFAULT,
    confirm_policy: publishes || before === "human" ? "human" : "preview",
  };
}

/** What a form says was chosen, with the sites that are ticked; what is not on offer is as if it had not been there. */
export function choiceIn(
  form: URLSearchParams,
  ticked: readonly string[],
  { sites, groups, ceilings, days }: Offer,
): Choice {
  const [risk, ends] = [form.get("max_risk"), form.get("days")];
  const ids = new Set(ticked);
  const named = (field: string, offered: readonly string[]) => {
    const ticked = new Set(form.getAll(field));
    return offered.filter((one) => ticked.has(one));
  };
  return {
    sites: sites.map(({ id }) => id).filter((id) => ids.has(id)),
    groups: named("groups", groups.map(({ name }) => name)),
    max_risk: ceilings.find((one) => String(one.risk) === risk)?.risk ?? 0,
    days: days.find((one) => String(one) === ends) ?? days[0]!,
    // A box: whatever is sent for it says that it was ticked.
    confirm_policy: form.has("confirm_policy") ? "human" : "preview",
  };
}

/** What is missing of a choice, or is too much, by field; nothing where it can be granted. */
export function missingOf(
  { sites, groups }: Choice,
  most: number,
): Readonly<Partial<Record<"sites" | "groups", string>>> {
  return {
    ...(sites.length === 0 && { sites: "Tick at least one site" }),
    ...(sites.length > most &&
      { sites: `At most ${most} sites can be granted, and these are ${sites.length}` }),
    ...(groups.length > 0 ? {} : { groups: "Tick at least one group of tools" }),
  };
}
