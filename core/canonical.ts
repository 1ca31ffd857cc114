/** JSON values as one text each, whatever order their keys came in. */

/** How many values a JSON value holds, and how deep; counting ends at `most`. Walks without recursion. */
export function sizeOf(value: unknown, most: number): { readonly values: number; readonly levels: number } {
  let level: unknown[] = [value];
  let values = 0;
  let levels = 0;
  while (level.length > 0 && values <= most) {
    levels++;
    const next: unknown[] = [];
    for (const one of level) {
      if (++values > most) break;
      if (typeof one !== "object" || one === null) continue;
      for (const inner of Object.values(one)) next.push(inner);
    }
    level = next;
  }
  return { values, levels };
}

/** The JSON text of a value with the keys of its objects in order. It recurses: what is deep is refused before. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
    .sort(([a], [b]) => a < b ? -1 : 1);
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(",")}}`;
}
