/** The rules of a style sheet: nested as CSS Syntax Level 3 nests them, and refused where they do not hold. */
import { LIMITS } from "../../core/model.ts";
import { type Css, CssFault, T, unescaped } from "./tokens.ts";

/** `name: value`; the value's tokens are `from` to before `to`. */
export interface Declaration {
  readonly kind: "declaration";
  /** In lower case, but for custom properties. */
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Selectors and what holds for them; the selectors' tokens are `from` to before `to`. */
export interface Rule {
  readonly kind: "rule";
  readonly from: number;
  readonly to: number;
  readonly body: readonly Item[];
}

/** An at-rule; its prelude's tokens are `from` to before `to`. */
export interface AtRule {
  readonly kind: "at";
  /** In lower case, escapes resolved, without the @. */
  readonly name: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** null where it ends with a semicolon. */
  readonly body: readonly Item[] | null;
}

export type Item = Declaration | Rule | AtRule;

/** At-rules that are nothing without a block. */
const BLOCKS =
  /^(media|supports|container|scope|starting-style|(-\w+-)?keyframes|font-face|page|property|counter-style)$/;

/** Reads a whole style sheet. Throws CssFault. */
export function parseSheet(css: Css): Item[] {
  return contents(css, 0, css.count, 0);
}

/** Reads the CSS of a style attribute. Throws CssFault. */
export function parseDeclarations(css: Css): Item[] {
  return contents(css, 0, css.count, 1);
}

function contents(css: Css, from: number, to: number, depth: number): Item[] {
  if (depth > LIMITS.NESTING_LEVELS) throw new CssFault(css.start(from), "rules nested too deep");
  const items: Item[] = [];
  let at = from;
  while (at < to) {
    const type = css.type(at);
    const separator = depth === 0 ? type === T.CDO || type === T.CDC : type === T.Semicolon;
    if (css.isBlank(at) || separator) at++;
    else if (type === T.AtKeyword) at = readAtRule(css, at, to, depth, items);
    else at = (depth > 0 ? readDeclaration(css, at, to, items) : null) ?? readRule(css, at, to, depth, items);
  }
  return items;
}

/** The first token at that level, from `at` on, of one of these types; `to` when there is none. */
function find(css: Css, at: number, to: number, ...types: number[]): number {
  while (at < to && !types.includes(css.type(at))) at = css.next(at);
  return Math.min(at, to);
}

function readAtRule(css: Css, at: number, to: number, depth: number, items: Item[]): number {
  const name = unescaped(css.text(at).slice(1)).toLowerCase();
  const end = find(css, at + 1, to, T.LeftCurly, T.Semicolon);
  const prelude = { kind: "at", name, at, from: at + 1, to: end } as const;
  if (css.type(end) === T.LeftCurly && end < to) {
    items.push({ ...prelude, body: contents(css, end + 1, css.closing(end), depth + 1) });
    return css.next(end);
  }
  if (BLOCKS.test(name)) throw new CssFault(css.start(at), `@${name} without a block`);
  items.push({ ...prelude, body: null });
  return end + 1;
}

/** A declaration, or null for what is a nested rule: a block before the semicolon, but for custom properties. */
function readDeclaration(css: Css, at: number, to: number, items: Item[]): number | null {
  // `*zoom: 1` of old style sheets: browsers drop it
  const start = css.isDelim(at, "*") ? at + 1 : at;
  const colon = css.skipBlanks(start + 1, to);
  if (css.type(start) !== T.Ident || css.type(colon) !== T.Colon || colon >= to) return null;
  const written = unescaped(css.text(start));
  const custom = written.startsWith("--");
  const end = find(css, colon + 1, to, T.Semicolon, ...custom ? [] : [T.LeftCurly]);
  if (end < to && css.type(end) === T.LeftCurly) return null;
  items.push({
    kind: "declaration",
    name: custom ? written : written.toLowerCase(),
    from: colon + 1,
    to: end,
  });
  return end + 1;
}

function readRule(css: Css, at: number, to: number, depth: number, items: Item[]): number {
  const block = find(css, at, to, T.LeftCurly, ...depth > 0 ? [T.Semicolon] : []);
  if (block >= to || css.type(block) === T.Semicolon) {
    const what = depth > 0 ? "neither a declaration nor a rule" : "a rule without a block";
    throw new CssFault(css.start(at), what);
  }
  const body = contents(css, block + 1, css.closing(block), depth + 1);
  items.push({ kind: "rule", from: at, to: block, body });
  return css.next(block);
}
