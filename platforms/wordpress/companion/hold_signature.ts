/** Signs requests for the companion plugin: HMAC-SHA256 with the paired key over what is sent and when. */
import { HOLD_HEADER, type PairedKey, SIGNATURE_HEADER } from "../../_content/holds.ts";
import { bodyOf, type Outgoing } from "../../_http/request.ts";
import { routeOf } from "../egress_rules.ts";

const ENCODER = new TextEncoder();
const HMAC = { name: "HMAC", hash: "SHA-256" };

const bytesOf = (body: string | Uint8Array<ArrayBuffer>) =>
  typeof body === "string" ? ENCODER.encode(body) : body;

/** The header that signs the request at that moment, in milliseconds (docs/upstreams/wordpress.md, "Held calls"). */
export async function signatureOf(
  { key_id, key }: PairedKey,
  out: Pick<Outgoing, "method" | "url" | "headers" | "json" | "body">,
  now: number,
): Promise<Readonly<Record<string, string>>> {
  const hold = Object.entries(out.headers ?? {}).find(([name]) => name.toLowerCase() === HOLD_HEADER)?.[1] ??
    "";
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytesOf(bodyOf(out) ?? ""))).toHex();
  const t = Math.floor(now / 1000);
  const lines = ["v1", out.method, routeOf(new URL(out.url)) ?? "", digest, hold, t].join("\n");
  const secret = await crypto.subtle.importKey("raw", Uint8Array.fromHex(key), HMAC, false, ["sign"]);
  const sig = new Uint8Array(await crypto.subtle.sign("HMAC", secret, ENCODER.encode(lines))).toHex();
  return { [SIGNATURE_HEADER]: `v1; key=${key_id}; t=${t}; sig=${sig}` };
}
