/** The builder's tools that read a page and its parts. */
import type { Post } from "../wordpress_standin/state.ts";
import { wallTime } from "../wordpress_standin/dates.ts";
import { permalink } from "../wordpress_standin/post_view.ts";
import { type Asked, integer, need, pageOf, postOf, type Run, ToolFailure } from "./cms_state.ts";
import { all, type Element, find, structure, WIDGETS } from "./elements.ts";

type Args = Readonly<Record<string, unknown>>;

/** The element of the page that the arguments name. */
export function elementOf(
  elements: readonly Element[],
  id: unknown,
  missing = "Element not found.",
): Element {
  const element = find(elements, String(id));
  if (element === undefined) throw new ToolFailure(missing);
  return element;
}

/** A read of a page, for whoever may edit posts. */
function read(run: (elements: readonly Element[], args: Args, at: Asked, post: Post) => unknown): Run {
  return (args, at) => {
    need(at, "edit_posts");
    const post = postOf(at, args);
    return run(pageOf(at, post.id).elements, args, at, post);
  };
}

const PREVIEWED_MAX = 5;

function matching(elements: readonly Element[], args: Args): unknown {
  const { widget_type, element_type, search_text, setting_key, setting_value } = args as Record<
    string,
    string
  >;
  const fits = ({ elType, widgetType, settings }: Element) =>
    (!element_type || elType === element_type) && (!widget_type || widgetType === widget_type) &&
    (!setting_key || setting_key in settings) &&
    (!setting_key || setting_value === undefined || String(settings[setting_key]) === setting_value) &&
    (!search_text ||
      Object.values(settings).some((value) =>
        typeof value === "string" && value.toLowerCase().includes(search_text.toLowerCase())
      ));
  const matches = all(elements).filter(fits).map(({ id, elType, widgetType = "", settings }) => {
    const texts = Object.entries(settings).filter(([, value]) => typeof value === "string" && value !== "");
    return {
      element_id: id,
      elType,
      widgetType,
      settings_preview: Object.fromEntries(texts.slice(0, PREVIEWED_MAX)),
    };
  });
  return { matches, count: matches.length };
}

const row = ({ ask, tools }: Asked, post: Post) => ({
  post_id: post.id,
  title: post.title,
  post_type: post.type,
  status: post.status,
  permalink: permalink(ask.state, post),
  is_elementor: tools.pages.has(post.id),
});

/** A schema as large as the real ones are: some 80 KB of controls. */
function largeSchema(name: string, controls: number): unknown {
  const properties = Object.fromEntries(
    Array.from({ length: controls }, (_, at) => [`${name}_control_${at}`, {
      type: at % 3 === 0 ? "object" : "string",
      description: `Control ${at} of ${name}`,
      default: at % 3 === 0 ? { unit: "px", size: at, sizes: [] } : "",
      enum: at % 5 === 0 ? ["default", "small", "medium", "large"] : undefined,
    }]),
  );
  return { type: "object", properties };
}
const CONTAINER_CONTROLS = 780;
const WIDGET_CONTROLS = 620;
const BREAKPOINTS = 900;

function widgetSchema(type: string, full: boolean): unknown {
  if (!WIDGETS.includes(type)) {
    return { widget_type: type, error: "Not in the catalogue of widgets; ask for it with full: true." };
  }
  if (full) return { widget_type: type, tier: "free", schema: largeSchema(type, WIDGET_CONTROLS) };
  return { widget_type: type, tier: "free", params: { title: "string" }, required: [], defaults: {} };
}

/** By name without the plugin's prefix. */
export const PAGE_READS: Readonly<Record<string, Run>> = {
  "get-page-structure"(args, at) {
    need(at, "edit_posts");
    const template = at.tools.templates.get(integer(args["post_id"]));
    const { id, title, type } = template ?? postOf(at, args);
    const { elements } = template ?? pageOf(at, id);
    return {
      post_id: id,
      title,
      type: template || !at.tools.pages.has(id) ? "" : `wp-${type}`,
      structure: structure(elements, {
        summary: args["summary"] === true,
        max_depth: integer(args["max_depth"] ?? 0),
      }),
    };
  },
  "get-element-settings": read((elements, args) => {
    const { id, elType, widgetType = "", settings } = elementOf(
      elements,
      args["element_id"],
      `Element "${args["element_id"]}" not found on this page.`,
    );
    return { element_id: id, elType, widgetType, settings };
  }),
  "find-element": read((elements, args) => matching(elements, args)),
  "export-page": read((elements) => ({ json: elements })),
  "get-page-snapshot": read((elements, _, at, post) => ({
    post: { ...row(at, post), builder: at.tools.pages.has(post.id) ? "elementor" : "gutenberg" },
    structure: {
      tree: structure(elements, { summary: true }),
      counts: { total_elements: all(elements).length },
    },
    warnings: [],
  })),
  "list-pages"({ post_type = "page", status = "any" }, at) {
    need(at, "edit_posts");
    const pages = [...at.ask.state.posts.values()].filter((post) =>
      post.type === post_type && (status === "any" || post.status === status) && at.tools.pages.has(post.id)
    );
    const { timezone } = at.ask.state;
    const rows = pages.map(({ id, title, type, status, modified }) => {
      return { post_id: id, title, type, status, modified: wallTime(modified, timezone).replace("T", " ") };
    });
    return { pages: rows, total: pages.length };
  },
  "list-templates"({ template_type }, at) {
    need(at, "edit_posts");
    const rows = [...at.tools.templates.values()].filter(({ type }) =>
      !template_type || type === template_type
    );
    return { templates: rows.map(({ elements: _, ...template }) => template) };
  },
  "list-widgets"({ search }, at) {
    need(at, "edit_posts");
    const known = WIDGETS.filter((type) => typeof search !== "string" || type.includes(search));
    return { widgets: known.map((type) => ({ type, title: type, tier: "free", requires: null })) };
  },
  "get-widget-schema"({ widget_type, types, full }, at) {
    need(at, "edit_posts");
    if (Array.isArray(types)) {
      return { widgets: types.map((type) => widgetSchema(String(type), full === true)) };
    }
    if (widget_type === undefined) throw new ToolFailure("Provide widget_type or types[].");
    return widgetSchema(String(widget_type), full === true);
  },
  "get-container-schema"(_, at) {
    need(at, "edit_posts");
    return { schema: largeSchema("container", CONTAINER_CONTROLS) };
  },
  "get-global-settings"(_, at) {
    need(at, "edit_posts");
    const { colors, typography } = at.tools;
    const kit = Object.fromEntries(Array.from({ length: BREAKPOINTS }, (_, n) => [`kit_setting_${n}`, {
      label: `Setting ${n} of the kit`,
      value: { unit: "px", size: n, sizes: [] },
    }]));
    return { colors, typography, settings: kit };
  },
  "detect-elementor-version": (_, { tools }) => ({
    version: tools.plugin.atomic ? "4.0.0" : "3.16.0",
    atomic: tools.plugin.atomic,
  }),
};
