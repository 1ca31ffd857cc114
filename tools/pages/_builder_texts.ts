/** Texts that the visual builder keeps: the settings of elements that hold them, and the operations that change those. */
import type { Id } from "../../core/ids.ts";
import { Content } from "../../core/content.ts";
import { type Fields, isFields } from "../../core/values.ts";
import type { Rewritten } from "../../rules/finding/rewriting.ts";
import type { Form } from "../../rules/finding/unread.ts";
import type { ToolContext } from "../../registry/tool.ts";

/** The site's own tools that read the settings of an element, and change those of several at once. */
const READ_ELEMENT = "builder-mcp-get-element-settings";
export const CHANGE_ELEMENTS = "builder-mcp-batch-update";

type Settings = Readonly<Record<string, unknown>>;

/** A setting: of which element, and the names that lead to it. */
interface Setting {
  readonly element: string;
  readonly path: readonly string[];
}

/** The setting that a place names as `heading 1a2b3c title` or `tabs 4d5e6f tabs.0.tab_title`; null for what is none. */
export function settingOf(within: string | undefined): Setting | null {
  const [, element = "", ...rest] = (within ?? "").split(" ");
  const path = rest.join(" ").split(".");
  return element === "" || path[0] === "" ? null : { element, path };
}

/** The settings of the elements that hold those places, by element. Reads only. Throws what the site's tool refuses with. */
export async function settingsOf(
  { calls, site }: Pick<ToolContext, "calls" | "site">,
  post_id: Id,
  places: readonly (string | undefined)[],
): Promise<Map<string, Settings>> {
  const elements = new Set(places.flatMap((one) => settingOf(one)?.element ?? []));
  const found = new Map<string, Settings>();
  for (const element_id of elements) {
    const call = await calls.plan(READ_ELEMENT, { site_id: site.id, post_id: Number(post_id), element_id });
    const { settings } = valueOf(await calls.run(call));
    if (isFields(settings)) found.set(element_id, settings);
  }
  return found;
}

/** What a site's own tool answered, as its content says it; nothing for what is no object. */
function valueOf(answer: unknown): Fields {
  if (!(answer instanceof Content)) return {};
  if (answer.structured !== undefined) return answer.structured;
  const [only] = answer.items;
  const text = isFields(only) && typeof only["text"] === "string" ? only["text"] : "";
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : {};
  } catch {
    return {};
  }
}

/** The text of a setting; null where there is none. */
export function textIn(settings: ReadonlyMap<string, Settings>, within: string): string | null {
  const setting = settingOf(within);
  let value: unknown = setting && settings.get(setting.element);
  for (const name of setting?.path ?? []) value = isTree(value) ? value[name] : undefined;
  return typeof value === "string" ? value : null;
}

const isTree = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** How a setting is written: most are HTML, addresses are not. */
export const formOf = (within: string): Form => settingOf(within)?.path.at(-1) === "url" ? "words" : "html";

const NAMES = ["css_classes", "custom_css"];

/** Whether a setting names or styles its element. */
export function isNaming(within: string): boolean {
  const name = settingOf(within)?.path.at(-1) ?? "";
  return name.startsWith("_") || NAMES.includes(name);
}

/** An operation for each element, with the settings that change, each whole, as the site's tool replaces it. */
export function operationsOf(
  settings: ReadonlyMap<string, Settings>,
  changed: readonly { readonly field: string; readonly rewritten: Pick<Rewritten, "text"> }[],
): { readonly element_id: string; readonly settings: Settings }[] {
  const operations = new Map<string, Record<string, unknown>>();
  for (const { field, rewritten } of changed) {
    const { element, path } = settingOf(field)!;
    const top = path[0]!;
    const own = operations.get(element) ?? {};
    operations.set(element, own);
    own[top] ??= structuredClone(settings.get(element)![top]);
    if (path.length === 1) {
      own[top] = rewritten.text;
      continue;
    }
    let at = own[top];
    for (const name of path.slice(1, -1)) at = (at as Record<string, unknown>)[name];
    (at as Record<string, unknown>)[path.at(-1)!] = rewritten.text;
  }
  return [...operations].map(([element_id, settings]) => ({ element_id, settings }));
}
