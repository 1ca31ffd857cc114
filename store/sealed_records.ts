/** Which records hold something sealed, and under which key each was. */
import type { Kv } from "./store_timeout.ts";
import type { Sealed } from "./seal.ts";

/** A record with something sealed in it. */
export interface SealedRecord {
  readonly kind: "credential" | "account" | "passphrase";
  /** The site of a credential, the user of all else. */
  readonly of: string;
  /** The kind of the credential or account, "" for a passphrase. */
  readonly name: string;
  /** The id of the key that sealed it. */
  readonly key: string;
}

/** Where they are kept; what goes by itself within a day (confirm tokens, links, answers) is not among them. */
const KINDS: readonly [SealedRecord["kind"], prefix: string, sealedIn: (value: unknown) => unknown][] = [
  ["credential", "credentials", (value) => value],
  ["account", "accounts", (value) => (value as { sealed?: unknown } | null)?.sealed],
  ["passphrase", "sign_ins", (value) => (value as { passphrase?: unknown } | null)?.passphrase],
];

/** Every record that holds something sealed and is kept until somebody changes it. */
export async function* sealedRecords(kv: Pick<Kv, "list">): AsyncGenerator<SealedRecord> {
  for (const [kind, prefix, sealedIn] of KINDS) {
    for await (const { key, value } of kv.list({ prefix: [prefix] }, { batchSize: 100 })) {
      const sealed = sealedIn(value) as Partial<Sealed> | null | undefined;
      if (typeof sealed?.key !== "string") continue;
      yield { kind, of: String(key[1]), name: String(key[2] ?? ""), key: sealed.key };
    }
  }
}
