/** The stand-in's routes for tags and categories. */
import type { Hono } from "hono";
import { refused, RestError } from "./errors.ts";
import type { ParamRules } from "./params.ts";
import { can } from "./people.ts";
import { type Answer, type Ask, paged, PAGING, type RestEnv, restRoot, route } from "./rest.ts";
import type { Post, State, Term } from "./state.ts";
import { escapeText, plainText, slugify } from "./text.ts";

type Taxonomy = Term["taxonomy"];
const BASES: Readonly<Record<Taxonomy, string>> = { post_tag: "tags", category: "categories" };

const WRITABLE: ParamRules = {
  id: { type: "integer" },
  description: { type: "string" },
  name: { type: "string" },
  slug: { type: "string" },
  parent: { type: "integer" },
  meta: { type: "object" },
};
const LISTING: ParamRules = {
  ...PAGING,
  order: { type: "string", enum: ["asc", "desc"], fallback: "asc" },
  orderby: {
    type: "string",
    enum: ["id", "include", "name", "slug", "include_slugs", "term_group", "description", "count"],
    fallback: "name",
  },
  slug: { type: "array", items: { type: "string" } },
  include: { type: "array", items: { type: "integer" } },
  exclude: { type: "array", items: { type: "integer" } },
  parent: { type: "integer" },
  post: { type: "integer" },
  hide_empty: { type: "boolean", fallback: false },
};

function count(state: State, term: Term): number {
  return [...state.posts.values()].filter((post) =>
    post.status === "publish" && (post.tags.includes(term.id) || post.categories.includes(term.id))
  ).length;
}

/** A term as its own route shows it. */
function viewTerm(state: State, term: Term): Record<string, unknown> {
  const folder = term.taxonomy === "category" ? "category" : "tag";
  return {
    id: term.id,
    count: count(state, term),
    description: term.description,
    link: `${state.origin()}/${folder}/${term.slug}/`,
    name: term.name,
    slug: term.slug,
    taxonomy: term.taxonomy,
    ...(term.taxonomy === "category" ? { parent: term.parent } : {}),
    meta: [],
    _links: { self: [{ href: `${restRoot(state)}wp/v2/${BASES[term.taxonomy]}/${term.id}` }] },
  };
}

/** A post's terms as they come along with it (`_embed=wp:term`), in the fields of the context `embed`. */
export function embeddedTerms(
  state: State,
  post: Pick<Post, "categories" | "tags">,
): Record<string, unknown> {
  const shown = (ids: readonly number[]) =>
    ids.flatMap((id) => state.terms.get(id) ?? []).toSorted((a, b) => a.name < b.name ? -1 : 1)
      .map((term) => {
        const { id, link, name, slug, taxonomy, _links } = viewTerm(state, term);
        return { id, link, name, slug, taxonomy, _links };
      });
  return { "wp:term": [shown(post.categories), shown(post.tags)] };
}

function mayManage(ask: Ask, taxonomy: Taxonomy): boolean {
  return can(ask.person, taxonomy === "category" ? "manage_categories" : "edit_posts");
}

function list(ask: Ask, taxonomy: Taxonomy): Answer {
  const { params, state } = ask;
  if (params["context"] === "edit" && !can(ask.person, "manage_categories")) {
    throw refused(
      ask.person,
      "rest_forbidden_context",
      "Sorry, you are not allowed to edit terms in this taxonomy.",
    );
  }
  // As WordPress does, a slug that is asked for is made one first: a name finds the term that has its slug.
  const slugs = (params["slug"] as string[] | undefined)?.map(slugify);
  const among = (name: string, value: unknown) =>
    params[name] === undefined || (params[name] as unknown[]).includes(value);
  // The search goes over stored names, so one with a bare `&` finds nothing.
  const search = ((params["search"] as string | undefined) ?? "").toLowerCase();
  const post = params["post"] === undefined ? undefined : state.posts.get(params["post"] as number);
  const rows = [...state.terms.values()].filter((term) =>
    term.taxonomy === taxonomy && (slugs === undefined || slugs.includes(term.slug)) &&
    among("include", term.id) &&
    (params["exclude"] === undefined || !among("exclude", term.id)) &&
    (params["parent"] === undefined || term.parent === params["parent"]) &&
    (params["post"] === undefined || [...post?.tags ?? [], ...post?.categories ?? []].includes(term.id)) &&
    (!params["hide_empty"] || count(state, term) > 0) &&
    (term.name.toLowerCase().includes(search) || term.slug.includes(search))
  );
  const orderby = params["orderby"] as string;
  const key = (term: Term): string | number =>
    orderby === "id"
      ? term.id
      : orderby === "slug"
      ? term.slug
      : orderby === "count"
      ? count(state, term)
      : term.name;
  const sign = params["order"] === "desc" ? -1 : 1;
  rows.sort((a, b) => key(a) < key(b) ? -sign : key(a) > key(b) ? sign : 0);
  return paged(ask, `/wp/v2/${BASES[taxonomy]}`, rows, (term) => viewTerm(state, term));
}

