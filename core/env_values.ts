/** How the text of a setting is read, by kind; each throws a Wrong that says what it is not and what is allowed. */

import { counted } from "./one_line.ts";
import { type Network, network } from "./ip.ts";

/** A setting that cannot be used. */
export class Wrong extends Error {
  /** `was` completes "… is not …"; `allowed` completes "allowed: …". */
  constructor(readonly was: string, readonly allowed: string) {
    super(was);
    this.name = "Wrong";
  }

  /** The fault as a sentence; the value is quoted unless it is null (a secret). */
  sentence(value: string | null): string {
    const quoted = value === null
      ? "the value"
      : JSON.stringify(value.length > 80 ? `${value.slice(0, 80)}…` : value);
    return `${quoted} ${this.was}; allowed: ${this.allowed}`;
  }
}

/** What is wrong with the environment; the message lists all of it, a line each, and holds no secret. */
export class SettingsError extends Error {
  constructor(readonly faults: readonly string[]) {
    super(`These settings cannot be used:\n${faults.map((fault) => `  ${fault}`).join("\n")}`);
    this.name = "SettingsError";
  }
}

/** Where a gateway listening there is reached from the same machine. */
export function localAddress(host: string, port: number): string {
  const open = host === "0.0.0.0" || host === "::";
  const name = open ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return new URL(`http://${name}:${port}`).origin;
}

const RANDOM = "crypto.getRandomValues(new Uint8Array(32))";
/** The way out when a secret is missing; either command runs on a plain Node or Deno. */
export const HOW_TO_MAKE = "make one with " +
  `node -p "btoa(String.fromCharCode(...${RANDOM}))" or deno eval -p "${RANDOM}.toBase64()"`;

/** The way out when a secret that was made before is not set. */
export const HOW_TO_LOAD = "load the file that holds it (set -a; . ./.env; set +a); " +
  "what dev and demo made is in data/secrets.json";

const CONTROL = /\p{Cc}/u;
const KEY_BYTES = 32;
const MASTER_TOKEN_CHARACTERS_MIN = 32;

/** A whole number from `min` to `max`. */
export function whole(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d{1,9}$/.test(text) && number >= min && number <= max) return number;
    throw new Wrong("is not a whole number in range", `${min} to ${max}`);
  };
}

/** The host part of a URL as URL spells it, or null. */
function hostname(text: string): string | null {
  const bare = /^[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*$/i.test(text) ? `[${text}]` : text;
  if (!/^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)$/i.test(bare)) return null;
  const url = URL.parse(`http://${bare}`);
  return url === null || url.hostname === "" ? null : url.hostname;
}

/** An address to listen on: a name, an IPv4 or an IPv6 address without brackets. */
export function host(text: string): string {
  const name = hostname(text);
  if (name !== null) return name.replace(/^\[|\]$/g, "");
  throw new Wrong("is not a host", "a name, an IPv4 or an IPv6 address, without scheme and port");
}

/** A comma separated list of hosts, spelled as URL.hostname does. */
export function hosts(text: string): string[] {
  const items = text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  return items.map((item) => {
    const name = hostname(item);
    if (name !== null) return name;
    throw new Wrong(
      `holds ${JSON.stringify(item)}, which is no host`,
      "names or addresses, comma separated, no scheme or port",
    );
  });
}

/** A comma separated list of networks. */
export function networks(text: string): Network[] {
  const items = text.split(",").map((item) => item.trim()).filter((item) => item !== "");
  return items.map((item) => {
    const one = network(item);
    if (one !== null) return one;
    const allowed = "addresses or networks, comma separated, such as 10.0.0.0/8";
    throw new Wrong(`holds ${JSON.stringify(item)}, which is no network`, allowed);
  });
}

/** Whether a URL's hostname is this machine. */
export function isLoopback(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost") || name === "[::1]" ||
    /^127(\.\d+){3}$/.test(name);
}

