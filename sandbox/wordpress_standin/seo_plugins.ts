/** The own REST routes of SEO plugins on the stand-in, for sites without the companion plugin. */
import type { Hono } from "hono";
import { RestError } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { mayEdit } from "./post_view.ts";
import { type Answer, type Ask, need, type RestEnv, route } from "./rest.ts";
import type { Post, State } from "./state.ts";
import { seopressHead } from "./visitor_page.ts";

/** Post meta by post and key; a test may change it while the site runs. */
export type SeoRows = Map<number, Record<string, unknown>>;

const ID: ParamRules = { id: { type: "integer" } };
const ROBOTS = ["index", "follow", "snippet", "imageindex"].map((name) => `_seopress_robots_${name}`);
const SOCIAL = ["fb", "twitter"]
  .flatMap((network) => ["title", "desc", "img", "img_attachment_id"].map((name) => `${network}_${name}`))
  .map((name) => `_seopress_social_${name}`);
const KEYWORDS = "_seopress_analysis_target_kw";

function postOf(ask: Ask, id: unknown): Post {
  const post = ask.state.posts.get(id as number);
  if (post !== undefined && mayEdit(ask.person, post)) return post;
  need(ask, "nobody", "rest_forbidden", "Sorry, you are not allowed to do that.");
  throw new RestError("rest_forbidden", "Sorry, you are not allowed to do that.", 403);
}

function metaOf(rows: SeoRows, id: number): Record<string, unknown> {
  const meta = rows.get(id) ?? {};
  rows.set(id, meta);
  return meta;
}

/** What was sent is set, an empty value takes the row away, what is absent stays. */
function put(meta: Record<string, unknown>, key: string, value: unknown): void {
  if (value === undefined) return;
  if (value === "") delete meta[key];
  else meta[key] = value;
}

/**
 * Installs SEOPress: `addSeopress(cms.app, cms.state)`. Switches that a setting of the type or site turns on stand in
 * `decided`, by their keys (`use_default` in src/Helpers/Metas/RobotSettings.php, 9.7.4).
 */
export function addSeopress(
  app: Hono<RestEnv>,
  state: Pick<State, "namespaces"> & Partial<Pick<State, "heads">>,
  decided: ReadonlySet<string> = new Set(),
): SeoRows {
  const rows: SeoRows = new Map();
  state.namespaces.push("seopress/v1");
  state.heads?.push((post) => seopressHead(rows.get(post.id)));
  const add = (
    part: string,
    names: Readonly<Record<string, string>>,
    read: (meta: Record<string, unknown>) => unknown,
  ) => {
    const path = `/seopress/v1/posts/:id{[0-9]+}/${part}`;
    const meta = (ask: Ask) => metaOf(rows, postOf(ask, ask.params["id"]).id);
    route(app, ["GET"], path, () => ID, (ask) => ({ body: read(meta(ask)) }));
    const rules = {
      ...ID,
      ...Object.fromEntries(Object.keys(names).map((name) => [name, { type: "string" }])),
    };
    route(app, ["PUT"], path, () => rules as ParamRules, (ask): Answer => {
      for (const [name, key] of Object.entries(names)) put(meta(ask), key, ask.params[name]);
      return { body: { code: "success" } };
    });
  };
  const same = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, key]));
  const list = (keys: readonly string[]) => (meta: Record<string, unknown>) =>
    keys.map((key) =>
      decided.has(key)
        ? { key, value: "yes", can_modify: false }
        : { key, value: meta[key] ?? "", can_modify: true }
    );
  const [title, description] = ["_seopress_titles_title", "_seopress_titles_desc"];
  add(
    "title-description-metas",
    { title, description },
    (meta) => ({ title: meta[title] ?? "", description: meta[description] ?? "" }),
  );
  add("target-keywords", same([KEYWORDS]), (meta) => {
    const words = String(meta[KEYWORDS] ?? "").toLowerCase().split(",").filter((word) => word !== "");
    return { value: words, usage: [] };
  });
  const robots = [...ROBOTS, "_seopress_robots_canonical"];
  add("meta-robot-settings", same(robots), list(robots));
  add("social-settings", same(SOCIAL), list(SOCIAL));
  return rows;
}

/** Installs Rank Math, which has a route to write and none to read. */
export function addRankMath(app: Hono<RestEnv>, state: Pick<State, "namespaces">): SeoRows {
  const rows: SeoRows = new Map();
  state.namespaces.push("rankmath/v1");
  const rules: ParamRules = {
    objectType: { type: "string", required: true },
    objectID: { type: "integer", required: true },
    meta: { type: "object", required: true },
  };
  route(app, ["POST"], "/rankmath/v1/updateMeta", () => rules, (ask) => {
    const post = postOf(ask, ask.params["objectID"]);
    for (const [key, value] of Object.entries(ask.params["meta"] as Record<string, unknown>)) {
      put(metaOf(rows, post.id), key, value);
      // Open to REST where the site says so.
      if (key in post.meta) post.meta[key] = value;
    }
    return { body: { slug: true, schemas: [] } };
  });
  return rows;
}
