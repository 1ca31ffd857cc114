/** The parts of a page made from code as they are stored: looked at, its CSS scoped, its script kept in its element. */
import { GatewayError } from "../../core/errors.ts";
import { checkCodeParts, type CodeParts, enclosedJs } from "./parts.ts";
import { inspectHtml, type Piece } from "./html.ts";
import { scopeSheets, type Sheet } from "./scope.ts";

/**
 * What is stored of the parts given, all CSS among them scoped to the class; `stored` is the page's CSS so far, whose
 * animations the HTML may use. Throws E_BAD_INPUT, E_DISALLOWED_CONTENT, E_PAYLOAD_TOO_LARGE naming the part.
 */
export function storedParts({ html, css, js }: CodeParts, scope: string, stored = ""): CodeParts {
  const inline = html === undefined ? { sheets: [], attributes: [] } : inspectHtml(html);
  const slice = ({ start, end }: Piece) => html!.slice(start, end);
  const sheets: Sheet[] = [
    ...css === undefined ? [] : [{ text: css, label: "css" }],
    ...inline.sheets.map((piece) => ({
      text: slice(piece),
      label: `html: the style element at ${piece.at}`,
    })),
    ...inline.attributes.map((piece) => ({
      text: slice(piece),
      label: `html: the style attribute at ${piece.at}`,
      attribute: true as const,
    })),
  ];
  const scoped = scopeSheets(sheets, scope, css === undefined ? stored : "");
  const pieces = [...inline.sheets, ...inline.attributes];
  const own = scoped.slice(scoped.length - pieces.length);
  const parts = {
    html: html === undefined ? undefined : spliced(html, pieces, own),
    css: css === undefined ? undefined : scoped[0],
    js: js === undefined ? undefined : enclosedJs(js),
  };
  checkGrown(parts);
  return Object.fromEntries(Object.entries(parts).filter(([, text]) => text !== undefined));
}

/** Scoped, the HTML and the script may have become longer than a site takes; its CSS may, and is taken. */
function checkGrown({ html, js }: CodeParts): void {
  try {
    checkCodeParts({ html, js });
  } catch (thrown) {
    if (!(thrown instanceof GatewayError) || thrown.code !== "E_PAYLOAD_TOO_LARGE") throw thrown;
    throw new GatewayError("E_PAYLOAD_TOO_LARGE", `${thrown.message} (its styles are longer once scoped)`);
  }
}

function spliced(html: string, pieces: readonly Piece[], texts: readonly string[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const [index, piece] of [...pieces.entries()].toSorted(([, a], [, b]) => a.start - b.start)) {
    parts.push(html.slice(at, piece.start), texts[index]!);
    at = piece.end;
  }
  parts.push(html.slice(at));
  return parts.join("");
}
