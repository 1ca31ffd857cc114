/** Selectors as their compounds, and how each is confined to the elements of one scope class. */
import { LIMITS } from "../../core/model.ts";
import { type Css, CssFault, T, unescaped } from "./tokens.ts";

/** A change of the text: `remove` characters at an offset give way to `insert`. */
export interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

/** The place of selectors: at the top, in a rule's block, or in the block of @scope. */
export type Place = "top" | "nested" | "scope";

/** What is confined, to what, and the edits that do it. */
export interface Confining {
  readonly css: Css;
  readonly scope: string;
  readonly edits: Edit[];
}

interface Compound {
  readonly from: number;
  readonly to: number;
  /** The combinator before it; "" for the first. */
  readonly before: string;
  /** How many of its simple selectors name the page's root (html, body, :root, …). */
  readonly roots: number;
  /** Whether there is nothing beside those and a pseudo-element. */
  readonly bare: boolean;
  /** Where its pseudo-element begins, else its end. */
  readonly subject: number;
  /** Whether it stands for an element of the scope: `&`, or the scope class itself. */
  readonly inside: boolean;
}

const LEGACY_PSEUDO_ELEMENTS = new Set(["before", "after", "first-line", "first-letter"]);
const LISTS = new Set(["is", "where", "matches", "any", "-webkit-any", "-moz-any"]);

/** Confines the selectors of the tokens `from` to before `to`. Throws CssFault for what is no selector. */
export function confine(to: Confining, from: number, end: number, place: Place, depth = 0): void {
  if (depth > LIMITS.NESTING_LEVELS) throw new CssFault(to.css.start(from), "selectors nested too deep");
  for (const [first, behind] of complexes(to.css, from, end)) {
    const compounds = compoundsOf(to, first, behind, place);
    if (place === "top") confineTop(to, compounds, depth);
    else confineNested(to, compounds, first, behind);
  }
}

/** The parts of a comma list, blanks around them taken off. */
function complexes(css: Css, from: number, end: number): [number, number][] {
  const parts: [number, number][] = [];
  let start = from;
  for (let at = from; at <= end; at = at < end ? css.next(at) : at + 1) {
    if (at < end && css.type(at) !== T.Comma) continue;
    const first = css.skipBlanks(start, at);
    let behind = at;
    while (behind > first && css.isBlank(behind - 1)) behind--;
    if (first === behind) throw new CssFault(css.start(at), "a selector is missing");
    parts.push([first, behind]);
    start = at + 1;
  }
  return parts;
}

function compoundsOf(to: Confining, from: number, end: number, place: Place): Compound[] {
  const { css } = to;
  const found: Compound[] = [];
  let at = from;
  while (at < end) {
    const [before, next] = combinator(css, at, end);
    const dangling = next === end || (found.length === 0 && place === "top" && before !== "");
    if (dangling) throw new CssFault(css.start(at), `nothing beside the combinator "${before.trim()}"`);
    const compound = compoundAt(to, next, end, before, place);
    found.push(compound);
    at = compound.to;
  }
  return found;
}

/** The combinator that begins here ("" for none, " " for a blank), and the token behind it. */
function combinator(css: Css, at: number, end: number): [string, number] {
  let sign = "";
  while (at < end) {
    const [text, next] = css.isBlank(at)
      ? [css.type(at) === T.WhiteSpace ? " " : "", at + 1]
      : [">", "+", "~"].some((one) => css.isDelim(at, one))
      ? [css.text(at), at + 1]
      : css.isDelim(at, "|") && css.isDelim(at + 1, "|")
      ? ["||", at + 2]
      : [null, at];
    if (text === null) break;
    if (text.trim() !== "" && sign.trim() !== "") throw new CssFault(css.start(at), `unexpected "${text}"`);
    if (sign.trim() === "") sign = text || sign;
    at = next;
  }
  return [sign, at];
}

function compoundAt(to: Confining, from: number, end: number, before: string, place: Place): Compound {
  const { css, scope } = to;
  let [roots, others, subject, inside] = [0, 0, -1, false];
  let at = from;
  while (at < end && !css.isBlank(at) && combinator(css, at, end)[1] === at) {
    const next = simpleEnd(css, at, end, from);
    if (isPseudoElement(css, at)) subject = subject < 0 ? at : subject;
    else if (subject < 0) {
      const root = isRoot(css, at, place);
      if (root) roots++;
      else others++;
      inside ||= place !== "top" && css.isDelim(at, "&") || place === "scope" && root ||
        css.isDelim(at, ".") && unescaped(css.text(at + 1)) === scope;
    }
    at = next;
    while (css.type(at) === T.Comment && at + 1 < end && !css.isBlank(at + 1)) at++;
  }
  return {
    from,
    to: at,
    before,
    roots: place === "top" ? roots : 0,
    bare: others === 0,
    subject: subject < 0 ? at : subject,
    inside,
  };
}

