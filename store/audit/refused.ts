/** What the append of an audit row is refused with, and whether the row may be written all the same. */
import { GatewayError, type GatewayErrorOptions } from "../../core/errors.ts";

/** A row could not be written in time. */
export class RowRefused extends GatewayError {
  /** `late` resolves if the row is written after all, before any row that is handed in later; null where it never is. */
  constructor(message: string, readonly late: Promise<void> | null, options: GatewayErrorOptions = {}) {
    super("E_INTERNAL", message, options);
  }
}
