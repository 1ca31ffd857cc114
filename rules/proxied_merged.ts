/** One schema for the tools of several sites that have one name. */
import { canonical } from "../lib/canonical.ts";

/**
 * One schema for several: they themselves where they say the same, else a loose one. There an argument on which they
 * agree is as they say, any other is left open, and only what all require is required.
 */
export function mergedSchema(
  schemas: readonly Record<string, unknown>[],
): { readonly schema: Record<string, unknown>; readonly differ: boolean } {
  const [first = { type: "object" }, ...others] = [
    ...new Map(schemas.map((one) => [canonical(one), one])).values(),
  ];
  if (others.length === 0) return { schema: first, differ: false };
  const all = [first, ...others];
  const byName = new Map<string, Set<string>>();
  for (const { properties = {} } of all) {
    for (const [name, part] of Object.entries(properties as Record<string, unknown>)) {
      byName.set(name, (byName.get(name) ?? new Set()).add(canonical(part)));
    }
  }
  const properties = [...byName].map(([name, texts]) => {
    const [only = "{}"] = texts;
    // What refers to a definition means the one of its own schema.
    return [name, texts.size === 1 && !only.includes('"$ref"') ? JSON.parse(only) : {}] as const;
  });
  const required = all.map((one) => one.required as string[] | undefined ?? []);
  const demanded = required[0]!.filter((name) => required.every((names) => names.includes(name)));
  return {
    schema: {
      type: "object",
      properties: Object.fromEntries(properties),
      ...(demanded.length > 0 ? { required: demanded } : {}),
    },
    differ: true,
  };
}
