/** Until when an entry is kept: Deno KV does not tell, so the engine beneath or the file is asked, else its kind tells. */
import { aroundDamage } from "./damage.ts";
import { endOf, type Fields, numberOr } from "./ends.ts";
import { isFile, tellingOf } from "./engines.ts";
import { keyBytes } from "./key_bytes.ts";
import { openFile } from "./store_file.ts";

/** Tells until when entries of one store are kept. */
export class Expiries implements Disposable {
  /** When answers that are kept in parts go, by the id of the parts: the head alone has it. */
  readonly #parts = new Map<string, number>();
  readonly #inFile: FileExpiries | null;

  private constructor(
    private readonly kv: Deno.Kv,
    path: string | undefined,
    private readonly clock: () => number,
  ) {
    this.#inFile = isFile(path) ? new FileExpiries(path) : null;
  }

  /** Of the store that `kv` was opened at; `clock` is what ends are told by, in milliseconds since the epoch. */
  static async of(kv: Deno.Kv, path: string | undefined, clock: () => number): Promise<Expiries> {
    const expiries = new Expiries(kv, path, clock);
    for await (const { value } of aroundDamage(() => kv).list<Fields>({ prefix: ["kept"] })) {
      const [id, end] = [value?.["id"], numberOr(value?.["expires_at"])];
      if (typeof id === "string" && end !== null) expiries.#parts.set(id, end);
    }
    return expiries;
  }

  /**
   * When an entry that the KV has listed goes, in milliseconds since the epoch; null where it stays. Where nobody can tell the moment it is the
   * latest that it may be, counted from `now`: nothing that is still wanted goes, and nothing stays for ever that would not.
   */
  of(entry: { readonly key: Deno.KvKey; readonly value: unknown }, now: number): number | null {
    const { key, value } = entry;
    const left = tellingOf(this.kv)?.leftOf(entry);
    if (left !== undefined) return left === null ? null : Math.round(this.clock() + left);
    const exact = this.#inFile?.of(key);
    if (exact !== undefined) return exact;
    if (key[0] === "kept_parts" && this.#parts.has(String(key[1]))) return this.#parts.get(String(key[1]))!;
    return endOf(key, value, now);
  }

  [Symbol.dispose](): void {
    this.#inFile?.close();
  }
}

/** What the file of a store says, beside KV. */
class FileExpiries {
  readonly #database;
  readonly #statement;

  constructor(path: string) {
    this.#database = openFile(path, true);
    this.#statement = this.#database.prepare("SELECT expiration_ms FROM kv WHERE k = ?");
  }

  /** undefined where the file does not have the key any more. */
  of(key: Deno.KvKey): number | null | undefined {
    const at = this.#statement.get(keyBytes(key))?.["expiration_ms"];
    if (typeof at !== "number") return undefined;
    return at < 0 ? null : at;
  }

  close(): void {
    this.#database.close();
  }
}
