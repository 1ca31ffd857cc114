/** The stand-in's routes for posts and pages. */
import type { Hono } from "hono";
import { refused, RestError } from "./errors.ts";
import { checkParams, type ParamRules, type Params } from "./params.ts";
import { can } from "./people.ts";
import { authorOf, baseOf, mayEdit, mayRead, plural, viewPost } from "./post_view.ts";
import { checkAuthor, createPost, updatePost } from "./post_write.ts";
import { INTEGERS, list, listing, STATUSES } from "./posts_list.ts";
import { type Answer, type Ask, type Carried, type RestEnv, restRoot, route } from "./rest.ts";
import type { OwnType, Post, PostType, State } from "./state.ts";
import { embeddedTerms } from "./terms.ts";

const OPEN = { type: "string", enum: ["open", "closed"] } as const;

const WRITABLE: ParamRules = {
  date: { type: "date" },
  date_gmt: { type: "date" },
  slug: { type: "string" },
  status: { type: "string" },
  title: { type: "any" },
  content: { type: "any" },
  excerpt: { type: "any" },
  author: { type: "integer" },
  featured_media: { type: "integer" },
  comment_status: OPEN,
  ping_status: OPEN,
  meta: { type: "object" },
  template: { type: "string" },
};
const POST_ONLY: ParamRules = { sticky: { type: "boolean" }, categories: INTEGERS, tags: INTEGERS };
const PAGE_ONLY: ParamRules = { parent: { type: "integer" }, menu_order: { type: "integer" } };

function writable({ theme }: State, type: PostType, before: Post | undefined): ParamRules {
  const names = type === "page" ? theme.templates.map(({ name }) => name).filter(Boolean) : [];
  const judge = (value: unknown) =>
    STATUSES.includes(value as string) || value === before?.status ? null : {
      code: "rest_not_in_enum",
      message: `status is not one of ${STATUSES.slice(0, -1).join(", ")}, and ${STATUSES.at(-1)}.`,
      data: { enum: STATUSES },
    };
  const template = (value: unknown) =>
    value === "" || value === before?.template || names.includes(value as string) ? null : {
      code: "rest_invalid_param",
      message: `template is not one of ${names.join(", ")}.`,
    };
  return {
    ...WRITABLE,
    status: { type: "string", judge },
    template: { type: "string", judge: template },
    ...(type === "page" ? PAGE_ONLY : POST_ONLY),
  };
}

function find(ask: Ask, type: PostType): Post {
  const post = ask.state.posts.get(ask.params["id"] as number);
  if (post === undefined || post.type !== type) {
    throw new RestError("rest_post_invalid_id", "Invalid post ID.", 404);
  }
  return post;
}

function remove(ask: Ask, type: PostType): Answer {
  const post = find(ask, type);
  if (!mayEdit(ask.person, post)) {
    throw refused(ask.person, "rest_cannot_delete", "Sorry, you are not allowed to delete this post.");
  }
  if (ask.params["force"] === true) {
    ask.state.posts.delete(post.id);
    return { body: { deleted: true, previous: viewPost(ask.state, post, true) } };
  }
  if (post.status === "trash") {
    throw new RestError("rest_already_trashed", "The post has already been deleted.", 410);
  }
  post.status_before_trash = post.status;
  post.status = "trash";
  if (post.slug !== "") post.slug += "__trashed";
  return { body: viewPost(ask.state, post, true) };
}

/** Where a post is edited, one of its links says that the asker may store code in it. */
function withCode(links: unknown): unknown {
  const known = links as { readonly self: unknown };
  return { ...known, "wp:action-unfiltered-html": known.self };
}

function read(ask: Ask, type: PostType): Answer {
  const post = find(ask, type);
  const edit = ask.params["context"] === "edit";
  if (edit && !mayEdit(ask.person, post)) {
    throw refused(ask.person, "rest_forbidden_context", "Sorry, you are not allowed to edit this post.");
  }
  if (!mayRead(ask.person, post)) {
    throw refused(ask.person, "rest_forbidden", "Sorry, you are not allowed to do that.");
  }
  const shown = viewPost(ask.state, post, edit);
  const body = edit && can(ask.person, "unfiltered_html")
    ? { ...shown, _links: withCode(shown["_links"]) }
    : shown;
  const along = ask.query.get("_embed")?.split(",") ?? [];
  const embedded = {
    ...type === "post" && along.includes("wp:term") ? embeddedTerms(ask.state, post) : {},
    ...along.includes("author") ? { author: [{ id: post.author, name: authorOf(ask.state, post) }] } : {},
  };
  return { body: Object.keys(embedded).length > 0 ? { ...body, _embedded: embedded } : body };
}

