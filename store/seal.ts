/** Secrets at rest: AES-256-GCM, bound to the record they belong to, with keys that can be changed. */
import { hash } from "node:crypto";
import { GatewayError } from "../errors.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const KEY_ID_CHARACTERS = 12;

/** A sealed secret as KV keeps it. */
export interface Sealed {
  /** Which key sealed it: the first 12 hexadecimal characters of the key's SHA-256. */
  readonly key: string;
  readonly iv: Uint8Array;
  readonly data: Uint8Array;
}

/** Seals with the first key and opens with any. */
export class Sealer {
  readonly #keys: ReadonlyMap<string, CryptoKey>;
  readonly #first: string;

  private constructor(keys: ReadonlyMap<string, CryptoKey>, first: string) {
    this.#keys = keys;
    this.#first = first;
  }

  /** Takes 32-byte keys; E_INTERNAL naming ENCRYPTION_KEYS when there is none or one has another length. */
  static async open(keys: readonly Uint8Array[]): Promise<Sealer> {
    const imported = new Map<string, CryptoKey>();
    for (const key of keys) {
      if (key.length !== KEY_BYTES) {
        throw new GatewayError("E_INTERNAL", `ENCRYPTION_KEYS: each key must have ${KEY_BYTES} bytes`);
      }
      const raw = new Uint8Array(key);
      const id = hash("sha256", raw).slice(0, KEY_ID_CHARACTERS);
      imported.set(id, await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]));
    }
    const [first] = imported.keys();
    if (first === undefined) {
      throw new GatewayError("E_INTERNAL", "ENCRYPTION_KEYS: at least one key is needed");
    }
    return new Sealer(imported, first);
  }

  /** Seals a text for the record of that key; it opens for no other record. */
  async seal(text: string, record: readonly string[]): Promise<Sealed> {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const key = this.#keys.get(this.#first)!;
    const data = await crypto.subtle.encrypt(parameters(iv, record), key, new TextEncoder().encode(text));
    return { key: this.#first, iv, data: new Uint8Array(data) };
  }

  /** The text again; E_INTERNAL when no key opens it or it was changed or moved. */
  async unseal(sealed: Sealed, record: readonly string[]): Promise<string> {
    const key = this.#keys.get(sealed.key);
    const name = record.join("/");
    if (key === undefined) {
      throw new GatewayError(
        "E_INTERNAL",
        `Secret "${name}" was sealed with key "${sealed.key}", which ENCRYPTION_KEYS lacks; add it or set the secret again`,
      );
    }
    try {
      const data = new Uint8Array(sealed.data);
      return new TextDecoder().decode(
        await crypto.subtle.decrypt(parameters(new Uint8Array(sealed.iv), record), key, data),
      );
    } catch (cause) {
      throw new GatewayError("E_INTERNAL", `Secret "${name}" was damaged in the store; set it again`, {
        cause,
      });
    }
  }
}

function parameters(iv: Uint8Array<ArrayBuffer>, record: readonly string[]): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify(record)) };
}
