/** The checks of diagnose_site on a static site: its repository, and where it is deployed. */
import type { Site } from "../../model.ts";
import type { Deployment } from "../../platforms/cloudflare_pages/client.ts";
import type { Probe } from "../../platforms/probe.ts";
import type { RepoHealth } from "../../platforms/github/client.ts";
import { type Check, fail, gates, pass, unknown } from "./_checks.ts";

/** What was asked of a static site's upstreams; the repository's error says that it is not set up. */
export interface StaticHealth {
  readonly repository: Probe<RepoHealth>;
  readonly deployments: Probe<Deployment | null>;
}

const SHA_CHARACTERS = 7;
const STAGE_CHARACTERS = 40;

/** Every check of a static site. */
export function staticChecks(site: Site, { repository, deployments }: StaticHealth): Check[] {
  return [
    linked(site, repository),
    app(repository),
    ...repositoryChecks(site, repository),
    ...gates(site, ["allow_main_branch_push", "allow_full_repo_write"]),
    hostingProject(site),
    ...hostingChecks(site, deployments),
  ];
}

const update = (site: Site, option: string) => `deno task admin site update ${site.id} ${option}`;

function linked(site: Site, repository: Probe<RepoHealth>): Check {
  const name = "repository";
  if (site.repo === null) {
    return fail(name, "No repository is linked", update(site, "--repo <owner>/<name>"));
  }
  if (repository.error === undefined && isRenamed(repository.found)) {
    const detail = `"${site.repo}" has been renamed, and is not written under its old name`;
    return fail(name, detail, update(site, "--repo <owner>/<new name>"));
  }
  return pass(name, `Repository "${site.repo}" is linked`);
}

/** Whether this gateway has an app to reach repositories with. */
function app({ error }: Probe<RepoHealth>): Check {
  const name = "repo_app";
  if (error === undefined) return pass(name, "The repository app is set up");
  if (error.code === "E_REPO_NOT_LINKED") {
    return unknown(name, "Not looked at: no repository is linked", "Repair repository first");
  }
  return error.code === "E_MISSING_SECRET"
    ? fail(name, error.message, "The gateway's operator sets it; docs/CONNECTING.md says how")
    : unknown(name, error.message, "Diagnose again, then ask the gateway's operator");
}

function repositoryChecks(site: Site, repository: Probe<RepoHealth>): Check[] {
  const names = ["repo_installation", "repo_branch", "repo_write"];
  if (repository.error) {
    const first = repository.error.code === "E_REPO_NOT_LINKED" ? "repository" : "repo_app";
    return names.map((name) =>
      unknown(name, "Not asked: the repository cannot be reached", `Repair ${first} first`)
    );
  }
  const { found } = repository;
  return [installation(site, found), branch(site, found), write(found)];
}

const isRenamed = ({ app }: RepoHealth) => app.error === undefined && app.found.renamed;

/** Why the app, installed for the repository's owner, does not see the repository all the same; undefined where it does. */
const hidden = (health: RepoHealth) =>
  !isRenamed(health) && health.branch.error?.code === "E_REPO_APP_NOT_INSTALLED"
    ? health.branch.error
    : undefined;

function installation(site: Site, health: RepoHealth): Check {
  const { app } = health;
  const name = "repo_installation";
  const install = "Its owner installs the app for that repository; GET /admin/api/repo shows where it is";
  if (app.error?.code === "E_REPO_APP_NOT_INSTALLED") return fail(name, app.error.message, install);
  if (app.error) return unknown(name, app.error.message, "Diagnose again");
  const unseen = hidden(health);
  if (unseen === undefined) return pass(name, `The repository app is installed for "${site.repo}"`);
  const rename = `where the repository has another name: ${update(site, "--repo <owner>/<name>")}`;
  return fail(name, unseen.message, `${install}; ${rename}`);
}

function branch(site: Site, health: RepoHealth): Check {
  const name = "repo_branch";
  if (health.branch.error) {
    const first = isRenamed(health) ? "repository" : "repo_installation";
    const known = health.app.error || hidden(health) || isRenamed(health);
    const way = known ? `Repair ${first} first` : "Diagnose again";
    return unknown(name, health.branch.error.message, way);
  }
  const { head, name: at } = health.branch.found;
  if (head === null) {
    const way = `Make the branch, or name another: ${update(site, "--repo-branch <branch>")}`;
    return fail(name, `The repository has no branch "${at}"`, way);
  }
  if (head === "empty") {
    return fail(name, "The repository has no commit yet", "Call init_static_project, or push a first commit");
  }
  const chosen = site.repo_branch === null ? ", the repository's default," : "";
  return pass(name, `Branch "${at}"${chosen} stands at ${head.slice(0, SHA_CHARACTERS)}`);
}

function write(health: RepoHealth): Check {
  const name = "repo_write";
  const { app } = health;
  if (app.error || hidden(health)) {
    return unknown(name, "Whether the app may write is not known", "Repair repo_installation first");
  }
  if (!app.found.may_write) {
    return fail(
      name,
      "The repository app may only read",
      'Give the app the permission "Contents: read and write" and accept it for the installation',
    );
  }
  if (app.found.renamed) {
    return fail(name, "Nothing is written under the repository's old name", "Repair repository first");
  }
  return pass(name, "The repository app may write");
}

function hostingProject(site: Site): Check {
  return site.hosting_project === null
    ? fail(
      "hosting_project",
      "No hosting project is set, so deployments cannot be followed",
      update(site, "--hosting-project <name>"),
    )
    : pass("hosting_project", `Hosting project "${site.hosting_project}" is set`);
}

function hostingChecks(site: Site, deployments: StaticHealth["deployments"]): Check[] {
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
      return fail("hosting", error.message, update(site, "--hosting-project <name>"));
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
