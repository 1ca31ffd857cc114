/** The companion plugin's finding of texts on the stand-in, and what it adds to lists (docs/upstreams/wordpress.md, "Companion plugin: finding"). */
import type { Hono } from "hono";
import { needs } from "./companion.ts";
import { RestError } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { can, type Person } from "./people.ts";
import { mayEdit } from "./post_view.ts";
import { type Answer, type Ask, type RestEnv, route } from "./rest.ts";
import type { Post, State } from "./state.ts";

/** A text beside posts, as the plugin tells it: of a widget, a menu, a setting of the visual builder, an SEO field. */
export interface OtherText {
  readonly kind: string;
  readonly id: number | string;
  readonly type?: string;
  readonly status?: string;
  readonly title: string;
  readonly field: string;
  readonly within?: string;
  readonly made?: "visual" | "code" | null;
  readonly text: string;
}

/** The plugin's side of a stand-in; a test may change it while the site runs. */
export interface CompanionFind {
  readonly others: OtherText[];
  /** Who changed which post last, by number; nobody is known of the others. */
  readonly changed: Map<number, number>;
  /** SEO values in effect. */
  readonly seo: Map<number, Readonly<Record<string, unknown>>>;
  /** Posts looked into by one request before it says where to go on; all where it is null. */
  page: number | null;
  /** Places of one answer; the rest is counted. */
  places: number;
  /** Of a text with more parts than that it finds nothing, and does not say so: 12 before version 1.6.0, 100 since. */
  parts: number;
}

const AROUND = 160;
const SPOTS = 3;
const PARTS_MAX = 100;
const FIND: ParamRules = {
  parts: { type: "array", items: { type: "string" }, required: true },
  between: { type: "string", enum: ["few", "separators"], fallback: "few" },
  below: { type: "integer", min: 1 },
};
const NOTHING = { places: [], more: 0, next: null, left_out: [], own_only: [] };
const STATUSES = ["publish", "future", "draft", "pending"];

/** Installs it on a running stand-in: `addCompanionFind(cms.app, cms.state)`. */
export function addCompanionFind(app: Hono<RestEnv>, state: State): CompanionFind {
  if (!state.namespaces.includes("site-ops/v1")) state.namespaces.push("site-ops/v1");
  const plugin: CompanionFind = {
    others: [],
    changed: new Map(),
    seo: new Map(),
    page: null,
    places: 1000,
    parts: PARTS_MAX,
  };
  route(app, ["GET"], "/site-ops/v1/find", () => FIND, (ask) => find(plugin, ask));
  state.fields.push((post) => ({
    site_ops_changed: { by: personOf(state, plugin.changed.get(post.id)), at: "2026-11-21T12:00:00" },
    site_ops_seo: plugin.seo.get(post.id) ?? null,
  }));
  state.narrows.push((post, asked, asker) => {
    const [by, not] = ["site_ops_changed_by", "site_ops_changed_not_by"].map((name) => asked.get(name));
    const who = (given: string) => Number(given) || asker?.id;
    const last = plugin.changed.get(post.id);
    if (by != null && last !== who(by)) return false;
    return not == null || last !== who(not);
  });
  return plugin;
}

function personOf({ people }: State, id: number | undefined) {
  const found = people.find((one) => one.id === id);
  return found === undefined ? null : { id: found.id, name: found.name };
}

function find(plugin: CompanionFind, ask: Ask): Answer {
  needs(ask, "edit_posts");
  const { state, person, params } = ask;
  const parts = params["parts"] as string[];
  if (parts.length === 0 || parts.length > PARTS_MAX || parts.includes("")) {
    throw new RestError("rest_invalid_param", "Invalid parameter(s): parts", 400);
  }
  if (parts.length > plugin.parts) return { body: NOTHING };
  const below = params["below"] as number | undefined;
  const pattern = patternOf(parts, params["between"] as string);
  const posts = [...state.posts.values()].filter((post) =>
    isSearched(state, post, person) && post.id < (below ?? Infinity)
  )
    .toSorted((a, b) => b.id - a.id);
  const looked = plugin.page === null ? posts : posts.slice(0, plugin.page);
  const isAdmin = can(person, "edit_theme_options") || can(person, "manage_options");
  const others = below === undefined ? plugin.others.filter(({ kind }) => isAdmin || kind !== "widget") : [];
  const places = [
    ...others.flatMap((one) => placeOf(one, pattern)),
    ...looked.flatMap((post) => inPost(post, pattern)),
  ];
  return {
    body: {
      places: places.slice(0, plugin.places),
      more: Math.max(0, places.length - plugin.places),
      next: looked.length < posts.length ? looked.at(-1)!.id : null,
      left_out: [
        ...can(person, "edit_pages") ? [] : ["page"],
        ...isAdmin ? [] : ["wp_navigation", "wp_template", "wp_template_part", "widget"],
      ],
      own_only: can(person, "edit_others_posts") ? [] : ["post"],
    },
  };
}

function isSearched(state: State, post: Post, person: Person | null): boolean {
  const isType = ["post", "page"].includes(post.type) ||
    state.types.some((one) => one.slug === post.type && one.viewable);
  return isType && STATUSES.includes(post.status) && !post.password && mayEdit(person, post);
}

const GAPS = {
  few: String
    .raw`(?:&[a-z#0-9]{1,8};|%[0-9a-f]{2}|(?<![\p{L}\p{N}])(?:at|dot|punkt)(?![\p{L}\p{N}])|[^\p{L}\p{N}]){0,24}?`,
  separators: String.raw`(?:&[a-z#0-9]{1,8};|%[0-9a-f]{2}|[^\p{L}\p{N}<>"]){0,8}?`,
};

const patternOf = (parts: readonly string[], between: string) =>
  new RegExp(
    parts.map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join(
      GAPS[between as keyof typeof GAPS],
    ),
    "giu",
  );

function inPost(post: Post, pattern: RegExp) {
  const made = post.meta["_elementor_edit_mode"] === "builder"
    ? "visual"
    : post.meta["_site_ops_scope"]
    ? "code"
    : null;
  const about = {
    kind: "post",
    id: post.id,
    type: post.type,
    status: post.status,
    title: post.title,
    made,
  } as const;
  const texts = { title: post.title, content: post.content, excerpt: post.excerpt };
  return Object.entries(texts).flatMap(([field, text]) => placeOf({ ...about, field, text }, pattern));
}

function placeOf({ text, ...about }: OtherText, pattern: RegExp) {
  const found = [...text.matchAll(pattern)];
  if (found.length === 0) return [];
  const spots = found.slice(0, SPOTS).map((one) => {
    const end = one.index + one[0].length;
    const from = Math.max(0, one.index - AROUND);
    return [
      text.slice(from, one.index),
      one[0],
      text.slice(end, end + AROUND),
      from > 0,
      end + AROUND < text.length,
    ];
  });
  return [{ ...about, times: found.length, spots }];
}
