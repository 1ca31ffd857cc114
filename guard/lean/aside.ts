/** Parts of an answer that few callers need: an agent gets them where it asks for them by `fields`. */
import { pathOf, type Step } from "../../core/answer_parts.ts";
import { isFields } from "../../core/values.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * The answer without the parts of those paths, lists gone through by themselves (`pages[3..].text` only from the fourth
 * item on), and `with_fields`, which names them as
 * `total, items.{id,title}`, each beside those of the same place. An answer that has none of them is the same as before.
 */
export function withoutAside(answer: Fields, aside: readonly string[]): Fields {
  const left = new Set<string>();
  const names = aside.map((path) => ({ path, steps: pathOf(path)!.steps }));
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
  readonly steps: readonly Step[];
}

function without(value: unknown, paths: readonly Path[], left: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((one, at) => without(one, within(paths, at), left));
  if (!isFields(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) {
    const own = paths.filter(({ steps }) => steps[0]?.name === name);
    const whole = own.filter(({ steps }) => steps.length === 1);
    for (const { path } of whole) left.add(path);
    if (whole.length > 0) continue;
    const inner = own.map(({ path, steps: [first, ...rest] }) => ({
      path,
      steps: first!.range === null ? rest : [{ name: "", range: first!.range }, ...rest],
    }));
    kept[name] = inner.length === 0 ? one : without(one, inner, left);
  }
  return kept;
}

/** The paths that go on in the item of a list: all but those of a range that it is not in. */
const within = (paths: readonly Path[], at: number): Path[] =>
  paths.flatMap(({ path, steps }) => {
    const [first, ...rest] = steps;
    if (first === undefined || first.name !== "" || first.range === null) return [{ path, steps }];
    const { from, to } = first.range;
    return at >= from && at <= (to ?? at) ? [{ path, steps: rest }] : [];
  });
