/** The builder's tools that change a page: each reads the whole tree, changes it and stores it. */
import { editable, editTree, integer, need, pageOf, type Run, store, ToolFailure } from "./cms_state.ts";
import { elementOf } from "./cms_pages.ts";
import {
  all,
  container,
  copied,
  type Element,
  imported,
  insert,
  remove,
  widget,
  WIDGETS,
} from "./elements.ts";

type Args = Readonly<Record<string, unknown>>;

const record = (value: unknown): Record<string, unknown> => ({ ...value as Record<string, unknown> });
const position = ({ position = -1 }: Args) => integer(position);
/** What names the place of a new element, and is no setting of it. */
const PLACES = ["post_id", "parent_id", "position", "widget_type", "settings", "full_bleed"];

/** What an adder of its own sends as arguments is the widget's settings. */
function ownSettings(args: Args): Record<string, unknown> {
  return Object.fromEntries(Object.entries(args).filter(([name]) => !PLACES.includes(name)));
}

function put(elements: Element[], args: Args, element: Element, missing?: string): void {
  const parent = String(args["parent_id"] ?? "");
  if (insert(elements, parent, element, position(args))) return;
  throw new ToolFailure(missing ?? `Parent element "${parent}" not found.`);
}

function addWidget(type: (args: Args) => string, settings: (args: Args) => Record<string, unknown>): Run {
  return (args, at) => {
    const widget_type = type(args);
    if (!WIDGETS.includes(widget_type) && !widget_type.startsWith("e-")) {
      throw new ToolFailure(`Widget type "${widget_type}" not found.`);
    }
    return editTree(at, args, (elements) => {
      const made = widget(widget_type, settings(args));
      put(elements, args, made, "Parent container not found.");
      return { element_id: made.id, widget_type };
    });
  };
}

/** Merges the top level alone: an object within is replaced. */
const merge = (element: Element, settings: unknown) => void Object.assign(element.settings, record(settings));

const update: Run = (args, at) =>
  editTree(at, args, (elements) => {
    const element = elementOf(elements, args["element_id"]);
    merge(element, args["settings"]);
    return { success: true, element_id: element.id, element_type: element.elType };
  });

const updateWidget: Run = (args, at) =>
  editTree(at, args, (elements) => {
    const element = elementOf(elements, args["element_id"]);
    if (element.elType !== "widget") throw new ToolFailure("Target element is not a widget.");
    merge(element, args["settings"]);
    return { success: true, element_id: element.id };
  });

const updateContainer: Run = (args, at) =>
  editTree(at, args, (elements) => {
    const element = elementOf(elements, args["element_id"]);
    if (element.elType === "widget") {
      throw new ToolFailure("Element is not a container. Use update-widget for widgets.");
    }
    merge(element, args["settings"]);
    return { success: true };
  });

const addContainer = (elType: string): Run => (args, at) =>
  editTree(at, args, (elements) => {
    const made = { ...container(record(args["settings"] ?? ownSettings(args)), [], elType) };
    made.isInner = Boolean(args["parent_id"]);
    put(elements, args, made);
    return { element_id: made.id, post_id: integer(args["post_id"]) };
  });

const byArgument = ({ widget_type }: Args) => String(widget_type);
const settingsOf = ({ settings = {} }: Args) => record(settings);

/** The tool for an adder that has a name of its own: `add-text-editor`, `add-atomic-heading`. */
export function adderOf(name: string): Run | undefined {
  const atomic = /^add-atomic-(.+)$/.exec(name)?.[1];
  if (atomic !== undefined) return addWidget(() => `e-${atomic}`, ownSettings);
  const type = /^add-(.+)$/.exec(name)?.[1]?.replace("google-maps", "google_maps");
  return type !== undefined && WIDGETS.includes(type) ? addWidget(() => type, ownSettings) : undefined;
}

