/** What the HTML of a page made from code may not hold, found by parsing it as a browser does. */
import {
  defaultTreeAdapter,
  type DefaultTreeAdapterMap,
  html as names,
  Parser,
  type ParserError,
  type Token,
} from "parse5";
import { GatewayError } from "../../core/errors.ts";
import { leftOpen, strayEnd, UNFINISHED } from "./bounds.ts";
import { faultsOf } from "./tags.ts";

type Tree = DefaultTreeAdapterMap;
type Element = Tree["element"];

/** A piece of the HTML by its offsets, and its place as line:column. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly at: string;
}

/** The CSS in the HTML. */
export interface InlineCss {
  readonly sheets: readonly Piece[];
  /** Values of style attributes, where they are written as they are meant. */
  readonly attributes: readonly Piece[];
}

/** How deep elements may be nested, and how many a browser may make of a text; both are far beyond use. */
const DEPTH_MAX = 512;
const ELEMENTS_MAX = 100_000;
const SHOWN_MAX = 5;

/** Elements whose content is text: without an end they would swallow what the site puts behind them. */
const TEXT_ELEMENTS = new Set(
  "script style title textarea xmp noembed noframes noscript plaintext".split(" "),
);
/** Those of them that other programs, and other browsers, may read as elements. */
const PLAIN_TEXT = new Set("title textarea xmp noembed noframes".split(" "));

/** Which text is looked at, and what is to be done instead of what it may not hold. */
export interface Judged {
  readonly field: string;
  readonly instead: string;
}

const PART: Judged = {
  field: "html",
  instead:
    "a page made from code holds its own scripts and styles and no other documents: leave it out, and give " +
    "scripts in js",
};

/** What was found so far; shared by the parses of one text. */
class Findings {
  readonly disallowed = new Set<string>();
  readonly broken = new Set<string>();

  constructor(readonly judged: Judged) {}

  /** Throws E_DISALLOWED_CONTENT or E_BAD_INPUT naming the first things found. */
  judge(): void {
    const shown = (found: Set<string>) => {
      const rest = found.size > SHOWN_MAX ? ` and ${found.size - SHOWN_MAX} more` : "";
      return [...found].slice(0, SHOWN_MAX).join(", ") + rest;
    };
    if (this.disallowed.size > 0) {
      throw new GatewayError(
        "E_DISALLOWED_CONTENT",
        `${this.judged.field}: ${shown(this.disallowed)} (line:column); ${this.judged.instead}`,
      );
    }
    if (this.broken.size > 0) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `${this.judged.field}: ${shown(this.broken)} (line:column); close what is opened and only that`,
      );
    }
  }
}

/** A place in the HTML, both counted from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** Sees every tag a browser's tokenizer sees, also those its tree drops: other browsers may keep them. */
class LookingParser extends Parser<Tree> {
  findings = new Findings(PART);
  /** Where the text begins that is parsed. */
  begin: Place = { line: 1, column: 1 };

  override onStartTag(token: Token.TagToken): void {
    const { startLine = 1, startCol = 1 } = token.location ?? {};
    const { line, column } = this.begin;
    const at = `${line + startLine - 1}:${startLine === 1 ? column + startCol - 1 : startCol}`;
    for (const what of faultsOf(token)) this.findings.disallowed.add(`${what} at ${at}`);
    if (this.openElements.depth > DEPTH_MAX) {
      throw new GatewayError(
        "E_BAD_INPUT",
        `${this.findings.judged.field}: elements nested deeper than ${DEPTH_MAX} at ${at}; flatten it`,
      );
    }
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    const stray = strayEnd(this, token);
    if (stray !== null) this.findings.broken.add(stray);
    super.onEndTag(token);
  }

  override onEof(token: Token.EOFToken): void {
    for (const what of leftOpen(this)) this.findings.broken.add(what);
    super.onEof(token);
  }
}

/**
 * Looks at HTML and answers the CSS in it. Throws E_DISALLOWED_CONTENT (scripts and style sheets from elsewhere,
 * frames and what is like them, addresses that run scripts, scripts in svg, block delimiters of the CMS) and
 * E_BAD_INPUT (tags, comments and elements without an end, end tags without an element) naming what and at which line:column.
 */
