/** HighLevel, a CRM: a site of the kind is one location, or any site has one; only read. */
import { GatewayError } from "../../core/errors.ts";
import { text } from "../../core/fields.ts";
import { FLAGS, type Site } from "../../core/model.ts";
import { flagChecks } from "../_connector/checks.ts";
import { type Configured, connector, type SiteContext } from "../_connector/connector.ts";
import { base, idField } from "../_connector/settings.ts";
import { refusalOf, TOOL_SERVER_URL } from "./routes.ts";
import type { CrmSettings } from "./wire.ts";

const TOKEN_CHARACTERS_MAX = 4096;

/** Of a CRM's own sites it is said that there is no location, of others only what is wrong with a link that was begun. */
const isDiagnosed = ({ platform, crm_location_id, credentials }: Site) =>
  platform === "crm" || crm_location_id !== null || credentials.includes("crm");

/** Throws E_CRM_SITE_NOT_LINKED. */
function assertConfigured({ site }: Configured<CrmSettings>): void {
  const missing = [
    site?.crm_location_id ? [] : ["crm_location_id"],
    site?.credentials.includes("crm") ? [] : ["integration token"],
  ].flat();
  if (missing.length === 0) return;
  throw new GatewayError(
    "E_CRM_SITE_NOT_LINKED",
    `Site "${site?.id}" is linked to no CRM location: it has no ${
      missing.join(" and no ")
    }; its operator can set what ` +
      `is missing with deno task admin site update ${site?.id} --crm-location-id <id> --crm-token-stdin`,
  );
}

// What reaches a location is large, and not needed to start.
async function crmOf(ctx: SiteContext<CrmSettings>) {
  assertConfigured(ctx);
  return (await import("./client.ts")).crmOf(ctx);
}

export default connector({
  name: "highlevel",
  product: "HighLevel",
  kinds: ["crm"],
  form: {
    title: "A location in HighLevel",
    needs: "The id of the location, and the token of a private integration of that location",
  },
  scope: "site",
  address: "none",
  watch: ["2021-07-28", "2021-04-15"].map((version) => ({
    api: "HighLevel API",
    version,
    field: "crm_location_id",
    sunset: null,
    change: "install a version of the gateway that uses a newer one",
    changes: [{ on: "2026-06-11", what: "A version v3 is there, in which fields have other names" }],
    source: "https://marketplace.gohighlevel.com/docs/Versioning",
    checked: "2026-11-28",
  })),
  settings: { CRM_API_BASE: base("https://services.leadconnectorhq.com", "HighLevel") },
  siteFields: { crm_location_id: { ...idField, label: "Location at HighLevel" } },
  credentials: {
    crm: {
      fields: {
        integration_token: {
          schema: text("visible characters without spaces", /^[\x21-\x7e]+$/, true).max(TOKEN_CHARACTERS_MAX),
          help: "CRM integration token",
          option: "crm-token",
          variable: "SITE_CRM_TOKEN",
        },
      },
    },
  },
  present: (site) => ({ crm: site.crm_location_id !== null && site.credentials.includes("crm") }),
  links: { crm: assertConfigured },
  origins: ({ settings }) => [settings.CRM_API_BASE],
  policy: (out, { site, settings }) => refusalOf(out, settings.CRM_API_BASE, site?.crm_location_id),
  async sign(ctx) {
    assertConfigured(ctx);
    return { authorization: `Bearer ${(await ctx.secret("crm")).integration_token}` };
  },
  // The vendor's own address is no further origin: where CRM_API_BASE is another's, its token stays there.
  lends: { tool_servers: ({ CRM_MCP_URL: url }) => !url || url === TOOL_SERVER_URL ? [] : [url] },
  probes: {
    crm: {
      what: "HighLevel API",
      field: "crm_location_id",
      async run(ctx, see) {
        assertConfigured(ctx);
        await (await import("./probe.ts")).location(ctx, see);
      },
    },
  },
  connect: crmOf,
  async ping(ctx) {
    const { name, timezone } = await (await crmOf(ctx)).check();
    return { location_id: ctx.site.crm_location_id, location: name, timezone };
  },
  checks: [
    {
      names: ["crm_location", "crm_permissions"],
      run: async (ctx, limitMs) =>
        isDiagnosed(ctx.site)
          ? await (await import("./checks.ts")).locationChecks(ctx, limitMs, assertConfigured)
          : [],
    },
    { kinds: ["crm"], names: FLAGS, run: ({ site }) => flagChecks(site, FLAGS) },
  ],
});
