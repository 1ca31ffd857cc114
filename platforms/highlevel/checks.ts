/** The checks of diagnose_site on a CRM: the location, and what the integration token may read of it. */
import { type Check, fail, pass, type Probe, probe, unknown, withDeadline } from "../_connector/checks.ts";
import type { Configured, SiteContext } from "../_connector/connector.ts";
import { each } from "./budget.ts";
import { crmOf } from "./client.ts";
import { lacksPermission } from "./refused_what.ts";
import { ROUTES } from "./routes.ts";
import type { CrmSettings, Question } from "./wire.ts";

/** A question for each permission that can be asked for without knowing more than the location. */
const ASKED: readonly Question[] = [
  { route: "submissions", query: { limit: 1, page: 1 } },
  { route: "funnels", query: { limit: 1, offset: 0 } },
  { route: "workflows" },
  { route: "campaigns" },
  { route: "pipelines" },
  { route: "calendars" },
  { route: "conversations", query: { limit: 1 } },
  { route: "exported", query: { limit: 10 } },
  { route: "contacts", json: { pageLimit: 1, page: 1 } },
  { route: "tags" },
  { route: "custom_fields", query: { model: "contact" } },
  { route: "invoices", query: { altType: "location", limit: 1, offset: 0 } },
  { route: "payments", query: { altType: "location", limit: 1, offset: 0 } },
];

/** The checks of a location, within that many milliseconds; `assertConfigured` refuses a site that is linked to none. */
export async function locationChecks(
  ctx: SiteContext<CrmSettings>,
  limitMs: number,
  assertConfigured: (configured: Configured<CrmSettings>) => void,
): Promise<Check[]> {
  const linked = await probe(() => Promise.resolve(assertConfigured(ctx)));
  if (linked.error) {
    return [
      fail("crm_location", linked.error.message, "Set what is missing, then diagnose again"),
      unknown("crm_permissions", "Not asked: no location is linked", "Repair crm_location first"),
    ];
  }
  const client = crmOf(withDeadline(ctx, ctx.now() + limitMs));
  const [location, ...rest] = await each<Question | null, Probe<unknown>>(
    [null, ...ASKED],
    (one) => probe<unknown>(() => one === null ? client.check() : client.probe(one)),
  );
  return [locationCheck(ctx.site.crm_location_id, location!), permissionCheck(rest)];
}

function locationCheck(id: string | null, { error }: Probe<unknown>): Check {
  const name = "crm_location";
  if (!error) return pass(name, `The CRM answers, and has the location "${id}"`);
  const upstream = error.upstream ?? 0;
  return upstream >= 400 && upstream < 500 && upstream !== 429
    ? fail(name, error.message, "Check crm_location_id and the integration token, then diagnose again")
    : unknown(name, error.message, "Diagnose again");
}

function permissionCheck(probes: readonly Probe<unknown>[]): Check {
  const name = "crm_permissions";
  const lacking = probes.flatMap(({ error }, at) =>
    lacksPermission(error) ? [ROUTES[ASKED[at]!.route].permission] : []
  );
  if (lacking.length > 0) {
    return fail(
      name,
      `The integration token lacks ${lacking.join(", ")}`,
      "Add these permissions to the private integration in the CRM",
    );
  }
  const failed = probes.find(({ error }) => error !== undefined)?.error;
  return failed
    ? unknown(name, failed.message, "Repair crm_location first, then diagnose again")
    : pass(name, `The integration token may read all ${ASKED.length} kinds of data that were tried`);
}
