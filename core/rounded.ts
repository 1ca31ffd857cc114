/** How finely figures that were worked out are told. */

const PLACES = 10_000;

/** Rounded to four places, so that no order of adding shows; sums of money too. */
export const rounded = (value: number): number => Math.round((value + Number.EPSILON) * PLACES) / PLACES;