function create(ask: Ask, type: PostType): Answer {
  if (ask.params["id"]) throw new RestError("rest_post_exists", "Cannot create existing post.", 400);
  checkAuthor(ask, type, "create");
  if (!can(ask.person, `edit_${plural({ type })}`)) {
    throw refused(
      ask.person,
      "rest_cannot_create",
      "Sorry, you are not allowed to create posts as this user.",
    );
  }
  const post = createPost(ask, type);
  const location = `${restRoot(ask.state)}wp/v2/${baseOf(ask.state, type)}/${post.id}`;
  return { body: viewPost(ask.state, post, true), status: 201, headers: { location } };
}

function update(ask: Ask, type: PostType): Answer {
  const post = find(ask, type);
  if (!mayEdit(ask.person, post)) {
    throw refused(ask.person, "rest_cannot_edit", "Sorry, you are not allowed to edit this post.");
  }
  checkAuthor(ask, type, "update");
  updatePost(ask, post);
  return { body: viewPost(ask.state, post, true) };
}

/** Changes a post as its own route would for the same asker; throws what that would answer. */
export function updateAs(ask: Ask, post: Post, fields: Params): void {
  const { type } = post;
  const rules: ParamRules = { id: { type: "integer" }, ...writable(ask.state, type, post) };
  update({ ...ask, params: checkParams({ ...fields, id: post.id }, rules) }, type);
}

/** Adds `/wp/v2/posts` and `/wp/v2/pages`. */
export function addPosts(app: Hono<RestEnv>): void {
  for (const type of ["post", "page"] as const) addRoutes(app, type, plural({ type }));
}

/** Adds a type of content as a plugin would; its routes where REST knows it: `addOwnType(cms, { slug: "recipe" })`. */
export function addOwnType(
  cms: { readonly app: Hono<RestEnv>; readonly state: State },
  given: Partial<OwnType> & Pick<OwnType, "slug">,
): OwnType {
  const type: OwnType = {
    rest_base: given.slug,
    viewable: true,
    show_in_nav_menus: true,
    supports: ["title", "editor", "excerpt", "author", "thumbnail", "custom-fields"],
    taxonomies: [],
    show_in_rest: true,
    ...given,
  };
  cms.state.types.push(type);
  addRoutes(cms.app, type.slug, type.rest_base, () => type.show_in_rest);
  return type;
}

/** `shown` says whether REST knows the type just now. */
function addRoutes(app: Hono<RestEnv>, type: PostType, base: string, shown = () => true): void {
  const ruled = (rules: (carried: Carried) => ParamRules) => (carried: Carried): ParamRules => {
    if (shown()) return rules(carried);
    throw new RestError("rest_no_route", "No route was found matching the URL and request method.", 404);
  };
  const path = `/wp/v2/${base}`;
  const one = `${path}/:id{[0-9]+}`;
  const id: ParamRules = { id: { type: "integer" } };
  const before = ({ ask, given }: Carried) => ask.state.posts.get(Number(given["id"]));
  route(app, ["GET"], path, ruled(({ ask }) => listing(ask.person, type)), (ask) => list(ask, type));
  const making = ruled(({ ask }) => ({ ...id, ...writable(ask.state, type, undefined) }));
  route(app, ["POST"], path, making, (ask) => create(ask, type));
  route(
    app,
    ["GET"],
    one,
    ruled(() => ({ ...id, context: { type: "string", enum: ["view", "embed", "edit"], fallback: "view" } })),
    (ask) => read(ask, type),
  );
  route(
    app,
    ["POST", "PUT", "PATCH"],
    one,
    ruled((carried) => ({ ...id, ...writable(carried.ask.state, type, before(carried)) })),
    (ask) => update(ask, type),
  );
  route(
    app,
    ["DELETE"],
    one,
    ruled(() => ({ ...id, force: { type: "boolean", fallback: false } })),
    (ask) => remove(ask, type),
  );
}
