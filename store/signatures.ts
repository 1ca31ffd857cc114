/** Proofs that this gateway made a text, so that nothing need be kept of it: by keys that are made of those that seal. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** What the keys that seal are told apart from by those that sign. */
const PURPOSE = "signatures";

/** Signs with the first key and knows what any of them has signed. */
export class Signatures {
  readonly #keys: readonly Uint8Array[];

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys.map((key) => hmac(key, PURPOSE));
  }

  /** The proof of those texts, in that order; the first says what it is for. 32 bytes. */
  sign(texts: readonly string[]): Uint8Array<ArrayBuffer> {
    return hmac(this.#keys[0]!, JSON.stringify(texts));
  }

  /** Whether one of the keys made that proof of those texts. */
  isSigned(texts: readonly string[], proof: Uint8Array): boolean {
    const text = JSON.stringify(texts);
    return this.#keys.some((key) => {
      const made = hmac(key, text);
      return made.length === proof.length && timingSafeEqual(made, proof);
    });
  }
}

const hmac = (key: Uint8Array, text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHmac("sha256", key).update(text).digest());
