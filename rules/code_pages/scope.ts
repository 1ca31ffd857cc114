/** CSS confined to one page's element: every selector, the names of its animations, and nothing from elsewhere. */
import { GatewayError } from "../../core/errors.ts";
import { type AtRule, type Declaration, type Item, parseDeclarations, parseSheet } from "./css.ts";
import { confine, type Confining, type Edit, type Place } from "./selectors.ts";
import { Css, CssFault, place, T, unescaped } from "./tokens.ts";

/** One text of CSS. */
export interface Sheet {
  readonly text: string;
  /** How messages name it: the argument, and the place of the text in it ("html: the style element at 3:1"). */
  readonly label: string;
  /** What a style attribute holds; only its animations are renamed, and what cannot be read is left alone. */
  readonly attribute?: true;
}

interface Read extends Sheet {
  readonly css: Css;
  readonly items: readonly Item[];
}

const KEYFRAMES = /^(-\w+-)?keyframes$/;
const ANIMATIONS = /^(-\w+-)?animation(-name)?$/;
/** At-rules whose blocks hold no selectors. */
const WITHOUT_SELECTORS =
  /^(font-face|page|property|counter-style|font-feature-values|font-palette-values|color-profile|view-transition|position-try|charset|namespace)$/;
/** Words of `animation` that are no names there. */
const WORDS = new Set(
  ("none auto initial inherit unset revert revert-layer infinite normal reverse alternate alternate-reverse " +
    "forwards backwards both running paused linear ease ease-in ease-out ease-in-out step-start step-end " +
    "replace add accumulate").split(" "),
);

/**
 * The sheets of one page, scoped together, in their order. What stands for the page's root (html, body, :root)
 * becomes the scope's element, all else is looked for below it; keyframes get names of their own, also where they are
 * used. `known` is CSS scoped before whose keyframes the sheets may use. Text that is scoped already stays as it is.
 * Throws E_BAD_INPUT (line:column of what cannot be read), E_DISALLOWED_CONTENT (@import, addresses that run scripts).
 */
export function scopeSheets(sheets: readonly Sheet[], scope: string, known = ""): string[] {
  const read = sheets.map(readSheet);
  const own = `${scope}-`;
  const names = new Set(read.flatMap((one) => one ? keyframes(one.css, one.items) : []));
  for (const name of knownNames(known)) if (name.startsWith(own)) names.add(name.slice(own.length));
  return read.map((one, at) => one ? rewrite(one, scope, names) : sheets[at]!.text);
}

function readSheet(sheet: Sheet): Read | null {
  try {
    const css = new Css(sheet.text);
    return { ...sheet, css, items: sheet.attribute ? parseDeclarations(css) : parseSheet(css) };
  } catch (thrown) {
    if (sheet.attribute && thrown instanceof CssFault) return null;
    throw named(thrown, sheet);
  }
}

function named(thrown: unknown, { text, label }: Sheet): unknown {
  if (!(thrown instanceof CssFault)) return thrown;
  const where = place(text, thrown.offset);
  return new GatewayError("E_BAD_INPUT", `${label}: no CSS that can be read, at ${where}: ${thrown.message}`);
}

function knownNames(text: string): string[] {
  if (!/keyframes/i.test(text)) return [];
  try {
    const css = new Css(text);
    return keyframes(css, parseSheet(css));
  } catch {
    return []; // somebody else changed it since; its names are then not ours
  }
}

function* walk(items: readonly Item[]): Generator<Item> {
  for (const item of items) {
    yield item;
    if (item.kind !== "declaration" && item.body !== null) yield* walk(item.body);
  }
}

const isKeyframes = (item: Item): item is AtRule => item.kind === "at" && KEYFRAMES.test(item.name);

/** The token that names a keyframes rule: an identifier or a string; undefined where it names none. */
function nameToken(css: Css, { from, to }: AtRule): number | undefined {
  const at = css.skipBlanks(from, to);
  return at < to && [T.Ident, T.String].includes(css.type(at) as 1) ? at : undefined;
}

function nameOf(css: Css, at: number): string {
  const text = css.text(at);
  return unescaped(css.type(at) === T.String ? text.slice(1, -1) : text);
}

function keyframes(css: Css, items: readonly Item[]): string[] {
  const tokens = [...walk(items)].filter(isKeyframes).map((item) => nameToken(css, item));
  return tokens.flatMap((at) => at === undefined ? [] : nameOf(css, at)).filter((name) => !WORDS.has(name));
}

