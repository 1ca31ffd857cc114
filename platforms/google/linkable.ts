/** What the account that a site is bound to reaches of Google's services, for who links the site (docs/upstreams/google.md). */
import { z } from "zod";
import { GatewayError } from "../../core/errors.ts";
import type { Linkable } from "../_connector/operator.ts";
import { developerHeader, STREAM } from "./ads.ts";
import { unbound } from "./links.ts";
import { CLIENTS_QUERY, CUSTOMER_QUERY, customerNumber, propertyNumber } from "./routes.ts";
import { type Asked, type GoogleContext, GoogleWire } from "./wire.ts";

/** As many as Google answers at most. */
const ACCOUNTS_PER_PAGE = 200;
/** The name of each customer, and the clients of each manager account, take a request. */
const NAMED_MAX = 50;
const MANAGERS_MAX = 25;
const ACCESS = "the connected account needs access to what is to be linked";

const text = z.string().nullish();
/** A page of accounts with their properties; what is not named here is dropped. */
const SUMMARIES = z.object({
  accountSummaries: z.array(z.object({
    displayName: text,
    propertySummaries: z.array(z.object({ property: z.string(), displayName: text, propertyType: text }))
      .nullish(),
  })).nullish(),
  nextPageToken: text,
});
/** The properties of Search Console. */
export const SITES = z.object({
  siteEntry: z.array(z.object({ siteUrl: z.string(), permissionLevel: text })).nullish(),
});
const ACCESSIBLE = z.object({ resourceNames: z.array(z.string()).nullish() });
const CUSTOMER = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  descriptiveName: text,
  manager: z.boolean().nullish(),
  status: text,
});
type Customer = z.output<typeof CUSTOMER>;

/** The way to a service. Throws E_ANALYTICS_ACCOUNT_NOT_LINKED where account_user_id binds nobody. */
function wireOf(ctx: GoogleContext, service: "analytics" | "search" | "ads"): GoogleWire {
  if (ctx.site?.account_user_id) return new GoogleWire(ctx, service, ACCESS);
  throw unbound(ctx.site);
}

/** Properties of Google Analytics, those of an account together. Throws what `GoogleWire` does. */
export async function* properties(ctx: GoogleContext): AsyncGenerator<readonly Linkable[]> {
  const wire = wireOf(ctx, "analytics");
  let token = "";
  do {
    const url = new URL(`${ctx.settings.ANALYTICS_ADMIN_API_BASE}/accountSummaries`);
    url.searchParams.set("pageSize", String(ACCOUNTS_PER_PAGE));
    if (token !== "") url.searchParams.set("pageToken", token);
    const page = await wire.read(SUMMARIES, { method: "GET", url: url.href, effect: "read" });
    token = page.nextPageToken ?? "";
    yield (page.accountSummaries ?? []).flatMap(({ displayName: within, propertySummaries }) =>
      (propertySummaries ?? []).map(({ property, displayName, propertyType }) => ({
        id: propertyNumber(property),
        name: displayName || null,
        within: within || null,
        ...NOTES[propertyType ?? ""],
      }))
    );
  } while (token !== "");
}

/** Of properties that hold what others hold too, by their type. */
const NOTES: Readonly<Record<string, { readonly note: string }>> = {
  PROPERTY_TYPE_SUBPROPERTY: { note: "a subproperty: a part of another property" },
  PROPERTY_TYPE_ROLLUP: { note: "a roll-up property: the figures of several properties" },
};

/** Properties of Search Console; there is one page. Throws what `GoogleWire` does. */
export async function* searchSites(ctx: GoogleContext): AsyncGenerator<readonly Linkable[]> {
  const wire = wireOf(ctx, "search");
  const url = `${ctx.settings.SEARCH_API_BASE}/sites`;
  const { siteEntry } = await wire.read(SITES, { method: "GET", url, effect: "read" });
  yield (siteEntry ?? []).map(({ siteUrl, permissionLevel }) => ({
    id: siteUrl,
    name: siteUrl,
    ...permissionLevel === "siteUnverifiedUser"
      ? { note: "the account is not verified for it, so Google shows it no figures" }
      : {},
  }));
}

/**
 * Customers of Google Ads: those that the person was given access to, then those below manager accounts among them, the
 * one that the site uses first. Throws E_MISSING_SECRET, and what `GoogleWire` does.
 */
