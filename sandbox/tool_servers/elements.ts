/** Pages of the visual builder: trees of elements, each with settings, kept beside the site's own posts. */

/** A section of a page, or a widget in one. */
export interface Element {
  readonly id: string;
  readonly elType: string;
  readonly widgetType?: string;
  isInner: boolean;
  settings: Record<string, unknown>;
  elements: Element[];
}

/** What the builder keeps of one post. */
export interface BuiltPage {
  readonly elements: Element[];
  readonly settings: Readonly<Record<string, unknown>>;
}

type Given = Readonly<Record<string, unknown>>;

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
const list = (value: unknown): Given[] => Array.isArray(value) ? value.map(record) : [];

let last = 0x2a00000;
/** Seven hexadecimal digits, as the builder names its elements; unlike every one before. */
const newId = () => (last += 0x1f3b).toString(16).padStart(7, "0").slice(-7);

/** A new section. */
export function container(settings: Given = {}, elements: Element[] = [], elType = "container"): Element {
  return { id: newId(), elType, isInner: false, settings: { ...settings }, elements };
}

/** A new widget. */
export function widget(widgetType: string, settings: Given = {}): Element {
  return {
    id: newId(),
    elType: "widget",
    widgetType,
    isInner: false,
    settings: { ...settings },
    elements: [],
  };
}

/** Every element of a tree, each before those in it. */
export function all(elements: readonly Element[]): Element[] {
  return elements.flatMap((one) => [one, ...all(one.elements)]);
}

/** The element of that id; undefined where there is none. */
export const find = (elements: readonly Element[], id: string) => all(elements).find((one) => one.id === id);

/** Puts an element into another, or at the top where `parent` is empty; false where there is no such parent. */
export function insert(elements: Element[], parent: string, element: Element, position = -1): boolean {
  const into = parent === "" ? elements : find(elements, parent)?.elements;
  if (into === undefined) return false;
  into.splice(position < 0 ? into.length : position, 0, element);
  return true;
}

/** Takes an element out, with all in it; null where there is none of that id. */
export function remove(elements: Element[], id: string): Element | null {
  const at = elements.findIndex((one) => one.id === id);
  if (at >= 0) return elements.splice(at, 1)[0]!;
  for (const one of elements) {
    const removed = remove(one.elements, id);
    if (removed) return removed;
  }
  return null;
}

/** A copy with ids of its own. */
export function copied(element: Element): Element {
  return { ...structuredClone(element), id: newId(), elements: element.elements.map(copied) };
}

/** Elements as somebody else wrote them, with ids of their own. */
export function imported(given: unknown): Element[] {
  return list(given).map((one) => ({
    id: newId(),
    elType: String(one["elType"] ?? "container"),
    ...(one["widgetType"] === undefined ? {} : { widgetType: String(one["widgetType"]) }),
    isInner: one["isInner"] === true,
    settings: record(one["settings"]),
    elements: imported(one["elements"]),
  }));
}

/** The widgets that are known; a page that is built drops any other without a word. */
export const WIDGETS = [
  "accordion",
  "alert",
  "button",
  "counter",
  "divider",
  "google_maps",
  "heading",
  "html",
  "icon",
  "icon-box",
  "icon-list",
  "image",
  "image-box",
  "image-carousel",
  "menu-anchor",
  "progress",
  "rating",
  "shortcode",
  "social-icons",
  "spacer",
  "star-rating",
  "tabs",
  "testimonial",
  "text-editor",
  "text-path",
  "toggle",
  "video",
];

/** A tree built of nested nodes: how many are claimed to have been made, and those that truly were. */
export function built(structure: unknown, inner = false): { claimed: number; elements: Element[] } {
  let claimed = 0;
  const elements: Element[] = [];
  for (const node of list(structure)) {
    const children = built(node["children"], true);
    const type = String(node["widget_type"] ?? node["type"] ?? "");
    const holds = node["type"] === "container" || children.claimed > 0;
    claimed += children.claimed + 1;
    if (holds) {
      elements.push({ ...container(record(node["settings"]), children.elements), isInner: inner });
    } else if (WIDGETS.includes(type)) elements.push(widget(type, record(node["settings"])));
  }
  return { claimed, elements };
}

/** What is said of widgets that are named by their type alone. */
export function shorthands(structure: unknown): string[] {
  return list(structure).flatMap(({ type, children }) => [
    ...(WIDGETS.includes(String(type))
      ? [
        `Interpreted "type":"${type}" as a "${type}" widget, prefer {"type":"widget","widget_type":"${type}"}.`,
      ]
      : []),
    ...shorthands(children),
  ]);
}

const SHOWN = ["title", "editor", "text", "image", "link", "html", "header_size"];
const SHOWN_OF_CONTAINERS = ["flex_direction", "content_width", "container_type"];
const SHOWN_CHARACTERS_MAX = 100;

function shownSettings({ elType, settings }: Element): Record<string, unknown> {
  const names = elType === "container" ? [...SHOWN, ...SHOWN_OF_CONTAINERS] : SHOWN;
  const rows = names.filter((name) => settings[name] !== undefined && settings[name] !== "").map((name) => {
    const value = settings[name];
    const long = typeof value === "string" && value.length > SHOWN_CHARACTERS_MAX;
    return [name, long ? `${value.slice(0, SHOWN_CHARACTERS_MAX)}...` : value] as const;
  });
  return Object.fromEntries(rows);
}

/** A tree as `get-page-structure` shows it: of the settings a few alone, long texts cut short. */
export function structure(
  elements: readonly Element[],
  { summary = false, max_depth = 0 }: { readonly summary?: boolean; readonly max_depth?: number } = {},
  depth = 1,
): unknown[] {
  return elements.map((one) => {
    const shown = shownSettings(one);
    const cut = max_depth > 0 && depth >= max_depth;
    const children = one.elements.length;
    return {
      id: one.id,
      elType: one.elType,
      ...(one.widgetType === undefined ? {} : { widgetType: one.widgetType }),
      ...(summary || Object.keys(shown).length === 0 ? {} : { settings_summary: shown }),
      ...(children > 0 && !cut
        ? { elements: structure(one.elements, { summary, max_depth }, depth + 1) }
        : {}),
      ...(children > 0 && (cut || summary) ? { child_count: children } : {}),
    };
  });
}
