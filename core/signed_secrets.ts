/** What a request signs in with, taken out of what comes back: an upstream that shows requests gives it to whoever asks. */
import { memoize } from "./made_once.ts";
import { type Span, spansOf, spellingsOf } from "./secret_spellings.ts";

const SECRET_CHARACTERS_MIN = 8;
const REDACTED = "[redacted]";
/** Deeper than any answer that is handed on. */
const LEVELS_MAX = 64;
const DECODER = new TextDecoder();

/** The secrets of an Authorization header: its value, and the password that it was made of. */
export function secretsOf(header: string): string[] {
  const [, scheme = "", encoded = ""] = /^(Basic|Bearer) (.+)$/i.exec(header) ?? [];
  const secrets = [encoded];
  if (scheme.toLowerCase() === "basic") {
    const pair = DECODER.decode(Uint8Array.fromBase64(encoded));
    secrets.push(pair.slice(pair.indexOf(":") + 1));
  }
  return secrets.filter((secret) => secret.length >= SECRET_CHARACTERS_MIN);
}

/** Takes those secrets out of a text, in whichever spelling they are in it. */
export function hiding(given: readonly string[]): (text: string) => string {
  const secrets = given.filter((one) => one !== "");
  const spellings = secrets.flatMap(spellingsOf);
  const shortest = Math.min(
    ...[...secrets, ...spellings.map(({ text }) => text)].map(({ length }) => length),
  );
  return (text) => {
    if (text.length < shortest) return text;
    const left = secrets.reduce((one, secret) => one.replaceAll(secret, REDACTED), text);
    return without(left, spansOf(left, spellings));
  };
}

function without(text: string, spans: readonly Span[]): string {
  let [left, end] = ["", 0];
  for (const [from, to] of spans) {
    left += text.slice(end, from) + REDACTED;
    end = to;
  }
  return end === 0 ? text : left + text.slice(end);
}

/** Takes the secrets of those headers out of a text; those that sign are often the same ones. */
export const hidingSigned = memoize((headers: Readonly<Record<string, string>>) =>
  hiding(Object.values(headers).flatMap(secretsOf))
);

/** The same value with that done to each of its texts, names too; the same object where none of them has a secret. */
export function hiddenIn(value: unknown, hide: (text: string) => string): unknown {
  return holds(value, (text) => hide(text) !== text, LEVELS_MAX) ? replaced(value, hide, LEVELS_MAX) : value;
}

function holds(value: unknown, has: (text: string) => boolean, levels: number): boolean {
  if (typeof value === "string") return has(value);
  if (typeof value !== "object" || value === null || levels === 0) return false;
  if (Array.isArray(value)) return value.some((one) => holds(one, has, levels - 1));
  for (const name in value) {
    if (has(name) || holds((value as Record<string, unknown>)[name], has, levels - 1)) return true;
  }
  return false;
}

function replaced(value: unknown, hide: (text: string) => string, levels: number): unknown {
  if (typeof value === "string") return hide(value);
  if (typeof value !== "object" || value === null || levels === 0) return value;
  if (Array.isArray(value)) return value.map((one) => replaced(one, hide, levels - 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [hide(name), replaced(one, hide, levels - 1)]),
  );
}
