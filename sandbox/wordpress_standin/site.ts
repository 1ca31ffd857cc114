/** The stand-in's index, users, plugins and themes. */
import type { Hono } from "hono";
import { zoneHours } from "./dates.ts";
import { refused, RestError } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { can, type Person, ROLES } from "./people.ts";
import { type Answer, type Ask, need, paged, PAGING, type RestEnv, restRoot, route } from "./rest.ts";
import type { State } from "./state.ts";

const CONTEXT: ParamRules = {
  context: { type: "string", enum: ["view", "embed", "edit"], fallback: "view" },
};

function index(app: Hono<RestEnv>, { state }: Ask): Answer {
  const authentication = state.application_passwords
    ? {
      "application-passwords": {
        endpoints: { authorization: `${state.origin()}/wp-admin/authorize-application.php` },
      },
    }
    : [];
  const routes: Record<string, unknown> = {};
  for (const { path, method } of app.routes) {
    const name = path.replaceAll(/:id\{[^}]*\}/g, "(?P<id>[\\d]+)");
    const held = (routes[name] ??= { namespace: name.split("/").slice(1, 3).join("/"), methods: [] }) as {
      methods: string[];
    };
    if (!held.methods.includes(method)) held.methods.push(method);
  }
  return {
    body: {
      name: state.name,
      description: "",
      url: state.origin(),
      home: state.origin(),
      gmt_offset: String(zoneHours(state.now(), state.timezone)),
      timezone_string: state.timezone,
      namespaces: ["oembed/1.0", "wp/v2", "wp-site-health/v1", "wp-block-editor/v1", ...state.namespaces],
      authentication,
      routes,
      site_logo: 0,
      site_icon: 0,
      site_icon_url: "",
      _links: { help: [{ href: "https://developer.wordpress.org/rest-api/" }] },
    },
  };
}

function viewUser(state: State, person: Person, edit: boolean): Record<string, unknown> {
  const rights = Object.fromEntries((ROLES[person.role] ?? []).map((right) => [right, true]));
  const inner = edit
    ? {
      username: person.username,
      first_name: "",
      last_name: "",
      email: person.email,
      locale: "en_US",
      nickname: person.username,
      registered_date: "2024-01-01T00:00:00+00:00",
      roles: [person.role],
      capabilities: { ...rights, [person.role]: true },
      extra_capabilities: { [person.role]: true },
    }
    : {};
  return {
    id: person.id,
    name: person.name,
    url: "",
    description: "",
    link: `${state.origin()}/author/${person.username}/`,
    slug: person.username,
    ...inner,
    avatar_urls: {},
    meta: [],
    _links: { self: [{ href: `${restRoot(state)}wp/v2/users/${person.id}` }] },
  };
}

function hasPublished(state: State, person: Person): boolean {
  return [...state.posts.values()].some((post) =>
    post.author === person.id && post.status === "publish" && post.type !== "attachment"
  );
}

function users(ask: Ask): Answer {
  const { params, person, state } = ask;
  const all = can(person, "list_users");
  const roles = params["roles"] as string[] | undefined;
  if (roles && !all) {
    throw refused(person, "rest_user_cannot_view", "Sorry, you are not allowed to filter users by role.");
  }
  if (params["context"] === "edit" && !all) {
    throw refused(person, "rest_forbidden_context", "Sorry, you are not allowed to list users.");
  }
  const search = ((params["search"] as string | undefined) ?? "").toLowerCase();
  const rows = state.people.filter((row) => {
    const text = [row.username, row.name, ...(all ? [row.email] : [])].join("\n").toLowerCase();
    return (all || hasPublished(state, row)) && (!roles?.length || roles.includes(row.role)) &&
      text.includes(search);
  }).sort((a, b) => a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1);
  return paged(ask, "/wp/v2/users", rows, (row) => viewUser(state, row, params["context"] === "edit"));
}

function me(ask: Ask): Answer {
  if (ask.person === null) {
    throw new RestError("rest_not_logged_in", "You are not currently logged in.", 401);
  }
  return { body: viewUser(ask.state, ask.person, ask.params["context"] === "edit") };
}

