/** What a refused value was, and the form in which the next call has it right. */
import { nearest } from "../core/nearest.ts";
import { isFields } from "../core/values.ts";

/** As much of a schema of the dialect as hints need. */
interface Wanted {
  readonly type?: string;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly anyOf?: readonly Wanted[];
  readonly items?: Wanted;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** So much of a value that was given is repeated. */
const SHOWN_CHARACTERS = 60;

/** What other servers call an argument; of those that a tool has, the first. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  url: ["path", "source_url", "source"],
  link: ["path"],
  limit: ["per_page", "page_size", "row_limit", "max_rows"],
  count: ["per_page", "limit"],
  per_page: ["limit", "page_size"],
  query: ["search", "text", "find"],
  q: ["search", "query", "text"],
  keyword: ["search", "query"],
  body: ["content_html", "html", "content"],
  text: ["content_html", "content"],
  html: ["content_html"],
  markdown: ["content_html", "content"],
  date: ["scheduled_at"],
  publish_at: ["scheduled_at"],
  post_type: ["type"],
  image: ["featured_media_id"],
  name: ["title", "tool"],
  args: ["arguments"],
  input: ["arguments"],
  params: ["arguments"],
  parameters: ["arguments"],
  offset: ["page", "cursor"],
  order: ["sort"],
  orderby: ["sort"],
  order_by: ["sort"],
  from: ["since", "modified_after"],
  start_date: ["since", "modified_after"],
  after: ["since", "modified_after", "cursor"],
  post_id: ["page_id", "id", "ref"],
  page_id: ["post_id", "id", "ref"],
  slug: ["path"],
  find: ["text", "search"],
  pattern: ["text", "find", "search"],
  alt: ["alt_text"],
  data: ["content_base64"],
  base64: ["content_base64"],
  image_url: ["source_url"],
  operations: ["changes"],
  actions: ["changes"],
  branch: ["ref", "target_branch"],
  sha: ["commit_sha"],
  commit: ["commit_sha"],
  old: ["find"],
  old_text: ["find"],
  new: ["replace"],
  new_text: ["replace"],
  content: ["html", "content_html"],
  routes: ["pages"],
  files: ["pages"],
};
const WRAPPERS = [
  "arguments",
  "args",
  "params",
  "parameters",
  "input",
  "kwargs",
  "body",
  "data",
  "seo",
  "fields",
];

/** What is wanted of search engines, as arguments of a tool that writes a text are called by others. */
const SEO_NAMES = [
  "seo",
  "meta",
  "seo_title",
  "seo_description",
  "meta_title",
  "meta_description",
  "focus_keyword",
  "canonical",
  "canonical_url",
  "noindex",
  "robots",
];

const PARTS_NAMES = ["fields", "summary"];

/** Where a value belongs that is no argument of the tool, and none that is spelt like it either; null where nobody knows. */
export function placeOf(key: string, known: readonly string[], isTop: boolean): string | null {
  const name = plain(key);
  // What reads has taken them before.
  if (isTop && PARTS_NAMES.includes(name)) {
    return "leave it out; a tool that writes answers its preview and its proof whole";
  }
  if (name === "idempotencykey") {
    return "leave it out; it is the header Idempotency-Key, or site-operations/idempotency-key in _meta over MCP";
  }
  const isSeo = known.includes("content_html") && SEO_NAMES.some((one) => plain(one) === name);
  return isSeo ? "leave it out; set_seo_meta sets it, by the id of the post or page" : null;
}

const plain = (name: string) => name.toLowerCase().replaceAll("_", "").replaceAll("-", "");

/** How ids are written, which nobody need read as a pattern. */
export const ID_PATTERN = "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$";

/** How a text of one line is written. */
export const LINE_PATTERN = "^[^\\u0000-\\u001f\\u007f]*$";

/** The name that was likely meant by one that the tool does not have: as it is spelt, or as others call it. */
export function nameMeant(
  key: string,
  known: readonly string[],
  everywhere: readonly string[],
): string | null {
  const same = [...known, ...everywhere].find((one) => plain(one) === plain(key));
  const other = (Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key]! : []).find((one) => known.includes(one));
  const near = same ?? other ?? nearest(key, [...known, ...everywhere]);
  if (near !== null || key !== "id") return near;
  const ids = known.filter((one) => one.endsWith("_id"));
  return ids.includes("post_id") ? "post_id" : ids.includes("page_id") ? "page_id" : ids[0] ?? null;
}

