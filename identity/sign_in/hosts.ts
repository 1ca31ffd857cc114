/** Where passkeys can be used. */
import { isIP } from "node:net";
import { isLoopback } from "../../core/env_values.ts";

/** Whether browsers make passkeys for that address: it needs a host name, and https unless it is this machine. */
export function canHavePasskeys(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return false;
  return protocol === "https:" || isLoopback(hostname);
}
