/** CSS as tokens of CSS Syntax Level 3, its brackets paired, and what cannot be read as such. */
import { tokenize } from "css-tree/tokenizer";

/** Token types, as css-tree numbers them. */
export const T = {
  Ident: 1,
  Function: 2,
  AtKeyword: 3,
  Hash: 4,
  String: 5,
  BadString: 6,
  Url: 7,
  BadUrl: 8,
  Delim: 9,
  WhiteSpace: 13,
  CDO: 14,
  CDC: 15,
  Colon: 16,
  Semicolon: 17,
  Comma: 18,
  LeftSquare: 19,
  RightSquare: 20,
  LeftParen: 21,
  RightParen: 22,
  LeftCurly: 23,
  RightCurly: 24,
  Comment: 25,
} as const;

/** CSS that cannot be read, and the offset where that shows. */
export class CssFault extends Error {
  constructor(readonly offset: number, message: string) {
    super(message);
    this.name = "CssFault";
  }
}

const ENDS: Readonly<Record<number, number>> = {
  [T.Function]: T.RightParen,
  [T.LeftParen]: T.RightParen,
  [T.LeftSquare]: T.RightSquare,
  [T.LeftCurly]: T.RightCurly,
};
const CLOSING: ReadonlySet<number> = new Set([T.RightParen, T.RightSquare, T.RightCurly]);

/** A text of CSS by its tokens; they are named by their place in the row. */
export class Css {
  readonly #types: number[] = [];
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];
  /** For each opening token its closing one. */
  readonly #pairs = new Map<number, number>();

  /** Throws CssFault for what the standard's tokenizer calls bad, what is not closed, and brackets out of order. */
  constructor(readonly source: string) {
    const split = tokenize as (
      text: string,
      each: (type: number, start: number, end: number) => void,
    ) => void;
    split(source, (type, start, end) => {
      this.#types.push(type);
      this.#starts.push(start);
      this.#ends.push(end);
    });
    const open: number[] = [];
    for (let at = 0; at < this.count; at++) this.#pair(at, open);
    const left = open.at(-1);
    if (left !== undefined) throw new CssFault(this.start(left), `"${this.text(left)}" is never closed`);
  }

  #pair(at: number, open: number[]): void {
    const type = this.type(at);
    if (ENDS[type] !== undefined) {
      // To browsers that begins an address, to this tokenizer a function: nothing within would mean the same.
      if (type === T.Function && /^url\($/i.test(unescaped(this.text(at))) && this.text(at).includes("\\")) {
        throw new CssFault(this.start(at), "url( written with escapes");
      }
      open.push(at);
    } else if (CLOSING.has(type)) {
      const opened = open.pop();
      if (opened === undefined || ENDS[this.type(opened)] !== type) {
        throw new CssFault(this.start(at), `"${this.text(at)}" closes nothing`);
      }
      this.#pairs.set(opened, at);
    } else this.#judge(at, type);
  }

  #judge(at: number, type: number): void {
    const text = this.text(at);
    const cut = this.end(at) === this.source.length;
    const bad =
      type === T.BadString || type === T.String && cut && !/^(["'])(?:\\[^]|(?!\1|\\)[^])*\1$/.test(text)
        ? "a string that is not closed on its line"
        : type === T.BadUrl || type === T.Url && cut && !text.endsWith(")")
        ? "an address in url() that is not quoted as it must be, or not closed"
        : type === T.Comment && (text.length < 4 || !text.endsWith("*/"))
        ? "a comment that is not closed"
        : type === T.Delim && text === "\\"
        ? "a backslash that escapes nothing"
        : null;
    if (bad !== null) throw new CssFault(this.start(at), bad);
  }

  get count(): number {
    return this.#types.length;
  }

  type(at: number): number {
    return this.#types[at] ?? 0;
  }

  /** Where the token begins; behind the last one, the end of the text. */
  start(at: number): number {
    return this.#starts[at] ?? this.source.length;
  }

  end(at: number): number {
    return this.#ends[at] ?? this.source.length;
  }

  text(at: number): string {
    return this.source.slice(this.start(at), this.end(at));
  }

  /** The closing token of an opening one. */
  closing(at: number): number {
    return this.#pairs.get(at)!;
  }

  /** The token behind this one, or behind all that this one opens. */
  next(at: number): number {
    return (this.#pairs.get(at) ?? at) + 1;
  }

  isDelim(at: number, character: string): boolean {
    return this.type(at) === T.Delim && this.source[this.start(at)] === character;
  }

  /** Whether the token is white space or a comment. */
  isBlank(at: number): boolean {
    const type = this.type(at);
    return type === T.WhiteSpace || type === T.Comment;
  }

  /** The first token from `at` on, before `to`, that is no blank. */
  skipBlanks(at: number, to: number): number {
    while (at < to && this.isBlank(at)) at++;
    return at;
  }
}

/** A name as it is meant: escapes resolved. */
export function unescaped(name: string): string {
  if (!name.includes("\\")) return name;
  return name.replace(
    /\\(?:([0-9a-f]{1,6})(?:\r\n|[ \t\r\n\f])?|(\r\n|[^]))/giu,
    (_, hex: string | undefined, character: string | undefined) => {
      if (hex === undefined) return /^[\r\n\f]/.test(character!) ? "" : character!;
      const code = parseInt(hex, 16);
      return code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
        ? "\ufffd"
        : String.fromCodePoint(code);
    },
  );
}

/** Line and column, from 1, of an offset, for a message. */
export function place(source: string, offset: number): string {
  const before = source.slice(0, offset).split(/\r\n|[\n\r\f]/);
  return `${before.length}:${before.at(-1)!.length + 1}`;
}
