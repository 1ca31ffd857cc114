/** What a call says that reached a stand-in for other tools, and not the tool that it names. */
import { GatewayError } from "../../core/errors.ts";

/** Throws E_NOT_SUPPORTED: only a call that comes through a door is handed on. */
export function notForwarded(name: string): never {
  throw new GatewayError(
    "E_NOT_SUPPORTED",
    `${name} cannot be called within another tool; name the tool itself`,
  );
}