function find(ask: Ask, taxonomy: Taxonomy): Term {
  const term = ask.state.terms.get(ask.params["id"] as number);
  if (term?.taxonomy !== taxonomy) throw new RestError("rest_term_invalid", "Term does not exist.", 404);
  return term;
}

function parentOf(ask: Ask, taxonomy: Taxonomy): number | undefined {
  const id = ask.params["parent"] as number | undefined;
  if (id === undefined) return undefined;
  if (taxonomy === "post_tag") {
    throw new RestError(
      "rest_taxonomy_not_hierarchical",
      "Cannot set parent term, taxonomy is not hierarchical.",
      400,
    );
  }
  if (id !== 0 && ask.state.terms.get(id)?.taxonomy !== taxonomy) {
    throw new RestError("rest_term_invalid", "Parent term does not exist.", 400);
  }
  return id;
}

function freeSlug(state: State, taxonomy: Taxonomy, wanted: string): string {
  const taken = new Set([...state.terms.values()].filter((t) => t.taxonomy === taxonomy).map((t) => t.slug));
  let slug = wanted;
  for (let n = 2; taken.has(slug); n++) slug = `${wanted}-${n}`;
  return slug;
}

function refuseTwin(
  state: State,
  wanted: Pick<Term, "taxonomy" | "name" | "parent">,
  slug: string | undefined,
): void {
  const twin = [...state.terms.values()].find((term) =>
    term.taxonomy === wanted.taxonomy && term.name.toLowerCase() === wanted.name.toLowerCase() &&
    (wanted.taxonomy === "post_tag" || term.parent === wanted.parent)
  );
  if (twin === undefined) return;
  const slugTaken = [...state.terms.values()].some((t) => t.taxonomy === wanted.taxonomy && t.slug === slug);
  if (slug !== undefined && twin.slug !== slug && !slugTaken) return;
  const where = wanted.taxonomy === "category" ? "with this parent" : "in this taxonomy";
  const message = `A term with the name provided already exists ${where}.`;
  throw new RestError("term_exists", message, 400, { term_id: twin.id });
}

function create(ask: Ask, taxonomy: Taxonomy): Answer {
  const { params, state } = ask;
  if (!mayManage(ask, taxonomy)) {
    const message = "Sorry, you are not allowed to create terms in this taxonomy.";
    throw refused(ask.person, "rest_cannot_create", message);
  }
  const parent = parentOf(ask, taxonomy) ?? 0;
  const name = escapeText(plainText(params["name"] as string));
  if (name === "") throw new RestError("empty_term_name", "A name is required for this term.", 500);
  const asked = params["slug"] ? slugify(params["slug"] as string) : undefined;
  refuseTwin(state, { taxonomy, name, parent }, asked);
  const term: Term = {
    id: state.nextTerm++,
    taxonomy,
    name,
    slug: freeSlug(state, taxonomy, asked ?? slugify(params["name"] as string)),
    description: (params["description"] as string | undefined) ?? "",
    parent,
  };
  state.terms.set(term.id, term);
  const location = `${restRoot(state)}wp/v2/${BASES[taxonomy]}/${term.id}`;
  return { body: viewTerm(state, term), status: 201, headers: { location } };
}

function update(ask: Ask, taxonomy: Taxonomy): Answer {
  const { params, state } = ask;
  const term = find(ask, taxonomy);
  if (!can(ask.person, "manage_categories")) {
    throw refused(ask.person, "rest_cannot_update", "Sorry, you are not allowed to edit this term.");
  }
  term.parent = parentOf(ask, taxonomy) ?? term.parent;
  if (params["name"] !== undefined) term.name = escapeText(plainText(params["name"] as string));
  if (params["slug"] !== undefined) term.slug = slugify(params["slug"] as string);
  if (params["description"] !== undefined) term.description = params["description"] as string;
  return { body: viewTerm(state, term) };
}

/** Adds `/wp/v2/tags` and `/wp/v2/categories`. */
export function addTerms(app: Hono<RestEnv>): void {
  for (const taxonomy of ["post_tag", "category"] as const) {
    const path = `/wp/v2/${BASES[taxonomy]}`;
    const one = `${path}/:id{[0-9]+}`;
    const named: ParamRules = { ...WRITABLE, name: { type: "string", required: true } };
    route(app, ["GET"], path, () => LISTING, (ask) => list(ask, taxonomy));
    route(app, ["POST"], path, () => named, (ask) => create(ask, taxonomy));
    route(app, ["GET"], one, () => ({ id: { type: "integer" } }), (ask) => ({
      body: viewTerm(ask.state, find(ask, taxonomy)),
    }));
    route(app, ["POST", "PUT", "PATCH"], one, () => WRITABLE, (ask) => update(ask, taxonomy));
  }
}
