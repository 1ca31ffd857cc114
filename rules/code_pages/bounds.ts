/** Whether the HTML of a page made from code stays within the element it is put into. */
import { type DefaultTreeAdapterMap, html as names, type Parser, type Token } from "parse5";

type Tree = DefaultTreeAdapterMap;

/** Elements whose end tags, where they are not open, would close those of the site around the page's own. */
const CLOSING = new Set(
  ("div main article section aside header footer nav figure figcaption ul ol dl li dd dt blockquote address center " +
    "details summary dialog fieldset menu hgroup search pre listing").split(" "),
);
/** Elements that, left open, would take the site's end tag for theirs or hide from it. */
const SWALLOWING = new Set("div table template select marquee svg math".split(" "));

/** What the tokenizer calls a text that breaks off, and what that is. */
export const UNFINISHED: ReadonlyMap<string, string> = new Map([
  ["eof-in-tag", "a tag that is not finished"],
  ["eof-before-tag-name", "a tag that is not finished"],
  ["eof-in-comment", "a comment that is not closed"],
  ["eof-in-cdata", "a CDATA section that is not closed"],
  ["eof-in-script-html-comment-like-text", "a comment in a script that is not closed"],
]);

const { HTML, SELECT } = names.TAG_ID;

/** The open elements, innermost first. */
function* openIn({ openElements: open }: Parser<Tree>): Generator<Tree["element"]> {
  for (let slot = open.stackTop; slot >= 0; slot = open.slotBelow(slot)) {
    const element = open.items[slot]!;
    if ("tagName" in element) yield element;
  }
}

/** Whether an end tag closes an element of svg or math: those are asked before any of HTML, by their names alone. */
function closesForeign(parser: Parser<Tree>, name: string): boolean {
  for (const { tagName, namespaceURI } of openIn(parser)) {
    if (namespaceURI === names.NS.HTML) return false;
    if (tagName.toLowerCase() === name) return true;
  }
  return false;
}

/**
 * What is wrong with an end tag that is about to be parsed; null where it closes what the HTML opened, or where a table
 * cell and its like keep it from reaching any further.
 */
export function strayEnd(parser: Parser<Tree>, { tagName, tagID, location }: Token.TagToken): string | null {
  const { openElements: open } = parser;
  if (!CLOSING.has(tagName) || open.hasInScope(tagID) || closesForeign(parser, tagName)) return null;
  if (!open.hasInScope(HTML) || open.hasInScope(SELECT)) return null;
  return `an end tag ${tagName} that closes nothing at ${location?.startLine}:${location?.startCol}`;
}

type Place = Token.Location | null | undefined;

/** What is open where the HTML ends, and would go on in what the site puts behind it. */
export function leftOpen(parser: Parser<Tree>): string[] {
  const open: [name: string, where: Place][] = [];
  for (const { tagName, sourceCodeLocation } of openIn(parser)) {
    if (SWALLOWING.has(tagName)) open.push([tagName, sourceCodeLocation]);
  }
  for (let entry = parser.activeFormattingElements.newest; entry !== null; entry = entry.older) {
    // By its tag: where elements cross, the open element is a copy without a tag in the text.
    if ("element" in entry) open.push([entry.token.tagName, entry.token.location]);
  }
  // Without its end tag the fields of the site's next form are taken for its own, wherever it was.
  const { formElement: form } = parser;
  if (form !== null) open.push([form.tagName, form.sourceCodeLocation]);
  return open.map(([name, where]) =>
    `the element ${name} without its end at ${where?.startLine}:${where?.startCol}`
  );
}