export function inspectHtml(text: string, judged: Judged = PART): InlineCss {
  const findings = new Findings(judged);
  const delimiter = /<!--\s*\/?wp:/i.exec(text);
  if (delimiter) {
    const { length, [length - 1]: last } = text.slice(0, delimiter.index).split("\n");
    findings.disallowed.add(`a block delimiter of the CMS at ${length}:${last!.length + 1}`);
  }
  const sheets = new Map<number, Piece>();
  const attributes = new Map<number, Piece>();
  // What a browser without scripts reads as elements, one with scripts reads as text, and the other way round.
  for (const scripts of /noscript/i.test(text) ? [true, false] : [true]) {
    visit(parse(text, scripts, findings), (element) => look(text, element, { findings, sheets, attributes }));
  }
  findings.judge();
  return { sheets: inOrder(sheets), attributes: inOrder(attributes) };
}

function inOrder(pieces: ReadonlyMap<number, Piece>): Piece[] {
  const all = [...pieces.values()].toSorted((a, b) => a.start - b.start);
  return all.filter(({ start }, at) => at === 0 || start >= all[at - 1]!.end);
}

function parse(
  text: string,
  scriptingEnabled: boolean,
  findings: Findings,
  begin: Place = { line: 1, column: 1 },
): Tree["documentFragment"] {
  let made = 0;
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createElement(...given) {
      if (++made > ELEMENTS_MAX) {
        throw new GatewayError(
          "E_BAD_INPUT",
          `${findings.judged.field}: makes more than ${ELEMENTS_MAX} elements; close what is opened`,
        );
      }
      return defaultTreeAdapter.createElement(...given);
    },
  };
  const onParseError = ({ code, startLine, startCol }: ParserError) => {
    const what = UNFINISHED.get(code);
    if (what !== undefined) findings.broken.add(`${what} at ${startLine}:${startCol}`);
  };
  const options = { scriptingEnabled, sourceCodeLocationInfo: true, treeAdapter, onParseError };
  const around = defaultTreeAdapter.createElement("div", names.NS.HTML, []);
  const parser = LookingParser.getFragmentParser<Tree>(around, options) as LookingParser;
  parser.findings = findings;
  parser.begin = begin;
  parser.tokenizer.write(text, true);
  return parser.getFragment();
}

function visit(parent: Tree["parentNode"], see: (element: Element) => void): void {
  for (const node of parent.childNodes) {
    if (!("tagName" in node)) continue;
    see(node);
    visit("content" in node ? node.content : node, see);
  }
}

interface Seen {
  readonly findings: Findings;
  readonly sheets: Map<number, Piece>;
  readonly attributes: Map<number, Piece>;
}

function look(text: string, element: Element, { findings, sheets, attributes }: Seen): void {
  const { tagName, namespaceURI, sourceCodeLocation: where } = element;
  if (!where) return;
  const at = `${where.startLine}:${where.startCol}`;
  const foreign = namespaceURI !== names.NS.HTML;
  if (tagName === "script" && foreign) findings.disallowed.add(`a script in svg or math at ${at}`);
  if (!foreign && TEXT_ELEMENTS.has(tagName) && !where.endTag) {
    findings.broken.add(`the element ${tagName} without its end at ${at}`);
  }
  if (where.startTag && where.endTag) {
    const inner = text.slice(where.startTag.endOffset, where.endTag.startOffset);
    if (foreign && inner.includes("<![CDATA[")) {
      findings.disallowed.add(`a CDATA section in ${tagName} at ${at}`);
    }
    if (PLAIN_TEXT.has(tagName) && /<[a-z]/i.test(inner)) {
      lookInside(inner, { line: where.startTag.endLine, column: where.startTag.endCol }, findings);
    }
    const comment = tagName === "script" ? inner.indexOf("<!--") : -1;
    if (comment >= 0 && /<script/i.test(inner.slice(comment))) {
      findings.disallowed.add(`a script that opens a comment and a script in it at ${at}`);
    }
  }
  if (tagName === "style" && where.startTag && where.endTag) {
    const [start, end] = [where.startTag.endOffset, where.endTag.startOffset];
    if (foreign && /[&<]/.test(text.slice(start, end))) {
      findings.disallowed.add(`a style element in svg with entities or elements at ${at}`);
    }
    sheets.set(start, { start, end, at });
  }
  const style = element.attrs.find(({ name }) => name === "style");
  const held = where.attrs?.["style"];
  if (style && held && /animation/i.test(style.value)) {
    const start = held.startOffset + text.slice(held.startOffset, held.endOffset).indexOf(style.value);
    if (start < held.startOffset || text.slice(start, start + style.value.length) !== style.value) return;
    attributes.set(start, { start, end: start + style.value.length, at });
  }
}

/** Judges the tags in an element's text, which begins there, as if they were elements. */
function lookInside(inner: string, begin: Place, findings: Findings): void {
  const within = new Findings(findings.judged);
  parse(inner, true, within, begin);
  for (const what of within.disallowed) findings.disallowed.add(what);
}
