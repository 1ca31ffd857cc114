/** Markdown as the HTML of a draft: rendered, and cleared of what a reader of the site should never run. */
import { Lexer, Marked } from "marked";
import { defaultTreeAdapter as tree, type DefaultTreeAdapterMap, parseFragment, serialize } from "parse5";
import { GatewayError } from "../../core/errors.ts";

type Node = DefaultTreeAdapterMap["childNode"];
type Element = DefaultTreeAdapterMap["element"];
type Parent = DefaultTreeAdapterMap["documentFragment"] | Element;

/** What became of a text. */
export interface Rendered {
  readonly html: string;
  /** What of it did not go through as it was written, each in a sentence. */
  readonly notes: readonly string[];
}

/** The elements that a draft may contain, and their attributes. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ("h1 h2 h3 h4 h5 h6 p blockquote pre hr br wbr ul li dl dt dd figure figcaption table caption thead tbody tfoot " +
      "tr em strong b i u s del ins mark sub sup small kbd samp var cite q dfn div span section summary")
      .split(" ").map((name) => [name, []]),
  ),
  a: ["href", "title"],
  img: ["src", "alt", "title", "width", "height"],
  code: ["class"],
  ol: ["start"],
  th: ["align", "scope", "colspan", "rowspan"],
  td: ["align", "colspan", "rowspan"],
  abbr: ["title"],
  time: ["datetime"],
  details: ["open"],
};
/** Their content is no text for a reader, or is read by other rules: it is removed with them. */
const WHOLLY = new Set(
  ("script style iframe frame frameset object embed applet noscript noembed noframes template svg math textarea title " +
    "select xmp plaintext head").split(" "),
);
const SCHEMES = ["http", "https", "mailto", "tel"];
/** Of each run of text, its length squared: the renderer needs about a second for the worst of so much. */
const EFFORT_MAX = 1_000_000_000;
/** The same of each stretch without an empty line, for finding out what blocks it holds. */
const STRETCH_EFFORT_MAX = 4_000_000_000;
const DEPTH_MAX = 200;
/** What of inline elements is left open is opened again in every paragraph that follows: a page of text can make millions. */
const ELEMENTS_MAX = 200_000;

/** A footnote, which is rendered by other rules; read as the address of a link its text would be lost. */
const FOOTNOTE = /^ {0,3}\[\^[^\]\s]+\]:/;

const markdown = new Marked({
  gfm: true,
  renderer: { checkbox: ({ checked }) => checked ? "☑ " : "☐ " },
  tokenizer: { def: (src) => FOOTNOTE.test(src) ? undefined : false },
});

/**
 * Renders a text. Elements, attributes and addresses beyond a list of harmless ones are left out, whether they were
 * written as HTML or came of a link; `notes` names them. Throws E_BAD_INPUT naming the field for a text that is nested
 * too deeply, whose paragraphs are too long, or that makes too many elements, to be rendered in reasonable time.
 */
export function htmlOf(text: string, field: string): Rendered {
  const left = new Set<string>();
  const root = parseFragment(rendered(text, field, left), { treeAdapter: bounded(field) });
  const depth = clear(root, left);
  if (depth > DEPTH_MAX) throw tooDeep(field);
  return { html: serialize(root).trim(), notes: [...left].sort() };
}

/** A tree that is given up as soon as it has too many elements, or they are nested too deep, before it takes all memory. */
function bounded(field: string): typeof tree {
  let [made, open] = [0, 0];
  return {
    ...tree,
    createElement(...parts) {
      if (++made <= ELEMENTS_MAX) return tree.createElement(...parts);
      throw new GatewayError(
        "E_BAD_INPUT",
        `${field}: the file makes more than ${ELEMENTS_MAX} elements; close those that are left open, or divide the file`,
      );
    },
    onItemPush() {
      if (++open > DEPTH_MAX + 1) throw tooDeep(field); // the root counts
    },
    onItemPop: () => void open--,
  };
}

