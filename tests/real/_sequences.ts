/** A real WordPress as the ground of sequences: its rows as cells, what callers write there, and what a person does. */
import type { CmsSandbox } from "../../sandbox/wordpress/start.ts";
import { site as registered } from "../kit.ts";
import type { Cells, Ground, Write } from "../sequences_ground.ts";
import type { Dice } from "../tools/_crm_dice.ts";
import { NEVER, OPEN, personOn, type Stage, staged, writeOn } from "./_sequences_acts.ts";
import { cells, type Provider, scene } from "./_undo_rows.ts";
import { Real } from "./_wordpress.ts";

/** Fields as the tools call them, and the cells of a post in which they are. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  title: ["post_title"],
  content_html: ["post_content"],
  html: ["post_content"],
  replacements: ["post_content"],
  excerpt: ["post_excerpt"],
  slug: ["post_name"],
  parent_id: ["post_parent"],
  parent: ["post_parent"],
  status: ["post_status", "post_name", "post_date", "post_date_gmt"],
  scheduled_at: ["post_date", "post_date_gmt"],
};
const META: Readonly<Record<string, RegExp>> = {
  featured_media_id: /^_thumbnail_id$/,
  featured_media: /^_thumbnail_id$/,
  css: /^_site_ops_/,
  js: /^_site_ops_/,
  html: /^_site_ops_/,
};
/** Tools that may change what visitors get. */
const PUBLISHING = new Set([
  "publish_post",
  "publish_page",
  "revise_published",
  "set_seo_meta",
  "set_seo_schema",
  "set_seo_redirect",
  "set_custom_schema",
  "replace_text",
  "builder-mcp-add-block",
]);
/** Tools that only make something. */
const MAKING = new Set([
  "create_draft",
  "create_page_draft",
  "create_page_from_code",
  "create_taxonomy",
  "upload_media",
  "set_seo_redirect",
]);

/** A WordPress with the plugin, and one scene on it. */
export class WordPressGround implements Ground {
  readonly sites;

  private constructor(readonly at: Real, readonly provider: Provider, readonly stage: Stage) {
    this.sites = sitesOn(at.site);
  }

  /** Readies a scene of its own. */
  static async on(at: Real, provider: Provider, n: number): Promise<WordPressGround> {
    return new WordPressGround(at, provider, await staged(at, await scene(at, provider, n)));
  }

  async cells(): Promise<Cells> {
    return await cells(this.at);
  }

  async person(dice: Dice, n: number): Promise<void> {
    await personOn(this.at, dice, this.stage, this.provider, n);
  }

  write(dice: Dice, n: number): Write {
    return writeOn(dice, this.stage, this.provider, n);
  }

  may({ tool, args }: Write, fields: readonly string[] | null, cell: string, before: Cells): boolean {
    const [kind, id, name = ""] = cell.split(" ");
    const isNew = before[`post ${id} post_type`] === undefined;
    if (tool === "prepare_changes") {
      return (args["changes"] as { tool: string; arguments: Write["args"] }[]).some((one) =>
        this.may({ tool: one.tool, args: one.arguments }, null, cell, before) ||
        (one.tool === "update_draft" && isNew)
      );
    }
    if (tool === "replace_text") {
      return kind === "post" && /^post_(title|content|excerpt)$/.test(name) || kind === "meta";
    }
    if (MAKING.has(tool) && (isNew || kind === "term" || kind === "count")) return true;
    if (tool === "set_seo_redirect") return kind === "rankmath_standin_redirections";
    if (tool === "set_custom_schema") return kind === "meta" && id === String(args["id"]);
    const own = String(args["post_id"] ?? args["page_id"]);
    const named = fields ?? Object.keys(args);
    const isPublishing = /^(publish|schedule|unschedule)/.test(tool);
    if (tool === "builder-mcp-add-block" && isNew) return args["markup"] === "<p>way 5</p>";
    if (kind === "count" || kind === "term") return isPublishing || named.includes("tags");
    if (id !== own) return false;
    if (/^set_seo/.test(tool)) return kind === "meta";
    if (tool === "builder-mcp-add-block") {
      return args["markup"] === "<p>way 2</p>" ? COLUMNS["status"]!.includes(name) : name === "post_content";
    }
    if (kind === "terms") return isPublishing || named.includes("tags");
    if (kind === "post") {
      return isPublishing
        ? COLUMNS["status"]!.includes(name)
        : named.some((field) => COLUMNS[field]?.includes(name));
    }
    return kind === "meta" && named.some((field) => META[field]?.test(name));
  }

  isPublic(cell: string, cells: Cells): boolean {
    const [kind, id] = cell.split(" ");
    if (kind === "count" || kind === "term") return false;
    return cells[`post ${id} post_status`] === "publish" || kind === "rankmath_standin_redirections";
  }

  publishes({ tool, args }: Write): boolean {
    if (tool === "prepare_changes") {
      return (args["changes"] as { tool: string; arguments: Write["args"] }[])
        .some((one) => this.publishes({ tool: one.tool, args: one.arguments }));
    }
    return args["site_id"] === OPEN && PUBLISHING.has(tool);
  }

  shown(cell: string, at: Cells): string | undefined {
    return at[cell];
  }

  stays(cell: string, was: string | undefined): boolean {
    return cell.startsWith("count ") || (cell.startsWith("term ") && was === undefined);
  }
}

const FLAGS = { allow_publish: true, allow_seo_on_published: true };

function sitesOn({ base_url, users: { admin: { username, application_password } } }: CmsSandbox) {
  const credentials = { cms: { username, application_password } };
  const seo = { enabled: true, channel: "plugin" } as const;
  return [
    registered(OPEN, "cms", { base_url, credentials, seo, flags: FLAGS }),
    registered(NEVER, "cms", { base_url, credentials, seo }),
  ];
}

/** The kit that readies scenes. */
export async function readied(site: CmsSandbox): Promise<Real> {
  return await Real.open(site, {
    settings: { rateLimitToken: 0, rateLimitSite: 0 },
    sites: sitesOn(site),
    tokens: { ann: { super_admin: false, max_risk: 3 } },
  });
}
