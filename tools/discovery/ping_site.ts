/** ping_site: whether a site answers, and whether it takes the stored credentials. */
import { cms, type CmsClient } from "../../platforms/wordpress/client.ts";
import { repo, type RepoClient } from "../../platforms/github/client.ts";
import { tool } from "../../registry/tool.ts";
import { notSupported } from "./_platforms.ts";

const CAPABILITIES = [
  "edit_posts",
  "edit_pages",
  "publish_posts",
  "upload_files",
  "list_users",
  "unfiltered_html",
] as const;

/** The account of a CMS and what it can do. */
async function account(client: CmsClient) {
  const { id, name, slug, roles, can } = await client.whoami();
  return {
    user: { id, name, slug, roles },
    can: Object.fromEntries(CAPABILITIES.map((capability) => [capability, can(capability)])),
  };
}

/** The deployed branch of a static site, and whether it can be written to; commit is null while there is none. */
async function repository(client: RepoClient) {
  const branch = await client.deployedBranch();
  return {
    repository: { branch, commit: (await client.view()).commit },
    can: { write: await client.mayWrite() },
  };
}

export default tool("ping_site", {
  check(_, { site }) {
    if (site.platform !== "cms" && site.platform !== "static") {
      notSupported(site, "this gateway is not connected to that platform yet, so open the site itself");
    }
  },
  async run(_, ctx) {
    const { platform } = ctx.site;
    const began = ctx.now();
    const took = () => ctx.now() - began;
    if (platform === "static") {
      const found = await repository(await ctx.use(repo));
      return { ok: true, platform, authenticated: true, ...found, latency_ms: took() };
    }
    const client = await ctx.use(cms);
    await client.index();
    const latency_ms = took();
    return { ok: true, platform, authenticated: true, ...await account(client), latency_ms };
  },
});
