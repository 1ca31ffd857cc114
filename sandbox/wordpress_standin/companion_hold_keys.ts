/** Keys of connected gateways, and what they sign (docs/upstreams/wordpress.md, "Held calls", "Signing"). */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { fault } from "./companion.ts";
import { RestError } from "./errors.ts";

/** A paired gateway. */
export interface Paired {
  readonly key_id: string;
  readonly key: string;
  readonly name: string;
  readonly user_id: number;
}

/** SHA-256 in hexadecimal. */
export const sha = (value: string | Uint8Array) => createHash("sha256").update(value).digest("hex");

/** A request whose signature is judged. */
export interface Asking {
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly person: { readonly id: number } | null;
}

/** Why the gateway that signed is not connected, or why none of the account is, where nobody signed. */
export function unpairedOf(gateways: readonly Paired[], now: number, ask: Asking): string | null {
  if (ask.headers.has("x-site-ops-signature")) {
    try {
      verify(gateways, now, "GET", "/site-ops/v1/health", ask);
      return null;
    } catch (thrown) {
      if (thrown instanceof RestError) return thrown.message;
      throw thrown;
    }
  }
  const isAny = gateways.some(({ user_id }) => user_id === ask.person?.id);
  return isAny ? null : "The account is not connected to a gateway: see Tools, Site Ops";
}

/** The key that signed the request. */
export function verify(
  gateways: readonly Paired[],
  now: number,
  method: string,
  path: string,
  ask: Asking,
): Paired {
  const refuse = (why: string) => fault("hold_signature", 403, why);
  const said = ask.headers.get("x-site-ops-signature");
  if (said === null) throw refuse("The request has no signature");
  const [, key_id, t = "", sig = ""] = /^v1; key=([0-9a-f]{16}); t=(\d+); sig=([0-9a-f]{64})$/.exec(said) ??
    [];
  const key = gateways.find((one) => one.key_id === key_id);
  if (key === undefined) throw refuse("The key is unknown here: connect the gateway again");
  const lines = ["v1", method, path, sha(ask.bytes), ask.headers.get("x-site-ops-hold") ?? "", t];
  const own = createHmac("sha256", Buffer.from(key.key, "hex")).update(lines.join("\n")).digest();
  if (!timingSafeEqual(own, Buffer.from(sig, "hex"))) throw refuse("The signature is wrong");
  const off = Math.abs(Math.floor(now / 1000) - Number(t));
  if (off > 300) throw refuse(`The clocks of gateway and site differ by ${off} seconds`);
  if (ask.person?.id !== key.user_id) throw refuse("The key belongs to another account");
  return key;
}
