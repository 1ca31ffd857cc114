/** HTML without whatever leads a browser elsewhere: what a policy forbids to load may still be connected to. */
import { defaultTreeAdapter, type DefaultTreeAdapterMap, parse, serialize } from "parse5";
import { GatewayError } from "../../core/errors.ts";

type Tree = DefaultTreeAdapterMap;
type Node = Tree["node"];
type Element = Tree["element"];

/**
 * Elements that run, show another document, or say where things are. Chromium connects to the host of a frame before it
 * asks the policy, and to that of a link of the head, which no policy covers.
 */
const ELSEWHERE = new Set(
  "script link meta base iframe frame frameset object embed applet portal fencedframe".split(" "),
);
/** Attributes that lead on when they are pressed; `href` of an image in SVG is loaded as one, by the policy. */
const LEADING = new Set("href ping action formaction target srcdoc manifest download".split(" "));
const NODES_MAX = 200_000;

const isElement = (node: Node): node is Element => "tagName" in node;

/**
 * What is serialized may be read as another tree than it was written from (an element of MathML as one of HTML, what was
 * text as elements): so it is read again until nothing is left to take out of what is answered.
 */
const PASSES_MAX = 6;

/** The same document in which nothing is left to press, to load or to run; a part of one becomes a whole one. Throws E_NOT_SUPPORTED. */
export function drawnHtml(html: string): string {
  try {
    let text = html;
    for (let pass = 0; pass < PASSES_MAX; pass++) {
      const document = parse(text, { scriptingEnabled: false });
      const isClean = !clean(document);
      if (isClean && pass > 0) return text;
      text = serialize(document);
    }
    throw new RangeError("it never reads as it is written");
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "The page has too many elements, or too deep ones, to be drawn; read its code",
      { cause: thrown },
    );
  }
}

/** Takes out of a document what leads elsewhere; answers whether there was any. Throws RangeError for too many nodes. */
function clean(document: Node): boolean {
  const nodes: Node[] = [document];
  let found = false;
  for (let count = 0, node = nodes.pop(); node !== undefined; node = nodes.pop()) {
    if (++count > NODES_MAX) throw new RangeError("too many nodes");
    if (cleaned(node)) found = true;
    nodes.push(...within(node));
  }
  return found;
}

/** Takes out of a node what leads elsewhere; answers whether there was any. */
function cleaned(node: Node): boolean {
  let found = false;
  if (isElement(node)) {
    const kept = node.attrs.filter(({ name }) =>
      !name.startsWith("on") && (!LEADING.has(name) || (name === "href" && isDrawn(node)))
    );
    found = kept.length < node.attrs.length;
    node.attrs = kept;
  }
  if (!("childNodes" in node)) return found;
  const kept = node.childNodes.filter((one) => !isElement(one) || !ELSEWHERE.has(one.tagName));
  found ||= kept.length < node.childNodes.length;
  node.childNodes = kept;
  return found;
}

/** What stands in a node: of a template in its content. */
const within = (node: Node): readonly Node[] =>
  isElement(node) && node.tagName === "template"
    ? [defaultTreeAdapter.getTemplateContent(node as Tree["template"])]
    : "childNodes" in node
    ? node.childNodes
    : [];

/** Of SVG: what stands in the drawing itself. */
const isDrawn = ({ tagName, attrs }: Element) =>
  ["use", "lineargradient", "radialgradient", "linearGradient", "radialGradient"].includes(tagName) &&
  attrs.some(({ name, value }) => name === "href" && value.startsWith("#"));
