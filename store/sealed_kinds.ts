/** Where in each kind of record something is sealed, and what that is bound to. */
import { isFields } from "../core/values.ts";
import type { Sealed } from "./seal.ts";
import type { Kv } from "./store_timeout.ts";

/** By kind of record the field that is sealed; null where the whole value is. */
const FIELDS: Readonly<Record<string, string | null>> = {
  credentials: null,
  accounts: "sealed",
  sign_ins: "passphrase",
  webhooks: "sealed",
  webhook_deliveries: "sealed",
  consents: "sealed",
  consent_answers: null,
  approvals: "sealed",
  approval_pieces: "sealed",
  trials: "sealed",
  change_pieces: null,
  sets: "token",
  set_pieces: "sealed",
  set_results: "sealed",
  connect_states: "sealed",
  erasures: "sealed",
  oauth_families: "sealed",
  sealing: "sealed",
};

/** The kinds of record that hold something sealed. */
export const SEALED_KINDS: readonly string[] = Object.keys(FIELDS);

/** Of which the seal is bound to the record's id beside its key. */
const BOUND_TO_ID = ["accounts"];

/** What is sealed in a record of that kind; null where nothing is. */
export function sealedOf(kind: string, value: unknown): Sealed | null {
  if (!Object.hasOwn(FIELDS, kind)) return null;
  const field = FIELDS[kind]!;
  const sealed = field === null ? value : isFields(value) ? value[field] : null;
  return isFields(sealed) && typeof sealed["key"] === "string" ? sealed as unknown as Sealed : null;
}

/** The record with another seal in the place of its own. */
export function withSealed(kind: string, value: unknown, sealed: Sealed): unknown {
  const field = FIELDS[kind] ?? null;
  return field === null ? sealed : { ...value as object, [field]: sealed };
}

/** What the seal in a record is bound to. */
export function boundOf(key: Deno.KvKey, value: unknown): string[] {
  const more = BOUND_TO_ID.includes(String(key[0])) && isFields(value) ? [value["id"]] : [];
  return [...key, ...more].map(String);
}

/** A record with something sealed in it. */
export interface SealedRecord {
  readonly kind: "credential" | "account" | "passphrase" | "webhook";
  /** The site of a credential, the id of a webhook, the user of all else. */
  readonly of: string;
  /** The kind of the credential or account, "" for all else. */
  readonly name: string;
  /** The id of the key that sealed it. */
  readonly key: string;
}

/** Where they are kept; what goes by itself (confirm tokens, links, answers) is not among them. */
const KINDS: readonly [SealedRecord["kind"], prefix: string][] = [
  ["credential", "credentials"],
  ["account", "accounts"],
  ["passphrase", "sign_ins"],
  ["webhook", "webhooks"],
];

/** Every record that holds something sealed and is kept until somebody changes it. */
export async function* sealedRecords(kv: Pick<Kv, "list">): AsyncGenerator<SealedRecord> {
  for (const [kind, prefix] of KINDS) {
    for await (const { key, value } of kv.list({ prefix: [prefix] }, { batchSize: 100 })) {
      const sealed = sealedOf(prefix, value);
      if (sealed === null) continue;
      yield { kind, of: String(key[1]), name: String(key[2] ?? ""), key: sealed.key };
    }
  }
}
