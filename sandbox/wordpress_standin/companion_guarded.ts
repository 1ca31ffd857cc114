/** The companion plugin's guarded write on the stand-in: a post in parts, and a write while they are as expected. */
import { createHash } from "node:crypto";
import type { Hono } from "hono";
import { fault, needs, refuseLive } from "./companion.ts";
import { nothing, type StoredSeo } from "./companion_seo.ts";
import { wallTime } from "./dates.ts";
import { invalidParams } from "./errors.ts";
import type { ParamRules, Params } from "./params.ts";
import { can } from "./people.ts";
import { authorOf, mayEdit, plural, viewPost } from "./post_view.ts";
import { updateAs } from "./posts.ts";
import { type Answer, type Ask, type RestEnv, route } from "./rest.ts";
import { type OwnType, type Post, type State, uniqueSlug } from "./state.ts";

/** Somebody's name and a moment without a zone, as the plugin tells them. */
export interface StoredTrace {
  readonly name: string;
  readonly at: string;
}

/** The plugin's side of a stand-in; a test may change it while the site runs. */
export interface CompanionGuarded {
  /** Who has which post open in the editor. */
  readonly editing: Map<number, StoredTrace>;
  /** Who changed which post last. */
  readonly changed: Map<number, string>;
  /** Posts that search engines are told to leave out. */
  readonly noindex: Set<number>;
  /** The SEO fields of posts that have some. */
  readonly seo: Map<number, Partial<StoredSeo>>;
  /** The structured data of posts that have some. */
  readonly schema: Map<number, unknown[]>;
  /** Which SEO plugin keeps them. */
  provider: string;
}

const RIGHTS = [
  "edit_posts",
  "edit_pages",
  "edit_others_posts",
  "edit_others_pages",
  "publish_posts",
  "publish_pages",
  "manage_categories",
];
const WRITE: ParamRules = {
  id: { type: "integer" },
  expected: { type: "object", required: true },
  fields: { type: "object", required: true },
  allow_publish: { type: "boolean", fallback: false },
};

/** Installs the routes on a running stand-in: `addCompanionGuarded(cms.app, cms.state)`. */
export function addCompanionGuarded(
  app: Hono<RestEnv>,
  { namespaces, fields }: Pick<State, "namespaces" | "fields">,
): CompanionGuarded {
  if (!namespaces.includes("site-ops/v1")) namespaces.push("site-ops/v1");
  const plugin: CompanionGuarded = {
    editing: new Map(),
    changed: new Map(),
    noindex: new Set(),
    seo: new Map(),
    schema: new Map(),
    provider: "none",
  };
  fields.push((post) => ({ site_ops_editing: editingOf(plugin, post) }));
  for (const type of ["post", "page"] as const) addType(app, plugin, type, plural({ type }));
  return plugin;
}

/** The same for a type of the site's own: `guardOwnType(cms.app, guarded, addOwnType(cms, { slug: "recipe" }))`. */
export function guardOwnType(app: Hono<RestEnv>, plugin: CompanionGuarded, type: OwnType): void {
  addType(app, plugin, type.slug, `types/${type.rest_base}`);
}

function addType(app: Hono<RestEnv>, plugin: CompanionGuarded, type: Post["type"], place: string): void {
  const path = `/site-ops/v1/guarded/${place}/:id{[0-9]+}`;
  const id: ParamRules = { id: { type: "integer" } };
  route(app, ["GET"], path, () => id, (ask) => ({ body: stateOf(plugin, ask, find(ask, type)) }));
  route(app, ["POST"], path, () => WRITE, (ask) => write(plugin, ask, find(ask, type)));
}

function find(ask: Ask, type: Post["type"]): Post {
  needs(ask, `edit_${plural({ type })}`);
  const post = ask.state.posts.get(ask.params["id"] as number);
  if (post?.type !== type) {
    throw fault("post_not_found", 404, `There is no ${type} ${ask.params["id"]}, or it is in the trash`);
  }
  if (!mayEdit(ask.person, post)) needs(ask, "nobody");
  return post;
}

const hash = (value: unknown) => createHash("sha256").update(String(value)).digest("hex");

