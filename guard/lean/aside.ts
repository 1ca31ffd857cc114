/** Parts of an answer that few callers need: an agent gets them where it asks for them by `fields`. */
import { isFields } from "../../core/values.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The answer without the parts of those paths, lists gone through by themselves, and `with_fields`, which names them as
 * `total, items.{id,title}`, each beside those of the same place. An answer that has none of them is the same as before.
 */
export function withoutAside(answer: Fields, aside: readonly string[]): Fields {
  const left = new Set<string>();
  const names = aside.map((path) => ({ path, steps: path.split(".") }));
  const rest = without(answer, names, left) as Fields;
  return left.size === 0 ? answer : { ...rest, with_fields: named(aside.filter((path) => left.has(path))) };
}

function named(paths: readonly string[]): string {
  const places = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf(".") + 1));
  return [...places].flatMap(([place, all]) => {
    const names = all.map((path) => path.slice(place.length));
    return place === "" || names.length === 1
      ? names.map((name) => place + name)
      : [`${place}{${names.join(",")}}`];
  }).join(", ");
}

interface Path {
  readonly path: string;
  readonly steps: readonly string[];
}

function without(value: unknown, paths: readonly Path[], left: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((one) => without(one, paths, left));
  if (!isFields(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    const own = paths.filter(({ steps }) => steps[0] === name);
    const whole = own.filter(({ steps }) => steps.length === 1);
    for (const { path } of whole) left.add(path);
    if (whole.length > 0) continue;
    const inner = own.map(({ path, steps }) => ({ path, steps: steps.slice(1) }));
    kept[name] = inner.length === 0 ? one : without(one, inner, left);
  }
  return kept;
}
