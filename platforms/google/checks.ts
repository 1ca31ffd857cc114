/** The checks of diagnose_site on the Google account that a site is bound to: each linked service answers for the site. */
import type { Site } from "../../core/model.ts";
import { type Check, fail, pass, type Probe, probe, unknown, withDeadline } from "../_connector/checks.ts";
import type { Diagnosis } from "../_connector/connector.ts";
import type { Google } from "./client.ts";
import { type ServiceName, SERVICES } from "./services.ts";
import type { GoogleContext } from "./wire.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** A small read of each service that a site is linked to. */
function readsOf(client: Google, site: Site, now: number): [ServiceName, () => Promise<unknown>][] {
  const yesterday = new Date(now - DAY_MS).toISOString().slice(0, 10);
  const days = { start_date: yesterday, end_date: yesterday };
  const { analytics_property_id, search_site_url, ads_customer_id, storage_folder_id, storage_user_id } =
    site;
  return [
    ...analytics_property_id
      ? [["analytics", () => client.analytics.report({ ...days, metrics: ["sessions"], limit: 1 })] as const]
      : [],
    ...search_site_url
      ? [["search", () => client.search.query({ ...days, dimensions: [], row_limit: 1 })] as const]
      : [],
    ...ads_customer_id
      ? [["ads", () => client.ads.search("SELECT customer.id FROM customer LIMIT 1", 1)] as const]
      : [],
    ...storage_folder_id && storage_user_id ? [["storage", () => client.storage.folder()] as const] : [],
  ].map(([name, read]) => [name, read]);
}

/** Whether an answer is a refusal that trying again does not help. */
const isLasting = ({ error }: Probe<unknown>) => {
  const status = error?.code === "E_UPSTREAM" ? error.upstream ?? 500 : 400;
  return status < 500 && status !== 429;
};

async function accountCheck(ctx: GoogleContext, limitMs: number): Promise<readonly Check[]> {
  const { site } = ctx;
  const name = "google_account";
  if (!site?.account_user_id && !site?.storage_user_id) {
    return [
      unknown(
        name,
        "No Google account is bound to the site",
        `If it is wanted: deno task admin site update ${site?.id} --account-user-id …, once that user has connected one`,
      ),
    ];
  }
  const { Google } = await import("./client.ts");
  const reads = readsOf(new Google(withDeadline(ctx, ctx.now() + limitMs)), site, ctx.now());
  if (reads.length === 0) {
    return [
      unknown(
        name,
        "An account is bound, and nothing of it is linked to the site",
        "Set analytics_property_id, search_site_url, ads_customer_id or a storage folder, whichever is wanted",
      ),
    ];
  }
  const found = await Promise.all(reads.map(async ([service, read]) => ({ service, ...await probe(read) })));
  const wrong = found.filter(({ error }) => error);
  const names = (some: readonly { service: ServiceName }[]) =>
    some.map(({ service }) => SERVICES[service].name).join(", ");
  if (wrong.length === 0) return [pass(name, `The account answers for the site: ${names(found)}`)];
  const detail = `Of ${names(found)}, these do not answer for the site: ${
    wrong.map(({ error }) => error!.message).join("; ")
  }`;
  const next = "Follow what it says, then diagnose again";
  return [
    wrong.some((one) => isLasting(one as Probe<unknown>))
      ? fail(name, detail, next)
      : unknown(name, detail, next),
  ];
}

/** Of every kind of site: whether the account answers. */
export const ACCOUNT: Diagnosis<GoogleContext> = { names: ["google_account"], run: accountCheck };

/** Of sites with a folder whether it can be reached; of a CRM's sites also that there is none. */
export const STORAGE_FOLDER: Diagnosis<GoogleContext> = {
  names: ["storage_folder"],
  async run(ctx, limitMs) {
    const name = "storage_folder";
    const { site } = ctx;
    if (!site?.storage_folder_id) {
      if (site?.platform !== "crm") return [];
      const way = `deno task admin site storage-folder ${site?.id}, once storage_user_id is set`;
      return [fail(name, "No storage folder is linked", way)];
    }
    const { Google } = await import("./client.ts");
    const asked = await probe(() => new Google(withDeadline(ctx, ctx.now() + limitMs)).storage.folder());
    if (!asked.error) return [pass(name, `The folder "${asked.found.name}" can be reached`)];
    const { message } = asked.error;
    return [
      isLasting(asked)
        ? fail(name, message, "Follow what it says, then diagnose again")
        : unknown(name, message, "Diagnose again"),
    ];
  },
};
