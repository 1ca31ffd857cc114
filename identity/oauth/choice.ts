/** What a person can grant a client, and what they chose of it: never more than their own. */
import { OAUTH_LIMITS, type Tier, type User } from "../../core/model.ts";
import { underCeiling } from "../../registry/ceiling.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { Store } from "../../store/store.ts";

/** What there is to choose from. */
export interface Offer {
  readonly sites: readonly { readonly id: string; readonly name: string }[];
  readonly groups: readonly { readonly name: string; readonly tools: readonly string[] }[];
  readonly ceilings: readonly { readonly risk: Tier; readonly meaning: string }[];
  readonly days: readonly number[];
}

/** What was chosen. */
export interface Choice {
  readonly sites: readonly string[];
  readonly groups: readonly string[];
  readonly max_risk: Tier;
  readonly days: number;
}

/** What a ceiling permits beyond those below it. Tier 4 is for super-admin tokens, which no client gets. */
const CEILINGS: readonly { readonly risk: Tier; readonly meaning: string }[] = [
  { risk: 0, meaning: "Read only" },
  { risk: 1, meaning: "Drafts only: what it makes waits until a person publishes it" },
  { risk: 2, meaning: "Also schedule, and write what takes effect without a person" },
  { risk: 3, meaning: "Also publish, on sites that allow it" },
];
const RISK_CHOSEN: Tier = 1;

/** What choosing needs. */
export interface ChoicePorts {
  readonly store: Pick<Store, "sites">;
  readonly catalog: Pick<Catalog, "entries">;
}

/** What that person may grant. */
export async function offerTo(user: User, { store, catalog }: ChoicePorts): Promise<Offer> {
  const all = user.allowed_sites.includes("*");
  const sites = (await store.sites.list()).filter(({ id }) => all || user.allowed_sites.includes(id));
  const highest = Math.min(user.max_risk, CEILINGS.at(-1)!.risk) as Tier;
  const groups = new Map<string, string[]>();
  for (const entry of catalog.entries()) {
    if (underCeiling(entry, highest) === null) continue;
    if (entry.offer && !sites.some(({ id }) => entry.offer!.sites.includes(id))) continue;
    groups.set(entry.group, [...groups.get(entry.group) ?? [], entry.name]);
  }
  return {
    sites: sites.map(({ id, name }) => ({ id, name })),
    groups: [...groups].map(([name, tools]) => ({ name, tools })),
    ceilings: CEILINGS.filter(({ risk }) => risk <= highest),
    days: OAUTH_LIMITS.GRANT_DAYS,
  };
}

/** What is chosen before the person has: drafts only, and of several sites none. */
export function firstChoice({ sites, groups, ceilings }: Offer): Choice {
  return {
    sites: sites.length === 1 ? sites.map(({ id }) => id) : [],
    groups: groups.map(({ name }) => name),
    max_risk: Math.min(RISK_CHOSEN, ceilings.at(-1)!.risk) as Tier,
    days: OAUTH_LIMITS.GRANT_DAYS_DEFAULT,
  };
}

/** What a form says was chosen; what is not on offer is as if it had not been there. */
export function choiceIn(form: URLSearchParams, { sites, groups, ceilings, days }: Offer): Choice {
  const [risk, ends] = [form.get("max_risk"), form.get("days")];
  const named = (field: string, offered: readonly string[]) => {
    const ticked = new Set(form.getAll(field));
    return offered.filter((one) => ticked.has(one));
  };
  return {
    sites: named("sites", sites.map(({ id }) => id)),
    groups: named("groups", groups.map(({ name }) => name)),
    max_risk: ceilings.find((one) => String(one.risk) === risk)?.risk ?? 0,
    days: days.find((one) => String(one) === ends) ?? days[0]!,
  };
}

/** What is missing of a choice, by field; nothing where it can be granted. */
export function missingOf({ sites, groups }: Choice): Readonly<Partial<Record<"sites" | "groups", string>>> {
  return {
    ...(sites.length > 0 ? {} : { sites: "Tick at least one site" }),
    ...(groups.length > 0 ? {} : { groups: "Tick at least one group of tools" }),
  };
}
