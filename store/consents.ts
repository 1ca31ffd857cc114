/** Confirm tokens and idempotency keys: sealed records that are spent once, and the answer that a spent one repeats. */
import type { Beside, ConsentContent, ConsentRecord, ConsentStore, Run, Spending } from "./consent_types.ts";
import { type Database, sha256 } from "./database.ts";
import type { Sealed, Sealer } from "./seal.ts";

/** As KV keeps it. The answer has a key of its own, for both may come near the size of one value. */
interface Kept {
  readonly sealed: Sealed;
  readonly state: ConsentRecord["state"];
  readonly request_id: string | null;
  readonly deadline: number | null;
  readonly begun: boolean;
  readonly expires_at: number;
}

const OPEN = { state: "open", request_id: null, deadline: null, begun: false } as const;
const recordKey = (name: string) => ["consents", sha256(name)];
const answerKey = (name: string) => ["consent_answers", sha256(name)];
const signKey = (name: string) => ["consent_signs", sha256(name)];
/** No call is at work for so long. */
const SIGN_LIFETIME_MS = 10 * 60_000;

/** The ConsentStore of a database. */
export class Consents implements ConsentStore {
  constructor(private readonly db: Database, private readonly sealer: Sealer) {}

  async find(name: string): Promise<ConsentRecord | null> {
    const key = recordKey(name);
    const { value, versionstamp } = await this.db.kv.get<Kept>(key);
    if (value === null || this.db.now() >= value.expires_at) return null;
    const { sealed, ...rest } = value;
    const content = JSON.parse(await this.sealer.unseal(sealed, key)) as ConsentContent;
    return { ...rest, name, content, version: versionstamp };
  }

  async answer(name: string): Promise<unknown> {
    const key = answerKey(name);
    const { value } = await this.db.kv.get<Sealed>(key);
    return value === null ? undefined : JSON.parse(await this.sealer.unseal(value, key));
  }

  async issue(name: string, content: ConsentContent, expires_at: number): Promise<Beside[]> {
    return [await this.#record(name, content, { ...OPEN, expires_at })];
  }

  async keep(name: string, content: ConsentContent, expires_at: number): Promise<void> {
    const { key, value, expireIn } = await this.#record(name, content, { ...OPEN, expires_at });
    await this.db.commit(this.db.kv.atomic().set(key, value, { expireIn }));
  }

  async spend(spendings: readonly Spending[], run: Run): Promise<boolean> {
    const atomic = this.db.kv.atomic();
    for (const { name, content, found, expires_at } of spendings) {
      const { key, value, expireIn } = await this.#record(name, content, {
        state: "running",
        ...run,
        begun: false,
        expires_at,
      });
      const standing = await this.db.kv.get<Kept>(key);
      // A record that has run out may still lie there: that one is replaced.
      const stands = standing.value !== null && this.db.now() < standing.value.expires_at;
      if ((found?.version ?? null) !== (stands ? standing.versionstamp : null)) return false;
      atomic.check(standing).set(key, value, { expireIn });
    }
    return (await this.db.commit(atomic).catch(this.db.onceKept((now) => this.#giveBack(spendings, now)))).ok;
  }

  /** Frees what was spent so late that its call has ended without having done anything. */
  async #giveBack(spendings: readonly Spending[], versionstamp: string): Promise<void> {
    const atomic = this.db.kv.atomic();
    for (
      const { key, value, expireIn } of (await Promise.all(spendings.map((one) => this.free(one)))).flat()
    ) {
      atomic.check({ key: [...key], versionstamp });
      if (value === null) atomic.delete([...key]);
      else atomic.set([...key], value, { expireIn });
    }
    await this.db.commit(atomic);
  }

  async begin({ name, content, expires_at }: Spending, run: Run): Promise<Beside[]> {
    const sign = { key: signKey(name), value: this.db.now(), expireIn: SIGN_LIFETIME_MS };
    return [await this.#record(name, content, { state: "running", ...run, begun: true, expires_at }), sign];
  }

  async sign(names: readonly string[]): Promise<void> {
    const change = this.db.kv.atomic();
    for (const name of names) change.set(signKey(name), this.db.now(), { expireIn: SIGN_LIFETIME_MS });
    await this.db.commit(change);
  }

  async signed(name: string): Promise<number | null> {
    const { value } = await this.db.kv.get(signKey(name));
    return typeof value === "number" ? value : null;
  }

  async done(
    { name, content, expires_at }: Spending,
    run: Run,
    answer: unknown,
  ): Promise<Beside[]> {
    const key = answerKey(name);
    const expireIn = this.#lifetime(expires_at);
    return [
      await this.#record(name, content, { state: "done", ...run, begun: true, expires_at }),
      { key, value: await this.sealer.seal(JSON.stringify(answer), key), expireIn },
    ];
  }

  async free({ name, content, frees_until }: Spending): Promise<Beside[]> {
    if (frees_until === null) return [{ key: recordKey(name), value: null }];
    return [await this.#record(name, content, { ...OPEN, expires_at: frees_until })];
  }

  async #record(name: string, content: ConsentContent, rest: Omit<Kept, "sealed">) {
    const key = recordKey(name);
    const value: Kept = { ...rest, sealed: await this.sealer.seal(JSON.stringify(content), key) };
    return { key, value, expireIn: this.#lifetime(rest.expires_at) };
  }

  #lifetime(expires_at: number): number {
    return Math.max(1, expires_at - this.db.now());
  }
}
