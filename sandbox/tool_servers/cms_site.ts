/** Tools of the site around its pages: types, terms, templates of the theme, search. */
import { addPost, type State, type Term } from "../wordpress_standin/state.ts";
import { slugify } from "../wordpress_standin/text.ts";
import { type Asked, editable, integer, need, postOf, type Run, ToolFailure } from "./cms_state.ts";
import { all } from "./elements.ts";

const TAXONOMIES = { post_tag: "tags", category: "categories" } as const;

/** The term of that id, name or slug; made where there is none of that name. */
function termOf(state: State, taxonomy: Term["taxonomy"], wanted: unknown): Term {
  const known = [...state.terms.values()].find((one) =>
    one.taxonomy === taxonomy && [one.id, one.name, one.slug].includes(wanted as string)
  );
  if (known) return known;
  const name = String(wanted);
  const made = { id: state.nextTerm++, taxonomy, name, slug: slugify(name), description: "", parent: 0 };
  state.terms.set(made.id, made);
  return made;
}

/** A medium as if its bytes had come from that address; nothing is fetched. */
function addMedium(at: Asked, name: string, mime_type: string, title: string) {
  need(at, "upload_files");
  const { state, person } = at.ask;
  const path = `2026/01/${name}`;
  const file = { path, mime_type, bytes: new Uint8Array(0), width: 1, height: 1, alt_text: "" };
  const { id } = addPost(state, { type: "attachment", status: "inherit", author: person!.id, title, file });
  return { id, url: `${state.origin()}/wp-content/uploads/${path}` };
}

/** By name without the plugin's prefix. */
export const SITE_TOOLS: Readonly<Record<string, Run>> = {
  "list-post-types"(_, at) {
    need(at, "edit_posts");
    return { post_types: ["post", "page"].map((name) => ({ name, label: name, public: true })) };
  },
  "list-taxonomies"(_, at) {
    need(at, "edit_posts");
    return { taxonomies: Object.keys(TAXONOMIES).map((name) => ({ name, object_types: ["post"] })) };
  },
  "set-post-terms"(args, at) {
    const post = editable(at, args);
    const taxonomy = args["taxonomy"] as Term["taxonomy"];
    const field = TAXONOMIES[taxonomy];
    if (field === undefined) throw new ToolFailure("Invalid taxonomy.");
    const { state } = at.ask;
    const ids = (args["terms"] as unknown[]).map((one) => termOf(state, taxonomy, one).id);
    if (args["mode"] === "remove") post[field] = post[field].filter((id) => !ids.includes(id));
    else post[field] = [...new Set(args["mode"] === "append" ? [...post[field], ...ids] : ids)];
    const terms = post[field].map((id) => state.terms.get(id)!);
    const rows = terms.map(({ id, name, slug }) => ({ term_id: id, name, slug }));
    return { post_id: post.id, taxonomy, terms: rows, created: [] };
  },
  "resolve-template"(args, at) {
    need(at, "edit_posts");
    const post = args["post_id"] === undefined ? null : postOf(at, args);
    const context = { is_singular: post !== null, post_id: post?.id ?? 0, post_type: post?.type ?? "" };
    return { slots: { header: null, body: null, footer: null }, context };
  },
  "search-content"({ query, limit = 20 }, at) {
    need(at, "edit_posts");
    const words = String(query).toLowerCase();
    const results = [...at.tools.pages].flatMap(([id, { elements }]) =>
      all(elements).filter(({ settings }) => JSON.stringify(settings).toLowerCase().includes(words)).map((
        one,
      ) => ({
        type: one.widgetType === undefined ? "page" : "widget",
        post_id: id,
        element_id: one.id,
      }))
    ).slice(0, integer(limit));
    return { query, results, count: results.length };
  },
  "list-changes": (_, at) => {
    need(at, "edit_posts");
    return { changes: [], total: 0 };
  },
  "search-images"({ query }, at) {
    need(at, "edit_posts");
    const url = `https://images.example/${encodeURIComponent(String(query))}.jpg`;
    return {
      result_count: 1,
      page: 1,
      results: [{ id: "image-1", title: String(query), url, license: "CC0" }],
    };
  },
  "sideload-image"({ url, title = "" }, at) {
    if (!URL.canParse(String(url))) throw new ToolFailure("A valid URL was not provided.");
    const name = new URL(String(url)).pathname.split("/").at(-1) || "image.jpg";
    const { id, url: local } = addMedium(at, name, "image/jpeg", String(title));
    return { attachment_id: id, url: local };
  },
  "upload-svg-icon"({ svg_url, svg_content, title = "icon" }, at) {
    if (svg_url === undefined && svg_content === undefined) {
      throw new ToolFailure("Either svg_url or svg_content is required.");
    }
    if (svg_content !== undefined && !String(svg_content).includes("<svg")) {
      throw new ToolFailure(
        "The svg_content does not contain valid SVG markup. Must include an <svg> element.",
      );
    }
    if (/<script/i.test(String(svg_content))) {
      throw new ToolFailure("SVG contains script elements and was rejected for security.");
    }
    const { id, url } = addMedium(at, `${slugify(String(title))}.svg`, "image/svg+xml", String(title));
    return { attachment_id: id, url, icon_object: { value: { id, url }, library: "svg" } };
  },
};
