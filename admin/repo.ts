/** The repository page: the app, its installations, and which sites link to what. */
import type { Hono } from "hono";
import { answer } from "./exchange.ts";
import type { AdminPorts, RepoAppReport } from "./ports.ts";

/** Adds the route GET /admin/api/repo. A host that fails is told of in the answer; the sites are shown all the same. */
export function repoRoutes(app: Hono, ports: AdminPorts): void {
  app.get("/admin/api/repo", async (c) => {
    const report = await ports.overview("repo") as RepoAppReport;
    const owners = new Map(report.installations.map((one) => [one.account.toLowerCase(), one]));
    const linked = (await ports.store.sites.list()).filter((site) => site.repo !== null);
    const sites = linked.map(({ id, name, platform, repo, repo_branch, repo_prefix }) => ({
      id,
      name,
      platform,
      repo,
      repo_branch,
      repo_prefix,
      installation_id: owners.get(repo!.split("/")[0]!.toLowerCase())?.id ?? null,
    }));
    return answer(c, { ...report, sites });
  });
}
