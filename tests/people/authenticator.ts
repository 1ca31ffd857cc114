/** A passkey without a browser: a key pair that answers the gateway's options as an authenticator does. */
import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { BASE, type PersonBrowser, type Shown } from "./kit.ts";

const base64url = (bytes: Uint8Array) => bytes.toBase64({ alphabet: "base64url", omitPadding: true });
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();
/** Somebody is there, has proven to be the owner, and (0x40) the key is told. */
const FLAGS = { made: 0x45, used: 0x05 } as const;

/** CBOR of what a passkey tells: small numbers, texts, bytes, maps (RFC 8949). */
function cbor(value: unknown): Uint8Array {
  const head = (major: number, count: number) =>
    count < 24
      ? [major << 5 | count]
      : count < 256
      ? [major << 5 | 24, count]
      : [major << 5 | 25, count >> 8, count & 255];
  if (typeof value === "number") return new Uint8Array(value < 0 ? head(1, -1 - value) : head(0, value));
  if (typeof value === "string") {
    const text = new TextEncoder().encode(value);
    return new Uint8Array([...head(3, text.length), ...text]);
  }
  if (value instanceof Uint8Array) return new Uint8Array([...head(2, value.length), ...value]);
  const entries = [...value as Map<unknown, unknown>];
  return new Uint8Array([
    ...head(5, entries.length),
    ...entries.flatMap(([key, one]) => [...cbor(key), ...cbor(one)]),
  ]);
}

/** What may be wrong with an answer. */
export interface AnswerOptions {
  readonly origin?: string;
  readonly flags?: number;
}

/** A device with one passkey. */
export class Authenticator {
  readonly #id = randomBytes(16);
  readonly #key = generateKeyPairSync("ec", { namedCurve: "P-256" });
  /** What it says how often it was used. */
  counter = 0;

  /** The answer to options for making one, as the form carries it. */
  made(challenge: string, options: AnswerOptions = {}): string {
    const { x, y } = this.#key.publicKey.export({ format: "jwk" });
    const bytes = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const key = cbor(new Map<number, unknown>([[1, 2], [3, -7], [-1, 1], [-2, bytes(x!)], [-3, bytes(y!)]]));
    const data = [
      ...this.#data(options.flags ?? FLAGS.made),
      ...new Uint8Array(16),
      0,
      this.#id.length,
      ...this.#id,
      ...key,
    ];
    const attestation = new Map<string, unknown>([["fmt", "none"], ["attStmt", new Map()], [
      "authData",
      new Uint8Array(data),
    ]]);
    return this.#answer(client("webauthn.create", challenge, options), {
      attestationObject: base64url(cbor(attestation)),
    });
  }

  /** The answer to options for using it. */
  used(challenge: string, options: AnswerOptions = {}): string {
    this.counter++;
    const data = new Uint8Array(this.#data(options.flags ?? FLAGS.used));
    const told = client("webauthn.get", challenge, options);
    const signature = sign("sha256", new Uint8Array([...data, ...sha256(told)]), this.#key.privateKey);
    return this.#answer(told, { authenticatorData: base64url(data), signature: base64url(signature) });
  }

  #data(flags: number): number[] {
    const counter = [24, 16, 8, 0].map((shift) => this.counter >> shift & 255);
    return [...sha256(new URL(BASE).hostname), flags, ...counter];
  }

  #answer(told: string, more: Record<string, string>): string {
    const id = base64url(this.#id);
    const response = { clientDataJSON: base64url(new TextEncoder().encode(told)), ...more };
    return JSON.stringify({ id, rawId: id, type: "public-key", clientExtensionResults: {}, response });
  }
}

const client = (type: string, challenge: string, { origin = BASE }: AnswerOptions) =>
  JSON.stringify({ type, challenge, origin, crossOrigin: false });

/** The way of somebody who signs in with a device; `late` does something between the question and its answer. */
export async function signInWith(
  device: Authenticator,
  browser: PersonBrowser,
  options: AnswerOptions & { readonly late?: () => void } = {},
): Promise<Shown> {
  await browser.open("/admin/sign-in?again=1");
  const challenge = await challengeOf(browser, "/admin/sign-in/passkey/options");
  options.late?.();
  return await answerWith(device.used(challenge, options), browser);
}

/** Sends what a device answered, as the form of a passkey does; no page shows that form at an IP address. */
export async function answerWith(
  response: string,
  browser: PersonBrowser,
  path = "/admin/sign-in/passkey",
): Promise<Shown> {
  return await browser.post(path, new URLSearchParams({ csrf: csrfOf(browser), response }));
}

/** The way of somebody who was invited and has a device; `late` is as for signing in. */
export async function joinWith(
  device: Authenticator,
  browser: PersonBrowser,
  link: string,
  late: () => void = () => {},
): Promise<Shown> {
  const path = `${new URL(link).pathname}/passkey`;
  await browser.open(link);
  const challenge = await challengeOf(browser, `${path}/options`);
  late();
  return await answerWith(device.made(challenge), browser, path);
}

const csrfOf = ({ page }: PersonBrowser) => /name="csrf" value="([^"]+)"/.exec(page!.text)![1]!;

/** What the gateway asks an authenticator, at the address of options that a page names. */
export async function challengeOf(browser: PersonBrowser, path: string): Promise<string> {
  const { page } = browser;
  const shown = await browser.post(path, new URLSearchParams({ csrf: csrfOf(browser) }));
  browser.page = page;
  return JSON.parse(shown.text).result.challenge;
}
