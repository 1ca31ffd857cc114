/** Invitations: one-time links by which a user sets how to sign in, kept by a SHA-256 of their text. */
import { lasts } from "../core/lasting.ts";
import { PEOPLE_LIMITS } from "../core/model.ts";
import { type Database, sha256 } from "./database.ts";
import type { Invitation, InvitationStore, SignIn } from "./people_types.ts";
import type { SignIns } from "./sign_ins.ts";
import { randomText } from "./tokens.ts";

/** The value of `["invitations", hash of the text]`. */
interface KeptInvitation {
  readonly user_id: string;
  readonly by: string | null;
  readonly used: boolean;
  readonly expires_at: number;
}

/** So long is remembered what came of one, to say so to whoever opens it again. */
const REMEMBERED_MS = 7 * 24 * 60 * 60_000;
/** A longer text is no invitation. */
const TEXT_CHARACTERS_MAX = 256;

const recordKey = (hash: string) => ["invitations", hash];
const newestKey = (user_id: string) => ["invitation_of", user_id];

/** The InvitationStore of a database. */
export class Invitations implements InvitationStore {
  constructor(private readonly db: Database, private readonly signIns: Pick<SignIns, "replaceWith">) {}

  async create(user_id: string, by: string | null): Promise<{ text: string; expires_at: number }> {
    const text = randomText();
    const hash = sha256(text);
    const expires_at = this.db.now() + PEOPLE_LIMITS.INVITATION_MS;
    const kept: KeptInvitation = { user_id, by, used: false, expires_at };
    const expiry = { expireIn: PEOPLE_LIMITS.INVITATION_MS + REMEMBERED_MS };
    await this.db.commit(
      this.db.kv.atomic().set(recordKey(hash), kept, expiry).set(newestKey(user_id), hash, expiry),
    );
    return { text, expires_at };
  }

  async find(text: string): Promise<Invitation | null> {
    return (await this.#read(text))?.invitation ?? null;
  }

  async newest(user_id: string): Promise<Invitation | null> {
    const { value: hash } = await this.db.kv.get<string>(newestKey(user_id));
    return hash === null ? null : (await this.#readHash(hash))?.invitation ?? null;
  }

  async take(text: string, set: SignIn): Promise<boolean> {
    const user_id = (await this.find(text))?.user_id;
    if (user_id === undefined) return false;
    const use = async (change: Deno.AtomicOperation) => {
      const read = await this.#read(text);
      if (read?.invitation.state !== "open") return false;
      const used: KeptInvitation = { ...read.entry.value, used: true };
      change.check(read.entry).check(read.newest).set(read.entry.key, used, { expireIn: REMEMBERED_MS });
      return true;
    };
    return await this.signIns.replaceWith(user_id, () => set, use) !== null;
  }

  async withdraw(user_id: string): Promise<void> {
    await this.db.commit(this.db.kv.atomic().delete(newestKey(user_id)));
  }

  async #read(text: string) {
    return text.length > TEXT_CHARACTERS_MAX ? null : await this.#readHash(sha256(text));
  }

  async #readHash(hash: string) {
    const entry = await this.db.kv.get<KeptInvitation>(recordKey(hash));
    if (entry.value === null) return null;
    const { user_id, by, used, expires_at } = entry.value;
    const newest = await this.db.kv.get<string>(newestKey(user_id));
    const state = used
      ? "used"
      : newest.value !== hash
      ? "replaced"
      : lasts(expires_at, PEOPLE_LIMITS.INVITATION_MS, this.db.now())
      ? "open"
      : "expired";
    const invitation: Invitation = { user_id, by, state, expires_at };
    return { invitation, entry, newest };
  }
}
