/** The arguments of a hosted tool as callers write them, and as its server wants them: prefixes and the location put back. */
import { GatewayError } from "../../errors.ts";
import { walk } from "../../rules/proxied/walk.ts";
import { wordList } from "../../rules/proxied/words.ts";
import type { SiteOffer } from "./types.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Where in a request an argument goes; not shown to callers. */
const PREFIX = /^(path|query|body)_(?=.)/;
/** Names of the location in answers. */
const LOCATION: ReadonlySet<string> = new Set(["locationId", "location_id", "altId"]);
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

/** What an argument of that name says of a location; undefined for one that says nothing. */
export function namingOf(name: string): Naming | undefined {
  const words = wordList(name);
  return NAMING.get(words.slice(words.findIndex((word) => !PREFIX_WORDS.has(word))).join(""));
}

const isFilled = (name: string) => {
  const naming = namingOf(name);
  return naming === "one" || naming === "kind";
};
const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/**
 * The arguments with the names of the server's own schema, taken with or without prefix, and the location filled in.
 * Throws E_BAD_INPUT for another location, for a name that could mean two arguments, for one given twice, and for a part
 * of the address that is none.
 */
export function putBack(
  { input_schema }: Pick<SiteOffer, "input_schema">,
  args: Arguments,
  location: string,
) {
  assertOwnLocation(args, location);
  const names = Object.keys(propertiesOf(input_schema));
  const sent: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(args)) {
    if (isFilled(given)) continue;
    const name = upstreamName(given, names);
    if (Object.hasOwn(sent, name)) throw bad(`${given}: is given twice, as ${bare(name)} and ${name}`);
    if (PATH.test(name)) assertOnePart(given, value);
    Object.defineProperty(sent, name, { value, enumerable: true, configurable: true, writable: true });
  }
  for (const name of names.filter(isFilled)) {
    sent[name] = namingOf(name) === "kind" ? LOCATION_KIND : location;
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

function propertiesOf({ properties }: Arguments): object {
  return typeof properties === "object" && properties !== null ? properties : {};
}

/** The name that the server has for it; one that it does not have stays as it is, for the server to judge. */
function upstreamName(given: string, names: readonly string[]): string {
  if (names.includes(given)) return given;
  const [found, ...more] = names.filter((name) => bare(name) === given && name !== given);
  if (more.length > 0) throw bad(`${given}: give ${[found, ...more].join(" or ")}`);
  return found ?? given;
}

/** The location is the site's, wherever one is named. */
function assertOwnLocation(args: Arguments, location: string): void {
  const fault = walk(args, ({ field, key, value }) => {
    const naming = value === null ? undefined : namingOf(key);
    if (naming === undefined) return undefined;
    const own = naming === "kind" ? LOCATION_KIND : location;
    // Of one a list or an object could not be compared.
    const isOwn = naming === "several" && Array.isArray(value)
      ? value.every((one) => one === own)
      : value === own;
    return isOwn ? undefined : field;
  });
  if (fault !== undefined) {
    throw bad(`${fault}: is another location than the site's; leave it out, the gateway fills it in`);
  }
}

/** Names under which stands what visitors sent, under names of their own. */
const FILLED_BY_VISITORS: ReadonlySet<string> = new Set(["others"]);
const LEVELS_MAX = 32;

/** Whether an answer says anywhere that it is of another location. */
export function namesAnotherLocation(value: unknown, location: string, levels = LEVELS_MAX): boolean {
  if (typeof value !== "object" || value === null || levels === 0) return false;
  return Object.entries(value).some(([name, one]) =>
    (typeof one === "string" && one !== "" && one !== location && LOCATION.has(name)) ||
    (!FILLED_BY_VISITORS.has(name) && namesAnotherLocation(one, location, levels - 1))
  );
}
