/** Passphrases: which may be chosen, how they are kept, whether one is right. */
import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { GatewayError } from "../../core/errors.ts";
import { PEOPLE_LIMITS } from "../../core/model.ts";
import type { KeptPassphrase } from "../../store/store.ts";
import { isCommon } from "./common_passphrases.ts";

/** What scrypt takes: memory by `n` and `r`, time by all three. */
export type PassphraseCost = Readonly<Record<"n" | "r" | "p", number>>;

/** Makes a hash of HASH_BYTES. */
type Hash = (passphrase: string, salt: Buffer, cost: PassphraseCost) => Promise<Buffer>;

/** 32 MiB, and a third of a second of one core: what OWASP asks of scrypt where memory is scarce. */
const COST: PassphraseCost = { n: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** Each takes memory and a core: so many at once, so many waiting, of those who are known and of strangers. */
const AT_ONCE = 2;
const WAITING_MAX = 20;
const RETRY_SECONDS = 5;

/** Nobody's: what is compared where there is none, so that an answer takes as long. */
const NOBODYS = {
  salt: Buffer.alloc(SALT_BYTES).toString("base64"),
  hash: Buffer.alloc(HASH_BYTES).toString("base64"),
};

const scrypted: Hash = (passphrase, salt, { n, r, p }) =>
  new Promise<Buffer>((resolve, reject) => {
    const options = { N: n, r, p, maxmem: 256 * n * r };
    const done = (error: Error | null, hash: Buffer) => error ? reject(error) : resolve(hash);
    scrypt(passphrase, salt, HASH_BYTES, options, done);
  });

/** Why a passphrase may not be chosen; null where it may. `own` are texts that it must not be made of. */
export function passphraseFault(passphrase: string, own: readonly string[]): string | null {
  const characters = [...normal(passphrase)];
  const { PASSPHRASE_CHARACTERS_MIN: min, PASSPHRASE_CHARACTERS_MAX: max } = PEOPLE_LIMITS;
  if (characters.length < min) {
    return `Choose at least ${min} characters; a few words in a row are good, and any character may be used`;
  }
  if (characters.length > max) return `Choose at most ${max} characters`;
  if (new Set(characters).size < 4) return "Choose more than three different characters";
  const text = normal(passphrase).toLowerCase();
  if (isCommon(text)) return "That is one of the first passphrases anybody tries; choose another";
  const part = own.find((one) => one.length > 3 && text.replaceAll(one.toLowerCase(), "").length < 6);
  if (part !== undefined) return "That is little more than your own e-mail address; choose another";
  return null;
}

/** Makes passphrases what is kept of them, a few at a time and off the main thread. */
export class Passphrases {
  #running = 0;
  readonly #known: (() => void)[] = [];
  readonly #strangers: (() => void)[] = [];

  /** Tests give a cost that takes no time, or a hash whose end they decide. */
  constructor(private readonly cost: PassphraseCost = COST, private readonly hash: Hash = scrypted) {}

  /** What is kept of it; whoever chooses one is known. Throws E_RATE_LIMITED where too many are being judged. */
  async keep(passphrase: string): Promise<KeptPassphrase> {
    const salt = randomBytes(SALT_BYTES);
    const hash = await this.#hash(passphrase, salt, this.cost, true);
    return {
      algorithm: "scrypt",
      ...this.cost,
      salt: salt.toString("base64"),
      hash: hash.toString("base64"),
    };
  }

  /**
   * Whether it is right; takes as long where there is none. Strangers do not keep those waiting who are `known`. Throws
   * E_RATE_LIMITED where too many are being judged.
   */
  async isRight(passphrase: string, kept: KeptPassphrase | null, known = false): Promise<boolean> {
    const { salt, hash, ...cost } = kept ?? { ...this.cost, ...NOBODYS };
    const made = await this.#hash(passphrase, Buffer.from(salt, "base64"), cost, known);
    return timingSafeEqual(made, Buffer.from(hash, "base64")) && kept !== null;
  }

  /** Whether it was kept with another cost than is asked for now. */
  isOutdated({ n, r, p }: KeptPassphrase): boolean {
    return n !== this.cost.n || r !== this.cost.r || p !== this.cost.p;
  }

  async #hash(passphrase: string, salt: Buffer, cost: PassphraseCost, known: boolean) {
    await this.#turn(known ? this.#known : this.#strangers);
    try {
      return await this.hash(normal(passphrase), salt, cost);
    } finally {
      const next = this.#known.shift() ?? this.#strangers.shift();
      if (next) next();
      else this.#running--;
    }
  }

  async #turn(waiting: (() => void)[]): Promise<void> {
    if (this.#running < AT_ONCE) return void this.#running++;
    if (waiting.length >= WAITING_MAX) {
      throw new GatewayError(
        "E_RATE_LIMITED",
        `Too many people are signing in at this moment; try again in ${RETRY_SECONDS} s`,
        { retryAfter: RETRY_SECONDS },
      );
    }
    await new Promise<void>((resolve) => void waiting.push(resolve));
  }
}

/** The same text however a keyboard composed it. */
function normal(passphrase: string): string {
  return passphrase.normalize("NFKC");
}
