/** Amounts of a Google Ads row as money: micros, and values in whole units (docs/upstreams/google.md, "Ads"). */
import { DECIMALS, type Money, moneyOf } from "../../core/money.ts";

const names = (text: string): ReadonlySet<string> => new Set(text.split(" "));
/** Metrics in micros whose names do not end in Micros. */
const IN_MICROS = names(
  "averageCost averageCpc averageCpe averageCpm averageCpv trueviewAverageCpv activeViewCpm costPerConversion " +
    "costPerAllConversions costPerCurrentModelAttributedConversion benchmarkAverageMaxCpc",
);
/** Metrics in whole units of the currency. */
const IN_UNITS = names(
  "conversionsValue allConversionsValue conversionsValueByConversionDate allConversionsValueByConversionDate " +
    "currentModelAttributedConversionsValue crossDeviceConversionsValue valuePerConversion valuePerAllConversions " +
    "valuePerConversionsByConversionDate valuePerAllConversionsByConversionDate " +
    "valuePerCurrentModelAttributedConversion",
);

function decimalsOf(name: string, inMetrics: boolean): number | null {
  if (name.endsWith("Micros") || inMetrics && IN_MICROS.has(name)) return DECIMALS.micros;
  return inMetrics && IN_UNITS.has(name) ? DECIMALS.whole : null;
}

/** The amounts of a row by where they stand in it, such as metrics.costMicros; none where it has none. */
export function rowMoney(
  row: Readonly<Record<string, unknown>>,
  currency: string | null,
  path = "",
): Record<string, Money | null> {
  const found: Record<string, Money | null> = {};
  for (const [name, value] of Object.entries(row)) {
    const at = path === "" ? name : `${path}.${name}`;
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      Object.assign(found, rowMoney(value as Record<string, unknown>, currency, at));
      continue;
    }
    const decimals = decimalsOf(name, at.startsWith("metrics."));
    if (decimals === null || typeof value !== "number" && typeof value !== "string") continue;
    found[at] = moneyOf(value, decimals, currency);
  }
  return found;
}
