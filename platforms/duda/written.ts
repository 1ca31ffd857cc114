/** A write's result in the gateway's words, with what was found when it was compared. */
import type { PostHead, Written } from "../post.ts";

/** `differences` name what stands otherwise than it was sent; `uncompared` says what could not be looked at, and why. */
export function written(
  { id, status, url }: Pick<PostHead, "id" | "status" | "url">,
  differences: readonly string[],
  uncompared?: string,
): Written {
  return { id, status, url, differences, ...uncompared === undefined ? {} : { uncompared } };
}
