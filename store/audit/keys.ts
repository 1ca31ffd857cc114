/** The keys that prove segments, heads and checkpoints of the audit: random, and kept sealed in the store itself. */
import { createHmac, hash, randomBytes, timingSafeEqual } from "node:crypto";
import { isFields } from "../../core/values.ts";
import { GatewayError } from "../../core/errors.ts";
import { inTurn } from "../database.ts";
import type { Sealed, Sealer } from "../seal.ts";
import { sealedOf } from "../sealed_kinds.ts";
import type { Kv } from "../store_timeout.ts";

const KEY_BYTES = 32;
const KEY_ID_CHARACTERS = 12;
const PROOF_BYTES = 16;
/** How long a proof is as a text. */
export const PROOF_CHARACTERS = 22;
const BASE64URL = { alphabet: "base64url", omitPadding: true } as const;

/** Where the keys are: of a kind that has a register, so that one that is taken out is seen. */
const PREFIX = ["sealing", "audit"];
const recordKey = (id: string): string[] => [...PREFIX, id];

/** The value of `["sealing", "audit", id]`. */
interface KeptKey {
  /** Made of the key. */
  readonly id: string;
  /** ISO 8601 UTC. */
  readonly created_at: string;
  /** Which of ENCRYPTION_KEYS was the first when it was made: the newest of those of the first key proves what is new. */
  readonly under: string;
  /** The key in base64. */
  readonly sealed: Sealed;
}

/** A proof, and the id of the key that made it. */
export interface Proof {
  readonly key: string;
  readonly mac: string;
}

/** What can be said of a proof: of a key that is not at hand nothing. */
export type Judged = "proven" | "wrong" | "closed";

/** Proves with one key, and judges what any of several has proven. */
export class AuditKeys {
  readonly #keys: ReadonlyMap<string, Uint8Array>;
  /** The id of the key that proves what is new. */
  readonly current: string;

  /** By their ids; the last one proves what is new. */
  private constructor(keys: ReadonlyMap<string, Uint8Array>) {
    this.#keys = keys;
    this.current = [...keys.keys()].at(-1)!;
  }

  /** Of keys of 32 bytes, the one that proves what is new last. */
  static of(keys: readonly Uint8Array[]): AuditKeys {
    return new AuditKeys(new Map(keys.map((key) => [idOf(key), key])));
  }

  /** Whether one of them can be used at all. */
  get canProve(): boolean {
    return this.#keys.size > 0;
  }

  /** The proof of a text under the current key. */
  prove(text: string): Proof {
    const key = this.current;
    return { key, mac: this.#mac(key, text).toBase64(BASE64URL) };
  }

  /** Whether that is the proof of that text. */
  judge(text: string, proof: Proof): Judged {
    if (!this.#keys.has(proof.key)) return "closed";
    const made = this.#mac(proof.key, text);
    const given = bytesOf(proof.mac);
    return given.length === made.length && timingSafeEqual(made, given) ? "proven" : "wrong";
  }

  #mac(key: string, text: string): Uint8Array {
    return new Uint8Array(
      createHmac("sha256", this.#keys.get(key)!).update(text).digest().subarray(0, PROOF_BYTES),
    );
  }
}

const idOf = (key: Uint8Array) => hash("sha256", key).slice(0, KEY_ID_CHARACTERS);

function bytesOf(text: string): Uint8Array {
  try {
    return Uint8Array.fromBase64(text, { alphabet: "base64url" });
  } catch {
    return new Uint8Array();
  }
}

/** What a segment's proof is of: the hash that the chain knows it by, which its number, writer and the hash before go into. */
export const segmentText = (hash: string): string => `segment\n${hash}`;

/** The ends of a chain that are stored. */
export type EndKind = "head" | "checkpoint";

/** What the proof of one end of a chain is of. */
export const endText = (
  kind: EndKind,
  writer: string,
  { n, hash, id }: { readonly n: number; readonly hash: string; readonly id: string },
): string => `${kind}\n${writer}\n${n}\n${hash}\n${id}`;

/** The keys of a store that its own open; null where it has none, opened or not. */
export async function readAuditKeys(kv: Pick<Kv, "list">, sealer: Sealer): Promise<AuditKeys | null> {
  const kept: KeptKey[] = [];
  let count = 0;
  for await (const { value } of kv.list({ prefix: PREFIX }, { batchSize: 100 })) {
    count++;
    if (isKept(value)) kept.push(value);
  }
  if (count === 0) return null;
  const opened: Uint8Array[] = [];
  const rank = ({ under, created_at }: KeptKey) => `${Number(under === sealer.first)} ${created_at}`;
  for (const { id, sealed } of kept.sort((one, other) => rank(one) < rank(other) ? -1 : 1)) {
    const text = await sealer.unseal(sealed, recordKey(id)).catch(() => null);
    if (text !== null) opened.push(Uint8Array.fromBase64(text));
  }
  return AuditKeys.of(opened);
}

function isKept(value: unknown): value is KeptKey {
  return isFields(value) && typeof value["id"] === "string" && typeof value["created_at"] === "string" &&
    sealedOf("sealing", value) !== null;
}

/** The keys of a store that is going to be written; where none of them opens, or there is none, one is made. `kv` proves its records. */
export async function auditKeysOf(
  kv: Kv,
  raw: Pick<Kv, "list">,
  sealer: Sealer,
  now: () => number,
): Promise<AuditKeys> {
  const found = await readAuditKeys(raw, sealer);
  if (found?.canProve) return found;
  await makeAuditKey(kv, sealer, now);
  const made = await readAuditKeys(raw, sealer);
  if (!made?.canProve) {
    throw new GatewayError(
      "E_INTERNAL",
      "The key that proves the audit cannot be read back; look at the store (deno task admin store check)",
    );
  }
  return made;
}

/** Makes a key that proves what is new from the next start on. */
export async function makeAuditKey(kv: Pick<Kv, "atomic">, sealer: Sealer, now: () => number): Promise<void> {
  const key = new Uint8Array(randomBytes(KEY_BYTES));
  const id = idOf(key);
  const sealed = await sealer.seal(key.toBase64(), recordKey(id));
  const kept: KeptKey = { id, created_at: new Date(now()).toISOString(), under: sealer.first, sealed };
  await inTurn(() => kv.atomic().set(recordKey(id), kept).commit());
}

/** Whether one of the keys was made under the first of ENCRYPTION_KEYS, so that none who has an older one alone knows it. */
export async function hasKeyOfFirst(kv: Pick<Kv, "list">, sealer: Sealer): Promise<boolean> {
  for await (const { value } of kv.list({ prefix: PREFIX }, { batchSize: 100 })) {
    if (isKept(value) && value.under === sealer.first) return true;
  }
  return false;
}
