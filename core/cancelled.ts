/** The refusal of a call that nobody waits for any more. */
import { GatewayError } from "./errors.ts";

/** E_CANCELLED; only the audit shows it, for nobody is there to be told. */
export const cancelled = (): GatewayError =>
  new GatewayError("E_CANCELLED", "The client ended the call before it was answered; nothing more was asked");
