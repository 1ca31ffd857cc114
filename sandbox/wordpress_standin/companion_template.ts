/** Trees of the visual builder's templates on the stand-in, and the placeholders in them. */

/** A placeholder in a text. */
export const PLACEHOLDER = /\{\{([A-Z0-9_]+)\}\}/g;

/** The tree of a template; null where what is stored is none. */
export function treeOf({ data }: { readonly data: string }): unknown[] | null {
  try {
    const tree: unknown = JSON.parse(data);
    return Array.isArray(tree) ? tree : null;
  } catch {
    return null;
  }
}

/** A decoded value with every text in it changed. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((one) => mapTexts(one, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapTexts(one, change)]));
}

/** The KEY of every placeholder. */
export function placeholders(tree: unknown): string[] {
  const names = new Set<string>();
  mapTexts(tree, (text) => {
    for (const [, name] of text.matchAll(PLACEHOLDER)) names.add(name!);
    return text;
  });
  return [...names].sort();
}

/** Elements of a template. */
export type Tree = { id: string; elements?: Tree }[];

/** The same with new numbers. */
export function renewed(tree: Tree, ids: { next: number }): Tree {
  return tree.map((one) => ({
    ...one,
    id: (0x1000000 + ids.next++).toString(16),
    ...one.elements ? { elements: renewed(one.elements, ids) } : {},
  }));
}
