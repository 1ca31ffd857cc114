/** How users sign in: a passphrase, sealed as scrypt made it, and passkeys. */
import { GatewayError } from "../core/errors.ts";
import { AGAIN, checkSize, type Database, sha256, untilSettled } from "./database.ts";
import type { FoundSignIn, KeptPassphrase, Passkey, SignIn, SignInStore } from "./people_types.ts";
import type { PersonSessions } from "./person_sessions.ts";
import type { Sealed, Sealer } from "./seal.ts";

/** The value of `["sign_ins", user id]`. */
interface KeptSignIn {
  readonly passphrase: Sealed | null;
  readonly passkeys: readonly Passkey[];
}

const recordKey = (user_id: string) => ["sign_ins", user_id];
const passkeyKey = (id: string) => ["passkeys", sha256(id)];
const NOTHING: FoundSignIn = { passphrase: null, passkeys: [], unopened: null };

/** The SignInStore of a database. */
export class SignIns implements SignInStore {
  constructor(
    private readonly db: Database,
    private readonly sealer: Pick<Sealer, "seal" | "unseal">,
    private readonly sessions: Pick<PersonSessions, "addEnd">,
  ) {}

  async get(user_id: string): Promise<FoundSignIn> {
    return await this.#opened((await this.db.kv.get<KeptSignIn>(recordKey(user_id))).value, user_id);
  }

  async change(user_id: string, to: (now: FoundSignIn) => SignIn & Partial<FoundSignIn>): Promise<SignIn> {
    return await untilSettled(async () => {
      const change = this.db.kv.atomic();
      const after = await this.#addChange(change, user_id, to);
      return (await this.db.commit(change)).ok ? after : AGAIN;
    });
  }

  async replace(
    user_id: string,
    to: (now: FoundSignIn) => SignIn & Partial<FoundSignIn>,
    but?: string,
  ): Promise<number> {
    return await this.replaceWith(user_id, to, () => true, but) ?? 0;
  }

  /** As `replace`, with what `beside` adds to the change; where that answers false nothing is done, and null answered. */
  async replaceWith(
    user_id: string,
    to: (now: FoundSignIn) => SignIn & Partial<FoundSignIn>,
    beside: (change: Deno.AtomicOperation) => boolean | Promise<boolean>,
    but?: string,
  ): Promise<number | null> {
    return await untilSettled(async () => {
      const change = this.db.kv.atomic();
      if (!await beside(change)) return null;
      await this.#addChange(change, user_id, to);
      const { count, clear } = await this.sessions.addEnd(change, user_id, but);
      if (!(await this.db.commit(change)).ok) return AGAIN;
      await clear();
      return count;
    });
  }

  async userOfPasskey(id: string): Promise<string | null> {
    return (await this.db.kv.get<string>(passkeyKey(id))).value;
  }

  async remove(user_id: string): Promise<void> {
    await untilSettled(async () => {
      const entry = await this.db.kv.get<KeptSignIn>(recordKey(user_id));
      const change = this.db.kv.atomic().check(entry).delete(entry.key);
      for (const { id } of entry.value?.passkeys ?? []) change.delete(passkeyKey(id));
      return (await this.db.commit(change)).ok || AGAIN;
    });
  }

  /** The stored value afterwards. */
  async #addChange(
    change: Deno.AtomicOperation,
    user_id: string,
    to: (now: FoundSignIn) => SignIn & Partial<FoundSignIn>,
  ): Promise<SignIn> {
    const key = recordKey(user_id);
    const entry = await this.db.kv.get<KeptSignIn>(key);
    const before = await this.#opened(entry.value, user_id);
    const after = to(before);
    const { passphrase, unopened = null } = after;
    const stays = passphrase === before.passphrase && unopened === before.unopened;
    const kept: KeptSignIn = {
      passphrase: stays
        ? entry.value?.passphrase ?? null
        : passphrase && await this.sealer.seal(JSON.stringify(passphrase), key),
      passkeys: [...after.passkeys],
    };
    checkSize(kept);
    change.check(entry).set(key, kept);
    await this.#keepOthers(change, user_id, after.passkeys);
    for (const { id } of before.passkeys) change.delete(passkeyKey(id));
    for (const { id } of after.passkeys) change.set(passkeyKey(id), user_id);
    return after;
  }

  /** Refuses a passkey that is another user's: an id is a name that its device chooses, and one has heard of others'. */
  async #keepOthers(
    change: Deno.AtomicOperation,
    user_id: string,
    passkeys: readonly Passkey[],
  ): Promise<void> {
    for (const { id } of passkeys) {
      const owner = await this.db.kv.get<string>(passkeyKey(id));
      if (owner.value !== null && owner.value !== user_id) {
        throw new GatewayError("E_BAD_INPUT", "That passkey belongs to another account; make another");
      }
      change.check(owner);
    }
  }

  /** A passphrase that no key opens is none: passkeys sign in, and an invitation sets another. */
  async #opened(kept: KeptSignIn | null, user_id: string): Promise<FoundSignIn> {
    if (kept === null) return NOTHING;
    const { passphrase, passkeys } = kept;
    if (passphrase === null) return { ...NOTHING, passkeys };
    try {
      const opened = await this.sealer.unseal(passphrase, recordKey(user_id));
      return { passphrase: JSON.parse(opened) as KeptPassphrase, passkeys, unopened: null };
    } catch (thrown) {
      if (!(thrown instanceof GatewayError)) throw thrown;
      return { passphrase: null, passkeys, unopened: thrown };
    }
  }
}
