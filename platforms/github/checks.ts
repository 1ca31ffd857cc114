/** The checks of diagnose_site on a static site: its repository. */
import type { Site } from "../../core/model.ts";
import {
  type Check,
  fail,
  flagChecks,
  pass,
  type Probe,
  probe,
  unknown,
  withDeadline,
} from "../_connector/checks.ts";
import type { Configured, SiteContext } from "../_connector/connector.ts";
import { health, type RepoHealth } from "./health.ts";
import type { RepoSettings } from "./settings.ts";

const SHA_CHARACTERS = 7;

/**
 * The checks of a repository and of the flags that guard it, within that many milliseconds; `assertConfigured` refuses
 * a site that names none.
 */
export async function repositoryChecks(
  ctx: SiteContext<RepoSettings>,
  limitMs: number,
  assertConfigured: (configured: Configured<RepoSettings>) => void,
): Promise<Check[]> {
  const repository = await probe(async () => {
    assertConfigured(ctx);
    return await health(withDeadline(ctx, ctx.now() + limitMs));
  });
  return [
    linked(ctx.site, repository),
    app(repository),
    ...answers(ctx.site, repository),
    ...flagChecks(ctx.site, ["allow_main_branch_push", "allow_full_repo_write"]),
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

function answers(site: Site, repository: Probe<RepoHealth>): Check[] {
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
  return pass(name, `Branch "${at}"${chosen} is at ${head.slice(0, SHA_CHARACTERS)}`);
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
