/** What the builder's tools refuse themselves, after WordPress took the arguments: what is there and empty. */

type Args = Readonly<Record<string, unknown>>;

const ELEMENT = ["element_id", "settings"];
const SETTINGS = "post_id, element_id, and settings are required.";
const TITLE = "The title parameter is required.";
const listed = (name: string) => `The ${name} parameter is required and must be an array.`;

/** By name without the plugin's prefix: what must not be empty, and the tool's words where it is. */
const NEEDED: Readonly<Record<string, readonly (readonly [names: readonly string[], words: string])[]>> = {
  "update-container": [[ELEMENT, SETTINGS]],
  "update-element": [[ELEMENT, SETTINGS]],
  "update-widget": [[ELEMENT, SETTINGS]],
  "batch-update": [[["operations"], "post_id and operations are required."]],
  "reorder-elements": [[["element_ids"], "post_id, container_id, and element_ids are required."]],
  "import-template": [[["template_json"], "The template_json parameter is required."]],
  "create-page": [[["title"], TITLE]],
  "build-page": [[["title"], TITLE], [["structure"], listed("structure")]],
  "save-as-template": [[["title"], "post_id and title are required."]],
  "add-custom-js": [[["parent_id", "js"], "post_id, parent_id, and js are required."]],
  "update-global-colors": [[["colors"], listed("colors")]],
  "update-global-typography": [[["typography"], listed("typography")]],
};

/** As PHP has it, but for zero. */
const isEmpty = (value: unknown) =>
  value === undefined || value === null || value === "" || value === false ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** The words of a tool that lacks something; null where it has what it needs. */
export function lacking(name: string, args: Args): string | null {
  const found = (NEEDED[name] ?? []).find(([names]) => names.some((one) => isEmpty(args[one])));
  return found?.[1] ?? null;
}
