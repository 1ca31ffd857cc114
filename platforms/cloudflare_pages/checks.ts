/** The checks of diagnose_site on a static site: where it is deployed. */
import type { Site } from "../../core/model.ts";
import { type Check, fail, pass, type Probe, probe, unknown } from "../_connector/checks.ts";
import type { Configured, SiteContext } from "../_connector/connector.ts";
import { type Deployment, Hosting, type HostingSettings } from "./client.ts";

const SHA_CHARACTERS = 7;
const STAGE_CHARACTERS = 40;

/** The checks of a hosting project, within that many milliseconds; `assertConfigured` refuses a site that names none. */
export async function hostingChecks(
  ctx: SiteContext<HostingSettings>,
  limitMs: number,
  assertConfigured: (configured: Configured<HostingSettings>) => void,
): Promise<Check[]> {
  const deployments = await probe(async () => {
    assertConfigured(ctx);
    return await new Hosting(ctx).latest("production", limitMs);
  });
  return [hostingProject(ctx.site), ...answers(ctx.site, deployments)];
}

const setProject = (site: Site) => `deno task admin site update ${site.id} --hosting-project <name>`;

function hostingProject(site: Site): Check {
  return site.hosting_project === null
    ? fail(
      "hosting_project",
      "No hosting project is set, so deployments cannot be followed",
      setProject(site),
    )
    : pass("hosting_project", `Hosting project "${site.hosting_project}" is set`);
}

function answers(site: Site, deployments: Probe<Deployment | null>): Check[] {
  if (site.hosting_project === null) {
    return ["hosting", "deployment"].map((name) =>
      unknown(name, "Not asked: no hosting project is set", "Repair hosting_project first")
    );
  }
  if (deployments.error) {
    return [
      hostingFails(site, deployments.error),
      unknown("deployment", "Not known: the hosting gave no list", "Repair hosting first"),
    ];
  }
  return [pass("hosting", "The hosting answers, and has the project"), deployment(deployments.found)];
}

function hostingFails(site: Site, error: NonNullable<Probe<unknown>["error"]>): Check {
  switch (error.code) {
    case "E_HOSTING_NOT_CONFIGURED":
      return fail("hosting", error.message, "The gateway's operator sets it");
    case "E_HOSTING_PROJECT_MISSING":
      return fail("hosting", error.message, setProject(site));
    default:
      return [400, 401, 403].includes(error.upstream ?? 0)
        ? fail(
          "hosting",
          error.message,
          "The gateway's operator makes a token that may read Pages of the account",
        )
        : unknown("hosting", error.message, "Diagnose again");
  }
}

/** How the newest deployment went. */
function deployment(newest: Deployment | null): Check {
  const name = "deployment";
  if (newest === null) return unknown(name, "There is no deployment yet", "Push a commit to the branch");
  const { status, stage, commit_sha } = newest;
  const what = commit_sha === null
    ? "The newest deployment"
    : `The deployment of ${commit_sha.slice(0, SHA_CHARACTERS)}`;
  switch (status) {
    case "success":
      return pass(name, `${what} went well`);
    case "pending":
    case "building":
      return unknown(name, `${what} is under way`, "Call check_static_deploy in a minute");
    default:
      return fail(
        name,
        `${what} ended as ${status} at the stage ${JSON.stringify(stage.slice(0, STAGE_CHARACTERS))}`,
        "Call check_static_deploy, whose log_url shows why",
      );
  }
}
