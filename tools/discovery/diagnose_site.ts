/** diagnose_site: what works on a site, what does not, and what to do about it. */
import { GatewayError } from "../../errors.ts";
import type { PlatformKind, Site } from "../../model.ts";
import { cms } from "../../platforms/wordpress/client.ts";
import { hosting } from "../../platforms/cloudflare_pages/client.ts";
import { probe } from "../../platforms/probe.ts";
import { repo } from "../../platforms/github/client.ts";
import { type ContextOf, tool } from "../../registry/tool.ts";
import { type Check, CHECKS, crmChecks, sitebuilderChecks, topicmapCheck } from "./_checks.ts";
import { cmsChecks } from "./_cms_checks.ts";
import { staticChecks } from "./_static_checks.ts";

/** All probes are over by then, so that the answer is there within three seconds. */
const PROBES_MS = 2800;

type Context = ContextOf<unknown>;

/** The checks of one platform; none of them throws for what a site or a service does. */
const RUN: Readonly<Record<PlatformKind, (ctx: Context) => Check[] | Promise<Check[]>>> = {
  cms: async (ctx) => cmsChecks(ctx.site, await (await ctx.use(cms)).health(PROBES_MS)),
  async static(ctx) {
    const [repository, deployments] = await Promise.all([
      probe(async () => await (await ctx.use(repo)).health(PROBES_MS)),
      probe(async () => await (await ctx.use(hosting)).latest(PROBES_MS)),
    ]);
    return staticChecks(ctx.site, { repository, deployments });
  },
  sitebuilder: ({ site }) => sitebuilderChecks(site),
  crm: ({ site }) => crmChecks(site),
};

/** Refuses a check that the site's platform does not have: E_NOT_SUPPORTED. */
function refuseForeign(checks: readonly string[], site: Site): void {
  const foreign = checks.find((name) => !CHECKS[site.platform].includes(name));
  if (foreign === undefined) return;
  const kinds = Object.entries(CHECKS).filter(([, names]) => names.includes(foreign)).map(([kind]) => kind);
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `checks: only ${
      kinds.join(" and ")
    } sites have "${foreign}"; "${site.id}" is a ${site.platform} site, and ` +
      "list_sites shows those that are",
  );
}

export default tool("diagnose_site", {
  check: ({ checks = [] }, { site }) => refuseForeign(checks, site),
  async run({ checks }, ctx) {
    const { site } = ctx;
    const all = [...await RUN[site.platform](ctx), topicmapCheck(site)];
    const asked = checks === undefined ? all : all.filter(({ name }) => checks.some((one) => one === name));
    return { site_id: site.id, platform: site.platform, checks: asked };
  },
});