/** The token behind the simple selector that begins here. */
function simpleEnd(css: Css, at: number, end: number, first: number): number {
  const type = css.type(at);
  const named = (next: number, ...types: number[]) => next < end && types.includes(css.type(next));
  if (type === T.Ident || css.isDelim(at, "*")) {
    const qualified = css.isDelim(at - 1, "|") && at > first;
    if (at === first || qualified) return at + 1;
  } else if (css.isDelim(at, "|")) {
    if (named(at + 1, T.Ident) || css.isDelim(at + 1, "*")) return at + 1;
  } else if (type === T.Hash || css.isDelim(at, "&")) return at + 1;
  else if (css.isDelim(at, ".")) {
    if (named(at + 1, T.Ident)) return at + 2;
  } else if (type === T.Colon) {
    const name = css.type(at + 1) === T.Colon ? at + 2 : at + 1;
    if (named(name, T.Ident, T.Function)) return css.next(name);
  } else if (type === T.LeftSquare) return css.next(at);
  throw new CssFault(css.start(at), `unexpected "${css.text(at).slice(0, 20)}" in a selector`);
}

function isPseudoElement(css: Css, at: number): boolean {
  if (css.type(at) !== T.Colon) return false;
  return css.type(at + 1) === T.Colon || LEGACY_PSEUDO_ELEMENTS.has(css.text(at + 1).toLowerCase());
}

function isRoot(css: Css, at: number, place: Place): boolean {
  const name = (token: number) => css.type(token) === T.Ident ? unescaped(css.text(token)).toLowerCase() : "";
  if (css.isDelim(at, "&")) return place === "top";
  if (css.type(at) === T.Colon) return ["root", "scope"].includes(name(at + 1));
  return !css.isDelim(at + 1, "|") && !css.isDelim(at - 1, "|") && ["html", "body"].includes(name(at));
}

const strict = (before: string) => before === "" || before === " " || before === ">";

/** Whether an element of the scope is named, and only that element or those below it are meant. */
function staysInside(compounds: readonly Compound[]): boolean {
  return compounds.some(({ inside }, at) => inside && strict(compounds[at + 1]?.before ?? ""));
}

/** What stands for the page's root becomes the scope's element; all else is looked for below it. */
function confineTop(to: Confining, compounds: readonly Compound[], depth: number): void {
  const { css, scope, edits } = to;
  const first = compounds[0]!;
  if (staysInside(compounds)) return;
  const rest = compounds.findIndex(({ roots, before }) => roots === 0 || !strict(before));
  const run = compounds.slice(0, rest < 0 ? compounds.length : rest);
  if (run.length === 0 && strict(compounds[1]?.before ?? "") && intoList(to, first, depth)) return;
  if (run.length === 0 || !strict(compounds[run.length]?.before ?? "")) {
    edits.push({ at: css.start(first.from), remove: 0, insert: `.${scope} ` });
    return;
  }
  const last = run.at(-1)!;
  const [start, end] = [css.start(first.from), css.start(last.subject)];
  if (!run.every(({ bare }) => bare)) {
    // A condition on the page itself (html.dark) stays one: it is about elements outside the scope.
    edits.push({ at: end, remove: 0, insert: ` .${scope}` });
  } else {
    edits.push({ at: start, remove: end - start, insert: `.${scope}`.repeat(Math.max(1, last.roots)) });
  }
}

/** `:is(html, .a)`: its members are confined one by one, where one of them is the page's root or the scope. */
function intoList(to: Confining, { from }: Compound, depth: number): boolean {
  const { css } = to;
  const list = from + 1;
  if (css.type(from) !== T.Colon || css.type(list) !== T.Function) return false;
  if (!LISTS.has(css.text(list).slice(0, -1).toLowerCase())) return false;
  const [first, end] = [list + 1, css.closing(list)];
  if (css.skipBlanks(first, end) === end) return false;
  const rooted = complexes(css, first, end).some(([start, behind]) => {
    const compounds = compoundsOf(to, start, behind, "top");
    return compounds[0]!.roots > 0 || staysInside(compounds);
  });
  if (rooted) confine(to, first, end, "top", depth + 1);
  return rooted;
}

/** What a nested rule means is inside already, unless it steps beside `&` or names it only to look elsewhere. */
function confineNested(to: Confining, compounds: readonly Compound[], from: number, end: number): void {
  const { css, scope, edits } = to;
  const names = Array.from({ length: end - from }, (_, at) => at + from).some((at) => css.isDelim(at, "&"));
  const implied = !names && !compounds.some(({ inside }) => inside) && strict(compounds[0]!.before);
  if (implied || staysInside(compounds)) return;
  const at = css.start(compounds.at(-1)!.subject);
  const insert = `:is(.${scope},.${scope} *)`;
  if (!css.source.slice(0, at).endsWith(insert)) edits.push({ at, remove: 0, insert });
}