/** The SHA-256 of each part of a post. */
export function hashes(plugin: CompanionGuarded, post: Post): Record<string, string> {
  const { date, meta } = post;
  const values = {
    status: post.status,
    title: post.title,
    content: post.content,
    excerpt: post.excerpt,
    slug: post.slug,
    author: post.author,
    parent: post.parent,
    password: post.password ?? "",
    date_gmt: date.floating ? "0000-00-00 00:00:00" : date.at,
    template: post.template,
    featured_media: post.featured_media,
    tags: post.tags.toSorted((a, b) => a - b),
    categories: post.categories.toSorted((a, b) => a - b),
    sticky: Number(post.sticky),
    comments: `${post.comment_status} ${post.ping_status}`,
    menu_order: post.menu_order,
    terms: "",
    seo: JSON.stringify(seoOf(plugin, post)),
    schema: JSON.stringify(plugin.schema.get(post.id) ?? []),
    builder: [meta["_elementor_edit_mode"], meta["_elementor_data"]],
    code: [meta["_site_ops_scope"], meta["_site_ops_css"], meta["_site_ops_js"]],
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hash(value)]));
}

function seoOf({ noindex, seo, provider }: CompanionGuarded, { id }: Post): Record<string, unknown> {
  const fields = { ...nothing(), ...seo.get(id) };
  return { provider, ...fields, robots: { ...fields.robots, ...noindex.has(id) ? { noindex: true } : {} } };
}

function written(plugin: CompanionGuarded, { state }: Ask, post: Post): Record<string, unknown> {
  const name = plugin.changed.get(post.id);
  return {
    record: {
      site_ops_builder: post.meta["_elementor_edit_mode"] === "builder" ? "visual" : "block",
      ...viewPost(state, post, true),
    },
    parts: hashes(plugin, post),
    changed: { by: name === undefined ? null : { id: 1, name }, at: wallTime(post.modified, "UTC") },
  };
}

function editingOf({ editing }: CompanionGuarded, { id }: Post): unknown {
  const open = editing.get(id);
  return open ? { by: { id: 1, name: open.name }, at: open.at } : null;
}

function stateOf(plugin: CompanionGuarded, ask: Ask, post: Post): unknown {
  const { person, state } = ask;
  const named = (ids: readonly number[]) => ids.map((id) => ({ id, name: state.terms.get(id)?.name ?? "" }));
  return {
    ...written(plugin, ask, post),
    terms: { tags: named(post.tags), categories: named(post.categories) },
    seo: seoOf(plugin, post),
    schema: plugin.schema.get(post.id) ?? [],
    author: { id: post.author, name: authorOf(state, post) },
    address: addressOf(ask, post),
    editing: editingOf(plugin, post),
    user: {
      id: person!.id,
      name: person!.name,
      slug: person!.username,
      roles: [person!.role],
      capabilities: Object.fromEntries(RIGHTS.map((right) => [right, can(person, right)])),
    },
  };
}

/** As the REST answer has it, but with the slug that the post was given. */
function addressOf({ state }: Ask, post: Post): unknown {
  const { permalink_template: template, generated_slug } = viewPost(state, post, true);
  const slug = post.slug || String(generated_slug);
  return { template, slug: uniqueSlug(state, slug, post.type, post.parent, post.id) };
}

function write(plugin: CompanionGuarded, ask: Ask, post: Post): Answer {
  const { expected, fields, allow_publish } = ask.params as {
    expected: Record<string, string>;
    fields: Params;
    allow_publish: boolean;
  };
  if (fields["status"] === "publish" && !allow_publish) {
    throw fault("not_allowed", 403, "Publishing was not allowed by the gateway");
  }
  if (Object.keys(expected).length === 0) {
    throw invalidParams(new Map([["expected", { code: "x", message: "nothing is expected" }]]));
  }
  const now = hashes(plugin, post);
  const differ = Object.keys(expected).filter((name) => now[name] !== expected[name]);
  if (differ.length > 0) {
    const { changed } = written(plugin, ask, post);
    const text = `Post ${post.id} is not as expected any more: ${differ.join(", ")}`;
    throw fault("stale", 409, text, { differ, changed, post_status: post.status });
  }
  const isDue = fields["status"] !== undefined && post.status === "future";
  const isTold = allow_publish && fields["status"] === undefined && post.status === "publish";
  if (!isDue && !isTold) refuseLive(ask, post);
  updateAs(ask, post, fields);
  return { body: written(plugin, ask, post) };
}
