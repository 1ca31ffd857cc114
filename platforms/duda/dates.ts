/** Duda's dates: UTC, written without a zone. */

/** A date of the platform as ISO 8601 with Z, in whole seconds; null where there is none that can be read. */
export function utc(text: string | null | undefined): string | null {
  if (!text) return null;
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text) || !text.includes("T") ? text : `${text}Z`;
  const at = Date.parse(zoned);
  return Number.isNaN(at) ? null : `${new Date(at).toISOString().slice(0, 19)}Z`;
}

/** A moment as the platform takes it: no zone, no milliseconds. */
export const dudaDate = (at: number): string => new Date(at).toISOString().slice(0, 19);
