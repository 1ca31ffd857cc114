/** What sites take out of SEO texts as they store them: HTML tags, which a preview names. */
import { cut } from "../../../core/values.ts";
import { entriesOf, oneLine, type SeoChange } from "./names.ts";

const QUOTED_CHARACTERS = 160;
/** Elements that go with all they hold. */
const WHOLE = ["script", "style"];

/**
 * A text without its tags, as the companion plugin stores it (`Text::line`), and SEO plugins themselves do
 * (`sanitize_text_field`): a `<` that no `>` follows, or before a blank, is a sign like any other.
 */
export function withoutTags(text: string): string {
  let out = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    const end = open < 0 ? -1 : text.indexOf(">", open);
    if (end < 0) break;
    const tag = text.slice(open + 1, end);
    if (tag === "" || tag.includes("<") || tag.trimStart() !== tag) {
      out += text.slice(at, open + 1);
      at = open + 1;
      continue;
    }
    out += text.slice(at, open);
    at = endOf(text, tag.toLowerCase(), end);
  }
  return oneLine(out + text.slice(at));
}

/** Where what a tag takes with it ends. */
function endOf(text: string, tag: string, end: number): number {
  const whole = WHOLE.find((name) => tag === name || tag.startsWith(`${name} `));
  if (whole === undefined) return end + 1;
  const close = text.toLowerCase().indexOf(`</${whole}>`, end);
  return close < 0 ? end + 1 : close + whole.length + 3;
}

/** What a preview says of texts whose tags do not stay; over REST the SEO plugin decides that. */
export function tagWarnings(changed: SeoChange, overPlugin: boolean): string[] {
  return entriesOf(changed).flatMap(([field, to]) => {
    if (typeof to !== "string") return [];
    const stays = withoutTags(to);
    if (stays === oneLine(to)) return [];
    const left = stays === ""
      ? "nothing stays"
      : `what stays is ${JSON.stringify(cut(stays, QUOTED_CHARACTERS))}`;
    return [`${field}: HTML tags ${overPlugin ? "are" : "may be"} taken out as it is stored; ${left}`];
  });
}
