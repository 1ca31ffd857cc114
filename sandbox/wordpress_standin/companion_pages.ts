/** The companion plugin's routes for pages on the stand-in: pages made from code, templates and their clones. */
import type { Hono } from "hono";
import { addCompanionHealth, type CompanionOptions, fault, needs, refuseLive } from "./companion.ts";
import { wallTime } from "./dates.ts";
import { invalidParams } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { mapTexts, PLACEHOLDER, placeholders, renewed, type Tree, treeOf } from "./companion_template.ts";
import { mayEdit, permalink } from "./post_view.ts";
import { createPost, updatePost } from "./post_write.ts";
import { type Answer, type Ask, paged, PAGING, type RestEnv, route } from "./rest.ts";
import type { Post, State } from "./state.ts";
import { slugify } from "./text.ts";

/** A template as the visual builder stores it. */
export interface StoredTemplate {
  readonly id: number;
  title: string;
  type: string;
  /** JSON text, or what a fault left of it. */
  data: string;
  modified: number;
}

/** The plugin's side of a stand-in. */
export interface CompanionPages {
  readonly options: CompanionOptions;
  readonly templates: Map<number, StoredTemplate>;
}

const ROOT = "/site-ops/v1";
/** Meta of pages made from code, and of those the visual builder has. */
export const SCOPE = "_site_ops_scope";
export const MODE = "_elementor_edit_mode";
/** Arguments of the routes. */
export const DRAFT: ParamRules = {
  title: { type: "string" },
  slug: { type: "string" },
  parent: { type: "integer" },
};
export const CODE: ParamRules = {
  html: { type: "string" },
  css: { type: "string" },
  js: { type: "string" },
  template: { type: "string" },
};
export const CLONE: ParamRules = {
  ...DRAFT,
  template_id: { type: "integer", required: true },
  variables: { type: "object", fallback: {} },
};
export const ID: ParamRules = { id: { type: "integer" } };
const BYTES = { html: 204_800, css: 1_048_576, js: 102_400 };

/** Installs the plugin on a running stand-in: `addCompanionPages(cms.app, cms.state)`. */
export function addCompanionPages(
  app: Hono<RestEnv>,
  state: Pick<State, "namespaces" | "fields">,
  given: Partial<CompanionOptions> = {},
): CompanionPages {
  const plugin: CompanionPages = {
    options: { version: "1.0.0", visual: true, ...given },
    templates: new Map(),
  };
  addCompanionHealth(app, state.namespaces, plugin.options);
  state.fields.push(({ meta }) => ({
    site_ops_builder: plugin.options.visual && meta[MODE] === "builder" ? "visual" : "block",
  }));
  const code = { ...DRAFT, ...CODE };
  const made = { ...code, scope_class: { type: "string", required: true } } as const;
  route(app, ["POST"], `${ROOT}/code-pages`, () => made, createCode);
  route(app, ["GET"], `${ROOT}/code-pages/:id{[0-9]+}`, () => ID, readCode);
  route(
    app,
    ["POST"],
    `${ROOT}/code-pages/:id{[0-9]+}`,
    () => ({ ...ID, ...CODE, title: DRAFT["title"]! }),
    updateCode,
  );
  if (plugin.options.theme_templates ?? true) {
    route(app, ["GET"], `${ROOT}/page-templates`, () => ({}), (ask) => {
      needs(ask, "edit_pages");
      const { name, templates } = ask.state.theme;
      return {
        body: { theme: name, block_theme: templates.every(({ frame }) => frame !== null), templates },
      };
    });
  }
  const listing = { ...PAGING, search: { type: "string" } } as const;
  route(app, ["GET"], `${ROOT}/builder/templates`, () => listing, (ask) => list(plugin, ask));
  route(app, ["GET"], `${ROOT}/builder/templates/:id{[0-9]+}`, () => ID, (ask) => {
    needs(ask, "edit_pages");
    return { body: view(find(plugin, ask.params["id"])) };
  });
  route(app, ["POST"], `${ROOT}/builder/pages`, () => CLONE, (ask) => clone(plugin, ask));
  route(
    app,
    ["POST"],
    `${ROOT}/builder/pages/:id{[0-9]+}`,
    () => ({ ...ID, ...CLONE }),
    (ask) => clone(plugin, ask),
  );
  return plugin;
}

function summary(state: State, post: Post): Record<string, unknown> {
  return {
    id: post.id,
    status: post.status,
    url: permalink(state, post),
    title: post.title,
    slug: post.slug,
    parent: post.parent,
    modified_gmt: wallTime(post.modified, "UTC"),
  };
}

function pageOf(ask: Ask, ...rights: string[]): Post {
  needs(ask, "edit_pages", ...rights);
  const post = ask.state.posts.get(ask.params["id"] as number);
  if (post?.type !== "page" || post.status === "trash") {
    throw fault("post_not_found", 404, `There is no page ${ask.params["id"]}, or it is in the trash`);
  }
  if (!mayEdit(ask.person, post)) needs(ask, "nobody");
  return post;
}

function checkCode({ params, state }: Ask): void {
  const wanted = params["template"];
  if (wanted !== undefined && !state.theme.templates.some(({ name }) => name === wanted)) {
    const message = "template is none of the theme for pages";
    throw invalidParams(new Map([["template", { code: "rest_invalid_param", message }]]));
  }
  for (const [part, limit] of Object.entries(BYTES)) {
    const text = params[part] as string | undefined;
    if (text !== undefined && new TextEncoder().encode(text).length > limit) {
      throw fault("too_large", 413, `${part} is too large`, { param: part });
    }
    if (part === "html" && /<iframe|<script[^>]*src/i.test(text ?? "")) {
      throw fault("disallowed", 422, "html holds what a page made from code may not", { param: part });
    }
  }
}