function web(text: string, allowed: string): URL {
  const url = CONTROL.test(text) || /[\s\\]/.test(text) ? null : URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Wrong("is not a web address", allowed);
  if (url.username !== "" || url.password !== "") throw new Wrong("holds credentials", allowed);
  if (/[?#]/.test(text)) throw new Wrong("holds a query or a fragment", allowed);
  return url;
}

/** The gateway's own address: an origin, http on loopback only. */
export function ownAddress(text: string): string {
  const allowed = "https://host or, on loopback, http://host:port, without a path";
  const url = web(text, allowed);
  if (url.pathname !== "/") throw new Wrong("has a path", allowed);
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    throw new Wrong("is plain http off loopback", allowed);
  }
  return url.origin;
}

/** A complete address, kept to the letter. */
export function address(text: string): string {
  web(text, "an https address without query");
  return text;
}

/** An address that paths are appended to; a trailing slash is cut. */
export function base(text: string): string {
  return address(text).replace(/(?<!\/)\/+$/, "");
}

/** Whether that is the address of a PostgreSQL database; what it must hold is judged when it is opened. */
export const isDatabase = (text: string | undefined): text is string =>
  text !== undefined &&
  ["postgres://", "postgresql://"].some((scheme) => text.toLowerCase().startsWith(scheme));

/** The address as messages may show it: who connects to what, without the password. */
export function shownAddress(address: string): string {
  const url = URL.parse(address);
  if (url === null || url.username === "") return "the PostgreSQL database";
  return `postgres://${url.username}@${url.host}${url.pathname}`;
}

/** What stands in an address that is shown in full, in the place of its password. */
export const PASSWORD = "PASSWORD";

/** The address of a database as somebody can use it again who writes the password in; one without a password as it is. */
export function addressWithout(address: string): string {
  const url = URL.parse(address);
  if (url === null) return `postgres://user:${PASSWORD}@host/database`;
  if (url.password !== "") url.password = PASSWORD;
  return url.href;
}

/** What messages about the store's place begin with, unless something else named it: see `placeNamed`. */
const PLACE = "KV_PATH: ";

/** A message about the store's place, with the name of the setting or argument that the place really came from. */
export const placeNamed = (message: string, name: string): string =>
  message.startsWith(PLACE) ? `${name}: ${message.slice(PLACE.length)}` : message;

/** Where the store is. */
export function storePlace(text: string): string {
  const allowed =
    "a file, :memory:, postgres://user:password@host/database, or the https address of a KV Connect server";
  if (CONTROL.test(text)) throw new Wrong("holds a control character", allowed);
  if (text === ":memory:" || isDatabase(text) || !/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return text;
  const url = web(text, allowed);
  if (url.protocol === "https:" || isLoopback(url.hostname)) return text;
  throw new Wrong("is plain http off loopback", allowed);
}

/** A token long enough not to be guessed, fit for a header. */
export function masterToken(text: string): string {
  const allowed = `at least ${MASTER_TOKEN_CHARACTERS_MIN} visible ASCII characters without spaces`;
  if (!/^[\x21-\x7e]+$/.test(text)) throw new Wrong("holds a space or a character outside ASCII", allowed);
  if (text.length >= MASTER_TOKEN_CHARACTERS_MIN) return text;
  throw new Wrong(`has ${counted(text.length, "character")}`, `${allowed}; ${HOW_TO_MAKE}`);
}

/** Keys of 32 bytes, in base64 or base64url, comma separated. */
export function keys(text: string): Uint8Array<ArrayBuffer>[] {
  return text.split(",").map((item, at) => {
    const allowed = `${KEY_BYTES} bytes in base64 each, comma separated; ${HOW_TO_MAKE}`;
    const bytes = fromBase64(item.trim());
    if (bytes === null) throw new Wrong(`holds a key (number ${at + 1}) that is not base64`, allowed);
    if (bytes.length === KEY_BYTES) return bytes;
    throw new Wrong(`holds a key (number ${at + 1}) of ${counted(bytes.length, "byte")}`, allowed);
  });
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.fromBase64(text.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return null;
  }
}

/** The first word of the tokens; `oat` is kept for OAuth access tokens. */
export function prefix(text: string): string {
  if (/^[a-z][a-z0-9]{0,15}$/.test(text) && text !== "oat") return text;
  throw new Wrong("is not a token prefix", "1 to 16 of a-z and 0-9, a letter first, and not oat");
}

/** One of these words. */
export function oneOf(...words: readonly string[]): (text: string) => string {
  return (text) => {
    if (words.includes(text)) return text;
    throw new Wrong("is no value of it", words.map((word) => `"${word}"`).join(" or "));
  };
}

/** One line of text. */
export function line(text: string): string {
  if (!CONTROL.test(text)) return text;
  throw new Wrong("holds a control character", "one line of text");
}

/** A text without spaces, fit for a header. */
export function word(text: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new Wrong("holds a space or a character outside ASCII", "visible ASCII characters without spaces");
}

/** A private key in PEM; written \n becomes a line end. */
export function pem(text: string): string {
  const key = text.replaceAll("\\n", "\n");
  if (
    /^-----BEGIN [A-Z ]*PRIVATE KEY-----\n[\s\S]+-----END [A-Z ]*PRIVATE KEY-----$/.test(
      key.replaceAll("\r", ""),
    )
  ) {
    return key;
  }
  throw new Wrong(
    "is not a private key in PEM",
    "-----BEGIN … PRIVATE KEY----- to -----END … PRIVATE KEY-----",
  );
}
