/** What a failing store means for work on many sites. */
import { GatewayError } from "../../core/errors.ts";

/** Whether the store itself does not answer, or is closed: not a record of one site, which says nothing of the others. */
export const isStoreGone = (thrown: unknown): boolean =>
  thrown instanceof GatewayError && thrown.code === "E_INTERNAL";
