/** Where in HTML a place is: in what is read, in a tag, in a comment, in a script or in a style. */

/** What a place is part of. */
export type Within = "text" | "tag" | "double" | "single" | "comment" | "block" | "json" | "script" | "style";

/** A part of HTML that is not read as it stands: `double` and `single` are values in such quotes, `block` is a block's comment. */
export interface Part {
  readonly from: number;
  readonly to: number;
  readonly within: Exclude<Within, "text">;
  /** Of a value the attribute that has it, in lower case. */
  readonly attribute?: string;
}

const NAME_CHARACTERS = 20;
/** As far as a comment is read to tell whether it is a block's. */
const COMMENT_CHARACTERS = 20;
const BLANKS = " \t\n\r\f";
const RAW = ["script", "style"] as const;

/** All parts of it in their order; between them it is read as it stands. */
export function markupOf(html: string): Part[] {
  const parts: Part[] = [];
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at)) {
    if (html.startsWith("<!--", at)) at = comment(html, at, parts);
    else at = isTag(html, at) ? tag(html, at, parts) : at + 1;
  }
  return parts;
}

/** Where the end stands, or the text ends. */
function endOf(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from);
  return at === -1 ? text.length : at + end.length;
}

function comment(html: string, from: number, parts: Part[]): number {
  const to = endOf(html, "-->", from + 4);
  const isBlock = html.slice(from + 4, from + 4 + COMMENT_CHARACTERS).trimStart().startsWith("wp:");
  parts.push({ from, to, within: isBlock ? "block" : "comment" });
  return to;
}

const isLetter = (one: string) => one.toLowerCase() !== one.toUpperCase();

const isTag = (html: string, at: number) =>
  isLetter(html.charAt(html[at + 1] === "/" ? at + 2 : at + 1)) || "!?".includes(html[at + 1] ?? " ");

/** A tag, the values of its attributes by themselves, and behind that of a script or style what it holds. */
function tag(html: string, from: number, parts: Part[]): number {
  let [start, at, isValue] = [from, from + 1, false];
  let [word, attribute] = [at, ""]; // the last word, which names an attribute where an equals sign follows
  for (; at < html.length && html[at] !== ">"; at++) {
    const one = html[at]!;
    if (isValue && (one === '"' || one === "'")) {
      const to = endOf(html, one, at + 1);
      const within = one === '"' ? "double" : "single";
      parts.push({ from: start, to: at + 1, within: "tag" });
      parts.push({ from: at + 1, to: Math.max(at + 1, to - 1), within, attribute });
      [start, at, isValue, word] = [to - 1, to - 1, false, to];
    } else if (BLANKS.includes(one) || one === "=") {
      if (at > word) attribute = html.slice(word, Math.min(at, word + NAME_CHARACTERS)).toLowerCase();
      word = at + 1;
      isValue ||= one === "=";
    } else isValue = false;
  }
  const to = Math.min(html.length, at + 1);
  parts.push({ from: start, to, within: "tag" });
  const name = html.slice(from + 1, from + 1 + NAME_CHARACTERS).toLowerCase();
  const raw = RAW.find((one) => name.startsWith(one) && !isLetter(name.charAt(one.length)));
  return raw === undefined ? to : rawText(html, { from, to, name: raw }, parts);
}

function rawText(
  html: string,
  opening: { readonly from: number; readonly to: number; readonly name: typeof RAW[number] },
  parts: Part[],
): number {
  const { from, to, name } = opening;
  let end = html.indexOf("</", to);
  while (end !== -1 && html.slice(end + 2, end + 2 + name.length).toLowerCase() !== name) {
    end = html.indexOf("</", end + 2);
  }
  if (end === -1) end = html.length;
  const isJson = name === "script" && html.slice(from, to).toLowerCase().includes("json");
  parts.push({ from: to, to: end, within: isJson ? "json" : name });
  return end;
}
