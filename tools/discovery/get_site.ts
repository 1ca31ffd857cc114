/** get_site: how a site is registered, credentials by kind only, and what freezes it. */
import type { Project } from "../../core/model.ts";
import { siteZone } from "../../platforms/_content/posts.ts";
import { tool } from "../../registry/tool.ts";

/** What a project asks of writes on its sites; null where that is no more than any write needs. */
const asksFor = (project: Project | undefined) =>
  (project?.confirm_policy ?? "flag") === "flag" ? null : project!.confirm_policy;

export default tool("get_site", async (_args, ctx) => {
  const { credentials_version: _, id, name, platform, base_url, project_id, ...rest } = ctx.site;
  const project = project_id === null
    ? undefined
    : (await ctx.sites.projects()).find((one) => one.id === project_id);
  const freeze = await ctx.sites.freeze(ctx.site);
  return {
    id,
    name,
    platform,
    base_url,
    project_id,
    integrations: ctx.sites.integrations(ctx.site),
    ...rest,
    ...asksFor(project) === null ? {} : { project_confirm_policy: asksFor(project) },
    ...freeze === null ? {} : { freeze },
    ...ctx.can(siteZone) ? await (await ctx.use(siteZone)).told() : {},
  };
});
