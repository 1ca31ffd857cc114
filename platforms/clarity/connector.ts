/** Microsoft Clarity, behavior analytics: projects can be linked; this version does not reach them yet. */
import { text } from "../../lib/fields.ts";
import { fail, unknown } from "../checks.ts";
import type { Site } from "../../model.ts";
import { described } from "../connector.ts";
import { base } from "../settings.ts";
import { idField } from "../site_fields.ts";

const TOKEN_CHARACTERS_MAX = 4096;

const isLinked = (site: Site) => site.behavior_project_id !== null && site.credentials.includes("behavior");

export default described({
  name: "clarity",
  product: "Microsoft Clarity",
  scope: "site",
  settings: {
    BEHAVIOR_API_BASE: base("https://www.clarity.ms/export-data/api/v1", "Microsoft Clarity export"),
  },
  siteFields: { behavior_project_id: idField },
  credentials: {
    behavior: {
      fields: {
        export_token: {
          schema: text("visible characters without spaces", /^[\x21-\x7e]+$/, true).max(TOKEN_CHARACTERS_MAX),
          help: "behavior export token",
          option: "behavior-token",
          variable: "SITE_BEHAVIOR_TOKEN",
        },
      },
    },
  },
  present: (site) => ({ behavior: isLinked(site) }),
  checks: [{
    kinds: ["crm"],
    names: ["behavior"],
    run: ({ site }) => [
      isLinked(site)
        ? unknown(
          "behavior",
          "A behavior project and its token are set, not asked",
          "Open the project itself",
        )
        : fail("behavior", "No behavior project with its token is set", "Set both in the admin area"),
    ],
  }],
});
