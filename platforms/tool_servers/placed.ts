/** Where among its siblings an element was to go, compared with where it stands. */
import { type Found, unknown, wrong } from "./found.ts";
import { shownId, type Structure } from "./structure.ts";

const WHOLE = /^\s*-?\d{1,9}\s*$/;

/** The place that an argument names; null where it names none, such as one that is a setting of the element. */
export function placeOf(position: unknown): number | null {
  if (typeof position === "number") return Number.isInteger(position) ? position : null;
  return typeof position === "string" && WHOLE.test(position) ? Number(position) : null;
}

/**
 * Whether elements stand one after another at the place that a call names, counted without them; null where it names none.
 * A negative place, and one past the last sibling, is the end.
 */
export function placed(
  ids: readonly string[],
  position: unknown,
  before: Structure,
  now: Structure,
): Found | null {
  const place = placeOf(position);
  const [first] = ids;
  if (place === null || first === undefined) return null;
  const within = now.elements.get(first)?.within;
  const siblings = (page: Structure) =>
    [...page.elements].filter((one) => one[1].within === within).map(([id]) => id);
  const own = new Set(ids);
  const others = siblings(before).filter((id) => !own.has(id));
  const stored = siblings(now);
  if (JSON.stringify(stored.filter((id) => !own.has(id))) !== JSON.stringify(others)) {
    return unknown("position: other elements beside it differ from before too");
  }
  const at = place < 0 ? others.length : Math.min(place, others.length);
  return JSON.stringify(stored) === JSON.stringify(others.toSpliced(at, 0, ...ids))
    ? { verified: true }
    : wrong(
      `position: element ${shownId(first)} ${
        place < 0 ? "is not the last" : `is not at ${place}`
      } among those beside it`,
    );
}
