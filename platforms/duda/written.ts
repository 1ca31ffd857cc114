/** A write's result in the gateway's words, with what was found when it was compared. */
import { GatewayError } from "../../core/errors.ts";
import type { PostHead, Written } from "../_content/post.ts";

/** `differences` name what was stored otherwise than it was sent; `uncompared` says what could not be looked at, and why. */
export function written(
  { id, status, url }: Pick<PostHead, "id" | "status" | "url">,
  differences: readonly string[],
  uncompared?: string,
): Written {
  return { id, status, url, differences, ...uncompared === undefined ? {} : { uncompared } };
}

/** The result of a change of a draft that could not be read back: nobody can tell whether visitors got it. */
export const unread = (
  head: Pick<PostHead, "id" | "status" | "url">,
  what: string,
  thrown: GatewayError,
): Written => ({
  ...written(head, [], `${what} could not be read back: ${thrown.message}`),
  published: null,
});

/** Looks at what must be no publication after a write; where that fails, nobody can tell whether it is one. */
export async function readAfterWrite<Found>(read: Promise<Found>): Promise<Found> {
  try {
    return await read;
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    throw Object.assign(thrown.saying(thrown.message), { published: null });
  }
}
