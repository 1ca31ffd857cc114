/** HighLevel, a CRM: sites can be registered; this version does not reach it yet. */
import { text } from "../../lib/fields.ts";
import { FLAGS } from "../../model.ts";
import { flagChecks } from "../checks.ts";
import { described } from "../connector.ts";
import { base } from "../settings.ts";
import { idField } from "../site_fields.ts";

const TOKEN_CHARACTERS_MAX = 4096;

export default described({
  name: "highlevel",
  product: "HighLevel",
  kinds: ["crm"],
  scope: "site",
  address: "none",
  settings: { CRM_API_BASE: base("https://services.leadconnectorhq.com", "HighLevel") },
  siteFields: { crm_location_id: idField },
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
  checks: [{ kinds: ["crm"], names: FLAGS, run: ({ site }) => flagChecks(site, FLAGS) }],
});