function user(ask: Ask): Answer {
  const { person, state } = ask;
  const row = state.people.find(({ id }) => id === ask.params["id"]);
  if (row === undefined) throw new RestError("rest_user_invalid_id", "Invalid user ID.", 404);
  const edit = ask.params["context"] === "edit";
  const own = row.id === person?.id;
  if (!own && edit && !can(person, "list_users")) {
    throw refused(person, "rest_user_cannot_view", "Sorry, you are not allowed to list users.");
  }
  if (!own && !can(person, "list_users") && !hasPublished(state, row)) {
    throw refused(person, "rest_user_cannot_view", "Sorry, you are not allowed to list users.");
  }
  return { body: viewUser(state, row, edit) };
}

function plugins(ask: Ask): Answer {
  need(
    ask,
    "activate_plugins",
    "rest_cannot_view_plugins",
    "Sorry, you are not allowed to manage plugins for this site.",
  );
  return { body: ask.state.plugins.map((row) => ({ ...row, network_only: false })) };
}

function themes(ask: Ask): Answer {
  const active = String(ask.params["status"] ?? "") === "active";
  if (!can(ask.person, "switch_themes") && !(active && can(ask.person, "edit_posts"))) {
    const code = active ? "rest_cannot_view_active_theme" : "rest_cannot_view_themes";
    const message = active
      ? "Sorry, you are not allowed to view the active theme."
      : "Sorry, you are not allowed to view themes.";
    throw refused(ask.person, code, message);
  }
  const name = { raw: "Twenty Twenty-Four", rendered: "Twenty Twenty-Four" };
  return {
    body: [{
      stylesheet: "twentytwentyfour",
      template: "twentytwentyfour",
      name,
      version: "1.1",
      status: "active",
    }],
  };
}

/** Types of posts as WordPress 7.1 answers them to who may edit them: where their lists are, whether they have addresses. */
const TYPES = [
  ["post", "posts", true, "edit_posts"],
  ["page", "pages", true, "edit_pages"],
  ["attachment", "media", true, "edit_posts"],
  ["nav_menu_item", "menu-items", false, "edit_theme_options"],
  ["wp_block", "blocks", false, "edit_posts"],
  ["wp_template", "templates", false, "edit_theme_options"],
  ["wp_navigation", "navigation", false, "edit_theme_options"],
  ["wp_font_face", "font-families/(?P<font_family_id>[\\d]+)/font-faces", false, "edit_theme_options"],
] as const;

/** The rights of a type that is registered with `capability_type` "post", as of most. */
const RIGHTS = Object.fromEntries(
  ["edit_posts", "edit_others_posts", "publish_posts"].map((right) => [right, right]),
);

function types({ params, person, state }: Ask): Answer {
  const edit = params["context"] === "edit";
  if (edit && !can(person, "edit_posts")) {
    throw refused(
      person,
      "rest_cannot_view",
      "Sorry, you are not allowed to edit posts in this post type.",
    );
  }
  const own = state.types.filter(({ show_in_rest }) => show_in_rest).map((type) => {
    const { slug, rest_base, viewable, show_in_nav_menus, supports, taxonomies } = type;
    const more = {
      viewable,
      supports: Object.fromEntries(supports.map((name) => [name, true])),
      capabilities: RIGHTS,
      visibility: { show_ui: true, show_in_nav_menus },
    };
    const row = { slug, name: slug, rest_base, rest_namespace: "wp/v2", hierarchical: false, taxonomies };
    return [slug, edit ? { ...row, ...more } : row] as const;
  });
  const rows = TYPES.filter(([, , , right]) => !edit || can(person, right)).map(
    ([slug, rest_base, viewable]) => {
      const own = { slug, name: slug, rest_base, rest_namespace: "wp/v2", hierarchical: slug === "page" };
      return [slug, edit ? { ...own, viewable } : own] as const;
    },
  );
  return { body: Object.fromEntries([...rows, ...own]) };
}

/** Adds the index and the routes about the site and its people. */
export function addSite(app: Hono<RestEnv>): void {
  const list: ParamRules = { ...PAGING, roles: { type: "array", items: { type: "string" } } };
  route(app, ["GET"], "/", () => ({}), (ask) => index(app, ask));
  route(app, ["GET"], "/wp/v2/users", () => list, users);
  route(app, ["GET"], "/wp/v2/users/me", () => CONTEXT, me);
  route(app, ["GET"], "/wp/v2/users/:id{[0-9]+}", () => ({ ...CONTEXT, id: { type: "integer" } }), user);
  route(app, ["GET"], "/wp/v2/types", () => CONTEXT, types);
  route(app, ["GET"], "/wp/v2/plugins", () => CONTEXT, plugins);
  route(app, ["GET"], "/wp/v2/themes", () => ({ status: { type: "string" } }), themes);
}
