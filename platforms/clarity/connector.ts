/** Microsoft Clarity, behavior analytics: a site of any kind is linked to one project, whose figures are read. */
import { GatewayError } from "../../core/errors.ts";
import { text } from "../../core/fields.ts";
import type { Site } from "../../core/model.ts";
import { type Configured, connector, type SiteContext } from "../_connector/connector.ts";
import { base, idField } from "../_connector/settings.ts";
import { type ClaritySettings, refusalOf, REQUESTS_A_DAY } from "./wire.ts";

const TOKEN_CHARACTERS_MAX = 4096;

const isLinked = (site: Site) => site.behavior_project_id !== null && site.credentials.includes("behavior");
/** Of a CRM's sites it is said that there is no link, of others only what is wrong with one that was begun. */
const isDiagnosed = ({ platform, behavior_project_id, credentials }: Site) =>
  platform === "crm" || behavior_project_id !== null || credentials.includes("behavior");

/** Throws E_BEHAVIOR_NOT_LINKED. */
function assertConfigured({ site }: Configured<ClaritySettings>): void {
  const missing = [
    site?.behavior_project_id ? [] : ["behavior_project_id"],
    site?.credentials.includes("behavior") ? [] : ["export token"],
  ].flat();
  if (missing.length === 0) return;
  throw new GatewayError(
    "E_BEHAVIOR_NOT_LINKED",
    `Site "${site?.id}" is linked to no behavior project: it has no ${
      missing.join(" and no ")
    }; its operator can ` +
      `set what is missing with deno task admin site update ${site?.id} --behavior-project-id <id> ` +
      "--behavior-token-stdin",
  );
}

/** Throws E_NOT_SUPPORTED: no token says which projects there are. */
function projects({ site }: SiteContext<ClaritySettings>): never {
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    "A Clarity token belongs to one project and names none, so projects cannot be listed: take the project's id out of " +
      "its dashboard's address (…/projects/view/<id>/dashboard), make a token there under Settings, Data Export, and set " +
      `both with deno task admin site update ${site.id} --behavior-project-id <id> --behavior-token-stdin`,
  );
}

// What reaches a project is not needed to start.
async function behaviorOf(ctx: SiteContext<ClaritySettings>) {
  assertConfigured(ctx);
  const { Behavior } = await import("./client.ts");
  return new Behavior(ctx);
}

export default connector({
  name: "clarity",
  product: "Microsoft Clarity",
  scope: "site",
  watch: [{
    api: "Clarity data export",
    version: "v1",
    setting: "BEHAVIOR_API_BASE",
    field: "behavior_project_id",
    sunset: null,
    change: "set BEHAVIOR_API_BASE to the version that takes its place",
    source: "https://learn.microsoft.com/en-us/clarity/setup-and-installation/clarity-data-export-api",
    checked: "2026-11-28",
    copy: "a copy without a date; its vendor publishes no list of changes and no rule for how a version ends",
  }],
  settings: {
    BEHAVIOR_API_BASE: base("https://www.clarity.ms/export-data/api/v1", "Microsoft Clarity export"),
    BEHAVIOR_DASHBOARD_BASE: base(
      "https://clarity.microsoft.com/projects/view",
      "Microsoft Clarity, where people look at a project",
    ),
  },
  siteFields: { behavior_project_id: { ...idField, label: "Project at Microsoft Clarity" } },
  credentials: {
    behavior: {
      of: "behavior_project_id",
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
  links: { behavior: assertConfigured },
  linkable: { behavior: { what: "Clarity projects", field: "behavior_project_id", list: projects } },
  origins: ({ settings }) => [settings.BEHAVIOR_API_BASE],
  policy: (out, { settings }) => refusalOf(out, settings.BEHAVIOR_API_BASE),
  probes: {
    behavior: {
      what: "Clarity data export",
      field: "behavior_project_id",
      costs: `one of the project's ${REQUESTS_A_DAY} exports of the day`,
      async run(ctx, see) {
        const client = await behaviorOf(ctx);
        const { ordered, REPLY } = await import("./reply.ts");
        await see("the last day", REPLY, () => client.anew(), ordered);
      },
    },
  },
  connect: behaviorOf,
  allowance: REQUESTS_A_DAY,
  daily: {
    source: (site) => isLinked(site) ? site.behavior_project_id : null,
    take: async (ctx, since) => await (await behaviorOf(ctx)).day(since),
  },
  checks: [{
    names: ["behavior"],
    run: async (ctx, limitMs) =>
      isDiagnosed(ctx.site)
        ? await (await import("./checks.ts")).projectCheck(ctx, limitMs, assertConfigured)
        : [],
  }],
});
