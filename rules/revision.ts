/** What a write replaces, in parts: what stands there now, field by field. */
import type { Change } from "../core/model.ts";

/** The old value of every change by its field, and what else must be as it was shown. */
export function replacedBy(
  changes: readonly Change[],
  more: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  return { ...Object.fromEntries(changes.map(({ field, from }) => [field, from])), ...more };
}
