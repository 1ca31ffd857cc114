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

/** The same document in which nothing is left to press, to load or to run; a part of one becomes a whole one. Throws E_NOT_SUPPORTED. */
export function drawnHtml(html: string): string {
  const document = parse(html, { scriptingEnabled: false });
  try {
    const nodes: Node[] = [document];
    for (let count = 0, node = nodes.pop(); node !== undefined; node = nodes.pop()) {
      if (++count > NODES_MAX) throw new RangeError("too many nodes");
      nodes.push(...cleaned(node));
    }
    return serialize(document);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw new GatewayError(
      "E_NOT_SUPPORTED",
      "The page has too many elements, or too deep ones, to be drawn; read its code",
      { cause: thrown },
    );
  }
}

/** Takes out of a node what leads elsewhere; answers the nodes within it. */
function cleaned(node: Node): readonly Node[] {
  if (isElement(node)) {
    node.attrs = node.attrs.filter(({ name }) =>
      !name.startsWith("on") && (!LEADING.has(name) || (name === "href" && isDrawn(node)))
    );
    if (node.tagName === "template") return [defaultTreeAdapter.getTemplateContent(node as Tree["template"])];
  }
  if (!("childNodes" in node)) return [];
  node.childNodes = node.childNodes.filter((one) => !isElement(one) || !ELSEWHERE.has(one.tagName));
  return node.childNodes;
}

/** Of SVG: what stands in the drawing itself. */
const isDrawn = ({ tagName, attrs }: Element) =>
  ["use", "lineargradient", "radialgradient", "linearGradient", "radialGradient"].includes(tagName) &&
  attrs.some(({ name, value }) => name === "href" && value.startsWith("#"));
