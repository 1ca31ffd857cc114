/** People: invited, signed in within limits, recovered by another invitation. */
import { counted } from "../../core/one_line.ts";
import { GatewayError } from "../../core/errors.ts";
import { PEOPLE_LIMITS, type User } from "../../core/model.ts";
import type { AttemptLimit, Invitation, KeptPassphrase, Passkey, SignIn, Store } from "../../store/store.ts";
import type { SignedIn } from "../visitors.ts";
import { type Actor, actorOfPerson, isManaged, NOBODY, type RecordAction } from "../rights.ts";
import { type PassphraseCost, passphraseFault, Passphrases } from "./passphrase.ts";

/** What people depend on. */
export interface PeoplePorts {
  readonly store: Pick<Store, "users" | "signIns" | "invitations" | "personSessions" | "attempts">;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly record: RecordAction;
  /** What a passphrase costs to judge; a third of a second of one core where nothing is said. */
  readonly passphraseCost?: PassphraseCost;
  /** Logs a fault that is the gateway's own. */
  report(requestId: string, thrown: unknown): void;
}

/** An invitation as it is handed out, once. */
export interface MadeInvitation {
  readonly link: string;
  readonly expires_at: string;
  readonly user_id: string;
  readonly email: string;
}

/** Somebody who tries a passphrase. */
export interface Attempt {
  readonly email: string;
  readonly passphrase: string;
  readonly address: string;
  /** The name of the browser where that user has signed in from it before; else null. */
  deviceOf(user_id: string): string | null;
}

const WINDOW = { window_ms: PEOPLE_LIMITS.SIGN_IN_WINDOW_MS } as const;
const ACCOUNT = { ...WINDOW, most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT };
const ACCOUNT_ALL = { ...WINDOW, most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ACCOUNT_ALL };
const ADDRESS = { ...WINDOW, most: PEOPLE_LIMITS.SIGN_IN_ATTEMPTS_ADDRESS };
const ONCE = { ...WINDOW, most: 1 };

const accountName = (email: string) => `sign in, account ${email.toLowerCase()}`;
const addressName = (address: string) => `sign in, address ${address}`;
const deviceName = (device: string) => `sign in, browser ${device}`;
const pairName = (email: string, address: string) => `${accountName(email)}, address ${address}`;
const ownName = ({ id }: User) => `own passphrase, user ${id}`;

/** The people of one gateway. */
export class People {
  readonly #passphrases: Passphrases;

  constructor(private readonly ports: PeoplePorts) {
    this.#passphrases = new Passphrases(ports.passphraseCost);
  }

  /** Makes a one-time link; the one before it ends. */
  async invite(by: Actor, user: User): Promise<MadeInvitation> {
    const { store, baseUrl, record } = this.ports;
    const { text, expires_at } = await store.invitations.create(user.id, by.owner_user_id);
    await record(by, "user.invite", { user_id: user.id });
    return {
      link: `${baseUrl}/admin/invitation/${text}`,
      expires_at: new Date(expires_at).toISOString(),
      user_id: user.id,
      email: user.email,
    };
  }

  /**
   * The state of an invitation and whom it is for; null for an unknown invitation, or that of a user who is gone. It is
   * `withdrawn` once whoever made it may not make it any more.
   */
  async invitation(text: string): Promise<{ state: Invitation["state"] | "withdrawn"; user: User } | null> {
    const { invitations, users } = this.ports.store;
    const invitation = await invitations.find(text);
    const user = invitation && await users.get(invitation.user_id);
    if (!invitation || !user) return null;
    const { state, by } = invitation;
    return { state: state === "open" && !await this.#mayInvite(by, user) ? "withdrawn" : state, user };
  }

  /** When the invitation of that user ends by which he or she can still join; null where there is none. */
  async openInvitation(user: User): Promise<number | null> {
    const found = await this.ports.store.invitations.newest(user.id);
    return found?.state === "open" && await this.#mayInvite(found.by, user) ? found.expires_at : null;
  }

  async #mayInvite(by: string | null, user: User): Promise<boolean> {
    if (by === null) return true;
    const admin = await this.ports.store.users.get(by);
    return admin?.role === "admin" && isManaged(admin, user);
  }

