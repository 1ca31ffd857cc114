/** The open web: files at addresses a caller names; never a credential, never a private address. */
import { GatewayError } from "../../core/errors.ts";
import { RefusedAddress } from "../_http/addresses.ts";
import { connector } from "../_connector/connector.ts";

/** What can be had from the open web. */
export interface WebClient {
  /**
   * The bytes at a public https address. Throws E_BAD_INPUT naming the field for an address that may not be asked,
   * E_UPSTREAM when it does not answer 200 or has more than `max_bytes`.
   */
  download(address: string, field: string, max_bytes: number): Promise<Uint8Array<ArrayBuffer>>;
}

export default connector({
  name: "web",
  product: "the open web",
  scope: "gateway",
  origins: () => "public",
  policy(out) {
    if (out.method !== "GET" || out.effect !== "read") return "the open web is only read";
    if (!out.public_only) return "it might reach a private address";
    const signed = Object.keys(out.headers ?? {}).some((name) => !/^(accept|user-agent)$/i.test(name));
    return signed ? "the open web gets no credentials" : null;
  },
  connect: (ctx): WebClient => ({
    async download(address, field, max_bytes) {
      const url = URL.parse(address);
      if (url === null) throw new GatewayError("E_BAD_INPUT", `${field}: expected an https address`);
      const out = { method: "GET", url: url.href, effect: "read", headers: { accept: "*/*" } } as const;
      try {
        const answer = await ctx.send({ ...out, max_bytes, public_only: true });
        if (answer.status === 200) return answer.bytes;
        throw new GatewayError(
          "E_UPSTREAM",
          `${field}: "${url.host}" answered ${answer.status}; check that the address can be read without signing in`,
          { upstream: answer.status },
        );
      } catch (thrown) {
        if (!(thrown instanceof RefusedAddress)) throw thrown;
        throw new GatewayError(
          "E_BAD_INPUT",
          `${field}: only a public https address will do; nothing was sent`,
          { cause: thrown },
        );
      }
    },
  }),
});
