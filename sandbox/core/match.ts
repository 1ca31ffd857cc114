/** Which requests are meant: by method and path. */

/** All of what is given must fit; nothing given fits every request. */
export interface RequestMatch {
  /** The effective method, in capitals. */
  readonly method?: string;
  /** Part of the path (`/wp/v2/posts`), or a pattern for it. */
  readonly path?: string | RegExp;
}

/** Whether a request of that method and path is meant. */
export function matches(match: RequestMatch, method: string, path: string): boolean {
  if (match.method !== undefined && match.method !== method) return false;
  if (match.path === undefined) return true;
  return typeof match.path === "string" ? path.includes(match.path) : match.path.test(path);
}
