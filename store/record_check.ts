/** Looks at the records of a store one after the other: counters, names of others, what is sealed. */
import { counted, formOf } from "../core/one_line.ts";
import { readRecord } from "./account_record.ts";
import { damageText, UNREADABLE } from "./damage.ts";
import { toPortable } from "./portable.ts";
import type { Sealed, Sealer } from "./seal.ts";
import { boundOf, sealedOf } from "./sealed_kinds.ts";

/** Of one kind of fault so many are named, and the rest counted. */
const NAMED_MAX = 20;

type Fields = Readonly<Record<string, unknown>>;
type Judge = (key: Deno.KvKey, value: unknown) => boolean;

const isCounter: Judge = (_, value) => value instanceof Deno.KvU64;
const isOfItsKey: Judge = (key, value) =>
  typeof value === "object" && value !== null && (value as Fields).id === key[1];
const isText: Judge = (_, value) => typeof value === "string";

/** Kinds of record that are known at a glance. */
const JUDGES: Readonly<Record<string, Judge>> = {
  versions: isCounter,
  tool_catalogs_version: isCounter,
  tokens: isOfItsKey,
  trial_tokens: isOfItsKey,
  users: isOfItsKey,
  projects: isOfItsKey,
  sites: isOfItsKey,
  webhooks: isOfItsKey,
  token_uses: isText,
  tokens_by_hash: isText,
  users_by_email: isText,
  accounts: (_, value) => readRecord(value) !== null,
};

/** Which records name others, which come before them in the order of keys. */
const NAMES: Readonly<Record<string, string>> = { tokens_by_hash: "tokens", users_by_email: "users" };

/** Looks at records one after the other, in the order of their keys. */
export class RecordCheck {
  readonly #known = new Map<string, Set<unknown>>(Object.values(NAMES).map((kind) => [kind, new Set()]));
  readonly #faults: string[] = [];
  readonly #lost = new Map<string, number>();
  #more = 0;

  /** Without a sealer what is sealed is not looked at. */
  constructor(private readonly sealer: Sealer | null) {}

  /** Takes the next entry; one that cannot be read has the value UNREADABLE. */
  async take({ key, value }: Pick<Deno.KvEntry<unknown>, "key" | "value">): Promise<void> {
    const kind = String(key[0]);
    this.#known.get(kind)?.add(key[1]);
    if (value === UNREADABLE) return this.#fault(damageText(key));
    if (Object.hasOwn(JUDGES, kind) && !JUDGES[kind]!(key, value)) {
      this.#fault(`${toPortable(key)} does not hold what it should: it was damaged or changed`);
    } else if (Object.hasOwn(NAMES, kind) && !this.#known.get(NAMES[kind]!)!.has(value)) {
      this.#fault(`${toPortable(key)} names a record that is not there`);
    }
    const sealed = sealedOf(kind, value);
    if (sealed !== null) await this.#open(key, sealed, boundOf(key, value));
  }

  /** All that is wrong, the rest counted. */
  faults(): string[] {
    const lost = [...this.#lost].map(([key, count]) =>
      `${counted(count, "record")} ${
        formOf(count, "is", "are")
      } sealed under key "${key}", which ENCRYPTION_KEYS lacks`
    );
    return [
      ...this.#faults,
      ...this.#more > 0
        ? [
          `${counted(this.#more, "more record")} ${
            formOf(this.#more, "is not as it", "are not as they")
          } should be`,
        ]
        : [],
      ...lost,
    ];
  }

  async #open(key: Deno.KvKey, sealed: Sealed, bound: readonly string[]): Promise<void> {
    if (this.sealer === null) return;
    const { key: id } = sealed;
    if (!this.sealer.knows(id)) return void this.#lost.set(id, (this.#lost.get(id) ?? 0) + 1);
    try {
      await this.sealer.unseal(sealed, bound);
    } catch {
      this.#fault(`What is sealed in ${toPortable(key)} was damaged or changed`);
    }
  }

  #fault(sentence: string): void {
    if (this.#faults.length < NAMED_MAX) this.#faults.push(sentence);
    else this.#more++;
  }
}
