/** Which posts a call or an answer names: by their ids, or by their addresses. */
import { parsed } from "../../core/content.ts";

/** What names more than that is taken to name any. */
const IDS_MAX = 10_000;
const ADDRESSES_MAX = 1000;
const WHOLE = /^\d{1,15}$/;
/** Ids as addresses hold them. */
const IN_ADDRESS = /[?&](?:p|page_id|post|post_id|preview_id|id)=(\d{1,15})(?!\d)/g;
/** Ids as sentences hold them: no part of a date, a time, a version or a longer word. */
const IN_TEXT = /(?<![\w.:\/-])(\d{1,15})(?![\w:-]|\.\d)/g;

/** What is named at any depth of values. */
export class NamedIds {
  readonly #ids = new Set<number>();
  readonly #addresses = new Set<string>();
  #isAny = false;

  /** `answers` are read as tools answer, whose sentences name ids too; whole numbers in `sent` count wherever they stand. */
  constructor(sent: readonly unknown[], answers: readonly unknown[] = []) {
    this.#read(sent, IN_ADDRESS);
    this.#read(answers, IN_TEXT, IN_ADDRESS);
  }

  /** Whether that post is named. */
  has({ id, address }: { readonly id: number; readonly address: string }): boolean {
    return this.#isAny || this.#ids.has(id) || (address !== "" && this.#addresses.has(bare(address)));
  }

  /** The ids that are named. */
  get ids(): readonly number[] {
    return [...this.#ids];
  }

  #read(values: readonly unknown[], ...ways: readonly RegExp[]): void {
    const left: unknown[] = [...values];
    while (left.length > 0) {
      const value = left.pop();
      if (typeof value === "number") this.#add(value);
      else if (typeof value === "string") this.#readText(value, ways, left);
      else if (Array.isArray(value)) { for (const one of value) left.push(one); }
      else if (typeof value === "object" && value !== null) {
        for (const [name, one] of Object.entries(value)) {
          if (WHOLE.test(name)) this.#add(Number(name));
          left.push(one);
        }
      }
    }
  }

  #readText(text: string, ways: readonly RegExp[], left: unknown[]): void {
    const inner = parsed(text);
    if (inner !== text) return void left.push(inner);
    if (WHOLE.test(text.trim())) this.#add(Number(text));
    for (const way of ways) for (const [, id] of text.matchAll(way)) this.#add(Number(id));
    if (!text.includes("://")) return;
    for (const [address] of text.matchAll(/https?:\/\/[^\s"'<>]{1,500}/g)) {
      if (this.#addresses.size < ADDRESSES_MAX) this.#addresses.add(bare(address));
    }
  }

  #add(id: number): void {
    if (!Number.isSafeInteger(id) || id <= 0) return;
    if (this.#ids.size >= IDS_MAX) this.#isAny = true;
    else this.#ids.add(id);
  }
}

/** An address without what may stand behind it in a sentence. */
const bare = (address: string) => address.replace(/(?<![).,;:!\/])[).,;:!\/]+$/, "");
