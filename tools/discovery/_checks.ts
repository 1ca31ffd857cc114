/** The checks of diagnose_site: what one says, and those that need nobody asked. */
import { type Flag, FLAGS, type PlatformKind, type Site } from "../../model.ts";

/** One check; `ok` is null where it cannot be told. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  /** What to do, where there is something to do. */
  readonly next_step: string | null;
}

/** The checks of each platform, in the order in which they are answered. */
export const CHECKS: Readonly<Record<PlatformKind, readonly string[]>> = {
  cms: [
    "rest_api",
    "credentials",
    "clock",
    "companion",
    "page_builder",
    "theme",
    "tool_adapter",
    "builder_tools",
    "theme_snippet",
    "code_page",
    "seo_bridge",
    "seo_settings",
    "schema_bridge",
    "topicmap_link",
  ],
  static: [
    "repository",
    "repo_app",
    "repo_installation",
    "repo_branch",
    "repo_write",
    "allow_main_branch_push",
    "allow_full_repo_write",
    "hosting_project",
    "hosting",
    "deployment",
    "topicmap_link",
  ],
  sitebuilder: ["site_alias", "site_answers", "allow_publish", "topicmap_link"],
  crm: ["storage_folder", "behavior", ...FLAGS, "topicmap_link"],
};

/** A check that is met. */
export const pass = (name: string, detail: string): Check => ({ name, ok: true, detail, next_step: null });

/** A check that is not met. */
export const fail = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: false,
  detail,
  next_step,
});

/** A check of which nobody can tell. */
export const unknown = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: null,
  detail,
  next_step,
});

/** What can be told of a CRM site without asking anybody. */
export function crmChecks(site: Site): Check[] {
  const folder = site.storage_folder_id;
  const behavior = site.behavior_project_id !== null && site.credentials.includes("behavior");
  return [
    folder === null
      ? fail("storage_folder", "No storage folder is linked", "Link one in the admin area")
      : unknown(
        "storage_folder",
        `The folder "${folder}" is linked, not asked`,
        "Call storage_get_site_folder",
      ),
    behavior
      ? unknown(
        "behavior",
        "A behavior project and its token are set, not asked",
        "Call behavior_get_project_info",
      )
      : fail("behavior", "No behavior project with its token is set", "Set both in the admin area"),
    ...gates(site, FLAGS),
  ];
}

/** What can be told of a sitebuilder site without asking anybody. */
export function sitebuilderChecks(site: Site): Check[] {
  return [
    site.site_alias === null
      ? fail(
        "site_alias",
        "The site's record has no site_alias, by which the platform knows it",
        `deno task admin site update ${site.id} --site-alias <alias>`,
      )
      : pass("site_alias", `The platform knows it as "${site.site_alias}"`),
    unknown(
      "site_answers",
      "Not asked: this gateway does not diagnose sites of that platform from afar",
      "Open the site itself",
    ),
    ...gates(site, ["allow_publish"]),
  ];
}

/** Those of a site's switches that only a super-admin sets. */
export function gates(site: Site, flags: readonly Flag[]): Check[] {
  return flags.map((flag) =>
    site.flags[flag]
      ? pass(flag, "A super-admin allows this on the site")
      : fail(flag, "Not allowed on the site", "A super-admin can set the flag, if it is wanted")
  );
}

/** The link to the topic-planning workspace. */
export function topicmapCheck(site: Site): Check {
  return site.topicmap_workspace_id === null
    ? fail(
      "topicmap_link",
      "No topic-planning workspace is linked",
      "Link one in the admin area, if it is wanted",
    )
    : pass("topicmap_link", `Linked to workspace "${site.topicmap_workspace_id}"`);
}
