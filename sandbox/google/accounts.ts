/** What an account of the stand-in can reach, as the pages of docs/upstreams/google.md, "What a site could be linked to", show it. */
import { invalid } from "./refusal.ts";
import type { Holder, World } from "./world.ts";

const TOKEN = "page-";

/** A page of accounts with their properties, as the Admin API shows them. */
export function accountSummaries(
  { properties }: World,
  { account }: Holder,
  most: number,
  pageToken = `${TOKEN}0`,
): object {
  const from = Number(pageToken.slice(TOKEN.length));
  if (!pageToken.startsWith(TOKEN) || !Number.isInteger(from)) throw invalid("The page token is invalid.");
  const seen = [...properties].filter(([, { readers }]) => readers.has(account));
  const accounts = [...Map.groupBy(seen, ([, { parent = "100" }]) => parent)];
  const accountSummaries = accounts.slice(from, from + most).map(([id, own]) => ({
    name: `accountSummaries/${id}`,
    account: `accounts/${id}`,
    displayName: own[0]![1].parentName ?? "Agency",
    propertySummaries: own.map(([number, { name, type = "PROPERTY_TYPE_ORDINARY" }]) => ({
      property: `properties/${number}`,
      displayName: name ?? `Property ${number}`,
      propertyType: type,
      parent: `accounts/${id}`,
    })),
  }));
  return {
    ...accountSummaries.length > 0 ? { accountSummaries } : {},
    ...from + most < accounts.length ? { nextPageToken: `${TOKEN}${from + most}` } : {},
  };
}

/** The properties of Search Console, those that are not verified too; without any the list is left out. */
export function searchSites({ searchSites }: World, { account }: Holder): object {
  const siteEntry = [...searchSites].filter(([, { readers }]) => readers.has(account))
    .map(([siteUrl, { level = "siteOwner" }]) => ({ siteUrl, permissionLevel: level }));
  return siteEntry.length > 0 ? { siteEntry } : {};
}

/** The customers that the account was given access to itself; none below a manager account. */
export function accessibleCustomers({ customers }: World, { account }: Holder): object {
  const own = [...customers].filter(([, { readers, manager }]) => readers.has(account) && manager === null);
  return own.length > 0 ? { resourceNames: own.map(([id]) => `customers/${id}`) } : {};
}
