/** The checks of diagnose_site: from what probes found to what a person should do. */
import { FLAGS, type Site } from "../../model.ts";
import type { Health, Index, Plugin, Probe } from "../../platforms/cms/client.ts";

/** One check; `ok` is null where it cannot be told. */
export interface Check {
  readonly name: string;
  readonly ok: boolean | null;
  readonly detail: string;
  /** What to do, where there is something to do. */
  readonly next_step: string | null;
}

const CLOCK_SECONDS_MAX = 30;
const COMPANION_NAMESPACE = "site-ops/v1";
/** Which plugin answers for which part, by its folder and its REST namespace (contracts/cms.md, section 3). */
const BUILDER = { folder: "elementor", namespace: "elementor/v1" };
const ADAPTER = { folder: "mcp-adapter", namespace: "mcp" };
const BUILDER_TOOLS = { folder: "elementor-mcp", namespace: null };

const pass = (name: string, detail: string): Check => ({ name, ok: true, detail, next_step: null });
const fail = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: false,
  detail,
  next_step,
});
const unknown = (name: string, detail: string, next_step: string): Check => ({
  name,
  ok: null,
  detail,
  next_step,
});

/** Everything that can be told of a CMS site without the companion plugin; without credentials nothing is asked. */
export function cmsChecks(site: Site, health: Health): Check[] {
  const checks = probed(health);
  if (site.credentials.includes("cms")) return checks;
  return checks.map(({ name }) =>
    name === "credentials"
      ? fail(
        name,
        "The gateway holds no credentials for the site",
        "Set them with deno task admin site update",
      )
      : unknown(name, "Not asked: the gateway holds no credentials for the site", "Set the credentials first")
  );
}

function probed(health: Health): Check[] {
  return [
    reachable(health.index),
    credentials(health),
    clock(health.index),
    plugin("page_builder", "The visual page builder", BUILDER, health),
    ...theme(health),
    plugin("tool_adapter", "The tool adapter", ADAPTER, health),
    plugin("builder_tools", "The builder tool plugin", BUILDER_TOOLS, health),
    companion("code_page", "Whether code pages work", health.index),
    companion("seo_bridge", "Whether the SEO bridge is active", health.index),
    companion(
      "schema_bridge",
      "Whether the schema bridge is active, and how many entries it has",
      health.index,
    ),
  ];
}

function reachable(index: Probe<Index>): Check {
  if (index.error) {
    return fail(
      "rest_api",
      index.error.message,
      "Open the base_url in a browser; allow the REST API in any firewall",
    );
  }
  return pass("rest_api", `"${index.found.name}" answers`);
}

function credentials({ me, index }: Health): Check {
  if (me.error === undefined) {
    return pass("credentials", `Signed in as "${me.found.slug}" (${me.found.roles.join(", ") || "no role"})`);
  }
  if (me.error.upstream !== 401) return unknown("credentials", me.error.message, "Repair rest_api first");
  if (index.error === undefined && !index.found.application_passwords) {
    return fail(
      "credentials",
      "The site has application passwords turned off",
      "Serve the site over https, and allow application passwords in its security plugin",
    );
  }
  return fail(
    "credentials",
    me.error.message,
    "Make a new application password and set the site's credentials",
  );
}

function clock(index: Probe<Index>): Check {
  if (index.error) return unknown("clock", "The site did not answer", "Repair rest_api first");
  const ahead = index.found.clock_ahead_seconds;
  if (Math.abs(ahead) <= CLOCK_SECONDS_MAX) {
    return pass("clock", "The site's clock agrees with the gateway's");
  }
  const way = ahead > 0 ? "ahead of" : "behind";
  return fail(
    "clock",
    `The site's clock is ${Math.abs(ahead)} s ${way} the gateway's, so schedules go live at another time`,
    "Set the clock of the site's server",
  );
}

function plugin(
  name: string,
  what: string,
  known: { folder: string; namespace: string | null },
  { index, plugins }: Health,
): Check {
  if (plugins.error === undefined) return listed(name, what, known.folder, plugins.found);
  const namespaces = index.error ? [] : index.found.namespaces;
  if (known.namespace !== null && namespaces.includes(known.namespace)) {
    return pass(name, `${what} is active; its version shows only to an account that may manage plugins`);
  }
  return unknown(
    name,
    `${what} cannot be seen: ${plugins.error.message}`,
    "Look under Plugins on the site, or give the gateway an account that may manage plugins",
  );
}

function listed(name: string, what: string, folder: string, plugins: readonly Plugin[]): Check {
  const found = plugins.find((row) => row.plugin.split("/")[0] === folder);
  if (found === undefined) {
    return fail(name, `${what} is not installed`, "Install it if this site's tools need it");
  }
  if (!found.active) return fail(name, `${what} ${found.version} is installed but not active`, "Activate it");
  return pass(name, `${what} ${found.version} is active`);
}

function theme({ theme, index }: Health): Check[] {
  const shown = theme.error === undefined
    ? pass("theme", `The theme is ${theme.found.name} ${theme.found.version}`)
    : unknown("theme", theme.error.message, "Look under Appearance on the site");
  return [shown, companion("theme_snippet", "Whether the theme snippet is applied", index)];
}

/** What only the companion plugin knows. */
function companion(name: string, what: string, index: Probe<Index>): Check {
  if (index.error) {
    return unknown(name, `${what} cannot be told: the site did not answer`, "Repair rest_api first");
  }
  const there = index.found.namespaces.includes(COMPANION_NAMESPACE);
  return there
    ? unknown(
      name,
      `${what} is not asked by this version of the gateway`,
      "Look at the companion plugin on the site",
    )
    : unknown(
      name,
      `${what} can be told only with the companion plugin`,
      "Install the companion plugin on the site",
    );
}

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
