/** The arguments of a hosted tool as callers write them, and as its server wants them: prefixes and the location put back. */
import { clipped, GatewayError } from "../../core/errors.ts";
import { nameWords } from "../../rules/proxied/names.ts";
import type { SiteOffer } from "./types.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Where in a request an argument goes; not shown to callers. */
const PREFIX = /^(path|query|body)_(?=.)/;
/** The kind of what an `altId` names that is a location. */
const LOCATION_KIND = "location";

/** What of them is a part of the address. */
const PATH = /^path_./;
/** What would make another address of it than the tool's own, wherever the server puts it together. */
const NO_PART = /[/\\?#%\p{Cc}]|^\.{1,2}$/u;

const bare = (name: string) => name.replace(PREFIX, "");

/** What an argument says of a location: which one, which ones, or of what kind; by its words, however they are written. */
type Naming = "one" | "several" | "kind";
const NAMING: ReadonlyMap<string, Naming> = new Map([
  ...["locationid", "altid", "subaccountid"].map((name) => [name, "one"] as const),
  ...["locationids", "altids", "subaccountids"].map((name) => [name, "several"] as const),
  ["alttype", "kind"],
]);
const PREFIX_WORDS: ReadonlySet<string> = new Set(["path", "query", "body"]);

/** What is put into the address of a request, where an id of several kinds can only be the location's. */
const ADDRESS = /^(path|query)_./;

/** Whether one of those names says of what kind an id is; they are looked through once, when that is first asked. */
export function kindAmong(names: () => readonly string[]): () => boolean {
  let found: boolean | undefined;
  return () => found ??= names().some((one) => NAMING.get(bareWords(one)) === "kind");
}

/**
 * What an argument of that name says of a location, standing beside others that name a kind or not; undefined for one
 * that says nothing.
 */
export function namingOf(name: string, hasKind: () => boolean): Naming | undefined {
  const words = bareWords(name);
  const naming = NAMING.get(words);
  if (naming === undefined || naming === "kind" || !words.startsWith("alt")) return naming;
  return ADDRESS.test(name) || hasKind() ? naming : undefined;
}

function bareWords(name: string): string {
  const words = nameWords(name);
  return words.slice(words.findIndex((word) => !PREFIX_WORDS.has(word))).join("");
}

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/**
 * The arguments with the names of the server's own schema, taken with or without prefix, and the location filled in.
 * Throws E_BAD_INPUT for another location, for a name that could mean two arguments, for one given twice, and for a part
 * of the address that is none.
 */
export function toUpstreamArguments(
  { input_schema }: Pick<SiteOffer, "input_schema">,
  args: Arguments,
  location: string,
) {
  assertOwnLocation(args, location);
  const names = Object.keys(propertiesOf(input_schema));
  const hasKind = kindAmong(() => [...names, ...Object.keys(args)]);
  const known = { names: new Set(names), byBare: Map.groupBy(names, bare) };
  const sent: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(args)) {
    const name = upstreamName(given, known);
    const naming = namingOf(name, hasKind);
    if (naming === "one" || naming === "kind") {
      if (value !== null && !isOwn(naming, value, location)) throw foreign(given);
      continue;
    }
    if (Object.hasOwn(sent, name)) throw bad(`${given}: is given twice, as ${bare(name)} and ${name}`);
    if (PATH.test(name)) assertOnePart(given, value);
    Object.defineProperty(sent, name, { value, enumerable: true, configurable: true, writable: true });
  }
  const isKindThere = kindAmong(() => names);
  for (const name of names) {
    const naming = namingOf(name, isKindThere);
    if (naming === "one" || naming === "kind") sent[name] = naming === "kind" ? LOCATION_KIND : location;
  }
  return sent;
}

/** An id stands in the address of what is asked for: with a slash in it, it would be the address of something else. */
function assertOnePart(given: string, value: unknown): void {
  if (typeof value === "number" || (typeof value === "string" && value !== "" && !NO_PART.test(value))) {
    return;
  }
  throw bad(`${given}: expected an id as the CRM has it, without any of / \\ ? # %`);
}

const propertiesOf = ({ properties }: Arguments): object => propertiesIn(properties);

/** The name that the server has for it; one that it does not have stays as it is, for the server to judge. */
function upstreamName(
  given: string,
  { names, byBare }: {
    readonly names: ReadonlySet<string>;
    readonly byBare: ReadonlyMap<string, readonly string[]>;
  },
): string {
  if (names.has(given)) return given;
  const [found, ...more] = byBare.get(given) ?? [];
  if (more.length > 0) throw bad(`${given}: give ${[found, ...more].join(" or ")}`);
  return found ?? given;
}

/** The location is the site's, wherever one is named, however deep. */
function assertOwnLocation(args: Arguments, location: string): void {
  const fault = foreignIn(args, "", location);
  if (fault !== null) throw foreign(fault);
}

/** Where within a value another location is named; null where none is. */
function foreignIn(value: unknown, at: string, location: string): string | null {
  if (typeof value !== "object" || value === null) return null;
  const hasKind = kindAmong(() => Object.keys(value));
  for (const [key, one] of Object.entries(value)) {
    const field = Array.isArray(value) ? `${at}[${key}]` : at === "" ? key : `${at}.${key}`;
    const naming = Array.isArray(value) || one === null ? undefined : namingOf(key, hasKind);
    if (naming !== undefined && !isOwn(naming, one, location)) return field;
    const inner = foreignIn(one, field, location);
    if (inner !== null) return inner;
  }
  return null;
}

/** Whether the value under such a name is the own location; of one a list or an object could not be compared. */
function isOwn(naming: Naming, value: unknown, location: string): boolean {
  if (naming === "kind") return value === LOCATION_KIND;
  return naming === "several" && Array.isArray(value)
    ? value.every((one) => one === location)
    : value === location;
}

const foreign = (field: string) =>
  bad(`${clipped(field)}: is another location than the site's; leave it out, the gateway fills it in`);

const propertiesIn = (value: unknown): object => typeof value === "object" && value !== null ? value : {};
