/** The companion plugin on the stand-in: its report, and what all its routes share. */
import type { Hono } from "hono";
import { RestError } from "./errors.ts";
import { can } from "./people.ts";
import { type Ask, need, type RestEnv, route } from "./rest.ts";
import type { Post } from "./state.ts";

/** How the plugin is set up; a test may change it while the site runs. */
export interface CompanionOptions {
  /** False for a plugin that knows no templates of the theme. */
  readonly theme_templates?: boolean;
  version: string;
  /** Whether the visual builder is active. */
  visual: boolean;
}

/** What the report says of custom schema. */
export interface SchemaReport {
  readonly active: boolean;
  readonly provider: string | null;
  readonly entries: number;
}

const RIGHTS = ["edit_posts", "edit_pages", "publish_pages", "unfiltered_html", "manage_options"];

/** An error of the plugin: `site_ops_<code>`. */
export function fault(
  code: string,
  status: number,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): RestError {
  return new RestError(`site_ops_${code}`, message, status, data);
}

/** Refuses unless the asker holds every one of these rights. */
export function needs(ask: Ask, ...rights: string[]): void {
  for (const right of rights) {
    need(ask, right, "rest_forbidden", "Sorry, you are not allowed to do that.");
  }
}

/** Refuses what visitors see, and what is about to go live. */
export function refuseLive(ask: Ask, post: Post): void {
  const due = post.status === "future" && post.date.at <= ask.state.now() + 60_000;
  if (!["publish", "private"].includes(post.status) && !due) return;
  const live = post.status === "private"
    ? "is private: whoever may read it would see the change at once"
    : "is published: visitors would see the change at once";
  const what = due ? "is about to be published" : live;
  throw fault("published", 409, `Post ${post.id} ${what}`, { post_status: post.status });
}

/** Adds the plugin's report, and its namespace to the index. */
export function addCompanionHealth(
  app: Hono<RestEnv>,
  namespaces: string[],
  options: CompanionOptions,
  schema: () => SchemaReport = () => ({ active: false, provider: null, entries: 0 }),
  hold?: { report(ask: Ask): unknown },
): void {
  if (!namespaces.includes("site-ops/v1")) namespaces.push("site-ops/v1");
  route(app, ["GET"], "/site-ops/v1/health", () => ({}), (ask) => {
    needs(ask, "edit_posts");
    const { person, state } = ask;
    return {
      body: {
        plugin_version: options.version,
        wp_version: "6.5.5",
        php_version: "8.2.0",
        multisite: false,
        timezone: state.timezone,
        features: {
          page_builder: {
            block: true,
            visual: { active: options.visual, version: options.visual ? "3.27.0" : null },
          },
          theme_snippet: { applied: false },
          tool_adapter: { active: false, version: null },
          builder_tools: { active: false, version: null, route: null },
          code_page: { active: true },
          seo_bridge: { active: true, provider: "none", provider_version: null },
          schema_bridge: schema(),
          hold: hold?.report(ask) ?? {
            active: false,
            engine: "innodb",
            version: options.version,
            why: "The account is not connected to a gateway: see Tools, Site Ops",
            paired: false,
          },
        },
        user: {
          id: person?.id ?? 0,
          roles: person ? [person.role] : [],
          caps: Object.fromEntries(RIGHTS.map((right) => [right, can(person, right)])),
        },
      },
    };
  });
}
