/** The addresses that tokens may be asked for: the gateway's own, and that of its MCP door. */
import { OAuthFault } from "./fault.ts";

/** Whether a token's resource is the gateway at that base address; a token that names none is. */
export const isOwnResource = (resource: string | null, baseUrl: string): boolean =>
  resource === null || resource === baseUrl || resource === `${baseUrl}/mcp`;

/** The resource that is asked for, without a slash at its end; null for none. Throws OAuthFault invalid_target. */
export function resourceOf(asked: readonly string[], baseUrl: string): string | null {
  const own = asked.map((one) => one.replace(/\/$/, ""));
  const foreign = own.findIndex((one) => !isOwnResource(one, baseUrl));
  if (foreign >= 0) {
    throw new OAuthFault(
      "invalid_target",
      `resource: "${
        asked[foreign]!.slice(0, 200)
      }" is not served here; expected ${baseUrl}/mcp or ${baseUrl}`,
    );
  }
  if (new Set(own).size > 1) {
    throw new OAuthFault("invalid_target", `resource: name one, ${baseUrl}/mcp or ${baseUrl}`);
  }
  return own[0] ?? null;
}
