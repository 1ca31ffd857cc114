/** `{"$from": 1}`: the id of what an earlier item makes, before there is one. */
import { GatewayError } from "../../core/errors.ts";
import { isFields } from "../../core/values.ts";
import type { ToolEntry } from "../../registry/entry.ts";
import { type MadeKind, SHARED } from "../../registry/manifest.ts";
import { TARGETS } from "./things.ts";

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
        `${name}: "${KEY}" is ${
          String(from)
        }, and this is item ${item}; name one that comes before it, counted from 1`,
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

/** Of which kinds of things an argument takes the id: ids of other kinds are the same numbers, of something else. */
function kindsOf({ manifest }: Pick<ToolEntry, "manifest">, name: string): readonly MadeKind[] {
  switch (name) {
    case "post_id":
      return ["post", "page"];
    case "page_id":
      return ["page"];
    case "featured_media_id":
      return ["image"];
    case "parent_id":
      return [manifest.makes === "term" ? "term" : "page"];
    default:
      return [];
  }
}

const A: Readonly<Record<MadeKind, string>> = {
  post: "a post",
  page: "a page",
  image: "an image",
  term: "a tag or category",
};

/** What an earlier item is, as far as a later one may use it. */
export interface Earlier {
  readonly entry: Pick<ToolEntry, "name" | "manifest" | "offer">;
  readonly site_id: string | null;
}

/**
 * Throws E_BAD_INPUT where an argument is no id, where that item makes nothing of its kind, or makes it on another site,
 * and for a change of something that is there already: only what the set itself makes can be changed unseen.
 */
export function checkUses(
  entry: ToolEntry,
  args: Readonly<Record<string, unknown>>,
  uses: Readonly<Record<string, number>>,
  earlier: (item: number) => Earlier | null,
): void {
  for (const [name, from] of Object.entries(uses)) {
    if (entry.offer !== undefined || !takesId(entry, name)) {
      throw bad(`${name}: "${KEY}" stands for an id, which this argument of "${entry.name}" is not`);
    }
    const made = earlier(from);
    if (made === null) throw bad(`${name}: item ${from} is refused itself`);
    const { makes } = made.entry.manifest;
    if (made.entry.offer !== undefined || makes === undefined) {
      throw bad(
        `${name}: item ${from} is "${made.entry.name}", which makes nothing new; give the id itself`,
      );
    }
    const kinds = kindsOf(entry, name);
    if (!kinds.includes(makes)) {
      throw bad(
        kinds.length === 0
          ? `${name}: no item of a set makes what it names; give the id itself`
          : `${name}: item ${from} makes ${A[makes]}, and it takes ${
            kinds.map((one) => A[one]).join(" or ")
          }`,
      );
    }
    if (made.site_id !== args["site_id"]) {
      throw bad(`${name}: item ${from} makes it on site "${made.site_id}", and this item is of another`);
    }
  }
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === "string" && value.includes(KEY) && takesId(entry, name)) {
      throw bad(`${name}: give {"${KEY}": 1} itself, an object, not as a text`);
    }
  }
  if (Object.keys(uses).length === 0 || entry.manifest.makes !== undefined) return;
  if (!TARGETS.some((name) => args[name] !== undefined && !Object.hasOwn(uses, name))) return;
  const [name, from] = Object.entries(uses)[0]!;
  throw bad(
    `${name}: "${entry.name}" changes something that is there already, which cannot be planned before item ${from} is ` +
      "done; do that one first, and give its id",
  );
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