/** Whether the arguments stand a level too deep: an object of that name holds some that the tool has. */
export function isWrapped(key: string, value: unknown, known: readonly string[]): boolean {
  const inner = typeof value === "string" ? parsed(value) : value;
  const isOther = known.includes("arguments") && OTHER_NAMES[key]?.[0] === "arguments";
  return !isOther && WRAPPERS.includes(key) && isFields(inner) &&
    Object.keys(inner).some((one) => known.includes(one) || one === "site_id");
}

/** What was given in place of what the schema wants, and how it is written instead, as the rest of a sentence. */
export function givenInstead(value: unknown, schema: Wanted | undefined, isRequired: boolean): string {
  const ways = schema?.anyOf ?? (schema ? [schema] : []);
  if (value === null) return isRequired ? ", not null" : ", not null; leave it out";
  if (value === "" && !isRequired) return ", not an empty text; leave it out";
  const hint = typeof value === "string" ? ofText(value, ways) : ofOther(value, ways);
  return hint ?? "";
}

const has = (ways: readonly Wanted[], ...types: readonly string[]) =>
  ways.some(({ type }) => types.includes(type ?? ""));

function ofText(value: string, ways: readonly Wanted[]): string | null {
  const limit = Math.max(...ways.map(({ type, maxLength }) => type === "string" ? maxLength ?? 0 : 0));
  if (limit > 0 && value.length > limit) return `, not ${value.length}`;
  const inner = parsed(value);
  const quoted = shown(value);
  const whole = `, not the text${quoted === null ? "" : ` ${quoted}`}`;
  if (ways.some((one) => one.enum?.some((allowed) => allowed !== value && String(allowed) === value))) {
    return `${whole}; give ${value} without quotes`;
  }
  const words = ways.flatMap((one) => one.enum ?? []).filter((one) => typeof one === "string");
  if (words.length > 0) {
    const near = nearest(value, words);
    return near === null ? quoted && `, not ${quoted}` : `; did you mean ${JSON.stringify(near)}`;
  }
  if (has(ways, "integer", "number") && typeof inner === "number" && fitsNumber(inner, ways)) {
    return `${whole}; give ${inner} without quotes`;
  }
  if (has(ways, "boolean") && typeof inner === "boolean") return `${whole}; give ${inner} without quotes`;
  if (has(ways, "object") && isFields(inner)) return ", not a text of one; give the object itself";
  if (has(ways, "array") && Array.isArray(inner)) return ", not a text of one; give the list itself";
  const items = ways.find(({ type }) => type === "array")?.items;
  if (items?.type === "string" && quoted !== null && !has(ways, "string")) {
    return `${whole}; give ${listOf(value)}`;
  }
  return quoted === null ? null : `, not ${quoted}`;
}

const fitsNumber = (value: number, ways: readonly Wanted[]) =>
  ways.some(({ type, minimum, maximum }) =>
    (type === "number" || type === "integer" && Number.isInteger(value)) &&
    value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity)
  );

function ofOther(value: unknown, ways: readonly Wanted[]): string | null {
  if (typeof value === "number" || typeof value === "boolean") {
    return has(ways, typeof value === "number" ? "integer" : "boolean", "number")
      ? `, not ${value}`
      : `, not the ${typeof value === "number" ? "number" : "value"} ${value}`;
  }
  if (Array.isArray(value)) return has(ways, "array") ? null : ", not a list";
  const items = ways.find(({ type }) => type === "array")?.items;
  return items === undefined ? ", not an object" : ", not an object; put it in a list: [{…}]";
}

/** The items of a text with commas, as a list is written. */
const listOf = (text: string) => `[${text.split(",").map((one) => JSON.stringify(one.trim())).join(", ")}]`;

/** The text in quotes; null where it is long, or holds what a message does not repeat. */
const shown = (text: string) =>
  text.length > SHOWN_CHARACTERS || ["<", "\n", "\r"].some((one) => text.includes(one))
    ? null
    : JSON.stringify(text);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
