/** Elements that a call sends as a tree, each with the one that is stored of it. */
import type { Sent } from "./element_settings.ts";
import { type Found, wrong } from "./found.ts";
import { isWithin, type Structure } from "./structure.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const LEVELS_MAX = 64;

/** An element as it is sent: a widget is of its own type, all others are what they are. */
interface Node {
  readonly type: string;
  readonly settings: Fields;
  /** Which one it stands in. */
  readonly parent: number;
}

/** The elements of a tree, each before those in it, whether as the builder stores them or as it takes them. */
function nodesOf(tree: unknown, parent = -1, into: Node[] = [], levels = LEVELS_MAX): Node[] {
  if (levels === 0 || !Array.isArray(tree)) return into;
  for (const one of tree.filter(isFields)) {
    const inner = one.children ?? one.elements;
    const settings = isFields(one.settings) ? one.settings : {};
    const at = into.push({ type: typeOf(one, inner), settings, parent }) - 1;
    nodesOf(inner, at, into, levels - 1);
  }
  return into;
}

function typeOf({ elType, widgetType, type, widget_type }: Fields, inner: unknown): string {
  const text = (...named: unknown[]) =>
    String(named.find((one) => typeof one === "string" && one !== "") ?? "");
  if (elType !== undefined) return text(widgetType, elType);
  if (type === "container" || (type !== "widget" && Array.isArray(inner) && inner.length > 0)) {
    return "container";
  }
  return text(widget_type, type === "widget" ? undefined : type);
}

/**
 * The stored elements of a tree that was sent as the argument `name`: `ids` in their order, among which there may be
 * containers that the builder put around others. What is not stored of it, or stands elsewhere, is in `found`.
 */
export function paired(name: string, tree: unknown, ids: readonly string[], page: Structure): {
  readonly found: Found | null;
  readonly sent: readonly Sent[];
} {
  const nodes = nodesOf(tree);
  if (nodes.length === 0) return { found: null, sent: [] };
  if (ids.length < nodes.length) {
    return {
      found: wrong(`${name}: ${nodes.length} elements were sent and ${ids.length} are stored`),
      sent: [],
    };
  }
  const stored: string[] = [];
  const sent: Sent[] = [];
  let next = 0;
  for (const { type, settings, parent } of nodes) {
    while (next < ids.length && page.elements.get(ids[next]!)?.type !== type) next++;
    const id = ids[next++];
    if (id === undefined) {
      return { found: wrong(`${name}: not all elements are stored with the types that were sent`), sent: [] };
    }
    if (parent >= 0 && !isWithin(id, new Set([stored[parent]!]), page)) {
      return {
        found: wrong(`${name}: not all elements are stored within those they were sent in`),
        sent: [],
      };
    }
    stored.push(id);
    if (Object.keys(settings).length > 0) sent.push({ element_id: id, settings, values: {} });
  }
  return { found: { verified: true }, sent };
}