  /**
   * Uses an invitation up: what it sets is all there is, and every session ends. Answers whose it was, null where it
   * is not valid. Throws E_RATE_LIMITED.
   */
  async accept(
    text: string,
    chosen: { passphrase: string } | { passkey: Passkey },
    address: string,
  ): Promise<SignedIn | null> {
    const { store, record } = this.ports;
    const found = await this.invitation(text);
    if (found?.state !== "open") return null;
    const signIn: SignIn = "passphrase" in chosen
      ? { passphrase: await this.#passphrases.keep(chosen.passphrase), passkeys: [] }
      : { passphrase: null, passkeys: [chosen.passkey] };
    if (!await store.invitations.take(text, signIn)) return null;
    const { user } = found;
    const method = signIn.passphrase ? "passphrase" : "passkey";
    await record(actorOfPerson(user), "user.join", { user_id: user.id, method });
    await this.#forget(user.email, address);
    await store.attempts.forget(ownName(user));
    return { user, mark: await store.personSessions.mark(user.id) };
  }

  /**
   * The user of that e-mail and passphrase. Throws E_AUTH where they are wrong, in the same words and time whichever of
   * them it is; E_RATE_LIMITED after too many attempts for the account or from the address, where the user has signed
   * in from that browser before after too many from that browser alone.
   */
  async signIn({ email, passphrase, address, deviceOf }: Attempt): Promise<SignedIn> {
    const { store } = this.ports;
    const user = await store.users.byEmail(email);
    const device = user && deviceOf(user.id);
    await this.#count({ email, address, device });
    const mark = await store.personSessions.mark(user?.id ?? "nobody");
    const { passphrase: kept, unopened } = await store.signIns.get(user?.id ?? "nobody");
    if (unopened !== null) this.ports.report(crypto.randomUUID(), unopened);
    const right = await this.#passphrases.isRight(passphrase, kept, device !== null);
    if (user === null || kept === null || !right) {
      throw new GatewayError("E_AUTH", "The e-mail address or the passphrase is wrong");
    }
    if (device === null) {
      await this.#forget(email, address);
      await store.attempts.giveBack(addressName(address));
    } else {
      await store.attempts.forget(deviceName(device));
    }
    if (this.#passphrases.isOutdated(kept)) await this.#keepAgain(user, passphrase, kept);
    return { user, mark };
  }

  /** Counts an attempt before it is judged: of a browser that is known apart from everybody else's. */
  async #count({ email, address, device }: { email: string; address: string; device: string | null }) {
    const whose = `for ${JSON.stringify(email)}`;
    if (device !== null) {
      return await this.#take(deviceName(device), ACCOUNT, `${whose} from this browser`, { email, address });
    }
    await this.#take(addressName(address), ADDRESS, "from your network address", { address });
    await this.#take(pairName(email, address), ACCOUNT, whose, { email, address });
    await this.#take(accountName(email), ACCOUNT_ALL, whose, { email, address });
  }

  /** Whether that is the user's passphrase. Throws E_RATE_LIMITED after too many attempts. */
  async isOwn(user: User, passphrase: string): Promise<boolean> {
    const { store } = this.ports;
    const { id, email } = user;
    await this.#take(ownName(user), ACCOUNT, `for ${JSON.stringify(email)}`, { email });
    const { passphrase: kept } = await store.signIns.get(id);
    const right = await this.#passphrases.isRight(passphrase, kept, true);
    if (right) await store.attempts.forget(ownName(user));
    return right;
  }

  /** Puts another passphrase in the place of the user's; every session but that one ends. Throws E_RATE_LIMITED. */
  async changePassphrase(user: User, passphrase: string, session_id: string): Promise<void> {
    const { store, record } = this.ports;
    const kept = await this.#passphrases.keep(passphrase);
    const ended = await store.signIns.replace(user.id, (now) => ({ ...now, passphrase: kept }), session_id);
    await record(actorOfPerson(user), "user.passphrase", { user_id: user.id, sessions_ended: ended });
  }

  /** Adds a way in. Throws E_BAD_INPUT where there are as many as may be. */
  async addPasskey(user: User, passkey: Passkey): Promise<void> {
    const { store, record } = this.ports;
    await store.signIns.change(user.id, (now) => {
      if (now.passkeys.length >= PEOPLE_LIMITS.PASSKEYS_MAX) {
        throw new GatewayError(
          "E_BAD_INPUT",
          `You have ${PEOPLE_LIMITS.PASSKEYS_MAX} passkeys; remove one first`,
        );
      }
      const others = now.passkeys.filter(({ id }) => id !== passkey.id);
      return { ...now, passkeys: [...others, passkey] };
    });
    await record(actorOfPerson(user), "user.passkey", { name: passkey.name });
  }

  /** Removes a passkey of that user. Throws E_BAD_INPUT where nothing would be left to sign in with. */
  async removePasskey(user: User, id: string): Promise<void> {
    const { store, record } = this.ports;
    await store.signIns.change(user.id, (now) => {
      const passkeys = now.passkeys.filter((one) => one.id !== id);
      if (passkeys.length === 0 && now.passphrase === null) {
        throw new GatewayError("E_BAD_INPUT", "It is all you sign in with; set a passphrase first");
      }
      return { ...now, passkeys };
    });
    await record(actorOfPerson(user), "user.passkey", { removed: id.slice(0, 60) });
  }

  /** Why a user may not choose that passphrase; null where it may. */
  fault(user: User, passphrase: string): string | null {
    return passphraseFault(passphrase, [user.email, user.email.split("@")[0]!]);
  }

  /** Counts one attempt; the first that is refused within a window is audited. */
  async #take(name: string, limit: AttemptLimit, whose: string, facts: object) {
    const { attempts } = this.ports.store;
    const wait_ms = await attempts.take(name, limit);
    if (wait_ms === 0) return;
    if (await attempts.take(`audited: ${name}`, ONCE) === 0) {
      const ending = { status: "denied", error: "E_RATE_LIMITED" } as const;
      await this.ports.record(NOBODY, "session.sign_in", facts, ending);
    }
    const minutes = Math.max(1, Math.ceil(wait_ms / 60_000));
    throw new GatewayError(
      "E_RATE_LIMITED",
      `Too many attempts to sign in ${whose}; try again in ${counted(minutes, "minute")}, sign in ` +
        "with a passkey or in a browser that you have signed in from before, or ask for another invitation",
      { retryAfter: Math.ceil(wait_ms / 1000) },
    );
  }

  async #forget(email: string, address: string): Promise<void> {
    const { attempts } = this.ports.store;
    await attempts.forget(accountName(email));
    await attempts.forget(pairName(email, address));
  }

  async #keepAgain({ id }: User, passphrase: string, before: KeptPassphrase): Promise<void> {
    const kept = await this.#passphrases.keep(passphrase);
    await this.ports.store.signIns.change(
      id,
      (now) => now.passphrase?.hash === before.hash ? { ...now, passphrase: kept } : now,
    );
  }
}
