/** What of a page a call names, compared before and after: whether that was done, and what else differs. */
import { allOf, type Found, wrong } from "./found.ts";
import { placed } from "./placed.ts";
import { isWithin, newIn, shownId, shownOf, type Structure } from "./structure.ts";

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Two looks at a page, and the call between them. */
export interface Seen {
  /** The words of the tool's name. */
  readonly words: readonly string[];
  readonly args: Fields;
  /** What the tool answered; null where it failed. */
  readonly payload: unknown;
  /** null where it could not be read. */
  readonly before: Structure | null;
  readonly now: Structure;
  /** Whether anything differs; null where that cannot be seen. */
  readonly changed: boolean | null;
}

/** The verbs whose change shows in the elements of a page: where nothing differs, nothing was done. */
const ADDING = ["add", "insert", "duplicate", "import", "apply", "build"];
const REMOVING = ["remove"];
const MOVING = ["move", "reorder"];
const STRUCTURAL = [...ADDING, ...REMOVING, ...MOVING];
/** So many elements are named in a warning. */
const NAMED_MAX = 5;

const verbOf = ({ words }: Pick<Seen, "words">) => words.find((one) => STRUCTURAL.includes(one));
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/** The elements that a call names. */
function namedIn({ args }: Seen): string[] {
  const all = [args, ...(Array.isArray(args.operations) ? args.operations.filter(isFields) : [])];
  return [...all.flatMap(({ element_id }) => texts([element_id])), ...texts(args.element_ids)];
}

/**
 * Whether what the call asks for differs from before, whoever else changed the page meanwhile; null where it does not
 * show. What has not been done of a call that failed is not taken for done because a person edited the same page.
 */
export function touched(seen: Seen): boolean | null {
  const { before, now, changed } = seen;
  if (before === null || changed === null) return null;
  const verb = verbOf(seen);
  const named = namedIn(seen);
  if (before.elements.size + now.elements.size === 0) return touchedBlocks(seen, before);
  if (verb === undefined) {
    if (named.length === 0) return null;
    if (!named.some((id) => before.elements.has(id) || now.elements.has(id))) return false;
    return named.some((id) => before.elements.get(id)?.shown !== now.elements.get(id)?.shown) ? true : null;
  }
  if (changed === false) return false;
  if (ADDING.includes(verb)) return [...now.elements.keys()].some((id) => !before.elements.has(id)) || null;
  if (REMOVING.includes(verb)) {
    return named.some((id) => before.elements.has(id) && !now.elements.has(id)) || null;
  }
  const [stood, stands] = [standings(before, now), standings(now, before)];
  return named.some((id) => stood(id) !== stands(id)) || null;
}

function touchedBlocks(seen: Seen, before: Structure): boolean | null {
  const { now, changed, args: { path } } = seen;
  const verb = verbOf(seen);
  if (Array.isArray(path) && before.paths.size > 0 && !before.paths.has(JSON.stringify(path))) return false;
  if (changed !== true || verb === undefined) return verb === undefined ? null : changed;
  const sign = REMOVING.includes(verb) ? -1 : MOVING.includes(verb) ? 0 : 1;
  return Math.sign(now.topBlocks - before.topBlocks) === sign || null;
}

/** Where each element stands among those that another look shows too. */
function standings({ elements }: Structure, other: Structure): (id: string) => string {
  const counts = new Map<string, number>();
  const all = new Map<string, string>();
  for (const [id, { within }] of elements) {
    if (!other.elements.has(id)) continue;
    const place = counts.get(within) ?? 0;
    counts.set(within, place + 1);
    all.set(id, JSON.stringify([within, place]));
  }
  return (id) => all.get(id) ?? JSON.stringify([elements.get(id)?.within ?? null, -1]);
}

/** Of a write that changes which elements there are; null of any other. */
export function structural(seen: Seen): Found | null {
  const { args, before, now, changed } = seen;
  const verb = verbOf(seen);
  if (verb === undefined) return null;
  if (before?.elements.size === 0 && now.elements.size === 0) return ofBlocks(verb, seen);
  if (REMOVING.includes(verb)) {
    const id = args.element_id;
    if (typeof id !== "string" || isEmptied(seen, id)) return uncompared(changed);
    return now.elements.has(id)
      ? wrong(`element_id: ${JSON.stringify(id)} is still on the page`)
      : { verified: true };
  }
  return MOVING.includes(verb) ? moved(seen) : added(seen);
}

/** Whether the element was not there to be taken away, or is gone with all others of the page: that is no such change. */
function isEmptied({ before, now }: Seen, id: string): boolean {
  if (before === null) return false;
  if (!before.elements.has(id)) return !now.elements.has(id);
  const own = new Set([id]);
  return now.elements.size === 0 &&
    [...before.elements.keys()].some((one) => one !== id && !isWithin(one, own, before));
}

function added(seen: Seen): Found {
  const { args, before, now, changed } = seen;
  if (changed === false) return wrong("The page is as it was before, so nothing of the change is stored");
  const id = addedId(seen);
  if (before === null) return uncompared(changed);
  if (id === null || before.elements.has(id)) return addedTree(seen, before);
  if (!now.elements.has(id)) {
    return wrong(`The tool reports that it added element ${shownId(id)}, which is not on the page`);
  }
  const [parent] = texts([args.parent_id ?? args.container_id]);
  if (parent !== undefined && now.elements.has(parent) && !isWithin(id, new Set([parent]), now)) {
    return wrong(`The element that was added, ${shownId(id)}, is not in ${JSON.stringify(parent)}`);
  }
  const { type } = now.elements.get(id)!;
  if (typeof args.widget_type === "string" && type !== "" && type !== args.widget_type) {
    return wrong(`widget_type: the element that was added, ${shownId(id)}, is of another type`);
  }
  const copy = verbOf(seen) === "duplicate" ? copied(id, seen, before) : null;
  return allOf(copy, placed([id], args.position, before, now)) ?? { verified: true };
}

