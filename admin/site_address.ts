/** The address of a site as it is kept: no trailing slash, nothing that could leak or mislead, https but for hosts by name. */
import { z } from "zod";
import { expected } from "../core/faults.ts";
import { isLoopback } from "../core/env_values.ts";

const ADDRESS_CHARACTERS_MAX = 2048;

/** What is wrong with the address, or the address as it is kept. */
function read(text: string): { fault: string } | { url: string } {
  const url = /[\s\p{Cc}\\]/u.test(text) || text.length > ADDRESS_CHARACTERS_MAX ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return { fault: "an address such as https://example.com" };
  }
  if (url.username !== "" || url.password !== "") return { fault: "an address without credentials in it" };
  if (/[?#]/.test(text)) return { fault: "an address without query and fragment" };
  return { url: `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, "")}` };
}

/** A text that is such an address; credentials in a faulty one are not shown. */
export const siteAddress = z.string({ error: expected("an https address or null") }).transform(
  (text, ctx) => {
    const found = read(text);
    if ("url" in found) return found.url;
    ctx.issues.push({
      code: "custom",
      input: text,
      message: expected(found.fault, text.includes("@"))({ input: text }),
    });
    return z.NEVER;
  },
);

/** Whether that address may be asked: https anywhere, plain http on loopback and on hosts of ALLOW_PRIVATE_UPSTREAMS. */
export function mayBePlain(address: string, allowed: readonly string[]): boolean {
  const { protocol, hostname, host } = new URL(address);
  return protocol === "https:" || isLoopback(hostname) || allowed.includes(hostname) ||
    allowed.includes(host);
}
