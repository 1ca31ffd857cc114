/** The names by which a call asks something of the gateway itself, and other spellings of them, which would ask nothing. */

/** What a call can ask beside what its tool takes. */
export const ASKED_NAMES = ["dry_run", "confirm", "confirm_token"] as const;
/** A name of these. */
export type AskedName = typeof ASKED_NAMES[number];

const bare = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** The one of those names that another name differs from by nothing but case, dashes and the like; null for none. */
export function meantBy<Name extends string>(name: string, names: readonly Name[]): Name | null {
  const wanted = bare(name);
  return names.find((one) => one !== name && bare(one) === wanted) ?? null;
}

/** The one of what a call can ask that a name is, in whatever spelling; null for none. */
const speltBy = (name: string): AskedName | null =>
  ASKED_NAMES.find((one) => one === name) ?? meantBy(name, ASKED_NAMES);

/** What stands beside a call: what it can ask, and the key under which it is carried out once. */
export type BesideName = AskedName | "idempotency_key";
const BESIDE: ReadonlyMap<string, BesideName> = new Map(
  ([...ASKED_NAMES, "idempotency_key"] as const).map((name) => [bare(name), name]),
);
/** What headers that nobody had registered were given before their names. */
const UNREGISTERED = "x";

/** What a name stands for beside a call, in whatever spelling, as that of a header also behind `X-`; null for nothing. */
export function besideBy(name: string): BesideName | null {
  const wanted = bare(name);
  const plain = wanted.startsWith(UNREGISTERED) ? wanted.slice(UNREGISTERED.length) : wanted;
  return BESIDE.get(plain) ?? null;
}

/** The header in which that is read over REST. */
export const headerOf = (name: BesideName): string => name.replaceAll("_", "-");

/** Words that callers use for these, each in lower case without blanks and dashes. */
const OTHER_WORDS: ReadonlyMap<string, AskedName> = new Map([
  ["dry", "dry_run"],
  ["preview", "dry_run"],
  ["previewonly", "dry_run"],
  ["simulate", "dry_run"],
  ["confirmed", "confirm"],
  ["confirmationtoken", "confirm_token"],
]);

/** Which of what a call can ask is meant by the name of an argument, also in another word; null for none. */
export const askedBy = (name: string): AskedName | null =>
  speltBy(name) ?? OTHER_WORDS.get(bare(name)) ?? null;
