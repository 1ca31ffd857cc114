/** Script in HTML that a site will show: what of it a browser would run, found by parsing it as browsers do. */
import {
  defaultTreeAdapter,
  type DefaultTreeAdapterMap,
  html as names,
  Parser,
  type ParserError,
  type Token,
} from "parse5";
import { addressRuns, runsScript } from "./tags.ts";

type Tree = DefaultTreeAdapterMap;

/** How much of one text is looked through; what goes beyond counts as script, for nobody has seen that it is none. */
const DEPTH_MAX = 512;
const ELEMENTS_MAX = 100_000;
const FOUND_MAX = 5;
/** Blocks are in comments, and only a few are nested within the attributes of a block. */
const BLOCKS_IN_EACH_OTHER_MAX = 8;

/** Elements whose content is text to a browser, and may be elements to another browser or in another place. */
const TEXT_ELEMENTS: ReadonlySet<string> = new Set(
  "title textarea xmp iframe noembed noframes noscript style plaintext".split(" "),
);
/** Text without one of these holds no tag and no entity, and is not worth a parser. */
const MARKUP = /[<&]/;
/** A block of the CMS, whose attributes in JSON some blocks write into the page. */
const BLOCK = /^\s*\/?wp:/;
/** Elements that show a document at an address, so that one in the address itself is run. */
const SHOWING: ReadonlySet<string> = new Set("iframe frame object embed a area form button input".split(" "));
const DOCUMENT = /^data:(text\/html|text\/xml|application\/xhtml\+xml|application\/xml|image\/svg\+xml)/;
// deno-lint-ignore no-control-regex
const BLANKS = /[\u0000-\u0020]+/g;

class TooMuch extends Error {}

/** What was found, and how much has been looked through. */
class Found {
  readonly phrases = new Set<string>();
  elements = 0;
  /** How many blocks are being looked into, each in the attributes of another. */
  blocks = 0;

  /** As a caller is told it. */
  get told(): string[] {
    const all = [...this.phrases];
    return all.length > FOUND_MAX ? [...all.slice(0, FOUND_MAX), `${all.length - FOUND_MAX} more`] : all;
  }
}

/** Sees every tag a browser's tokenizer sees, also those its tree drops. */
class ScriptParser extends Parser<Tree> {
  found = new Found();

  override onStartTag(token: Token.TagToken): void {
    if (++this.found.elements > ELEMENTS_MAX || this.openElements.depth > DEPTH_MAX) throw new TooMuch();
    for (const what of scriptsOf(token)) this.found.phrases.add(what);
    super.onStartTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    if (BLOCK.test(token.data)) inBlock(token.data, this.found);
    super.onComment(token);
  }
}

/** What of a start tag runs script, each as a phrase. */
function scriptsOf({ tagName, attrs }: Token.TagToken): string[] {
  const found: string[] = [];
  const refreshes = attrs.some(({ name, value }) =>
    name === "http-equiv" && value.trim().toLowerCase() === "refresh"
  );
  if (tagName === "script" || tagName.endsWith(":script")) found.push("a script element");
  if (tagName === "meta" && refreshes) found.push("a meta refresh");
  for (const { name, value } of attrs) {
    const local = name.replace(/^.*:/, "");
    if (/^on./.test(local)) found.push(`the event handler ${local} of ${tagName}`);
    else if (local === "srcdoc") found.push(`the attribute srcdoc of ${tagName}`);
    else if (addressRuns(local, value) || (SHOWING.has(tagName) && DOCUMENT.test(plain(value)))) {
      found.push(`an address that runs a script in ${local} of ${tagName}`);
    }
  }
  return found.map((one) => one.replace(/[^\w .:-]/g, "?").slice(0, 80));
}

const plain = (address: string) => address.replace(BLANKS, "").toLowerCase();

/** Judges the attributes of a block, which may become HTML, as if they were. */
function inBlock(data: string, found: Found): void {
  const text = data.replace(
    /\\u([0-9a-f]{4})/gi,
    (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)),
  ).replaceAll('\\"', '"');
  if (runsScript(text, true) || /"(java|vb)script:/.test(plain(text))) {
    found.phrases.add("an address that runs a script in a block's attributes");
  }
  if (!text.includes("<")) return;
  if (++found.blocks > BLOCKS_IN_EACH_OTHER_MAX) throw new TooMuch();
  parse(text.replaceAll("-->", ""), true, found, false);
  found.blocks--;
}

/** Parses a text; `whole` looks into elements whose content is text, too. */
function parse(text: string, scriptingEnabled: boolean, found: Found, whole: boolean): void {
  const onParseError = ({ code }: ParserError) => {
    if (code === "eof-in-tag") {
      found.phrases.add("a tag that is not finished, which what follows on the page completes");
    }
  };
  const options = {
    scriptingEnabled,
    sourceCodeLocationInfo: whole,
    treeAdapter: defaultTreeAdapter,
    onParseError,
  };
  const around = defaultTreeAdapter.createElement("div", names.NS.HTML, []);
  const parser = ScriptParser.getFragmentParser<Tree>(around, options) as ScriptParser;
  parser.found = found;
  parser.tokenizer.write(text, true);
  if (whole) lookInside(text, parser.getFragment(), found);
}

/** Judges the content of elements of text as if it were elements. */
function lookInside(text: string, root: Tree["parentNode"], found: Found): void {
  const open: Tree["parentNode"][] = [root];
  for (let parent = open.pop(); parent; parent = open.pop()) {
    for (const node of parent.childNodes) {
      if (!("tagName" in node)) continue;
      open.push("content" in node ? node.content : node);
      const where = node.sourceCodeLocation;
      if (!TEXT_ELEMENTS.has(node.tagName) || !where?.startTag) continue;
      const inner = text.slice(where.startTag.endOffset, where.endTag?.startOffset ?? text.length);
      if (inner.includes("<")) parse(inner, true, found, false);
    }
  }
}

/**
 * What of a text runs script when it is HTML of a page, at most a few phrases; none where it holds no script.
 * Script elements, event handlers, addresses that run scripts, srcdoc and meta refresh count, and what cannot be told:
 * a tag that is not finished, and a text with more elements than can be looked through.
 */
export function scriptsIn(text: string): string[] {
  if (!MARKUP.test(text)) return [];
  const found = new Found();
  try {
    // What a browser without scripts reads as elements, one with scripts reads as text, and the other way round.
    for (const scripts of /noscript/i.test(text) ? [true, false] : [true]) parse(text, scripts, found, true);
  } catch (thrown) {
    if (!(thrown instanceof TooMuch)) throw thrown;
    found.phrases.add("more elements than can be looked through");
  }
  return found.told;
}

/** The same of a text that is put into a template, which may have a place for it in an attribute or an address. */
export function scriptsInPart(text: string): string[] {
  const quote = /["']/.test(text) ? scriptsIn(`<i title="${text}"></i><i title='${text}'></i>`) : [];
  const runs = runsScript(text, false) || DOCUMENT.test(plain(text));
  return [...new Set([...runs ? ["an address that runs a script"] : [], ...scriptsIn(text), ...quote])];
}