/** By name without the plugin's prefix. */
export const PAGE_WRITES: Readonly<Record<string, Run>> = {
  "add-free-widget": addWidget(byArgument, settingsOf),
  "add-widget": addWidget(byArgument, settingsOf),
  "add-atomic-widget": addWidget(byArgument, settingsOf),
  // Whatever tags of its own the script names are taken out.
  "add-custom-js": async (args, at) => {
    need(at, "unfiltered_html");
    const html = ({ js }: Args) => `<script>\n${String(js).replaceAll(/<\/?script[^>]*>/gi, "")}\n</script>`;
    const made = await addWidget(() => "html", (given) => ({ html: html(given) }))(args, at);
    return { element_id: (made as Args)["element_id"], post_id: integer(args["post_id"]) };
  },
  "add-stock-image": addWidget(() => "image", ({ query }) => ({
    image: { id: 0, url: `https://images.example/${encodeURIComponent(String(query))}.jpg` },
  })),
  "add-container": addContainer("container"),
  "add-flexbox": addContainer("e-flexbox"),
  "add-div-block": addContainer("e-div-block"),
  "update-element": update,
  "update-widget": updateWidget,
  "update-atomic-widget": update,
  "update-container": updateContainer,
  "batch-update": (args, at) =>
    editTree(at, args, (elements) => {
      const failed: unknown[] = [];
      let updated = 0;
      for (const one of args["operations"] as Args[]) {
        try {
          merge(elementOf(elements, one["element_id"]), one["settings"]);
          updated++;
        } catch (thrown) {
          if (!(thrown instanceof ToolFailure)) throw thrown;
          failed.push({ element_id: one["element_id"], reason: "element not found" });
        }
      }
      return { success: failed.length === 0, updated, failed };
    }),
  // A success that is not stored.
  "set-element-label": (args, at) => {
    const { id } = elementOf(pageOf(at, editable(at, args).id).elements, args["element_id"]);
    return { success: true, element_id: id, title: args["title"] };
  },
  "reorder-elements": (args, at) =>
    editTree(at, args, (elements) => {
      const parent = elementOf(elements, args["container_id"], "Container not found.");
      const ids = (args["element_ids"] as unknown[]).map(String);
      for (const id of ids) {
        if (parent.elements.some((one) => one.id === id)) continue;
        throw new ToolFailure(`Element "${id}" is not a direct child of the container.`);
      }
      const rank = ({ id }: Element) => ids.includes(id) ? ids.indexOf(id) : ids.length;
      parent.elements.sort((a, b) => rank(a) - rank(b));
      return { success: true };
    }),
  "move-element": (args, at) =>
    editTree(at, args, (elements) => {
      const element = elementOf(elements, args["element_id"]);
      remove(elements, element.id);
      const target = String(args["target_parent_id"]);
      if (!insert(elements, target, element, position(args))) {
        throw new ToolFailure("Failed to insert element at target position.");
      }
      return { success: true };
    }),
  "remove-element": (args, at) =>
    editTree(at, args, (elements) => {
      if (remove(elements, String(args["element_id"])) === null) throw new ToolFailure("Element not found.");
      return { success: true };
    }),
  "duplicate-element": (args, at) =>
    editTree(at, args, (elements) => {
      const element = elementOf(elements, args["element_id"]);
      const holder = [{ elements }, ...all(elements)].find((one) => one.elements.includes(element))!;
      const twin = copied(element);
      holder.elements.splice(holder.elements.indexOf(element) + 1, 0, twin);
      return { new_element_id: twin.id };
    }),
  "delete-page-content"(args, at) {
    store(at, editable(at, args), []);
    return { success: true };
  },
  "import-template": (args, at) =>
    editTree(at, args, (elements) => {
      const more = imported(args["template_json"]);
      const from = position(args);
      elements.splice(from < 0 ? elements.length : from, 0, ...more);
      return { success: true, elements_count: all(more).length };
    }),
  "apply-template": (args, at) =>
    editTree(at, args, (elements) => {
      const template = at.tools.templates.get(integer(args["template_id"]));
      if (template === undefined) {
        throw new ToolFailure(`Elementor document not found for post ID ${args["template_id"]}.`);
      }
      const more = template.elements.map(copied);
      for (const one of more) put(elements, args, one);
      return { success: true, elements_added: all(more).length };
    }),
  // Settings are replaced as a whole, and one of them is the status of the post.
  "update-page-settings"(args, at) {
    const post = editable(at, args);
    const settings = record(args["settings"]);
    const { post_status, post_title } = settings as Record<string, string | undefined>;
    if (post_status !== undefined) post.status = post_status;
    if (post_title !== undefined) post.title = post_title;
    at.tools.pages.set(post.id, { ...pageOf(at, post.id), settings });
    return { success: true, post_id: post.id };
  },
};