const wrapped = (scope: string, html: string) =>
  `<!-- wp:html -->\n<div class="${scope}">\n${html}\n</div>\n<!-- /wp:html -->`;

/** Makes a page from code. */
export function createCode(ask: Ask): Answer {
  needs(ask, "edit_pages", "unfiltered_html");
  checkCode(ask);
  const { title, slug, parent, scope_class, html, css = "", js = "" } = ask.params;
  const content = wrapped(scope_class as string, html as string);
  const post = createPost({ ...ask, params: { title, slug, parent, content } }, "page");
  // wp_insert_post leaves the slug of a draft as it was given, unlike the REST API (wp-includes/post.php, wp_unique_post_slug).
  if (typeof slug === "string" && slug !== "") post.slug = slugify(slug);
  post.template = String(ask.params["template"] ?? "");
  Object.assign(post.meta, { [SCOPE]: scope_class, _site_ops_css: css, _site_ops_js: js });
  return { body: { ...summary(ask.state, post), scope_class }, status: 201 };
}

function codePage(ask: Ask): { post: Post; scope: string } {
  const post = pageOf(ask, "unfiltered_html");
  const scope = post.meta[SCOPE];
  if (typeof scope === "string" && scope !== "") return { post, scope };
  throw fault("post_not_found", 404, `Page ${post.id} is not a page made from code`);
}

/** A page made from code. */
export function readCode(ask: Ask): Answer {
  const { post, scope } = codePage(ask);
  const [before, after] = wrapped(scope, "\0").split("\0") as [string, string];
  const scoped = post.content.startsWith(before) && post.content.endsWith(after);
  const html = scoped ? post.content.slice(before.length, -after.length) : post.content;
  const { _site_ops_css: css, _site_ops_js: js } = post.meta;
  const shown = post.meta[MODE] !== "builder";
  const date_gmt = post.status === "future" ? wallTime(post.date.at, "UTC") : null;
  return {
    body: {
      ...summary(ask.state, post),
      scope_class: scope,
      ...{ html, scoped, css, js, shown, date_gmt, template: post.template },
    },
  };
}

/** Changes one. */
export function updateCode(ask: Ask): Answer {
  const { post, scope } = codePage(ask);
  refuseLive(ask, post);
  checkCode(ask);
  const { title, html, css, js } = ask.params;
  const content = html === undefined ? undefined : wrapped(scope, html as string);
  updatePost({ ...ask, params: { title, content } }, post);
  if (ask.params["template"] !== undefined) post.template = String(ask.params["template"]);
  if (css !== undefined) post.meta["_site_ops_css"] = css;
  if (js !== undefined) post.meta["_site_ops_js"] = js;
  return { body: { ...summary(ask.state, post), scope_class: scope } };
}

/** A template as the plugin answers it. */
export function view(template: StoredTemplate): Record<string, unknown> {
  const tree = treeOf(template);
  const { id, title, type, modified } = template;
  const modified_gmt = wallTime(modified, "UTC");
  return { id, title, type, placeholders: placeholders(tree), modified_gmt, valid: tree !== null };
}

/** The template of that number. */
export function find({ options, templates }: CompanionPages, id: unknown): StoredTemplate {
  if (!options.visual) throw fault("visual_inactive", 409, "The visual builder is not active on this site");
  const template = templates.get(id as number);
  if (template) return template;
  throw fault("template_not_found", 404, `There is no published template ${id}`);
}

function list(plugin: CompanionPages, ask: Ask): Answer {
  needs(ask, "edit_pages");
  if (!plugin.options.visual) find(plugin, 0);
  const search = String(ask.params["search"] ?? "").toLowerCase();
  const rows = [...plugin.templates.values()].filter(({ title }) => title.toLowerCase().includes(search));
  return paged(ask, `${ROOT}/builder/templates`, rows, view);
}

/** Makes a page from a template, or one that is there anew. */
export function clone(plugin: CompanionPages, ask: Ask): Answer {
  const { id, title, slug, parent, template_id, variables } = ask.params;
  needs(ask, "edit_pages");
  const before = id === undefined ? null : pageOf(ask);
  const template = find(plugin, template_id);
  const tree = treeOf(template);
  if (tree === null) {
    throw fault("template_data", 422, `What is stored of template ${template.id} is no list`);
  }
  const texts = variables as Record<string, string>;
  const missing = placeholders(tree).filter((key) => texts[key] === undefined);
  if (missing.length > 0) {
    throw fault("missing_placeholder", 422, `variables has no text for: ${missing.join(", ")}`, { missing });
  }
  if (before === null && typeof title !== "string") {
    throw invalidParams(new Map([["title", { code: "x", message: "title is missing" }]]));
  }
  if (before) refuseLive(ask, before);
  const params = { title, slug, parent };
  if (before) updatePost({ ...ask, params }, before);
  const post = before ?? createPost({ ...ask, params }, "page");
  const filled = mapTexts(tree, (text) => text.replace(PLACEHOLDER, (whole, key) => texts[key] ?? whole));
  const ids = { next: 0 };
  for (const key of Object.keys(post.meta)) if (key.startsWith("_site_ops_")) delete post.meta[key];
  post.meta[MODE] = "builder";
  post.meta["_elementor_data"] = JSON.stringify(renewed(filled as Tree, ids));
  return { body: { ...summary(ask.state, post), elements: ids.next }, status: before ? 200 : 201 };
}
