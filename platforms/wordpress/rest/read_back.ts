/** Reading what a write left behind: where that fails, the write is done all the same, and must not be reported as failed. */
import { GatewayError } from "../../../core/errors.ts";
import type { Wire } from "./wire.ts";

/**
 * What a read after a write gives. `done` says what was written. Throws E_UPSTREAM that says so where the read fails, with
 * what `published` says of the write then.
 */
export async function readBack<T>(
  wire: Wire,
  done: string,
  read: (wire: Wire) => Promise<T>,
  published: { readonly published?: null } = {},
): Promise<T> {
  try {
    return await read(wire.forCleanup());
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    throw new GatewayError(
      "E_UPSTREAM",
      `${done}, but could not be read back; look at it on the site before calling again`,
      { cause, upstream: 502, ...published },
    );
  }
}