/** Of elements whose ids the tool does not say: those that were not there before. */
function addedTree(seen: Seen, before: Structure): Found {
  const { args, now, changed } = seen;
  const added = newIn(now, before);
  if (added.length === 0) return uncompared(changed);
  const all = new Set(added);
  const top = added.filter((id) => !all.has(now.elements.get(id)!.within));
  const [parent] = texts([args.parent_id]);
  if (parent && now.elements.has(parent) && top.some((id) => !isWithin(id, new Set([parent]), now))) {
    return wrong(`The elements that were added are not all in ${JSON.stringify(parent)}`);
  }
  return placed(top, args.position, before, now) ?? { verified: true };
}

/** Of a copy: whether it shows what the element shows, and stands right behind it. */
function copied(id: string, { args: { element_id }, now }: Seen, before: Structure): Found | null {
  const original = typeof element_id === "string" ? now.elements.get(element_id) : undefined;
  if (original === undefined || typeof element_id !== "string") return null;
  const whole = (one: string) =>
    [...now.elements.keys()].filter((each) => each === one || isWithin(each, new Set([one]), now));
  if (shownOf(now, whole(element_id)) !== shownOf(now, whole(id))) {
    return wrong(`element_id: ${shownId(id)} does not show what the element shows that it is a copy of`);
  }
  const siblings = [...before.elements].filter((one) => one[1].within === original.within).map(([one]) =>
    one
  );
  return placed([id], siblings.indexOf(element_id) + 1, before, now);
}

/** Whether an element stands where it was to go, or those of a container in the order that was sent. */
function moved(seen: Seen): Found {
  const { args, before, now, changed } = seen;
  const target = args.target_parent_id;
  const done = () => touched(seen) === true ? { verified: true } : uncompared(changed);
  if (typeof args.element_id === "string" && typeof target === "string") {
    const stands = now.elements.get(args.element_id)?.within;
    if (stands !== target) {
      return wrong(`element_id: ${JSON.stringify(args.element_id)} is not in ${JSON.stringify(target)}`);
    }
    const place = before === null ? null : placed([args.element_id], args.position, before, now);
    return place?.verified === false ? place : allOf(place, done())!;
  }
  const sent = texts(args.element_ids);
  if (sent.length === 0) return done();
  const own = new Set(sent);
  const stored = [...now.elements].filter(([id, { within }]) => own.has(id) && within === args.container_id);
  return JSON.stringify(stored.map(([id]) => id)) === JSON.stringify(sent)
    ? { verified: true }
    : wrong("element_ids: the elements are not in that order in the container");
}

/** Blocks have no ids: how many there are at the top says whether one came or went. */
function ofBlocks(verb: string, { args, payload, before, now, changed }: Seen): Found {
  if (changed === false) {
    return MOVING.includes(verb)
      ? uncompared(false)
      : wrong("The page is as it was before, so nothing of the change is stored");
  }
  const count = now.topBlocks - before!.topBlocks;
  const nested = Array.isArray(args.path) && args.path.length > 1;
  const more = isFields(payload) && typeof payload.added === "number" ? payload.added : null;
  const expected = REMOVING.includes(verb) ? -1 : MOVING.includes(verb) ? 0 : verb === "duplicate" ? 1 : more;
  return !nested && count === expected ? { verified: true } : uncompared(changed);
}

/** The element that a tool says it added; null of any tool that adds none. */
export function addedId({ words, payload }: Pick<Seen, "words" | "payload">): string | null {
  const verb = verbOf({ words });
  if (verb === undefined || !ADDING.includes(verb) || !isFields(payload)) return null;
  const id = payload.new_element_id ?? payload.element_id ?? payload.container_id;
  return typeof id === "string" && id !== "" ? id : null;
}

/** Elements that differ and that the call does not name: somebody else may have edited the page between the looks. */
export function editedBeside(seen: Seen): string[] {
  const { before, now, args } = seen;
  const own = new Set([
    ...namedIn(seen),
    ...texts([args.parent_id, args.target_parent_id, args.container_id]),
  ]);
  if (before === null || own.size === 0) return [];
  const others = [...before.elements].filter(([id, { shown }]) => {
    const after = now.elements.get(id);
    return !own.has(id) && (after === undefined ? !isWithin(id, own, before) : after.shown !== shown);
  }).map(([id]) => id);
  if (others.length === 0) return [];
  const more = others.length > NAMED_MAX ? ` and ${others.length - NAMED_MAX} more` : "";
  const names = others.slice(0, NAMED_MAX).map(shownId).join(", ");
  return [`Elements ${names}${more} differ from before too, and the call does not name them`];
}

/** Of a write that changes which elements there are, and of which that does not show. */
function uncompared(changed: boolean | null): Found {
  return {
    ...unseen(changed),
    ...(changed === false ? { warnings: ["The page's structure is as it was before"] } : {}),
  };
}

/** Of a write whose change does not show in what is read. */
export function unseen(changed: boolean | null): Found {
  return {
    verified: null,
    reason: changed === true
      ? "The page has changed, which cannot be compared with what was asked for"
      : "What this tool writes does not show in what the site's own tools read",
  };
}
