/** What visitors' pages have of structured data that Rank Math keeps: what it drops, escapes and fills in. */
import { isFields } from "../../../core/values.ts";
import { type PageSchema, typesOf } from "../../../rules/seo_schema.ts";

/** The places where something happens to a value, by what happens. */
interface Altered {
  readonly escaped: string[];
  readonly dropped: string[];
  readonly filled: string[];
  readonly worded: string[];
}

/** How many places a warning names. */
const PLACES = 5;

/**
 * A sentence for each thing that Rank Math does to such data (json_ld(), validate_schema() and replace_variables() in its
 * class-jsonld.php, change_webpage_entity() in its class-frontend.php; docs/upstreams/wordpress.md, "Structured data").
 * `field` is the argument that holds the data.
 */
export function rankMathWarnings(schema: PageSchema, field = "schema"): string[] {
  const altered: Altered = { escaped: [], dropped: [], filled: [], worded: [] };
  visit(schema, "", altered);
  const { escaped, dropped, filled, worded } = altered;
  const faq = typesOf(schema).includes("FAQPage")
    ? [
      "of a FAQPage Rank Math shows only mainEntity, within the page's own WebPage; all else is dropped",
    ]
    : [];
  const found = [
    ...faq,
    ...sentence(
      escaped,
      'Rank Math prints "&" as "&amp;" and "<" as "&lt;", and drops tags; search engines may read them so',
    ),
    ...sentence(dropped, "Rank Math drops empty texts, and objects with nothing but @type"),
    ...sentence(
      filled,
      "Rank Math takes a word between two % for one of its variables and fills it in or drops it",
    ),
    ...sentence(worded, 'Rank Math prints numbers and switches as texts: true as "1", false and null as ""'),
  ];
  return found.map((one) => `${field}: ${one}`);
}

function sentence(places: readonly string[], what: string): string[] {
  if (places.length === 0) return [];
  const more = places.length > PLACES ? ` and ${places.length - PLACES} more` : "";
  return [`${what} (${places.slice(0, PLACES).join(", ")}${more})`];
}

function visit(value: unknown, place: string, altered: Altered): void {
  if (typeof value === "string") return visitText(value, place, altered);
  if (Array.isArray(value)) return value.forEach((one, at) => visit(one, below(place, String(at)), altered));
  if (!isFields(value)) {
    altered.worded.push(place);
    return;
  }
  const names = Object.keys(value);
  if (place !== "" && names.length === 1 && names[0] === "@type") altered.dropped.push(place);
  for (const name of names) visit(value[name], below(place, name), altered);
}

const below = (place: string, name: string) => place === "" ? name : `${place}.${name}`;

function visitText(text: string, place: string, { escaped, dropped, filled }: Altered): void {
  if (text === "") dropped.push(place);
  if (["&", "<", ">"].some((one) => text.includes(one))) escaped.push(place);
  if (text.split("%").length > 2 && URL.parse(text) === null) filled.push(place);
}
