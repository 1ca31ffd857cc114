/** Troubles on order: which requests of a stand-in shall go wrong, and how often. */

/** Which requests are meant; all of what is given must fit. */
export interface TroubleFilter {
  /** The effective method, in capitals. */
  readonly method?: string;
  /** Part of the path (`/wp/v2/posts`), or a pattern for it. */
  readonly path?: string | RegExp;
  /** How many requests go wrong before the trouble is over. Default 1. */
  readonly times?: number;
}

/** The troubles still to come. */
export class Troubles<T> {
  readonly #waiting: { trouble: T; filter: TroubleFilter; left: number }[] = [];

  /** Adds one; the oldest that fits is used first. */
  add(trouble: T, filter: TroubleFilter): void {
    this.#waiting.push({ trouble, filter, left: filter.times ?? 1 });
  }

  /** The trouble for this request, used up by one; undefined when it shall go well. */
  next(method: string, path: string): T | undefined {
    const at = this.#waiting.findIndex(({ filter }) => {
      const fits = filter.path === undefined ||
        (typeof filter.path === "string" ? path.includes(filter.path) : filter.path.test(path));
      return fits && (filter.method === undefined || filter.method === method);
    });
    const found = this.#waiting[at];
    if (found === undefined) return undefined;
    if (--found.left <= 0) this.#waiting.splice(at, 1);
    return found.trouble;
  }

  /** Forgets what is still to come. */
  clear(): void {
    this.#waiting.length = 0;
  }
}

/** The true answer cut in the middle; its length as promised, or as it truly is. */
export async function half(answer: Response, length: "promised" | "true"): Promise<Response> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  const cut = bytes.slice(0, Math.floor(bytes.length / 2));
  headers.set("content-length", String(length === "true" ? cut.length : bytes.length));
  return new Response(cut, { status: answer.status, headers });
}
