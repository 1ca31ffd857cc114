/** Proofs that this gateway made a text, of which nothing is kept; with them browsers are known in which somebody signed in before. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { lasts } from "../core/lasting.ts";
import { PEOPLE_LIMITS } from "../core/model.ts";
import type { DeviceStore } from "./people_types.ts";
import { randomText } from "./tokens.ts";

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

/** A name of the browser's own, until when it is known, and the proof of both for one user. */
const TEXT = /^([\w-]{43})\.(\d{1,16})\.([\w-]{43})$/;
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

/** The DeviceStore of a gateway. */
export class Devices implements DeviceStore {
  constructor(private readonly signatures: Signatures, private readonly now: () => number) {}

  create(user_id: string): string {
    const [device, until] = [randomText(), String(this.now() + PEOPLE_LIMITS.DEVICE_MS)];
    return `${device}.${until}.${
      this.signatures.sign(["device", user_id, device, until]).toBase64(BASE64URL)
    }`;
  }

  find(text: string, user_id: string): string | null {
    const [, device, until, proof] = TEXT.exec(text) ?? [];
    if (device === undefined || !lasts(Number(until), PEOPLE_LIMITS.DEVICE_MS, this.now())) return null;
    const bytes = Uint8Array.fromBase64(proof!, { alphabet: "base64url" });
    return this.signatures.isSigned(["device", user_id, device, until!], bytes) ? device : null;
  }
}
