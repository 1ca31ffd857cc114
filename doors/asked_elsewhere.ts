/** What would ask something of the gateway in another spelling or at another place: left unseen, a preview would be a write. */
import { besideBy, type BesideName, headerOf } from "../core/asked_names.ts";
import { clipped, GatewayError } from "../core/errors.ts";

/** Names stand in quotes: one before a colon can be taken for that of a secret. */
const refusal = (what: string, way: string) =>
  new GatewayError("E_BAD_INPUT", `${what}, and nothing was done; ${way}`);

/** Refuses what is asked in the address; `way` says where it belongs. Throws E_BAD_INPUT. */
export function refuseInAddress(url: string, way: (meant: BesideName) => string): void {
  const at = url.indexOf("?");
  if (at < 0) return;
  for (const name of new URLSearchParams(url.slice(at)).keys()) {
    const meant = besideBy(name);
    if (meant !== null) throw refusal(`"${clipped(name)}" asks nothing in the address`, way(meant));
  }
}

const header = (name: string) => `The header "${clipped(name)}"`;

/** Refuses headers that would be one of those in which a call over REST asks, were they spelt as it is. Throws E_BAD_INPUT. */
export function refuseMisspeltHeaders(headers: Headers): void {
  for (const name of headers.keys()) {
    const meant = besideBy(name);
    if (meant === null || headerOf(meant) === name) continue;
    throw refusal(`${header(name)} asks nothing as it is spelt`, `the header is ${headerOf(meant)}`);
  }
}

/** Refuses headers that would ask something over REST, and ask nothing over MCP. Throws E_BAD_INPUT. */
export function refuseHeaders(headers: Headers, way: (meant: BesideName) => string): void {
  for (const name of headers.keys()) {
    const meant = besideBy(name);
    if (meant !== null) throw refusal(`${header(name)} asks nothing over MCP`, way(meant));
  }
}
