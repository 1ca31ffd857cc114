/** Reads what PHP's `serialize` writes: `a:1:{s:6:"status";s:7:"publish";}`. */
import { Buffer } from "node:buffer";
import type { Steps } from "../../core/steps.ts";

const STARTS = /^\s*(?:[aOCE]:\d{1,9}:|[sS]:\d{1,9}:")/;
const LEVELS_MAX = 64;
/** A text and the one behind it, where the whole cannot be read. */
const PAIRS = /[sS]:\d{1,9}:"([^"]{1,80})";[sS]:\d{1,9}:"([^"]{1,80})"/g;

/** What the text holds, objects as their properties; undefined where it is nothing that was serialized. */
export function unserialized(text: string, steps: Steps): unknown {
  if (!STARTS.test(text)) return undefined;
  // Lengths are in bytes.
  const read = new Reader(Buffer.from(text.trimStart()).toString("latin1"), steps).value(0);
  if (read !== undefined) return read;
  return [...new Set([...steps.matches(PAIRS, text)].map(([pair]) => pair))].map((pair) => {
    const [, name, value] = new RegExp(PAIRS.source).exec(pair)!;
    return { [name!]: value };
  });
}

/** `undefined` for what cannot be read. */
class Reader {
  #at = 0;
  readonly #text: string;
  readonly #steps: Steps;

  constructor(text: string, steps: Steps) {
    this.#text = text;
    this.#steps = steps;
  }

  value(depth: number): unknown {
    if (depth > LEVELS_MAX) return undefined;
    this.#steps.take();
    const kind = this.#text[this.#at];
    if (kind === "a") return this.#counted(/a:(\d{1,9}):\{/y, depth);
    if (kind === "O") return this.#counted(/O:\d{1,9}:"[^"]{0,200}":(\d{1,9}):\{/y, depth);
    if (kind === "s" || kind === "S") return this.#string();
    const plain = this.#match(/N;|[bidrR]:([^;]{1,40});|E:\d{1,9}:"([^"]{0,200})";/y);
    if (plain === null) return undefined;
    if (kind === "b") return plain[1] === "1";
    return kind === "i" || kind === "d" ? Number(plain[1]) : plain[2] ?? null;
  }

  #string(): string | undefined {
    const head = this.#match(/[sS]:(\d{1,9}):"/y);
    if (head === null) return undefined;
    const end = this.#at + Number(head[1]);
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return this.#match(/";?/y) === null ? undefined : Buffer.from(text, "latin1").toString();
  }

  #counted(head: RegExp, depth: number): unknown {
    const count = this.#match(head)?.[1];
    if (count === undefined) return undefined;
    const entries: [string, unknown][] = [];
    for (let left = Number(count); left > 0; left--) {
      const key = this.value(depth + 1);
      const value = key === undefined ? undefined : this.value(depth + 1);
      if (value === undefined) return undefined;
      entries.push([String(key), value]);
    }
    return this.#match(/\};?/y) === null ? undefined : Object.fromEntries(entries);
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }
}
