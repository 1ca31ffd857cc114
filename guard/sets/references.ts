/** `{"$from": 1}`: the id of what an earlier item makes, before there is one. */
import { GatewayError } from "../../core/errors.ts";
import { isFields } from "../../core/values.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { SHARED } from "../../registry/manifest.ts";

const KEY = "$from";

const bad = (message: string) => new GatewayError("E_BAD_INPUT", message);

/** Ids that stand for one that is not known yet, in the forms that platforms have; nothing is ever sent with them. */
const STAND_INS = [1, "1", "00000000-0000-0000-0000-000000000000"] as const;

/** The arguments that take what an earlier item makes, with the place of that one. Throws E_BAD_INPUT for what is none. */
export function usesIn(args: Readonly<Record<string, unknown>>, item: number): Record<string, number> {
  const uses: Record<string, number> = {};
  for (const [name, value] of Object.entries(args)) {
    if (!isFields(value) || !Object.hasOwn(value, KEY)) {
      refuseWithin(name, value);
      continue;
    }
    const from = value[KEY];
    if (Object.keys(value).length > 1 || !Number.isInteger(from)) {
      throw bad(`${name}: expected {"${KEY}": the number of an earlier item} and nothing beside it`);
    }
    if ((from as number) < 1 || (from as number) >= item) {
      throw bad(
        `${name}: "${KEY}" is ${String(from)}, and this is item ${item}; name one that comes before it`,
      );
    }
    uses[name] = from as number;
  }
  return uses;
}

/** Throws E_BAD_INPUT for a reference that is not the whole value: it would be written as it stands. */
function refuseWithin(name: string, value: unknown): void {
  const isText = typeof value === "string";
  if (isText ? !namesOne(value) : !holdsOne(value)) return;
  throw bad(
    `${name}: "${KEY}" stands within ${
      isText ? "a text" : "it"
    }; it is taken as the whole value of an id argument only`,
  );
}

/** Whether a value holds one somewhere within. */
function holdsOne(value: unknown): boolean {
  if (typeof value === "string") return namesOne(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, KEY) || Object.values(value).some(holdsOne);
}

/** Whether a text has one as JSON writes it. */
function namesOne(text: string): boolean {
  for (let at = -1; (at = text.indexOf(`"${KEY}"`, at + 1)) >= 0;) {
    if (text.slice(0, at).trimEnd().endsWith("{")) return true;
  }
  return false;
}

/** Whether the tool takes an id as that argument. */
function takesId({ manifest }: Pick<ToolEntry, "manifest">, name: string): boolean {
  const { anyOf } = manifest.input.properties?.[name] ?? {};
  return JSON.stringify(anyOf) === JSON.stringify(SHARED["id"]!.anyOf);
}

/** Whether the tool makes something new that has an id: it only adds. */
export const makes = ({ manifest, offer }: Pick<ToolEntry, "manifest" | "offer">): boolean =>
  offer === undefined && manifest.hints.destructive === false && manifest.tier > 0;

/** What an earlier item is, as far as a later one may use it. */
export interface Earlier {
  readonly entry: Pick<ToolEntry, "name" | "manifest" | "offer">;
  readonly site_id: string | null;
}

/** Arguments that say which thing a tool changes. */
const CHANGED = ["post_id", "page_id", "id"];

/** Throws E_BAD_INPUT where an argument is no id, or where that item makes nothing, or makes it on another site. */
export function checkUses(
  entry: ToolEntry,
  site_id: unknown,
  uses: Readonly<Record<string, number>>,
  earlier: (item: number) => Earlier | null,
): void {
  const names = Object.keys(uses);
  if (names.length > 0 && !makes(entry) && !names.some((name) => CHANGED.includes(name))) {
    throw bad(
      `${
        names.join(", ")
      }: "${entry.name}" changes something that is there already, which cannot be planned before item ` +
        `${uses[names[0]!]} is done; do that one first, and give its id`,
    );
  }
  for (const [name, from] of Object.entries(uses)) {
    if (entry.offer !== undefined || !takesId(entry, name)) {
      throw bad(`${name}: "${KEY}" stands for an id, which this argument of "${entry.name}" is not`);
    }
    const made = earlier(from);
    if (made === null) throw bad(`${name}: item ${from} is refused itself`);
    if (!makes(made.entry)) {
      throw bad(`${name}: item ${from} is "${made.entry.name}", which makes nothing new; give the id itself`);
    }
    if (made.site_id !== site_id) {
      throw bad(`${name}: item ${from} makes it on site "${made.site_id}", and this item is of another`);
    }
  }
}

/** The arguments with an id of the platform's form in the place of each that is not known yet. */
export function withStandIns(
  args: Readonly<Record<string, unknown>>,
  uses: Readonly<Record<string, number>>,
  accepts: (id: string | number, field: string) => boolean,
): Record<string, unknown> {
  const placed = Object.keys(uses).map((name) => [
    name,
    STAND_INS.find((id) => accepts(id, name)) ?? STAND_INS[0],
  ]);
  return { ...args, ...Object.fromEntries(placed) };
}
