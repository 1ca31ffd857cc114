/** Secrets at rest: AES-256-GCM, bound to the record they belong to, with keys that can be changed. */
import type { Buffer } from "node:buffer";
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  type KeyObject,
  timingSafeEqual,
} from "node:crypto";
import { GatewayError } from "../core/errors.ts";
import { joined } from "../core/bytes.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID_CHARACTERS = 12;
const CIPHER = "aes-256-gcm";

/** E_INTERNAL: what is sealed was changed or moved, and does not open any more. */
export class Damaged extends GatewayError {
  constructor(name: string, cause: unknown) {
    super("E_INTERNAL", `Secret "${name}" was damaged in the store; set it again`, { cause });
  }
}

/** A sealed secret as KV keeps it. */
export interface Sealed {
  /** Which key sealed it: the first 12 hexadecimal characters of the key's SHA-256. */
  readonly key: string;
  readonly iv: Uint8Array;
  /** The text, and behind it the tag that proves it. */
  readonly data: Uint8Array;
  /** Of a credential: where it may be sent, which its seal is bound to as well; left out by versions before 0.5.0. */
  readonly to?: string;
}

const idOf = (key: Uint8Array) => hash("sha256", key).slice(0, KEY_ID_CHARACTERS);
/** What the keys that prove records are told apart from those that seal by. */
const PROVING = "records";

/** Proves what the gateway wrote: keys made of those that seal, each known by the id of that one. */
export class RecordKeys {
  readonly #keys: ReadonlyMap<string, Buffer>;

  constructor(keys: readonly Uint8Array[]) {
    this.#keys = new Map(keys.map((key) => [idOf(key), createHmac("sha256", key).update(PROVING).digest()]));
  }

  /** The id of the key that new proofs are made with. */
  get first(): string {
    const [first] = this.#keys.keys();
    return first!;
  }

  /** Whether a key of that id is among them. */
  knows(id: string): boolean {
    return this.#keys.has(id);
  }

  /** The proof of those parts one behind the other, 32 bytes, under a key that is among them. */
  mac(id: string, ...parts: readonly (string | Uint8Array)[]): Buffer {
    const hmac = createHmac("sha256", this.#keys.get(id)!);
    for (const part of parts) hmac.update(part);
    return hmac.digest();
  }

  /** Whether that is the proof of those parts. */
  isMac(id: string, mac: Uint8Array, ...parts: readonly (string | Uint8Array)[]): boolean {
    const made = this.mac(id, ...parts);
    return made.length === mac.length && timingSafeEqual(made, mac);
  }
}

/**
 * Seals with the first key and opens with any, on this thread: a call opens some hundred bytes, and to have another one
 * do that takes longer than the work.
 */
export class Sealer {
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #first: string;
  /** What proves records, made of the same keys. */
  readonly records: RecordKeys;

  private constructor(keys: readonly Uint8Array[]) {
    if (keys.some(({ length }) => length !== KEY_BYTES)) {
      throw new GatewayError("E_INTERNAL", `ENCRYPTION_KEYS: each key must have ${KEY_BYTES} bytes`);
    }
    this.#keys = new Map(
      keys.map((key) => [idOf(key), createSecretKey(key)]),
    );
    const [first] = this.#keys.keys();
    if (first === undefined) {
      throw new GatewayError("E_INTERNAL", "ENCRYPTION_KEYS: at least one key is needed");
    }
    this.#first = first;
    this.records = new RecordKeys(keys);
  }

  /** Takes 32-byte keys; E_INTERNAL naming ENCRYPTION_KEYS when there is none or one has another length. */
  static open(keys: readonly Uint8Array[]): Promise<Sealer> {
    return Promise.try(() => new Sealer(keys));
  }

  /** The id of the key that seals. */
  get first(): string {
    return this.#first;
  }

  /** The ids of all keys, the one that seals first. */
  get ids(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /** Whether a key of that id is among them. */
  knows(id: string): boolean {
    return this.#keys.has(id);
  }

  /** Seals a text for the record of that key, and where one is named for that place; it opens for no other. */
  seal(text: string, record: readonly string[], to?: string): Promise<Sealed> {
    return Promise.try(() => this.#seal(text, record, to));
  }

  /** The text again, whatever place it is for: its `to` says that, and is true. E_MISSING_SECRET when its key is not among them, E_INTERNAL when it was changed or moved. */
  unseal(sealed: Sealed, record: readonly string[]): Promise<string> {
    return Promise.try(() => this.#unseal(sealed, record));
  }

  #seal(text: string, record: readonly string[], to?: string): Sealed {
    const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
    const cipher = createCipheriv(CIPHER, this.#keys.get(this.#first)!, iv).setAAD(bound(record, to));
    const parts = [cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()];
    return { key: this.#first, iv, data: joined(parts), ...to === undefined ? {} : { to } };
  }

  #unseal({ key: id, iv, data, to }: Sealed, record: readonly string[]): string {
    const key = this.#keys.get(id);
    const name = record.join("/");
    if (key === undefined) {
      throw new GatewayError(
        "E_MISSING_SECRET",
        `Secret "${name}" was sealed with key "${id}", which ENCRYPTION_KEYS lacks; add it or set the secret again`,
      );
    }
    try {
      if (data.length < TAG_BYTES) throw new Error("it has no tag");
      const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_BYTES })
        .setAAD(bound(record, to)).setAuthTag(data.subarray(-TAG_BYTES));
      const parts = [decipher.update(data.subarray(0, -TAG_BYTES)), decipher.final()];
      return DECODER.decode(joined(parts));
    } catch (cause) {
      throw new Damaged(name, cause);
    }
  }
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

const bound = (record: readonly string[], to?: string) =>
  ENCODER.encode(JSON.stringify(to === undefined ? record : [...record, "to", to]));
