/** What a comparison of a write with what stands after it says, and what several of them say together. */

/** What a comparison says. */
export interface Found {
  readonly verified: boolean | null;
  /** Why `verified` is null. */
  readonly reason?: string;
  readonly warnings?: readonly string[];
}

/** Of something that is not as it was asked for. */
export const wrong = (warning: string): Found => ({ verified: false, warnings: [warning] });
/** Of something that cannot be compared. */
export const unknown = (reason: string): Found => ({ verified: null, reason });

/** False where one is, else null where one is, with all that was said; null where there is none of them. */
export function allOf(...found: readonly (Found | null)[]): Found | null {
  const all = found.filter((one) => one !== null);
  if (all.length < 2) return all[0] ?? null;
  const warnings = all.flatMap((one) => one.warnings ?? []);
  if (all.some(({ verified }) => verified === false)) return { verified: false, warnings };
  const reasons = all.flatMap(({ verified, reason }) => verified === null && reason ? [reason] : []);
  if (reasons.length === 0) return { verified: true, warnings };
  return { verified: null, reason: [...new Set(reasons)].join("; "), warnings };
}
