/** Money as every answer shows it beside a vendor's own figure: a decimal text in whole units of its currency. */

/** An amount such as "21.50", and its currency in three letters. */
export interface Money {
  readonly amount: string;
  readonly currency: string;
}

/** Of what vendors count in: the decimals that one of it is of a whole unit. */
export const DECIMALS = { whole: 0, hundredths: 2, micros: 6 } as const;

/** No vendor counts finer; digits behind these are traces of a calculation. */
const KEPT_DECIMALS = 6;

/**
 * So many of what has `decimals` of a whole unit, exactly, and to a millionth at most: 2150 with 2 is "21.50", 5000 with
 * 0 is "5000". A fraction has at least two digits, and a whole amount none. Null where the figure or its currency is not
 * known.
 */
export function moneyOf(
  figure: number | string | null | undefined,
  decimals: number,
  currency: string | null | undefined,
): Money | null {
  const millionths = figure === null || figure === undefined ? null : millionthsOf(figure, decimals);
  if (millionths === null || !currency) return null;
  const size = millionths < 0n ? -millionths : millionths;
  const one = 10n ** BigInt(KEPT_DECIMALS);
  const rest = size % one;
  const digits = rest.toString().padStart(KEPT_DECIMALS, "0");
  let length = KEPT_DECIMALS;
  while (length > 2 && digits[length - 1] === "0") length--;
  const fraction = rest === 0n ? "" : `.${digits.slice(0, length)}`;
  return { amount: `${millionths < 0n ? "-" : ""}${size / one}${fraction}`, currency };
}

/** In millionths of a whole unit, rounded half away from zero; null for what is no decimal number. */
function millionthsOf(figure: number | string, decimals: number): bigint | null {
  const text = typeof figure === "number" ? plainOf(figure) : figure.trim();
  const isNegative = text.startsWith("-");
  const [whole = "", fraction = "", ...more] = (isNegative ? text.slice(1) : text).split(".");
  const digits = whole + fraction;
  if (more.length > 0 || whole === "" || [...digits].some((one) => one < "0" || one > "9")) return null;
  const power = KEPT_DECIMALS - decimals - fraction.length;
  const scale = 10n ** BigInt(Math.abs(power));
  const size = power >= 0 ? BigInt(digits) * scale : (BigInt(digits) + scale / 2n) / scale;
  return isNegative ? -size : size;
}

/** A number without an exponent. */
function plainOf(figure: number): string {
  const text = String(figure);
  if (!text.includes("e")) return text;
  return Number.isInteger(figure) ? BigInt(figure).toString() : figure.toFixed(20);
}
