/** What a tag in a page made from code may not be: another document, or a script from elsewhere. */
import type { Token } from "parse5";

/** Elements that show another document, or move every address of the page. */
const ELSEWHERE = new Set("iframe frame frameset object embed applet portal fencedframe base".split(" "));
/** Attributes that hold addresses, also behind a prefix (xlink:href). */
const ADDRESSES = new Set(
  ("href src action formaction data poster background cite longdesc ping manifest lowsrc dynsrc from to by values " +
    "srcset imagesrcset content").split(" "),
);
/** Those of them that hold several, or one after other text. */
const LISTS = new Set("values srcset imagesrcset content ping".split(" "));
/** Browsers drop these before they look at an address's scheme. */
const BLANKS = /[\0-\x20]+/g;

/** What of a start tag a page made from code may not hold, each as a phrase. */
export function faultsOf({ tagName, attrs }: Token.TagToken): string[] {
  const found = ELSEWHERE.has(tagName) ? [`the element ${tagName}`] : [];
  for (const { name, value } of attrs) {
    const local = name.replace(/^.*:/, "");
    if (local === "style" && /url\(['"]?(java|vb|live)script:/i.test(value.replace(BLANKS, ""))) {
      found.push("an address that runs a script in style");
    }
    if (local === "srcdoc") found.push("the attribute srcdoc");
    if (tagName === "script" && (local === "src" || local === "href")) {
      found.push("a script from another address");
    }
    if (
      tagName === "link" && name === "rel" && /(^|\s)(stylesheet|import|modulepreload)(\s|$)/i.test(value)
    ) {
      found.push("a style sheet or script from another address");
    }
    if (addressRuns(local, value)) {
      found.push(`an address that runs a script in ${name}`);
    }
  }
  return found;
}

/** Whether that attribute holds addresses one of which runs a script when it is followed; `name` without its prefix. */
export const addressRuns = (name: string, value: string): boolean =>
  ADDRESSES.has(name) && runsScript(value, LISTS.has(name));

/** Whether an address, or one of a list, runs a script when it is followed. */
export function runsScript(value: string, list: boolean): boolean {
  const plain = value.replace(BLANKS, "").toLowerCase();
  const runs = list ? /(^|[;,=])['"]?(java|vb|live)script:/ : /^(java|vb|live)script:/;
  return runs.test(plain) ||
    /^data:(text\/html|text\/xml|application\/xhtml|application\/xml|image\/svg\+xml)[^,]*,.*(<|%3c)script/
      .test(plain);
}
