/** The checks of diagnose_site: what one says, and those that need nobody asked. */
import { FLAGS, type Site } from "../../model.ts";

/** One check; `ok` is null where it cannot be told. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  /** What to do, where there is something to do. */
  readonly next_step: string | null;
}

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
    ...gates(site),
  ];
}

function gates(site: Site): Check[] {
  return FLAGS.map((flag) =>
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
