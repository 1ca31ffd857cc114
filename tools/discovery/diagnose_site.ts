/** diagnose_site: what works on a site, what does not, and what to do about it. */
import { cms } from "../../platforms/cms/client.ts";
import { tool } from "../../registry/tool.ts";
import { crmChecks, topicmapCheck } from "./_checks.ts";
import { cmsChecks } from "./_cms_checks.ts";
import { notSupported } from "./_platforms.ts";

/** All probes are over by then, so that the answer is there within three seconds. */
const PROBES_MS = 2800;

export default tool("diagnose_site", {
  check(_, { site }) {
    if (site.platform !== "cms" && site.platform !== "crm") {
      notSupported(site, "there are no checks for it yet, get_site shows how it is set up");
    }
  },
  async run(_, ctx) {
    const { site } = ctx;
    const own = site.platform === "cms"
      ? cmsChecks(site, await (await ctx.use(cms)).health(PROBES_MS))
      : crmChecks(site);
    return { site_id: site.id, platform: site.platform, checks: [...own, topicmapCheck(site)] };
  },
});
