/** Values as PHP keeps them: it knows no object without names, and none whose names count from 0. */

/** Whether PHP makes a list of an object. */
const isCounted = (value: object) => Object.keys(value).every((name, at) => name === String(at));

/** A value with lists for the objects that PHP keeps as lists, at whatever depth. */
export function asPhpKeeps(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(asPhpKeeps);
  if (isCounted(value)) return Object.values(value).map(asPhpKeeps);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asPhpKeeps(one)]));
}