function rendered(text: string, field: string, left: Set<string>): string {
  const lexer = new Lexer(markdown.defaults);
  const lines = text.replaceAll(/\r\n?/g, "\n");
  requireShort(lines.split(/\n *(?=\n)/), STRETCH_EFFORT_MAX, field);
  try {
    lexer.blockTokens(lines, lexer.tokens);
    if (lexer.tokens.some(({ type, raw }) => type === "paragraph" && FOOTNOTE.test(raw))) {
      left.add("Footnotes are not rendered; [^…] and its text remain as they were written");
    }
    requireShort(lexer.inlineQueue.map(({ src }) => src), EFFORT_MAX, field);
    for (const { src, tokens } of lexer.inlineQueue) lexer.inlineTokens(src, tokens);
    return markdown.parser(lexer.tokens);
  } catch (thrown) {
    if (thrown instanceof RangeError || /Maximum call stack/.test(String(thrown))) throw tooDeep(field);
    throw thrown;
  }
}

/** Refuses runs of text the longest of which takes too long: what is done with one grows with the square of it. */
function requireShort(runs: readonly string[], most: number, field: string): void {
  if (runs.reduce((sum, { length }) => sum + length ** 2, 0) <= most) return;
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 0);
  throw new GatewayError(
    "E_BAD_INPUT",
    `${field}: a paragraph of the file has ${longest} characters, too many to be rendered; divide it by empty lines`,
  );
}

const tooDeep = (field: string) =>
  new GatewayError(
    "E_BAD_INPUT",
    `${field}: quotes, lists or elements of the file are nested too deep`,
  );

/** Clears a tree without calling itself, however deep it is; answers how deep it was. */
function clear(root: Parent, left: Set<string>): number {
  const open: { parent: Parent; depth: number }[] = [{ parent: root, depth: 0 }];
  let deepest = 0;
  for (let at = open.pop(); at; at = open.pop()) {
    const { parent, depth } = at;
    deepest = Math.max(deepest, depth);
    parent.childNodes = kept(parent.childNodes, left);
    for (const child of parent.childNodes) {
      child.parentNode = parent;
      if (tree.isElementNode(child)) open.push({ parent: child, depth: depth + 1 });
    }
  }
  return deepest;
}

/** The nodes that stay, those of an element that does not in its place. */
function kept(nodes: readonly Node[], left: Set<string>): Node[] {
  const stay: Node[] = [];
  const waiting = nodes.toReversed();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (tree.isTextNode(node)) stay.push(node);
    if (!tree.isElementNode(node)) continue;
    const name = node.tagName;
    if (WHOLLY.has(name)) left.add(`<${name}> was left out with its content`);
    else if (Object.hasOwn(ALLOWED, name)) stay.push(plain(node, left));
    else {
      left.add(`<${name}> was left out, its text kept`);
      waiting.push(...node.childNodes.toReversed());
    }
  }
  return stay;
}

/** An element with the attributes it may have. */
function plain(element: Element, left: Set<string>): Element {
  const name = element.tagName;
  element.attrs = element.attrs.filter((one) => {
    if (
      !ALLOWED[name]?.includes(one.name) || (one.name === "class" && !/^language-[\w+#.-]+$/.test(one.value))
    ) {
      left.add(`The attribute ${one.name} of <${name}> was left out`);
      return false;
    }
    if (one.name !== "href" && one.name !== "src") return true;
    if (harmless(one.value)) {
      if (isRelative(one.value)) {
        left.add(
          `An address of <${name}> is relative to the file, and leads elsewhere on the site; give it in full`,
        );
      }
      return true;
    }
    left.add(
      `An address of <${name}> was left out; http, https, mailto, tel and paths of the site are taken`,
    );
    return false;
  });
  return element;
}

/** Whether an address leads where a draft's may. Browsers pass over blanks and control characters, so they count for nothing. */
function harmless(address: string): boolean {
  // deno-lint-ignore no-control-regex
  const bare = address.replace(/[\u0000-\u0020]/g, "");
  const scheme = /^([^/?#]*?):/.exec(bare)?.[1];
  return scheme === undefined ? !/^[/\\]{2}/.test(bare) : SCHEMES.includes(scheme.toLowerCase());
}

/** Whether a harmless address leads to another page. */
const isRelative = (address: string) => !/^\s*($|[/\\#?]|[a-z][a-z\d+.-]*:)/i.test(address);
