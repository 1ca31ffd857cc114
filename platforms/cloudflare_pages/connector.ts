/** Cloudflare Pages: the deployments of a static site's project, read only. */
import { GatewayError } from "../../core/errors.ts";
import { type Configured, connector } from "../_connector/connector.ts";
import { base, given, labelled, secret, word } from "../_connector/settings.ts";
import type { HostingClient, HostingSettings } from "./client.ts";

/** Throws E_HOSTING_PROJECT_MISSING, E_HOSTING_NOT_CONFIGURED. */
function assertConfigured({ site, settings }: Configured<HostingSettings>): void {
  if (!site || site.hosting_project === null) {
    throw new GatewayError(
      "E_HOSTING_PROJECT_MISSING",
      `Site "${site?.id}" has no hosting project; its operator can set it with deno task admin site update ${site?.id} --hosting-project …`,
    );
  }
  for (const name of ["HOSTING_API_TOKEN", "HOSTING_ACCOUNT_ID"] as const) {
    if (settings[name] !== null) continue;
    throw new GatewayError(
      "E_HOSTING_NOT_CONFIGURED",
      `Deployments need ${name}, which the gateway's operator has not set`,
    );
  }
}

export default connector({
  name: "cloudflare_pages",
  product: "Cloudflare Pages",
  scope: "site",
  watch: [{
    api: "Cloudflare API",
    version: "v4",
    setting: "HOSTING_API_BASE",
    field: "hosting_project",
    sunset: null,
    change: "install a version of the gateway that uses a newer one",
    source: "https://developers.cloudflare.com/fundamentals/api/reference/deprecations/",
    changes: [{
      on: "2026-09-30",
      what: "Service keys are refused; the gateway sends a token, which is what takes their place",
    }],
    checked: "2026-11-28",
    copy:
      "the list as of 2026-07-15, in which nothing of Pages ends, and the head of a copy as of 2026-11-05",
  }],
  settings: {
    HOSTING_API_BASE: base("https://api.cloudflare.com/client/v4", "Cloudflare Pages"),
    HOSTING_API_TOKEN: secret("Cloudflare API token that may read Pages", word),
    HOSTING_ACCOUNT_ID: given("Cloudflare account id", word),
  },
  siteFields: {
    hosting_project: {
      ...labelled(
        "Project at Cloudflare Pages",
        "a project name of a-z, 0-9 and -",
        /^[a-z0-9][a-z0-9-]{0,62}$/,
      ),
      asked: ["static"],
    },
  },
  links: { hosting: assertConfigured },
  origins: ({ settings }) => [settings.HOSTING_API_BASE],
  policy(out, { site }) {
    if (out.method !== "GET" || out.effect !== "read") return "hosting is only read";
    const project = `/pages/projects/${site?.hosting_project}`;
    const { pathname } = new URL(out.url);
    const at = pathname.indexOf(project);
    const [head, list, id, ...log] = at < 0 ? [] : pathname.slice(at + project.length).split("/");
    const isLog = list === "deployments" && Boolean(id) && log.join("/") === "history/logs";
    const own = head === "" && (list === undefined || list === "deployments" && id === undefined || isLog);
    return own ? null : "it reads another project";
  },
  probes: {
    hosting: {
      what: "Cloudflare API",
      field: "hosting_project",
      async run(ctx, see) {
        assertConfigured(ctx);
        const { Hosting, LIST } = await import("./client.ts");
        await see("deployments", LIST, () => new Hosting(ctx).latest());
      },
    },
  },
  async connect(ctx): Promise<HostingClient> {
    assertConfigured(ctx);
    const { Hosting } = await import("./client.ts"); // large, and not needed to start
    return new Hosting(ctx);
  },
  checks: [{
    kinds: ["static"],
    names: ["hosting_project", "hosting", "deployment"],
    run: async (ctx, limitMs) =>
      await (await import("./checks.ts")).hostingChecks(ctx, limitMs, assertConfigured),
  }],
});