function rewrite(sheet: Read, scope: string, names: ReadonlySet<string>): string {
  const { css } = sheet;
  const to: Confining = { css, scope, edits: [] };
  try {
    refuseForeign(sheet);
    if (!sheet.attribute) confineAll(to, sheet.items, "top");
  } catch (thrown) {
    throw named(thrown, sheet);
  }
  if (names.size > 0) rename(to, sheet.items, names);
  // `</style` would end the element the sheet is put into; escaped, it means the same to CSS.
  return applied(css.source, to.edits).replaceAll("</", "<\\/");
}

function confineAll(to: Confining, items: readonly Item[], at: Place): void {
  for (const item of items) {
    if (item.kind === "rule") {
      confine(to, item.from, item.to, at);
      confineAll(to, item.body, at === "top" ? "nested" : at);
    } else if (item.kind === "at" && item.body !== null) {
      if (item.name === "scope") confineScope(to, item, at);
      else if (!KEYFRAMES.test(item.name) && !WITHOUT_SELECTORS.test(item.name)) {
        confineAll(to, item.body, at);
      }
    }
  }
}

/** `@scope (.a) to (.b)`: its root is confined, and with it all within; without a root it gets the page's element. */
function confineScope(to: Confining, { from, to: end, body }: AtRule, at: Place): void {
  const { css } = to;
  const root = css.skipBlanks(from, end);
  if (css.type(root) === T.LeftParen) confine(to, root + 1, css.closing(root), at);
  else to.edits.push({ at: css.start(from), remove: 0, insert: ` (.${to.scope})` });
  confineAll(to, body ?? [], "scope");
}

/** What brings in text that nobody scoped, or runs scripts. Throws E_DISALLOWED_CONTENT. */
function refuseForeign({ css, items, label }: Read): void {
  const refuse = (at: number, what: string) => {
    const where = place(css.source, css.start(at));
    throw new GatewayError("E_DISALLOWED_CONTENT", `${label}: ${what} at ${where}; leave it out`);
  };
  for (const item of walk(items)) {
    if (item.kind === "at" && item.name === "import") {
      refuse(item.at, "an @import, which brings in CSS that is not scoped,");
    }
  }
  for (let at = 0; at < css.count; at++) {
    if (/^[\0-\x20]*(?:java|vb|live)script:/i.test(addressAt(css, at))) {
      refuse(at, "an address that runs a script");
    }
  }
}

/** The address that begins here, as it is meant; "" where none does. */
function addressAt(css: Css, at: number): string {
  if (css.type(at) === T.Url) return unescaped(css.text(at).replace(/^[^(]*\(/, ""));
  if (css.type(at) !== T.Function || !/^(url|src)\($/i.test(unescaped(css.text(at)))) return "";
  const inside = css.skipBlanks(at + 1, css.closing(at));
  return css.type(inside) === T.String ? unescaped(css.text(inside).slice(1, -1)) : "";
}

/** Gives the keyframes of that name the scope's, where they are made and where they are used. */
function rename({ css, scope, edits }: Confining, items: readonly Item[], names: ReadonlySet<string>): void {
  const prefix = (at: number) => {
    const quoted = css.type(at) === T.String;
    if (!quoted && css.type(at) !== T.Ident) return;
    if (names.has(nameOf(css, at)) && !nameOf(css, at).startsWith(`${scope}-`)) {
      edits.push({ at: css.start(at) + (quoted ? 1 : 0), remove: 0, insert: `${scope}-` });
    }
  };
  const all = [...walk(items)];
  const made = all.filter(isKeyframes).map((item) => nameToken(css, item));
  for (const at of made) if (at !== undefined) prefix(at);
  const uses = all.filter((item) => item.kind === "declaration");
  const direct = uses.filter(({ name }) => ANIMATIONS.test(name));
  const through = new Set(direct.flatMap((use) => variables(css, use)));
  for (const { from, to } of [...direct, ...uses.filter(({ name }) => through.has(name))]) {
    for (let at = from; at < to; at++) prefix(at);
  }
}

/** The custom properties that a value takes its words from. */
function variables(css: Css, { from, to }: Declaration): string[] {
  const found: string[] = [];
  for (let at = from; at < to; at++) {
    if (css.type(at) === T.Ident && css.text(at).startsWith("--")) found.push(unescaped(css.text(at)));
  }
  return found;
}

function applied(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.at - b.at)) {
    parts.push(text.slice(at, edit.at), edit.insert);
    at = edit.at + edit.remove;
  }
  parts.push(text.slice(at));
  return parts.join("");
}