export async function* customers(ctx: GoogleContext): AsyncGenerator<readonly Linkable[]> {
  const wire = wireOf(ctx, "ads");
  const { ADS_API_BASE, ADS_DEVELOPER_TOKEN: developer } = ctx.settings;
  if (!developer) {
    throw new GatewayError(
      "E_MISSING_SECRET",
      "Google Ads cannot be asked: ADS_DEVELOPER_TOKEN is not set; the gateway's operator sets it to none, as Google's " +
        "developer tokens ended on 2026-09-09",
    );
  }
  const headers = developerHeader(developer);
  const url = `${ADS_API_BASE}/customers:listAccessibleCustomers`;
  const { resourceNames } = await wire.read(ACCESSIBLE, { method: "GET", url, headers, effect: "read" });
  const ids = (resourceNames ?? []).map((name) => name.slice(name.lastIndexOf("/") + 1));
  const managers: Customer[] = [];
  for (const [at, id] of ids.slice(0, NAMED_MAX).entries()) {
    try {
      const found = (await rowsOf(wire, id, CUSTOMER_QUERY, "customer")).find((one) => one.id === id);
      if (found?.manager) managers.push(found);
      yield [direct(id, found)];
    } catch (thrown) {
      if (!isOfOne(thrown)) {
        yield ids.slice(at).map((rest) => direct(rest));
        throw thrown;
      }
      yield [{ ...direct(id), note: `its name cannot be read: ${thrown.message}` }];
    }
  }
  const note = `only the first ${NAMED_MAX} are asked for their name, and for clients of theirs`;
  yield ids.slice(NAMED_MAX).map((id) => ({ ...direct(id), note }));
  yield* clientsOf(wire, managers);
}

async function* clientsOf(
  wire: GoogleWire,
  managers: readonly Customer[],
): AsyncGenerator<readonly Linkable[]> {
  const now = customerNumber(wire.ctx.site?.ads_login_customer_id ?? "");
  const some = [...managers].sort((a, b) => Number(b.id === now) - Number(a.id === now));
  for (const manager of some.slice(0, MANAGERS_MAX)) {
    const found = await rowsOf(wire, manager.id, CLIENTS_QUERY, "customerClient");
    yield found.filter(({ id }) => id !== manager.id).map((one) => ({
      ...direct(one.id, one),
      within: manager.descriptiveName || manager.id,
      also: { ads_login_customer_id: manager.id },
    }));
  }
  if (some.length <= MANAGERS_MAX) return;
  throw new GatewayError(
    "E_UPSTREAM",
    `The clients of ${
      some.length - MANAGERS_MAX
    } more manager accounts are not listed; to link one of them, set ` +
      "ads_customer_id and ads_login_customer_id",
  );
}

/** A customer that needs no manager account to be reached. */
function direct(id: string, found?: Customer): Linkable {
  const status = found?.status && found.status !== "ENABLED" ? `its status is ${found.status}` : null;
  const note = found?.manager
    ? "a manager account, which has no ads of its own: choose one of its clients"
    : status;
  return {
    id,
    name: found?.descriptiveName || null,
    also: { ads_login_customer_id: null },
    ...note === null ? {} : { note },
  };
}

async function rowsOf(
  wire: GoogleWire,
  id: string,
  query: string,
  resource: "customer" | "customerClient",
): Promise<Customer[]> {
  const { ADS_API_BASE, ADS_DEVELOPER_TOKEN } = wire.ctx.settings;
  const asked: Asked = {
    method: "POST",
    url: `${ADS_API_BASE}/customers/${id}/googleAds:searchStream`,
    headers: developerHeader(ADS_DEVELOPER_TOKEN),
    json: { query },
    effect: "read",
  };
  const rows = (await wire.read(STREAM, asked)).flatMap(({ results }) => results ?? []);
  return rows.flatMap((row) => CUSTOMER.safeParse(row[resource]).data ?? []);
}

/** Whether a refusal is about that customer alone: one that was closed, one that the developer token does not open. */
const isOfOne = (thrown: unknown): thrown is GatewayError =>
  thrown instanceof GatewayError && thrown.code === "E_UPSTREAM" &&
  [400, 403, 404].includes(thrown.upstream ?? 0);
