/** Passkeys: made and used at the host name of the gateway, each challenge once; loaded when first used. */
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { GatewayError } from "../../core/errors.ts";
import { PEOPLE_LIMITS, type User } from "../../core/model.ts";
import type { SignedIn } from "../visitors.ts";
import type { Passkey, Store } from "../../store/store.ts";

/** What passkeys depend on. */
export interface PasskeyPorts {
  readonly store: Pick<Store, "users" | "signIns" | "personSessions" | "challenges">;
  readonly baseUrl: string;
  now(): number;
}

const PRODUCT = "Site operations gateway";
const NAME_CHARACTERS_MAX = 60;

const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const fromBase64url = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });

/** The passkeys of one gateway. */
export class Passkeys {
  readonly #rp: { readonly expectedOrigin: string; readonly expectedRPID: string };

  constructor(private readonly ports: PasskeyPorts) {
    const { origin, hostname } = new URL(ports.baseUrl);
    this.#rp = { expectedOrigin: origin, expectedRPID: hostname };
  }

  /**
   * What a browser needs to make one for that user, on a device without one of `standing`; `bound_to` is what the browser
   * is known by.
   */
  async creationOptions(
    { id, email }: User,
    bound_to: string,
    standing: readonly Passkey[],
  ): Promise<object> {
    const { store } = this.ports;
    return await generateRegistrationOptions({
      rpName: PRODUCT,
      rpID: this.#rp.expectedRPID,
      userName: email,
      userDisplayName: email,
      userID: new TextEncoder().encode(id),
      challenge: fromBase64url(store.challenges.create(bound_to)),
      timeout: PEOPLE_LIMITS.CHALLENGE_MS,
      excludeCredentials: standing.map(({ id, transports }) => ({
        id,
        transports: transportsOf(transports),
      })),
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
    });
  }

  /** What a browser needs to use one, whosever it is. */
  async requestOptions(bound_to: string): Promise<object> {
    return await generateAuthenticationOptions({
      rpID: this.#rp.expectedRPID,
      challenge: fromBase64url(this.ports.store.challenges.create(bound_to)),
      timeout: PEOPLE_LIMITS.CHALLENGE_MS,
      userVerification: "required",
    });
  }

  /** The passkey a browser made. Throws E_BAD_INPUT. */
  async made(text: string, bound_to: string, name: string): Promise<Passkey> {
    const response = read<RegistrationResponseJSON>(text);
    const found = await this.#judged(bound_to, (expectedChallenge) =>
      verifyRegistrationResponse({
        response,
        ...this.#rp,
        expectedChallenge,
        requireUserVerification: true,
      }));
    if (!found.verified) throw refused();
    const { credential } = found.registrationInfo;
    return {
      id: credential.id,
      public_key: base64url(credential.publicKey),
      counter: credential.counter,
      transports: [...credential.transports ?? []].slice(0, 8),
      name: [...name.trim()].slice(0, NAME_CHARACTERS_MAX).join("") || "Passkey",
      created_at: new Date(this.ports.now()).toISOString(),
      last_used_at: null,
    };
  }

  /** Whose passkey a browser used. Throws E_AUTH. */
  async used(text: string, bound_to: string): Promise<SignedIn> {
    const { store, now } = this.ports;
    const response = read<AuthenticationResponseJSON>(text);
    const user_id = await store.signIns.userOfPasskey(response.id);
    const user = user_id && await store.users.get(user_id);
    const mark = await store.personSessions.mark(user_id ?? "nobody");
    const { passkeys } = await store.signIns.get(user_id ?? "nobody");
    const passkey = passkeys.find(({ id }) => id === response.id);
    if (!user || !passkey) throw unknown();
    const found = await this.#judged(bound_to, (expectedChallenge) =>
      verifyAuthenticationResponse({
        response,
        ...this.#rp,
        expectedChallenge,
        credential: {
          id: passkey.id,
          publicKey: fromBase64url(passkey.public_key),
          counter: passkey.counter,
          transports: transportsOf(passkey.transports),
        },
        requireUserVerification: true,
      }));
    if (!found.verified) throw unknown();
    const { newCounter: counter } = found.authenticationInfo;
    const last_used_at = new Date(now()).toISOString();
    await store.signIns.change(user.id, (signIn) => ({
      ...signIn,
      passkeys: signIn.passkeys.map((one) => one.id === passkey.id ? { ...one, counter, last_used_at } : one),
    }));
    return { user, mark };
  }

  /** What the library throws is about what was sent to it; what the store throws is not. */
  async #judged<T>(bound_to: string, work: (expectedChallenge: TakeChallenge) => Promise<T>): Promise<T> {
    const broken: unknown[] = [];
    const take: TakeChallenge = async (challenge) => {
      try {
        return await this.ports.store.challenges.take(challenge, bound_to);
      } catch (error) {
        broken.push(error);
        throw error;
      }
    };
    try {
      return await work(take);
    } catch (cause) {
      throw broken.length > 0 ? broken[0] : refused(cause);
    }
  }
}

type TakeChallenge = (challenge: string) => Promise<boolean>;

const transportsOf = (names: readonly string[]) => names as AuthenticatorTransport[];

function read<T extends { id: string; response: object }>(text: string): T {
  try {
    const value = JSON.parse(text);
    if (typeof value?.id === "string" && typeof value.response === "object") return value;
  } catch {
    // is refused as what it is not
  }
  throw new GatewayError("E_BAD_INPUT", "response: expected what a browser reports of a passkey; try again");
}

const unknown = () =>
  new GatewayError("E_AUTH", "No user of this gateway has that passkey; use another, or the passphrase");

const refused = (cause?: unknown) =>
  new GatewayError(
    "E_BAD_INPUT",
    "The passkey's answer could not be accepted: it is too old, was used already or does not fit; try again",
    { cause },
  );
